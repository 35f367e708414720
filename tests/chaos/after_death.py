"""What must hold after any death of a process: nothing that was shown is lost, nothing is doubled, work goes on."""

import sqlite3
from collections import Counter
from pathlib import Path

import msgspec

from bottega.events import codec, fold
from bottega.events.event import Event
from bottega.messages.repair import repair
from bottega.studio import Studio
from tests.chaos.victim import Seen
from tests.messages import strict


def stored(home: Path) -> dict[int, list[Event]]:
    """The log of every session, straight from the file."""
    connection = sqlite3.connect(home / "bottega.db")
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sessions'").fetchone():
            return {}  # it died before the first migration was whole
        logs: dict[int, list[Event]] = {
            n: [] for (n,) in connection.execute("SELECT n FROM sessions")
        }
        for n, idx, body in connection.execute(
            "SELECT session, idx, body FROM events ORDER BY idx"
        ):
            logs[n].append(codec.decode(idx, body))
        lasts = dict(connection.execute("SELECT n, last_index FROM sessions"))
    finally:
        connection.close()
    for n, log in logs.items():
        assert [event.index for event in log] == list(range(1, lasts[n] + 1)), "a gap or a double"
    return logs


def nothing_shown_is_lost(home: Path, seen: list[Seen]) -> None:
    """Each event that was printed comes out of the log again, the same."""
    logs = stored(home)
    if not seen:
        return
    (log,) = logs.values()
    again = {
        (event.index, event.sub): msgspec.json.decode(codec.line("", event), type=Seen)
        for event in fold.replay(log)
    }
    for line in seen:
        assert again[line.index, line.sub] == line
    assert max(Counter((line.index, line.sub) for line in seen).values()) == 1, "shown twice"


async def work_goes_on(home: Path, model: str, folder: Path) -> None:
    """The next start works, every exchange has one end, and the history is one that providers accept."""
    async with Studio(home) as studio:
        rows = await studio.sessions(1)
        session = (
            await studio.resume(rows[0].id)
            if rows
            else await studio.start(model=model, folder=folder)
        )
        end = await session.prompt("once more")
        assert end.success, end
        log = await session.facts()
        history = await session.history()
    prompts = Counter(event.message_id for event in log if event.type == "prompt_queued")
    ends = Counter(event.message_id for event in log if event.type == "exchange_response")
    assert prompts == ends, "an exchange without its one end"
    calls_are_answered_once(log)
    strict.anthropic(repair(history, "anthropic"))
    strict.openai_chat(repair(history, "openai-chat"))


def calls_are_answered_once(log: list[Event]) -> None:
    asked = Counter(
        block.id
        for event in log
        if event.type == "assistant_message"
        for block in event.data.content
        if type(block).__name__ == "ToolUse"
    )
    answered = Counter(event.data.tool_id for event in log if event.type == "tool_result")
    assert asked == answered
