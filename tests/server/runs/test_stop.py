"""SIGTERM: the server finishes or leaves what runs, and is gone in time with exit code 0, whatever hangs."""

import asyncio
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from bottega.server.problems import of
from bottega.studio.opened import Stopping
from tests.hunt import LONG
from tests.processes import running
from tests.server.runs.front import commands, front, gone, say, script, until
from tests.server.serving import Serving

ALONE: tuple[str, ...] = ()
STAFFED = ("--workers", "1")


def stopped(serving: Serving) -> float:
    """Have it end; how long that took."""
    began = time.monotonic()
    code, said = serving.stop()
    assert (code, said) == (0, "")
    return time.monotonic() - began


def statuses(home: Path) -> list[Any]:
    connection = sqlite3.connect(home / "bottega.db")
    try:
        return connection.execute("SELECT status, holder FROM sessions").fetchall()
    finally:
        connection.close()


@pytest.mark.parametrize("flags", [ALONE, STAFFED] if LONG else [ALONE])
async def test_with_nothing_to_do_it_ends_at_once(
    home: Path, folder: Path, flags: tuple[str, ...]
) -> None:
    with Serving(home, folder, *flags) as serving:
        assert stopped(serving) < 4


@pytest.mark.parametrize("flags", [ALONE, STAFFED] if LONG else [STAFFED])
async def test_a_provider_that_hangs_holds_nothing_up_and_its_exchange_goes_on_at_the_next_start(
    home: Path, folder: Path, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    gate = tmp_path / "gate"
    half = [{"do": "say", "text": "Half "}, {"do": "gate", "path": str(gate)}]
    model = script(tmp_path / "s.json", [*half, {"do": "say", "text": "and whole."}])
    with Serving(home, folder, *flags, environment={"BOTTEGA_GRACE": "0.3"}) as serving:
        async with front(home) as studio:
            session = await studio.start(model=model, folder=folder)
            await say(session)
            await until(session, "text_delta")
            assert stopped(serving) < 4
            assert statuses(home) == [("running", None)]
            gate.touch()
            began = time.monotonic()
            serving.start()
            await until(session, "exchange_response")
            assert time.monotonic() - began < 7
            log = await session.facts()
    kinds = [event.type for event in log]
    assert "cancel_requested" not in kinds
    assert kinds.count("message_start") == 2
    assert log[-1].data.final_response == "Half and whole."


async def test_a_command_that_hears_no_signal_holds_nothing_up(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    deaf = "trap '' TERM INT HUP; touch here; sleep 8765.4"
    call = {"do": "call", "name": "bash_exec", "input": {"command": deaf}}
    model = script(tmp_path / "s.json", [call], [{"do": "say", "text": "Done."}])
    with Serving(home, folder, environment={"BOTTEGA_GRACE": "0.3"}) as serving:
        async with front(home) as studio:
            session = await studio.start(model=model, folder=folder, mode="allow")
            await say(session)
            async with asyncio.timeout(20):
                while not (folder / "here").exists():
                    await asyncio.sleep(0.02)
            asleep = commands("sleep\x008765.4")
            assert asleep
            assert stopped(serving) < 10
            await gone(asleep, seconds=2)
    assert statuses(home) == [("running", None)]


async def test_an_answer_that_is_nearly_done_is_finished_first(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    words = {"do": "say", "text": "one two three four five six", "pace_ms": 100}
    model = script(tmp_path / "s.json", [words])
    with Serving(home, folder) as serving:
        async with front(home) as studio:
            session = await studio.start(model=model, folder=folder)
            await say(session)
            await until(session, "text_delta")
            assert await asyncio.to_thread(stopped, serving) < 4
            log = await session.facts()
    assert log[-1].data.final_response == "one two three four five six"
    assert statuses(home) == [("idle", None)]


HANGS = """
    import asyncio, sys, time
    from bottega.server.staff.stop import Stop

    async def main():
        with Stop(within=0.5).heard() as stop:
            print("ready", flush=True)
            await stop.asked()
            print("asked", flush=True)
            if sys.argv[1] == "loop":
                time.sleep(60)
            await asyncio.to_thread(time.sleep, 60)

    asyncio.run(main())
    """


@pytest.mark.parametrize("what", ["loop", "thread"])
def test_an_end_that_hangs_is_taken_in_time(what: str) -> None:
    with running(HANGS, what) as process:
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert 0.4 < time.monotonic() - began < 5


def test_a_second_signal_ends_it_at_once() -> None:
    with running(HANGS.replace("0.5", "60"), "thread") as process:
        process.send_signal(signal.SIGTERM)
        assert process.stdout
        assert process.stdout.readline() == "asked\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130


def test_whoever_prompts_a_server_that_ends_is_told_when_to_come_back() -> None:
    answer = of(Stopping("Bottega is about to end."))
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) >= 1
