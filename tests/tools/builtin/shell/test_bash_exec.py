import asyncio
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import BadUsage, Problem, Refused
from bottega.messages.block import ToolUse
from bottega.tools.bound import LIMIT, weight
from bottega.tools.builtin.shell.bash_exec import BASH_EXEC
from bottega.tools.builtin.shell.read_output import READ_OUTPUT
from bottega.tools.call import call
from bottega.tools.registry import Registry
from bottega.tools.tool import Outcome, Tool
from bottega.workspaces.confine import NotAFolder, PathOutsideWorkspace
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox.sandbox import Launch, Running
from tests.hunt import examples
from tests.tools.contexts import Workbench, outcome_of, said
from tests.workspaces.living import alive, new_mark, until, until_alive


async def ran(bench: Workbench, command: str, **more: Any) -> dict[str, Any]:
    outcome = await outcome_of(BASH_EXEC, {"command": command, **more}, bench)
    assert outcome.status == "success", outcome
    return said(outcome)["result"]


async def as_called(bench: Workbench, tool: Tool, arguments: dict[str, Any]) -> Outcome:
    """The outcome as the run gets it, bounded and with problems as results."""

    async def intend(_: Tool) -> None: ...

    use = ToolUse("call_1", tool.name, arguments)
    return await call(use, Registry([tool]), bench, intend)


@pytest.mark.requirement("T32")
async def test_output_errors_and_exit_code_are_apart(bench: Workbench) -> None:
    result = await ran(bench, "echo out; echo err >&2; exit 3")
    assert result["exit_code"] == 3
    assert result["stdout"] == "out\n"
    assert result["stderr"] == "err\n"
    assert 0 <= result["duration_ms"] < 30_000
    assert "output_id" not in result
    assert bench.outputs.names() == [], "what was shown whole is not kept"


@pytest.mark.requirement("T32")
async def test_every_exit_code_is_the_programs_own(bench: Workbench) -> None:
    for code in (0, 1, 2, 42, 127, 255):
        assert (await ran(bench, f"(exit {code})"))["exit_code"] == code


@pytest.mark.requirement("T32")
async def test_a_command_that_fails_late_is_neither_cut_short_nor_called_a_success(
    bench: Workbench, folder: Path
) -> None:
    """Elsewhere the answer came after two seconds with exit code 0, whatever the command did."""
    result = await ran(bench, "echo begun; sleep 2.2; echo done; exit 7")
    assert result["stdout"] == "begun\ndone\n"
    assert result["exit_code"] == 7
    assert result["duration_ms"] >= 2_200


async def test_a_command_runs_once_however_it_ends(bench: Workbench, folder: Path) -> None:
    """Elsewhere commands are wrapped in retries."""
    for command in ("echo x >> count; exit 1", "echo x >> count; kill -9 $$"):
        await ran(bench, command)
    outcome = await outcome_of(
        BASH_EXEC, {"command": "echo x >> count; sleep 60", "timeout": 1}, bench
    )
    assert outcome.status == "error"
    assert (folder / "count").read_text() == "x\n" * 3


async def test_a_command_of_several_lines_is_bash(bench: Workbench) -> None:
    command = "x=(a b 'c d')\nfor each in \"${x[@]}\"; do\n  echo \"[$each]\"\ndone\ncat <<'END'\nhere $x\nEND"
    assert (await ran(bench, command))["stdout"] == "[a]\n[b]\n[c d]\nhere $x\n"


async def test_a_signal_is_told_in_words(bench: Workbench) -> None:
    result = await ran(bench, "kill -9 $$")
    assert result["exit_code"] == 137
    assert result["note"] == "It was ended by signal 9, SIGKILL (Killed)."
    result = await ran(bench, "sh -c 'kill -11 $$'; exit $?")
    assert result["exit_code"] == 139
    assert "mostly means: signal 11, SIGSEGV" in result["note"]


async def test_a_program_that_reads_its_input_gets_its_end(bench: Workbench) -> None:
    result = await ran(bench, "cat; read x || echo nothing; wc -c")
    assert result["stdout"].split() == ["nothing", "0"]


async def test_a_password_prompt_on_the_terminal_fails_instead_of_waiting(bench: Workbench) -> None:
    began = time.monotonic()
    result = await ran(bench, "read -s x < /dev/tty", timeout=30)
    assert result["exit_code"] != 0
    assert "/dev/tty" in result["stderr"]
    assert time.monotonic() - began < 20


async def test_it_starts_in_the_folder_that_was_named(bench: Workbench, folder: Path) -> None:
    (folder / "sub").mkdir()
    assert (await ran(bench, "pwd", folder="sub"))["stdout"] == f"{folder}/sub\n"
    (folder / "link").symlink_to("sub")
    assert (await ran(bench, "pwd", folder="link"))["stdout"] == f"{folder}/sub\n"
    with pytest.raises(PathOutsideWorkspace):
        await ran(bench, "pwd", folder="..")
    with pytest.raises(NotAFolder):
        await ran(bench, "pwd", folder="notes.txt")


async def test_commands_that_cannot_be_given_to_a_program_are_refused(bench: Workbench) -> None:
    with pytest.raises(BadUsage, match="NUL"):
        await ran(bench, "echo a\0b")
    with pytest.raises(BadUsage, match="no valid text"):
        await ran(bench, "echo \ud800")
    with pytest.raises(BadUsage, match="Write it into a file"):
        await ran(bench, "echo " + "é" * 70_000)
    assert BASH_EXEC.validator({"command": "x" * 100_001}) != ()
    assert BASH_EXEC.validator({"command": "x", "timeout": 601}) != ()
    assert BASH_EXEC.validator({"command": ""}) != ()
    assert BASH_EXEC.validator({"command": "x", "shell": True}) != ()


async def test_a_long_command_runs(bench: Workbench) -> None:
    command = "\n".join(f": {n:05}" for n in range(12_000)) + "\necho end"
    assert len(command) > 90_000
    assert (await ran(bench, command))["stdout"] == "end\n"


@pytest.mark.requirement("T32")
async def test_a_timeout_ends_the_whole_tree_and_gives_what_was_printed(bench: Workbench) -> None:
    mark = new_mark()
    command = f"""
        echo so far; echo and this >&2
        (trap '' TERM INT HUP; sleep {mark} & sleep {mark}) &
        setsid sh -c "trap '' TERM; sleep {mark}; sleep {mark}" &
        nohup sleep {mark} >/dev/null 2>&1 &
        sleep {mark}
    """
    arguments = {"command": command, "timeout": 1}
    task = asyncio.create_task(outcome_of(BASH_EXEC, arguments, bench))
    await until_alive(mark, 5)
    outcome = said(await task)
    assert alive(mark) == []
    assert outcome["status"] == "error"
    assert outcome["error"]["code"] == "TIMEOUT"
    assert "did not end within 1 seconds" in outcome["error"]["message"]
    assert outcome["result"]["timed_out"] is True
    assert outcome["result"]["exit_code"] is None
    assert outcome["result"]["stdout"] == "so far\n"
    assert "and this\n" in outcome["result"]["stderr"]


@pytest.mark.chaos
async def test_a_cancel_ends_the_whole_tree_before_it_passes_on(bench: Workbench) -> None:
    mark = new_mark()
    for _ in range(examples(5, 1_000)):
        command = f"trap '' TERM; setsid sleep {mark} & sleep {mark} & sleep {mark}"
        task = asyncio.create_task(outcome_of(BASH_EXEC, {"command": command}, bench))
        await until_alive(mark, 3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert alive(mark) == []
        assert bench.outputs.names() == []


async def test_a_cancel_while_the_command_is_being_started_leaves_nothing_either(
    bench: Workbench, folder: Path
) -> None:
    await bench.sandbox()
    for turns in range(examples(40, 400)):
        mark = new_mark()
        command = f"sleep {mark}"
        task = asyncio.create_task(outcome_of(BASH_EXEC, {"command": command}, bench))
        for _ in range(turns % 40):  # each time a little later
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert alive(mark) == []
    assert (await ran(bench, "echo on"))["stdout"] == "on\n"


async def test_a_second_cancel_does_not_leave_the_first_half_done(bench: Workbench) -> None:
    mark = new_mark()
    command = f"for n in $(seq 30); do sleep {mark} & done; wait"
    task = asyncio.create_task(outcome_of(BASH_EXEC, {"command": command}, bench))
    await until_alive(mark, 30)
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)
    assert task.cancelled()
    assert alive(mark) == []


async def test_what_is_left_in_the_background_lives_on_and_can_be_read(bench: Workbench) -> None:
    began = time.monotonic()
    result = await ran(
        bench, "(until [ -e go ]; do sleep 0.01; done; echo late; sleep 60) & echo now"
    )
    assert time.monotonic() - began < 20
    assert result["stdout"] == "now\n"
    assert "background" in result["note"]
    Path(bench.root.path, "go").touch()
    arguments = {"output_id": result["output_id"], "search": "late"}
    output = bench.outputs.find(result["output_id"])
    await until(lambda: output.total() == 2)
    found = said(await outcome_of(READ_OUTPUT, arguments, bench))["result"]
    assert found["running"] is True
    assert found["matches"] == ["2: late"]
    await bench.sandboxes[False].close()
    await until(lambda: not bench.outputs.running(result["output_id"]))


@pytest.mark.requirement("A44")
async def test_output_is_shown_while_the_command_still_runs(bench: Workbench, folder: Path) -> None:
    command = "echo first; until [ -e go ]; do sleep 0.01; done; echo second"
    task = asyncio.create_task(outcome_of(BASH_EXEC, {"command": command}, bench))
    await until(lambda: bench.emitted)
    assert bench.emitted == ["first\n"]
    assert not task.done()
    (folder / "go").touch()
    await task
    assert "".join(bench.emitted) == "first\nsecond\n"


@pytest.mark.requirement("A48")
async def test_a_long_output_is_cut_for_the_model_and_kept_whole(bench: Workbench) -> None:
    outcome = await as_called(bench, BASH_EXEC, {"command": "seq 1 200000; seq 1 3 >&2"})
    result = said(outcome)["result"]
    assert weight(result) <= LIMIT
    assert result["stdout"].startswith("1\n2\n3\n")
    assert result["stdout"].endswith("199999\n200000\n")
    assert result["stderr"] == "1\n2\n3\n", "a short stream is not cut for a long one"
    name = result["output_id"]
    assert f"read_output with output_id {name!r} and stream 'stdout' has it." in result["stdout"]
    part = {"output_id": name, "start_line": 100_000, "end_line": 100_002}
    read = said(await as_called(bench, READ_OUTPUT, part))["result"]
    assert read["content"] == "100000\n100001\n100002"
    assert read["lines"] == 200_000


@pytest.mark.requirement("A48")
async def test_no_more_is_streamed_than_a_log_can_bear(bench: Workbench) -> None:
    result = await ran(bench, "head -c 10000000 /dev/zero | tr '\\0' x; echo; echo end")
    shown = "".join(bench.emitted)
    assert 256_000 < len(shown) < 270_000
    assert shown.endswith(
        f"\n[More is printed than is shown here. read_output has it as {result['output_id']!r}.]\n"
    )
    assert len(bench.emitted) < 200
    assert result["stdout"].endswith("x\nend\n")


async def test_both_streams_share_the_room_when_both_are_long(bench: Workbench) -> None:
    outcome = await as_called(bench, BASH_EXEC, {"command": "seq 1 9999; seq 1 9999 >&2; exit 4"})
    result = said(outcome)["result"]
    assert weight(result) <= LIMIT
    assert result["exit_code"] == 4
    for stream in ("stdout", "stderr"):
        assert result[stream].startswith("1\n2\n")
        assert result[stream].endswith("9999\n")
        assert f"stream {stream!r}" in result[stream]


async def test_colours_and_progress_bars_are_plain_text_for_the_model(bench: Workbench) -> None:
    command = (
        r"printf '\033[31mred\033[0m\n'; for n in 1 50 100; do printf '\r%d %%' $n; done; echo"
    )
    assert (await ran(bench, command))["stdout"] == "red\n100 %\n"


async def test_bytes_that_are_no_text_do_no_harm(bench: Workbench) -> None:
    result = await ran(bench, r"printf 'a\377\376b\000c\n'; head -c 100000 /dev/urandom")
    assert result["stdout"].startswith("a��bc\n")
    assert "output_id" in result


async def test_output_without_a_line_end_is_there(bench: Workbench) -> None:
    assert (await ran(bench, "printf abc; printf def >&2"))["stdout"] == "abc"


_LACKING = (
    "curl -s https://example.invalid/x",
    "curl https://example.invalid/x",
    "git clone https://example.invalid/x.git",
    "python3 -c 'import urllib.request as u; u.urlopen(\"http://example.invalid\")'",
    "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80))'",
    "bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'",
    "echo 'npm ERR! code EAI_AGAIN' >&2; exit 1",
    "echo 'E: Failed to fetch  Temporary failure resolving deb.invalid' >&2; exit 100",
    "echo 'WARNING: Retrying: NewConnectionError: [Errno -3]' >&2; exit 1",
    "echo 'ssh: connect to host x.invalid port 22: Connection refused' >&2; exit 255",
)


async def test_a_command_that_failed_for_lack_of_network_says_so_and_how_to_ask(
    bench: Workbench,
) -> None:
    for command in _LACKING:
        result = await ran(bench, command)
        assert result["exit_code"] != 0
        assert "network: true" in result["hint"], command


_OTHERS = (
    "exit 1",
    "echo 'Could not resolve host: x'",
    "curl -s http://127.0.0.1:9/",
    "echo 'connect to localhost port 5432: Connection refused' >&2; exit 2",
)


async def test_other_failures_get_no_such_hint(bench: Workbench) -> None:
    for command in _OTHERS:
        assert "hint" not in await ran(bench, command), command


async def test_a_command_that_had_network_gets_no_such_hint(bench: Workbench) -> None:
    bench.sandboxes[True] = await bench.sandbox()
    result = await ran(bench, "echo 'could not resolve' >&2; exit 6", network=True)
    assert "hint" not in result


async def test_a_sandbox_that_cannot_be_had_is_a_result(bench: Workbench) -> None:
    class Without(Workbench):
        async def sandbox(self, *, network: bool = False) -> Any:
            raise Refused("Commands do not run here.", hint="Install bubblewrap.")

    other = Without(Path(bench.root.path))
    outcome = await as_called(other, BASH_EXEC, {"command": "true"})
    assert outcome.error
    assert (outcome.error.code, "Install bubblewrap" in outcome.error.message) == ("REFUSED", True)
    other.root.close()


async def test_a_program_that_cannot_start_leaves_no_output_behind(bench: Workbench) -> None:
    class Broken:
        kind = "none"
        attended = nullcontext

        async def start(self, launch: Launch) -> Running:
            raise Problem("The sandbox is full.")

        async def close(self) -> None: ...

    bench.sandboxes[True] = Broken()  # type: ignore[assignment]
    with pytest.raises(Problem, match="full"):
        await ran(bench, "true", network=True)
    assert bench.outputs.names() == []


async def test_a_disk_that_keeps_nothing_is_told_and_the_command_runs(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    bench.outputs = Outputs(tmp_path / "file" / "outputs")
    result = await ran(bench, "seq 1 100000")
    assert result["exit_code"] == 0
    assert "It could not be kept: Not a directory." in result["stdout"]
    assert result["stdout"].endswith("100000\n")


async def test_what_the_cap_dropped_is_counted(bench: Workbench, tmp_path: Path) -> None:
    bench.outputs = Outputs(tmp_path / "small", head=64 * 1024, tail=64 * 1024)
    result = await ran(bench, "seq 1 200000")
    assert "bytes in the middle of the output were not kept" in result["note"]
    read = {"output_id": result["output_id"], "tail": 1}
    assert said(await outcome_of(READ_OUTPUT, read, bench))["result"]["content"] == "200000"


def test_what_a_call_touches_is_its_command_and_the_network(tmp_path: Path) -> None:
    from bottega.workspaces.confine import Root

    with Root(tmp_path) as root:
        assert BASH_EXEC.touched({"command": "ls"}, root).command == "ls"
        assert not BASH_EXEC.touched({"command": "ls"}, root).network
        assert BASH_EXEC.touched({"command": "ls", "network": True}, root).network
