"""Severity: medium (M8, its kind). One person makes a prompt that waits larger, asks without end, and fills what is
kept for them: each has a bound, and whoever meets it is told.
"""

from pathlib import Path
from typing import Any

import pytest

from bottega import Studio
from bottega.errors import Overloaded, TooMany
from bottega.events import facts
from bottega.messages.block import Text
from bottega.sessions import asks
from bottega.sessions.bounds.waiting import Bounds
from bottega.sessions.inbox import Prompt
from bottega.sessions.session import SessionRow
from tests.cli.conftest import Script, home, say, script, work

__all__ = ["home", "script", "work"]

MOST = 1_000
"""Asks of one person that may be open."""


def _ask(n: int, kind: str = "tool") -> facts.ApprovalRequired:
    return facts.ApprovalRequired(f"ask_{n:08}", kind, tool_id=f"t{n}", tool_name="bash_exec")


async def _asked(studio: Studio, row: SessionRow, count: int) -> None:
    def insert(connection: Any) -> None:
        for n in range(count):
            asks.insert(connection, row.n, "m", _ask(n), {}, far=n % 2 == 0)

    await studio.runtime.database.write(insert)


async def test_a_waiting_prompt_grows_no_further_than_a_new_one_could(
    home: Path, work: Path
) -> None:
    async with Studio(home, runs=False) as studio:
        inbox = studio.runtime.inbox
        inbox.bounds = Bounds(bytes=2_000)
        rows = [(await studio.start(folder=work)).row for _ in range(2)]
        for row in rows:
            await inbox.admit(row, Prompt(f"m{row.n}", (Text("small"),)), by="server")
        first = f"m{rows[0].n}"
        with pytest.raises(Overloaded, match="waiting prompts hold"):
            await inbox.edit(rows[0], first, (Text("x" * 2_000),))
        await inbox.edit(rows[0], first, (Text("x" * 1_000),))
        assert await inbox.cancel(rows[1], f"m{rows[1].n}")
        await inbox.edit(rows[0], first, (Text("x" * 9_000),))  # one alone may be larger


async def test_a_call_that_would_be_one_ask_too_many_is_refused_and_the_model_is_told(
    home: Path, work: Path, script: Script
) -> None:
    call = {"do": "call", "name": "bash_exec", "input": {"command": "touch owned"}}
    async with Studio(home) as studio:
        other = await studio.start(folder=work)
        await _asked(studio, other.row, MOST)
        for far, kind in ((False, "question"), (True, "plan"), (True, "tool")):
            with pytest.raises(TooMany):
                await studio.runtime.database.write(
                    lambda c, far=far, kind=kind: asks.insert(
                        c, other.row.n, "m", _ask(MOST, kind), {}, far=far
                    )
                )
        session = await studio.start(folder=work, mode="ask")
        answer = await session.prompt("go", model=script([call], [say("done")]))
        assert answer.success, "the run goes on"
        results = [each.data for each in await session.facts() if each.type == "tool_result"]
    assert f"{MOST} asks" in str(results[0].content)
    assert not (work / "owned").exists()


async def test_what_a_command_changed_beyond_the_quota_is_said_in_its_result(
    home: Path, work: Path, script: Script
) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("person_storage_mb = 1\n")
    fill = {"command": "for n in 1 2 3; do head -c 900000 /dev/urandom > large$n; done"}
    call = {"do": "call", "name": "bash_exec", "input": fill}
    async with Studio(home) as studio:
        session = await studio.start(folder=work, mode="allow")
        await session.prompt("go", model=script([call], [say("done")]))
        results = [each.data for each in await session.facts() if each.type == "tool_result"]
    assert (work / "large3").stat().st_size == 900_000
    assert results[0].writes == ()
    assert "cannot be undone" in str(results[0].content)
    assert "person_storage_mb" in str(results[0].content)
