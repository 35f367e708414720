"""Who may use what: agents of this home are for everybody, remote agents and MCP servers are the owner's of the home.

The owner shares one by naming people in its entry. To everybody else it does not exist. A name that an entry holds is
given to nobody new: whoever had it was removed, and another person is not meant.
"""

from collections.abc import Callable, Mapping

from bottega.accounts.people import People, Person, is_shared_with, plain_name
from bottega.agents.shelf import Shelf, Shelved
from bottega.agents.spec import near
from bottega.errors import Conflict, NotFound
from bottega.mcp.server import McpServer
from bottega.sessions.session import HOST
from bottega.tools.builtin.planning.delegate import Other


class Sharing:
    def __init__(
        self, shelf: Shelf, people: People, servers: Callable[[], Mapping[str, McpServer]]
    ) -> None:
        """`servers` are the MCP servers of the settings, as they are now."""
        self._shelf = shelf
        self._people = people
        self._servers = servers

    async def add(self, name: str) -> Person:
        """A new person; refuse a name that an entry shares something with already."""
        wanted = plain_name(name)
        if named := self.naming(wanted):
            raise Conflict(
                f"{wanted!r} stands in `people` already, of {', '.join(named)}: whoever is added by that name could"
                " use what was shared with somebody else.",
                hint="Take the name out there, add the person, then share again; or choose another name.",
            )
        return await self._people.add(wanted)

    def naming(self, name: str) -> list[str]:
        """The entries that are shared with somebody of that name."""
        servers = [
            f"MCP server {key!r}" for key, each in self._servers().items() if name in each.people
        ]
        remotes = [
            (each.slug, each.spec.remote)
            for each in self._shelf.all()
            if each.spec and each.spec.remote
        ]
        return [*servers, *(f"agent {slug!r}" for slug, remote in remotes if name in remote.people)]

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
