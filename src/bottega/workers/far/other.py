"""The Bottega that answers an exchange of ours, as far as the exchange needs it: each call may be repeated."""

from contextlib import suppress
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Meta

from bottega.agents.agent import Whereabouts
from bottega.approvals.mode import Mode
from bottega.errors import Conflict, NotFound
from bottega.fairness import beside
from bottega.messages.json_size import MOST_ARGUMENTS
from bottega.reach.lines import LAST
from bottega.reach.reach import Method, Reach
from bottega.sessions.asks import Ask
from bottega.sessions.clients import ClientTool

T = TypeVar("T")


LARGEST = 16 * 1024 * 1024
"""Bytes of one answer: the arguments of a call may hold a whole file."""
Id = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_-]+\Z")]
"""What the server there names its own by: stored here, and a part of paths there."""


class _Named(msgspec.Struct):
    id: Id
    name: str = ""
    folder: str = ""


class _Projects(msgspec.Struct):
    projects: list[_Named]


class _Admitted(msgspec.Struct):
    index: Annotated[int, Meta(ge=0, le=LAST)]


class _Asked(msgspec.Struct):
    input: dict[str, Any] = {}


class Other:
    def __init__(self, reach: Reach) -> None:
        self.reach = reach

    async def session(self, known: str, where: Whereabouts, mode: Mode, title: str) -> str:
        """The session to be answered in: the known one, if it is still there, else a new one."""
        if known:
            with suppress(NotFound):
                # Its last fact comes with it, which may be a large one, and is let go of.
                path = f"sessions/{quote(known, safe='')}"
                await self._call("GET", path, query={"limit": 1})
                return known
        body = {
            "project_id": await self._project(where),
            "agent": where.agent,
            "mode": mode,
            "title": title[:200],
        }
        # Where the answer is lost there are two, of which one stays empty.
        answer = await self._call("POST", "sessions", body, again=True)
        return (await self._read(answer, _Named)).id

    async def _project(self, where: Whereabouts) -> str:
        if not where.project:
            return ""
        body = await self._call("GET", "projects")
        for each in (await self._read(body, _Projects)).projects:
            if where.project in (each.id, each.name, each.folder):
                return each.id
        raise NotFound(
            f"The server at {where.address} has no project {where.project!r}.",
            hint="Name one of yours there in the agent's `remote.project`.",
        )

    async def act_in(self, session_id: str, mode: Mode) -> None:
        await self._call("PATCH", f"sessions/{session_id}", {"mode": mode})

    async def declare(self, session_id: str, tools: list[ClientTool]) -> None:
        await self._call("PUT", f"sessions/{session_id}/tools", {"tools": tools})

    async def say(self, session_id: str, prompt: bytes) -> int:
        """Where in the log there the prompt stands; the same again is the same."""
        path = f"sessions/{session_id}/prompts"
        answer = await self._call("POST", path, prompt, again=True)
        return (await self._read(answer, _Admitted)).index

    async def stop(self, session_id: str, message_id: str) -> bool:
        """Stop what runs there, or take it back; False: it never came there."""
        try:
            await self._call("DELETE", f"sessions/{session_id}/prompts/{message_id}")
        except NotFound:
            return False
        return True

    async def arguments(self, ask_id: str) -> dict[str, Any]:
        """What the call would be made with that is asked about."""
        with suppress(NotFound):
            body = await self._call("GET", f"asks/{quote(ask_id, safe='')}")
            return (await self._read(body, _Asked)).input
        return {}

    async def answer(self, ask: Ask) -> None:
        """Pass on what somebody answered here; if somebody there was first, the log there tells."""
        assert ask.reply
        given = {**msgspec.to_builtins(ask.reply), "hash": ask.asked.hash}
        given.pop("person", None)  # a person here is nobody there
        with suppress(Conflict, NotFound):
            await self._call("POST", f"asks/{quote(ask.id, safe='')}", given, again=True)

    async def _call(self, method: Method, path: str, body: Any = None, **how: Any) -> bytes:
        return await self.reach.call(method, path, body, largest=LARGEST, **how)

    async def _read(self, answer: bytes, shape: type[T]) -> T:
        return await beside(len(answer), self.reach.read, answer, shape, MOST_ARGUMENTS)
