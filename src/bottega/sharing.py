"""Who may use what: agents of this home are for everybody, remote agents and MCP servers are the owner's of the home.

The owner shares one by naming people in its entry. To everybody else it does not exist. A name that an entry holds is
given to nobody new: whoever had it was removed, and another person is not meant.

What is wrong with the owner's files is for the owner to read: others learn that an agent cannot be used, not why.
"""

from collections.abc import Callable, Iterable, Mapping

import msgspec

from bottega.accounts.people import People, Person, is_shared_with, plain_name
from bottega.agents.agent import Agent
from bottega.agents.build import missing
from bottega.agents.check import is_mcp
from bottega.agents.shelf import Shelf, Shelved
from bottega.agents.spec import near
from bottega.errors import Conflict, NotFound
from bottega.mcp.server import McpServer
from bottega.sessions.session import HOST
from bottega.tools.builtin.planning.delegate import Other
from bottega.tools.registry import Registry


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
        if unread := [
            each.path for each in self._shelf.all() if each.origin == "own" and not each.spec
        ]:
            raise Conflict(
                f"What {', '.join(map(repr, unread))} shares cannot be read, and it may be with somebody of this name.",
                hint="Correct or remove the file: `bottega agents validate` says what is wrong with it.",
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
        if owner == HOST or slug in self._shelf.slugs:
            found = self._shelf.find(slug)
            if self._is_for(found, owner):
                return _shown(found, owner)
        seen = [each.slug for each in self.agents(owner)]
        raise NotFound(
            f"There is no agent {slug[:60]!r}.{near(slug, seen)}",
            hint=f"There are: {', '.join(seen)}.",
        )

    def agents(self, owner: int) -> list[Shelved]:
        """Every agent that this person may choose."""
        return [_shown(each, owner) for each in self._shelf.all() if self._is_for(each, owner)]

    def servers(self, owner: int) -> dict[str, McpServer]:
        """The MCP servers that may be used in this person's sessions."""
        every = self._servers().items()
        return {name: server for name, server in every if self.lets(server.people, owner)}

    def tools(self, names: Iterable[str], owner: int) -> list[str]:
        """Of the tools that an agent names: those that this person may know of."""
        known = tuple(f"mcp__{server}__" for server in self.servers(owner))
        return [
            each for each in names if owner == HOST or not is_mcp(each) or each.startswith(known)
        ]

    def missing(self, agent: Agent, registry: Registry, owner: int) -> list[str]:
        """The tools of MCP servers that the agent names and does not get, as far as they are this person's."""
        if agent.tools is None:
            return []
        known = msgspec.structs.replace(agent, tools=tuple(self.tools(agent.tools, owner)))
        return missing(known, registry)

    def problems(self, owner: int) -> list[str]:
        """What is wrong with agents' files, for whoever can mend them."""
        return self._shelf.problems() if owner == HOST else []

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


def _shown(shelved: Shelved, owner: int) -> Shelved:
    """What somebody is told of an agent: where its file is, and what is wrong with it, only whoever wrote it."""
    if owner == HOST:
        return shelved
    problems = (_UNUSABLE,) if shelved.problems else ()
    return msgspec.structs.replace(shelved, path="", problems=problems)


_UNUSABLE = "something in it is wrong; the owner of this home is told what"
