"""Programs in a sandbox of each kind: started, fed, heard, and ended with all that came of them."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from bottega.errors import BadUsage, NotFound, Problem
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox import program as programs
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.opened import Opened
from bottega.workspaces.sandbox.sandbox import Launch, Size
from bottega.workspaces.sandbox.warden import IDLE
from tests.descriptors import descriptors, given_back
from tests.hunt import examples
from tests.workspaces.sandbox.needs import needs_bubblewrap, only_bubblewrap
from tests.workspaces.sandbox.rooms import Pulse, bash, dropped, finished, line_of, run

pytestmark = pytest.mark.asyncio(loop_scope="module")
CANCELS = examples(60, 1000)

RESISTS = """
trap '' TERM HUP INT
(trap '' TERM HUP; setsid sleep 600 & )
setsid bash -c 'trap "" TERM; sleep 600 & wait' &
( ( sleep 600 & ) & )
sleep 600 & kill -STOP $!
python3 -c 'import ctypes, os, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
if os.fork() == 0:
    os.setsid()
    os.fork()
    time.sleep(600)
time.sleep(600)' &
echo up
wait
"""
"""What does not want to end: orphans, sessions of their own, deaf to signals, stopped, with a reaper of their own."""


async def test_output_errors_and_exit_code_are_told_apart(sandbox: Opened) -> None:
    done = await bash(sandbox, "echo out; echo err >&2; exit 7")
    assert done == (7, "out\n", "err\n")


async def test_a_program_that_a_signal_ended_has_the_signals_number_below_zero(
    sandbox: Opened,
) -> None:
    assert (await bash(sandbox, "kill -TERM $$")).code == -signal.SIGTERM


async def test_without_being_fed_a_program_reads_nothing(sandbox: Opened) -> None:
    assert await run(sandbox, "cat") == (0, "", "")


async def test_what_is_fed_to_a_program_is_read_until_it_is_closed(sandbox: Opened) -> None:
    program = await sandbox.start(Launch(("cat",), feed=True))
    os.write(program.stdin, b"hello")
    os.close(program.stdin)
    assert await finished(program) == (0, "hello", "")


async def test_a_program_starts_in_its_folder_with_its_variables(
    sandbox: Opened, workspace: Path
) -> None:
    (workspace / "inner").mkdir(exist_ok=True)
    done = await bash(sandbox, "pwd; echo $GIVEN", folder="inner", environment={"GIVEN": "word"})
    assert done.out.split() == [str(workspace / "inner"), "word"]


async def test_nothing_of_the_studios_environment_comes_along(
    local: Local, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    sandbox = await local.open(Root(workspace))
    done = await bash(sandbox, "env")
    await sandbox.close()
    names = {line.partition("=")[0] for line in done.out.splitlines()}
    others = {"_", "PWD", "SHLVL", "OLDPWD", "GIT_CONFIG_SYSTEM"}
    assert names - others == {"PATH", "HOME", "LANG", "TERM", "USER", "TMPDIR"}


async def test_a_terminal_has_its_size_and_can_be_given_another(sandbox: Opened) -> None:
    waits = "stty size; trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.01; done"
    launch = Launch(("bash", "-c", waits), terminal=Size(30, 100))
    program = await sandbox.start(launch)
    assert program.stdin == program.stdout == program.stderr
    assert await line_of(program) == "30 100"
    assert await line_of(program) == "ready"
    program.resize(Size(40, 120))
    assert await line_of(program) == "40 120"
    assert await program.wait() == 0
    dropped(program)


async def test_ctrl_c_in_a_terminal_reaches_the_program(sandbox: Opened) -> None:
    program = await sandbox.start(Launch(("cat",), terminal=Size()))
    os.write(program.stdin, b"hello\n")
    assert await line_of(program) == "hello"
    os.write(program.stdin, b"\x03")
    assert await program.wait() == -signal.SIGINT
    dropped(program)


async def test_a_program_that_is_not_there_is_named(sandbox: Opened) -> None:
    with pytest.raises(NotFound, match="no program 'nonesuch'"):
        await run(sandbox, "nonesuch")


async def test_a_file_that_is_no_program_is_refused(sandbox: Opened, workspace: Path) -> None:
    (workspace / "text").write_text("hello")
    with pytest.raises(Problem, match="could not be started: Permission denied"):
        await run(sandbox, "./text")


async def test_a_folder_that_is_not_there_is_named(sandbox: Opened) -> None:
    with pytest.raises(NotFound, match="in the folder 'nowhere'"):
        await run(sandbox, "true", folder="nowhere")


@pytest.mark.parametrize("folder", ["/etc", "..", "inner/../..", "../ws"])
async def test_a_folder_outside_is_refused(sandbox: Opened, folder: str) -> None:
    with pytest.raises(BadUsage, match="not inside the workspace"):
        await run(sandbox, "true", folder=folder)


@pytest.mark.parametrize(
    ("launch", "said"),
    [
        (Launch(()), "no program"),
        (Launch(("",)), "no program"),
        (Launch(("echo", "a\0b")), "NUL"),
        (Launch(("true",), environment={"A=B": "c"}), "name of a variable"),
        (Launch(("true",), environment={"": "c"}), "name of a variable"),
        (Launch(("echo", "\ud800")), "no valid text"),
        (Launch(("echo", "x" * 200_000)), "too long"),
    ],
)
async def test_what_cannot_be_started_is_said_in_words(
    sandbox: Opened, launch: Launch, said: str
) -> None:
    with pytest.raises(Problem, match=said):
        await sandbox.start(launch)
    assert (await bash(sandbox, "echo next")).out == "next\n"


async def test_arguments_arrive_byte_for_byte(sandbox: Opened) -> None:
    odd = os.fsdecode(b"a\xffb") + " 'q' \"d\" $HOME \n\t\u4e2d"
    done = await run(sandbox, "bash", "-c", 'printf %s "$1" | od -An -tx1', "bash", odd)
    assert bytes.fromhex(done.out) == os.fsencode(odd)


async def test_programs_run_side_by_side(sandbox: Opened, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    reader, writer = await asyncio.gather(
        bash(sandbox, "cat pipe"), bash(sandbox, "echo met > pipe")
    )
    assert (reader.out, writer.code) == ("met\n", 0)


async def test_many_programs_are_started_at_once(sandbox: Opened) -> None:
    done = await asyncio.gather(*(bash(sandbox, f"echo {number}") for number in range(20)))
    assert [each.out for each in done] == [f"{number}\n" for number in range(20)]


async def test_what_a_command_left_in_the_background_lives_until_the_sandbox_closes(
    local: Local, workspace: Path, pulse: Pulse
) -> None:
    sandbox = await local.open(Root(workspace))
    done = await bash(sandbox, pulse.held + "sleep 600 >/dev/null 2>&1 & echo started")
    assert (done.code, done.out) == (0, "started\n")
    assert not await pulse.stops(0.1)
    await sandbox.close()
    assert await pulse.stops(5)


async def test_killing_a_program_ends_everything_that_came_of_it_and_nothing_else(
    sandbox: Opened, pulse: Pulse
) -> None:
    other = await sandbox.start(Launch(("bash", "-c", "echo up; read word; echo $word"), feed=True))
    await line_of(other)
    program = await sandbox.start(Launch(("bash", "-c", pulse.held + RESISTS)))
    assert await line_of(program) == "up"
    async with asyncio.timeout(30):
        await program.kill()
    assert await pulse.stops(0)
    assert await program.wait() == -signal.SIGKILL
    dropped(program)
    os.write(other.stdin, b"still here\n")
    os.close(other.stdin)
    assert (await finished(other)).out == "still here\n"


async def test_what_an_ended_command_left_behind_can_be_killed_by_it(
    sandbox: Opened, pulse: Pulse
) -> None:
    script = pulse.held + "sleep 600 >/dev/null 2>&1 &"
    program = await sandbox.start(Launch(("bash", "-c", script)))
    assert await finished(program) == (0, "", "")
    await program.kill()
    assert await pulse.stops(0)
    assert await program.wait() == 0


async def test_killing_twice_is_killing_once(sandbox: Opened) -> None:
    program = await sandbox.start(Launch(("sleep", "600")))
    await asyncio.gather(program.kill(), program.kill())
    await program.kill()
    assert await program.wait() == -signal.SIGKILL
    dropped(program)


async def test_a_start_that_is_cancelled_leaves_nothing(sandbox: Opened, pulse: Pulse) -> None:
    script = pulse.held + "sleep 600"
    for turns in range(12):
        task = asyncio.create_task(sandbox.start(Launch(("bash", "-c", script))))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        try:
            program = await task
        except asyncio.CancelledError:
            continue
        await program.kill()
        dropped(program)
    assert (await bash(sandbox, pulse.held + "true")).code == 0
    assert await pulse.stops(5)


@pytest.mark.chaos
async def test_cancelled_commands_leave_no_process(sandbox: Opened, pulse: Pulse) -> None:
    """A thousand of them in the long hunt."""
    script = pulse.held + "(setsid sleep 600 & ); trap '' TERM; sleep 600 & echo up; wait"
    for _ in range(CANCELS // 10):
        started = [await sandbox.start(Launch(("bash", "-c", script))) for _ in range(10)]
        await asyncio.gather(*map(line_of, started))
        await asyncio.gather(*(program.kill() for program in started))
        assert await pulse.stops(0)
        for program in started:
            dropped(program)


@needs_bubblewrap
@only_bubblewrap
async def test_a_program_that_kills_all_it_can_harms_only_the_programs(
    sandbox: Opened, pulse: Pulse
) -> None:
    await bash(sandbox, pulse.held + "setsid sleep 600 >/dev/null 2>&1 &")
    script = "read; grep -q run/inside /proc/1/cmdline && kill -9 -1; echo alive"
    program = await sandbox.start(Launch(("bash", "-c", script), feed=True))
    os.write(program.stdin, b"now\n")
    assert await program.wait() == -signal.SIGKILL
    dropped(program)
    assert await pulse.stops(5)
    assert (await bash(sandbox, "echo next")).out == "next\n"


@needs_bubblewrap
@only_bubblewrap
async def test_what_a_murdered_keeper_kept_is_ended(sandbox: Opened, pulse: Pulse) -> None:
    script = pulse.held + "setsid sleep 600 & read; kill -9 $PPID; sleep 600"
    program = await sandbox.start(Launch(("bash", "-c", script), feed=True))
    os.write(program.stdin, b"now\n")
    assert await program.wait() == -signal.SIGKILL
    dropped(program)
    assert await pulse.stops(5)
    assert (await bash(sandbox, "echo next")).out == "next\n"


@needs_bubblewrap
@only_bubblewrap
async def test_a_program_that_murders_its_keeper_at_once_is_not_started_again(
    sandbox: Opened, workspace: Path
) -> None:
    """Whether it had begun may be unknown; that it is begun twice may not be."""
    for _ in range(20):
        with suppress(Problem):
            await bash(sandbox, "echo ran >> runs; kill -9 $PPID")
    assert (workspace / "runs").read_text().count("ran") <= 20
    assert (await bash(sandbox, "echo next")).out == "next\n"


async def test_a_keeper_keeps_one_program_after_the_other(sandbox: Opened) -> None:
    async def kept() -> str:
        program = await sandbox.start(Launch(("bash", "-c", "echo $PPID")))
        done = await finished(program)
        await program.kill()  # returns once nothing of it is left
        return done.out

    await kept()
    assert await kept() == await kept()


async def test_a_keeper_that_still_has_something_to_keep_gets_no_other_program(
    sandbox: Opened, pulse: Pulse
) -> None:
    script = pulse.held + "sleep 600 >/dev/null 2>&1 & echo $PPID"
    program = await sandbox.start(Launch(("bash", "-c", script)))
    first = (await finished(program)).out
    assert (await bash(sandbox, "echo $PPID")).out != first
    assert not await pulse.stops(0)
    await program.kill()
    assert await pulse.stops(0)


@needs_bubblewrap
@only_bubblewrap
async def test_a_program_whose_keeper_is_stopped_is_ended_with_its_sandbox(
    sandbox: Opened, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "PATIENCE", 0.2)
    script = pulse.held + "read; kill -STOP $PPID; echo up; sleep 600"
    program = await sandbox.start(Launch(("bash", "-c", script), feed=True))
    os.write(program.stdin, b"now\n")
    assert await line_of(program) == "up"
    async with asyncio.timeout(30):
        await program.kill()
    assert await pulse.stops(0)
    dropped(program)
    assert (await bash(sandbox, "echo anew")).out == "anew\n"


@needs_bubblewrap
@only_bubblewrap
async def test_a_keeper_that_was_stopped_before_it_had_a_program_is_not_waited_for(
    sandbox: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two keepers wait; a program stops the one that is not its own."""
    monkeypatch.setattr(programs, "ANSWER", 0.5)
    waits = Launch(("bash", "-c", "echo $PPID; read"), feed=True)
    first, second = await sandbox.start(waits), await sandbox.start(waits)
    keepers = [await line_of(program) for program in (first, second)]
    for program in (first, second):
        await program.kill()
        dropped(program)
    await bash(sandbox, f"for k in {' '.join(keepers)}; do [ $k = $PPID ] || kill -STOP $k; done")
    said = await asyncio.gather(
        *(bash(sandbox, "sleep 0.1; echo ran") for _ in range(2)), return_exceptions=True
    )
    assert any("does not answer" in str(each) for each in said)
    assert (await bash(sandbox, "echo anew")).out == "anew\n"


@pytest.mark.parametrize("kind", ["none"], scope="module")
async def test_closing_ends_a_keeper_that_was_stopped_and_all_it_kept(
    local: Local, workspace: Path, pulse: Pulse
) -> None:
    """Where there are no namespaces the kernel does not do it."""
    sandbox = await local.open(Root(workspace))
    script = pulse.held + "read; kill -STOP $PPID; echo $PPID; sleep 600"
    program = await sandbox.start(Launch(("bash", "-c", script), feed=True))
    os.write(program.stdin, b"now\n")
    keeper = await line_of(program)
    async with asyncio.timeout(10):
        await sandbox.close()
    assert await pulse.stops(0)
    assert not os.path.exists(f"/proc/{keeper}")
    dropped(program)


async def test_closing_ends_what_runs_and_refuses_what_comes(
    local: Local, workspace: Path, pulse: Pulse
) -> None:
    sandbox = await local.open(Root(workspace))
    program = await sandbox.start(Launch(("bash", "-c", pulse.held + RESISTS)))
    assert await line_of(program) == "up"
    async with asyncio.timeout(10):
        await sandbox.close()
    assert await pulse.stops(0)
    assert await program.wait() == -signal.SIGKILL
    dropped(program)
    await sandbox.close()
    with pytest.raises(Problem, match="closed"):
        await run(sandbox, "true")


async def test_descriptors_are_all_given_back(sandbox: Opened) -> None:
    """But those of keepers that wait for another program: how many do depends on how soon each is asked for."""
    await bash(sandbox, "true")
    before = descriptors()
    for _ in range(3 * IDLE):
        await bash(sandbox, "true")
        with pytest.raises(NotFound):
            await run(sandbox, "nonesuch")
        with pytest.raises(BadUsage):
            await run(sandbox, "echo", "\ud800")
    await given_back(before + IDLE)
