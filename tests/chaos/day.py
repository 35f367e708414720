"""What one client does at a server in a day, which uses every part of it; after a death it says the same again.

It keeps the ids that it made and every event that it was shown. A step that broke off is done again; one that was
answered is not.
"""

import asyncio
import sqlite3
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from tests.chaos.clients import told

LONG = "The answer goes on about many things that nobody will need again. " * 60
SUMMARY = "## Goal\nTo talk at length.\n## Done\nMany long answers were given, none of them of use."


def say(text: str) -> dict[str, Any]:
    return {"do": "say", "text": text}


def call(tool: str, **given: Any) -> dict[str, Any]:
    return {"do": "call", "name": tool, "input": given}


RULES = {
    "<record>": [[say(SUMMARY)]],
    "talk": [[say(LONG)]],
    "work": [
        [say("I write two files."), call("write_file", file_path="a", content="a\n" * 20_000)],
        [call("write_file", file_path="b", content="b")],
        [call("bash_exec", command="echo here >> trace")],
        [call("delegate", agent="explainer", task="look")],
        [say("All is done.")],
    ],
    "look": [[call("list_dir", path=".")], [say("I looked.")]],
}
"""What the model says to each word of the user."""


def script(path: Path) -> str:
    rules = [{"when": word, "turns": turns} for word, turns in RULES.items()]
    path.write_bytes(msgspec.json.encode({"rules": rules}))
    return f"scripted/{path}"


class Day:
    def __init__(self, model: str) -> None:
        self._model = model
        self._answers: dict[str, Any] = {}
        """Of the steps that are done."""
        self.seen: dict[str, dict[int, bytes]] = {}
        """By session and index: the bodies of all events that were shown."""
        self._ids: dict[str, str] = {}
        """Of what was said."""

    @asynccontextmanager
    async def at(self, address: str, token: str) -> AsyncGenerator["Day"]:
        headers = {"Authorization": f"Bearer {token}"}
        timeout = aiohttp.ClientTimeout(total=20)
        async with aiohttp.ClientSession(address, headers=headers, timeout=timeout) as self._http:
            yield self

    async def spend(self) -> None:
        """The whole day, or what is left of it."""
        await self._once("key", self._key)
        await self._once("settings", self._settings)
        session = await self._once("begin", self._begin)
        for word in ("talk 1", "talk 2", "talk 3", "work"):
            await self._once(word, lambda word=word: self._prompt(session, word))
        await self._once("compact", lambda: self._compact(session))
        await self._once("talk 4", lambda: self._prompt(session, "talk 4"))
        forked = await self._once("fork", lambda: self._fork(session))
        await self._once("clear", lambda: self._call("POST", f"sessions/{forked}/clear"))
        await self._once("delete", lambda: self._delete(forked))

    async def _once(self, name: str, step: Callable[[], Awaitable[Any]]) -> Any:
        if name not in self._answers:
            self._answers[name] = await step()
        return self._answers[name]

    async def _call(self, method: str, path: str, body: Any = None, *fine: int) -> Any:
        async with self._http.request(method, f"/api/{path}", json=body) as response:
            answer = await response.text()
            assert response.status < 300 or response.status in fine, f"{method} {path}: {answer}"
            return msgspec.json.decode(answer) if answer else None

    async def _key(self) -> None:
        await self._call("PUT", "keys/openai", {"key": "sk-not-a-key"})

    async def _settings(self) -> None:
        await self._call("PATCH", "settings", {"context_window": 20_000})

    async def _begin(self) -> str:
        made = await self._call("POST", "sessions", {"model": self._model, "mode": "ask"})
        return made["id"]

    async def _compact(self, session: str) -> None:
        """Again, where the process that did it has died."""
        at = f"sessions/{session}/compact"
        async with asyncio.timeout(60):
            while (await self._call("POST", at, None, 503)).get("code") == "overloaded":
                await asyncio.sleep(0.02)

    async def restarts(self) -> int:
        """How often worker processes were started again."""
        return sum(each["restarts"] for each in (await self._call("GET", "workers"))["workers"])

    async def _fork(self, session: str) -> str:
        row = await self._call("GET", f"sessions/{session}")
        made = await self._call("POST", f"sessions/{session}/fork", {"index": row["last_index"]})
        return made["id"]

    async def _delete(self, session: str) -> None:
        await self._call("DELETE", f"sessions/{session}", None, 404)

    async def _prompt(self, session: str, word: str) -> None:
        """Say it, allow what is asked, and follow until it has ended."""
        message_id = self._ids.setdefault(word, str(uuid.uuid4()))
        body = {"message_id": message_id, "content": word}
        await self._call("POST", f"sessions/{session}/prompts", body)
        seen = self.seen.setdefault(session, {})
        async with self._http.get(
            f"/api/sessions/{session}/events",
            params={"after": len(seen)},
            headers={"Accept": "text/event-stream"},
        ) as response:
            async for index, shown in told(response.content):
                assert index == len(seen) + 1
                seen[index] = shown
                event = msgspec.json.decode(shown)
                if event["type"] == "approval_required":
                    await self._allow(event["data"])
                elif event["type"] == "exchange_response" and event["message_id"] == message_id:
                    return

    async def _allow(self, asked: dict[str, Any]) -> None:
        word = "continue" if asked["kind"] == "resume" else "allow_once"
        answer = {"word": word, "hash": asked.get("hash", "")}
        await self._call("POST", f"asks/{asked['approval_id']}", answer, 404, 409)

    async def allow_all(self) -> None:
        """What still waits for an answer."""
        for ask in (await self._call("GET", "asks"))["asks"]:
            await self._allow({**ask, "approval_id": ask["id"]})

    async def settled(self) -> None:
        """Wait until nothing is on its way in any session, but for what waits for an answer."""
        while True:
            asks = {ask["session_id"] for ask in (await self._call("GET", "asks"))["asks"]}
            page = await self._call("GET", "sessions")
            busy = [each for each in page["sessions"] if each["status"] in ("queued", "running")]
            if all(each["id"] in asks for each in busy):
                return
            await asyncio.sleep(0.02)


def rows(home: Path) -> dict[str, dict[int, bytes]]:
    """The log of every session, straight from the file."""
    connection = sqlite3.connect(home / "bottega.db")
    try:
        found: dict[str, dict[int, bytes]] = {}
        for session, index, body in connection.execute(
            "SELECT id, idx, body FROM events JOIN sessions ON sessions.n = session ORDER BY idx"
        ):
            found.setdefault(session, {})[index] = bytes(body)
        return found
    finally:
        connection.close()
