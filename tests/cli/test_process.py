"""The program as a process: signals, closed pipes, what other processes and the disk do to it. Nothing is lost."""

import json
import os
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.cli.conftest import PROGRAM, Call, Result, Script, one_sentence, say

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(env: dict[str, str], work: Path) -> Iterator[Start]:
    """Start a command and leave it running; it does not outlive the test."""
    started: list[subprocess.Popen[bytes]] = []

    def run(*arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        process = subprocess.Popen([*PROGRAM, *arguments], env=env, cwd=work, **pipes)
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def until(stream: IO[bytes], kind: str) -> dict[str, Any]:
    """Read JSON lines up to the first event of this type."""
    for line in stream:
        event = json.loads(line)
        if event["type"] == kind:
            return event
    raise AssertionError(f"no {kind} came")


def ending(bottega: Call, session_id: str) -> dict[str, Any]:
    """The last event of a session, which must be the end of its exchange."""
    lines = bottega("events", session_id, "--json").out.splitlines()
    last = json.loads(lines[-1])
    assert last["type"] == "exchange_response"
    return last["data"]


@pytest.fixture
def held(script: Script, tmp_path: Path) -> str:
    """A model that says a few words, then waits for ever."""
    return script([say("One two three. "), {"do": "gate", "path": str(tmp_path / "never")}])


@pytest.mark.parametrize(
    ("which", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)],
)
def test_a_signal_stops_the_exchange_and_its_end_is_stored(
    start: Start, bottega: Call, held: str, which: signal.Signals, code: int
) -> None:
    process = start("run", "--json", "-m", held, "hi")
    assert process.stdout
    session = until(process.stdout, "text_delta")["session_id"]

    process.send_signal(which)
    _, err = process.communicate(timeout=30)

    assert process.returncode == code
    assert err == b""
    end = ending(bottega, session)
    assert (end["stop_reason"], end["final_response"]) == ("cancelled", "One two three.")


def test_a_second_ctrl_c_does_not_wait_and_still_loses_nothing(
    start: Start, bottega: Call, held: str
) -> None:
    process = start("run", "--json", "-m", held, "hi")
    assert process.stdout
    session = until(process.stdout, "text_delta")["session_id"]

    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)

    assert process.returncode == 130
    assert ending(bottega, session)["stop_reason"] == "cancelled"


def test_a_reader_that_leaves_does_not_stop_the_exchange(
    start: Start, bottega: Call, script: Script, tmp_path: Path
) -> None:
    gate = tmp_path / "go"
    model = script([say("One. "), {"do": "gate", "path": str(gate)}, say("Two.")])
    process = start("run", "--json", "-m", model, "hi")
    assert process.stdout
    session = until(process.stdout, "text_delta")["session_id"]

    process.stdout.close()
    gate.touch()

    assert process.wait(timeout=30) == 0
    assert process.stderr
    assert process.stderr.read() == b""
    assert ending(bottega, session)["final_response"] == "One. Two."


def test_a_list_into_a_closed_pipe_ends_quietly(
    start: Start, bottega: Call, script: Script
) -> None:
    bottega("run", "-m", script([say("word " * 40_000, pieces=2)]), "hi")
    process = start("events", newest(bottega), "--json")
    assert process.stdout
    assert process.stderr
    process.stdout.close()

    assert process.wait(timeout=30) == 141
    assert process.stderr.read() == b""


def test_events_are_followed_as_they_happen_until_ctrl_c(
    start: Start, bottega: Call, script: Script
) -> None:
    model = script([say("First.")], [say("Second.")])
    bottega("run", "-m", model, "one")
    session = newest(bottega)
    process = start("events", session, "--json", "--follow")
    assert process.stdout
    until(process.stdout, "exchange_response")

    bottega("run", "--session", session, "two")
    end = until(process.stdout, "exchange_response")
    process.send_signal(signal.SIGINT)

    assert end["data"]["final_response"] == "Second."
    assert process.wait(timeout=30) == 130
    assert process.stderr
    assert process.stderr.read() == b""


def newest(bottega: Call) -> str:
    return json.loads(bottega("sessions", "--json").out)[0]["id"]


def test_a_killed_run_is_told_and_closed_when_its_session_goes_on(
    start: Start, bottega: Call, held: str, script: Script
) -> None:
    process = start("run", "--json", "-m", held, "hi")
    assert process.stdout
    session = until(process.stdout, "text_delta")["session_id"]
    process.kill()
    process.wait()

    done = bottega("run", "--session", session, "-m", script([say("-")], [say("Back.")]), "go on")

    assert done.out == "Back.\n"
    shown = bottega("show", session).out
    assert "One two three." in shown
    assert "Interrupted" in shown


def test_two_programs_share_a_session_and_the_prompts_wait_for_each_other(
    start: Start, bottega: Call, script: Script, tmp_path: Path
) -> None:
    gate = tmp_path / "go"
    model = script([say("First. "), {"do": "gate", "path": str(gate)}], [say("Second.")])
    first = start("run", "--json", "-m", model, "one")
    assert first.stdout
    session = until(first.stdout, "text_delta")["session_id"]
    second = start("run", "--json", "--session", session, "two")
    assert second.stdout
    until(second.stdout, "prompt_queued")
    assert bottega("delete", session, "--yes").code == 1

    gate.touch()

    end = until(second.stdout, "exchange_response")
    assert end["data"]["final_response"] == "Second."
    assert second.wait(timeout=30) == 0


def test_a_locked_database_is_told_and_what_was_stored_stays(
    bottega: Call, script: Script, home: Path
) -> None:
    model = script([say("Hello.")], [say("Again.")])
    bottega("run", "-m", model, "hi")
    lock = sqlite3.connect(home / "bottega.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    try:
        done = bottega("run", "-m", model, "more")
    finally:
        lock.execute("ROLLBACK")
        lock.close()

    assert "locked" in one_sentence(done)
    assert "Hello." in bottega("show", newest(bottega)).out


def test_a_newer_database_is_refused_with_the_next_step(bottega: Call, home: Path) -> None:
    bottega("sessions")
    database = sqlite3.connect(home / "bottega.db")
    database.execute("PRAGMA user_version = 999")
    database.close()

    told = one_sentence(bottega("run", "-m", "guide", "hi"))

    assert "schema 999" in told
    assert "newer" in told


def test_something_that_is_no_database_is_told(bottega: Call, home: Path) -> None:
    home.mkdir()
    (home / "bottega.db").write_bytes(b"this is not a database, but long enough to look at" * 40)

    assert "damaged, or is no Bottega database" in one_sentence(bottega("sessions"))


def confined(script: str, env: dict[str, str], work: Path) -> Result:
    """Run a shell script as root of a mount space of its own; skip where that is not allowed."""
    unshare = ("unshare", "-m") if os.geteuid() == 0 else ("unshare", "-Urm")
    probe = subprocess.run([*unshare, "true"], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("this machine lets nobody mount in a name space of their own")
    done = subprocess.run(
        [*unshare, "sh", "-c", script],
        capture_output=True,
        text=True,
        env=env,
        cwd=work,
        timeout=60,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def test_a_full_disk_is_told_in_one_sentence_and_what_was_stored_stays(
    env: dict[str, str], work: Path, home: Path, script: Script
) -> None:
    home.mkdir()
    program = " ".join(PROGRAM)
    small, large = script([say("Hello.")]), script([say("word " * 400_000, pieces=40)])
    done = confined(
        f"""
        mount -t tmpfs -o size=1500k tmpfs {home} || exit 99
        {program} run -m {small} first >/dev/null || exit 98
        {program} run -m {large} second >/dev/null 2>{work}/told; echo $? >{work}/code
        {program} show $({program} sessions --json | grep '"id"' | tail -1 | cut -d'"' -f4)
        """,
        env,
        work,
    )

    assert "Hello." in done.out
    told = Result(int((work / "code").read_text()), "", (work / "told").read_text())
    assert "full" in one_sentence(told)


def test_a_read_only_home_is_told(env: dict[str, str], work: Path, home: Path) -> None:
    home.mkdir()
    program = " ".join(PROGRAM)
    done = confined(
        f"""
        mount -t tmpfs tmpfs {home} || exit 99
        {program} sessions >/dev/null || exit 98
        mount -o remount,bind,ro {home} || exit 97
        {program} run -m guide hi
        """,
        env,
        work,
    )

    assert "Read-only file system" in one_sentence(done)


def imported_by(env: dict[str, str], *arguments: str) -> set[str]:
    unmeasured = {name: value for name, value in env.items() if not name.startswith("COV")}
    done = subprocess.run(
        [PROGRAM[0], "-X", "importtime", *PROGRAM[1:], *arguments],
        capture_output=True,
        text=True,
        env=unmeasured,
        check=True,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_a_run_that_talks_to_nobody_outside_does_not_wait_for_what_speaks_http(
    env: dict[str, str],
) -> None:
    heavy = {"aiohttp", "fastapi", "uvicorn", "mcp", "pydantic", "prompt_toolkit"}
    assert imported_by(env, "run", "-m", "guide", "hi") & heavy == set()


def test_help_is_quick_and_imports_nothing_but_click(env: dict[str, str]) -> None:
    imported = imported_by(env, "--help")
    heavy = {"asyncio", "msgspec", "rich", "prompt_toolkit", "aiohttp", "sqlite3", "tomlkit"}
    assert heavy & imported == set()
    ours = {name for name in imported if name.startswith("bottega")}
    light = {"bottega.cli.lazy", "bottega.cli.main", "bottega.cli.signs", "bottega.errors"}
    assert ours == {"bottega", "bottega.cli", *light}
