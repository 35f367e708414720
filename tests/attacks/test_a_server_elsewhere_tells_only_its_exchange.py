"""Severity: low (L2, its kind). A remote agent's server puts facts into its log that set or turn over a session:
they are not taken into the log here, where they would do the same to a session that is not its own.
"""

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bottega import Studio
from bottega.events import facts
from bottega.events.event import Carried, Event
from bottega.sessions.session import now
from bottega.studio.session import Session
from tests.remote.conftest import Hire, here, hire, serving, shared
from tests.remote.logs import there
from tests.server.serving import Serving

__all__ = ["here", "hire", "serving", "shared"]

SLOW = {"do": "say", "text": "word " * 30, "pieces": 30, "pace_ms": 10}
PLANTED = {
    "session_cleared": facts.SessionCleared(),
    "session_reset": facts.SessionReset(),
    "mode_changed": facts.ModeChanged("allow"),
    "model_changed": facts.ModelChanged("guide"),
    "agent_changed": facts.AgentChanged("coder"),
    "compaction_undone": facts.CompactionUndone(1),
}


@asynccontextmanager
async def _begun(here: Path, folder: Path, agent: object) -> AsyncIterator[Session]:
    async with Studio(here, agents=[agent]) as studio:  # pyright: ignore[reportArgumentType]
        yield await studio.start(agent="afar", folder=folder)


async def _plant(server: Serving, session_id: str, message_id: str) -> None:
    planted = [Event(kind, now(), data, message_id) for kind, data in PLANTED.items()]
    await _append(server, session_id, *planted)


async def _append(server: Serving, session_id: str, *planted: Event) -> None:
    async with Studio(server.home, runs=False) as far:
        row = far.find(session_id).row
        await far.runtime.log.append(row.n, planted, lambda _: True)


async def test_facts_that_turn_over_a_session_are_left_where_they_are(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    async with _begun(here, folder, hire(shared, [SLOW])) as session:
        seen: list[Event] = []
        async for event in session.prompt("go"):
            seen.append(event)
            if event.type == "text_delta" and sum(e.type == "text_delta" for e in seen) == 1:
                await _plant(shared, there(seen), event.message_id)
        assert seen[-1].data.success
        kinds = {event.type for event in await session.facts()}
        assert kinds & set(PLANTED) == set()
        assert session.mode == "ask"
        assert [message.role for message in await session.history()] == ["user", "assistant"]


async def test_a_fact_is_stored_as_this_program_writes_it_however_it_was_spelled(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    result = {"content": [], "name": "read_file", "tool_id": "t9"}  # x'7439'
    async with _begun(here, folder, hire(shared, [SLOW])) as session:
        seen: list[Event] = []
        async for event in session.prompt("go"):
            seen.append(event)
            if event.type == "text_delta" and sum(e.type == "text_delta" for e in seen) == 1:
                body = {"message_id": event.message_id, "data": result, "at": now(), "step": 1}
                spelled = json.dumps({**body, "type": "tool_result"}, indent=1).encode()
                await _append(shared, there(seen), Carried("mode_changed", 0, None, body=spelled))
    with sqlite3.connect(here / "bottega.db") as log:
        rows = log.execute("SELECT body FROM events WHERE instr(body, x'7439')").fetchall()
    assert len(rows) == 1, "it was taken"
    assert rows[0][0].startswith(b'{"type":"tool_result","at":')
    assert b" " not in rows[0][0]
