"""Who may use what: agents of this home are for everybody, remote agents and MCP servers are the owner's of the home.

The owner shares one by naming people in its entry. To everybody else it does not exist.
"""

from bottega.accounts.people import People, is_shared_with
from bottega.agents.shelf import Shelf, Shelved
from bottega.agents.spec import near
from bottega.errors import NotFound
from bottega.sessions.session import HOST
from bottega.tools.builtin.planning.delegate import Other


class Sharing:
    def __init__(self, shelf: Shelf, people: People) -> None:
        self._shelf = shelf
        self._people = people

    def lets(self, people: tuple[str, ...], owner: int) -> bool:
        """Whether what is shared with these people may be used in sessions of this owner."""
        if owner == HOST or not people:
            return owner == HOST
        return is_shared_with(people, self._people.numbered(owner))

    def agent(self, slug: str, owner: int) -> Shelved:
        """The agent of that slug, usable or not, if this person may see it; another's is not found."""
        found = self._shelf.find(slug)
        if self._is_for(found, owner):
            return found
        seen = [each.slug for each in self.agents(owner)]
        raise NotFound(
            f"There is no agent {slug[:60]!r}.{near(slug, seen)}",
            hint=f"There are: {', '.join(seen)}.",
        )

    def agents(self, owner: int) -> list[Shelved]:
        """Every agent that this person may choose."""
        return [each for each in self._shelf.all() if self._is_for(each, owner)]

    def others(self, owner: int) -> dict[str, Other]:
        """The agents that a task may be handed to in this person's sessions."""
        found: dict[str, Other] = {}
        for each in self.agents(owner):
            if each.spec and not each.problems:
                address = each.spec.remote.address if each.spec.remote else ""
                found[each.slug] = Other(each.spec.description, address)
        return found

    def _is_for(self, shelved: Shelved, owner: int) -> bool:
        if owner == HOST:
            return True
        if shelved.spec is None:  # nobody knows what it would be
            return shelved.origin != "own"
        remote = shelved.spec.remote
        return remote is None or self.lets(remote.people, owner)
