"""`shell_open`, `shell_exec` and `shell_close`, as a model uses them."""

from pathlib import Path
from typing import Any

import pytest

from bottega.errors import BadUsage, NotFound
from bottega.tools.bound import LIMIT, weight
from bottega.tools.builtin.shell.read_output import READ_OUTPUT
from bottega.tools.builtin.shell.shell_close import SHELL_CLOSE
from bottega.tools.builtin.shell.shell_exec import SHELL_EXEC
from bottega.tools.builtin.shell.shell_open import SHELL_OPEN
from bottega.tools.tool import Tool
from bottega.workspaces.confine import Root
from bottega.workspaces.shells.keys import KEYS
from bottega.workspaces.shells.reply import Busy, NothingRuns
from tests.tools.contexts import Workbench, outcome_of, said
from tests.workspaces.living import alive, new_mark, until_alive


async def done(bench: Workbench, tool: Tool, **arguments: Any) -> dict[str, Any]:
    outcome = await outcome_of(tool, arguments, bench)
    assert outcome.status == "success", outcome
    return said(outcome)["result"]


@pytest.mark.requirement("T33", "T34", "T35")
async def test_a_shell_is_opened_used_and_closed(bench: Workbench, folder: Path) -> None:
    opened = await done(bench, SHELL_OPEN)
    assert opened == {"session_id": opened["session_id"], "command": "bash"}
    name = opened["session_id"]
    result = await done(bench, SHELL_EXEC, session_id=name, command="mkdir a; cd a; X=1; (exit 4)")
    assert result["exit_code"] == 4
    assert result["output"] == ""
    result = await done(bench, SHELL_EXEC, session_id=name, command="pwd; echo $X")
    duration = result.pop("duration_ms")
    assert result == {"exit_code": 0, "output": f"{folder}/a\n1\n"}
    assert duration < 20_000
    assert "".join(bench.emitted) == f"{folder}/a\n1\n"
    assert await done(bench, SHELL_CLOSE, session_id=name) == {"session_id": name, "closed": True}
    again = await done(bench, SHELL_CLOSE, session_id=name)
    assert again["note"] == "It was closed before."
    with pytest.raises(NotFound, match="Open: none"):
        await done(bench, SHELL_EXEC, session_id=name, command="true")
    with pytest.raises(NotFound, match="There is no open shell 'sh_nope'"):
        await done(bench, SHELL_CLOSE, session_id="sh_nope")


async def test_a_question_is_answered_in_a_second_call(bench: Workbench) -> None:
    name = (await done(bench, SHELL_OPEN, command="/bin/sh"))["session_id"]
    command = "printf 'Delete all? [y/N] '; read x; test \"$x\" = y"
    result = await done(bench, SHELL_EXEC, session_id=name, command=command)
    assert result["running"] is True
    assert result["waiting_for_input"] is True
    assert result["exit_code"] is None
    assert result["output"] == "Delete all? [y/N] "
    assert "input: true" in result["note"]
    with pytest.raises(Busy):
        await done(bench, SHELL_EXEC, session_id=name, command="echo y")
    result = await done(bench, SHELL_EXEC, session_id=name, command="y", input=True)
    assert result["exit_code"] == 0
    assert "running" not in result
    with pytest.raises(NothingRuns):
        await done(bench, SHELL_EXEC, session_id=name, command="y", input=True)
    with pytest.raises(NothingRuns):
        await done(bench, SHELL_EXEC, session_id=name)


async def test_what_runs_after_its_timeout_can_be_waited_for_or_stopped(
    bench: Workbench, folder: Path
) -> None:
    name = (await done(bench, SHELL_OPEN))["session_id"]
    command = "echo a; until [ -e go ]; do sleep 0.01; done; echo b"
    result = await done(bench, SHELL_EXEC, session_id=name, command=command, timeout=1)
    assert (result["running"], result["output"]) == (True, "a\n")
    assert "still runs" in result["note"]
    read = await done(bench, READ_OUTPUT, output_id=name)
    assert read["running"] is True
    assert read["content"].endswith("\na")
    (folder / "go").touch()
    result = await done(bench, SHELL_EXEC, session_id=name)
    assert (result["exit_code"], result["output"]) == (0, "b\n")
    result = await done(bench, SHELL_EXEC, session_id=name, command="sleep 1000", timeout=1)
    assert result["running"] is True
    result = await done(bench, SHELL_EXEC, session_id=name, keys=["ctrl-c"])
    assert result["exit_code"] == 130
    assert "signal 2, SIGINT" in result["note"]


async def test_keys_and_text_may_go_together_but_not_with_a_command(bench: Workbench) -> None:
    name = (await done(bench, SHELL_OPEN))["session_id"]
    await done(bench, SHELL_EXEC, session_id=name, command="cat")
    result = await done(
        bench, SHELL_EXEC, session_id=name, command="text", input=True, keys=["ctrl-d"]
    )
    assert (result["exit_code"], result["output"]) == (0, "text\n")
    with pytest.raises(BadUsage, match="without a command"):
        await done(bench, SHELL_EXEC, session_id=name, command="ls", keys=["enter"])
    with pytest.raises(BadUsage, match="NUL"):
        await done(bench, SHELL_EXEC, session_id=name, command="a\0b")
    assert SHELL_EXEC.validator({"session_id": name, "keys": ["ctrl-alt-delete"]}) != ()
    assert KEYS["ctrl-c"] == "\x03"
    assert KEYS["ctrl-z"] == "\x1a"


async def test_a_command_that_ends_the_shell_says_so(bench: Workbench) -> None:
    name = (await done(bench, SHELL_OPEN, command="/bin/sh"))["session_id"]
    result = await done(bench, SHELL_EXEC, session_id=name, command="exit 3")
    assert result["exit_code"] == 3
    assert result["closed"] is True
    assert "shell_open" in result["note"]
    with pytest.raises(NotFound, match="exit code 3"):
        await done(bench, SHELL_EXEC, session_id=name, command="true")


@pytest.mark.requirement("A48")
async def test_long_output_is_cut_and_the_rest_can_be_read(bench: Workbench) -> None:
    name = (await done(bench, SHELL_OPEN))["session_id"]
    result = await done(bench, SHELL_EXEC, session_id=name, command="seq 1 50000")
    assert weight(result) <= LIMIT
    assert f"read_output with output_id {name!r} has it." in result["output"]
    found = await done(bench, READ_OUTPUT, output_id=name, search="^33333$", regex=True)
    (match,) = found["matches"]
    assert match.endswith(": 33333")
    line = int(match.split(":")[0])
    read = await done(bench, READ_OUTPUT, output_id=name, start_line=line, end_line=line + 1)
    assert read["content"] == "33333\n33334"


async def test_another_program_is_talked_to(bench: Workbench) -> None:
    opened = await done(bench, SHELL_OPEN, command="python3 -q", rows=40, columns=120)
    assert opened["output"] == ">>> "
    assert "no shell" in opened["note"]
    name = opened["session_id"]
    result = await done(bench, SHELL_EXEC, session_id=name, command="print(6 * 7)")
    assert "42\n" in result["output"]
    assert result["exit_code"] is None
    assert "running" not in result
    code = "import os; print(os.get_terminal_size())"
    result = await done(bench, SHELL_EXEC, session_id=name, command=code)
    assert "columns=120, lines=40" in result["output"]


async def test_lack_of_network_is_told_with_what_to_open(bench: Workbench) -> None:
    name = (await done(bench, SHELL_OPEN))["session_id"]
    command = "curl https://example.invalid"
    result = await done(bench, SHELL_EXEC, session_id=name, command=command)
    assert "open another shell with network: true" in result["hint"]


async def test_a_cancelled_run_leaves_nothing_running(bench: Workbench) -> None:
    import asyncio

    name = (await done(bench, SHELL_OPEN))["session_id"]
    mark = new_mark()
    arguments = {"session_id": name, "command": f"sleep {mark}"}
    task = asyncio.create_task(outcome_of(SHELL_EXEC, arguments, bench))
    await until_alive(mark)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(mark) == []


def test_what_calls_touch(tmp_path: Path) -> None:
    with Root(tmp_path) as root:
        touched = SHELL_EXEC.touched({"session_id": "sh_1", "command": "ls"}, root)
        assert (touched.shell, touched.command) == ("sh_1", "ls")
        touched = SHELL_EXEC.touched({"session_id": "sh_1", "keys": ["ctrl-c"]}, root)
        assert touched.command == "", "stopping is no command"
        touched = SHELL_EXEC.touched({"session_id": "sh_1", "keys": ["up", "enter"]}, root)
        assert touched.command == "<up><enter>", "what else is pressed may run something"
        assert SHELL_CLOSE.touched({"session_id": "sh_1"}, root).shell == "sh_1"
        touched = SHELL_OPEN.touched({"command": "psql", "network": True}, root)
        assert (touched.command, touched.network) == ("psql", True)


def test_effects_and_categories_are_declared() -> None:
    effects = {tool.name: set(tool.effects) for tool in _TOOLS}
    assert effects == {
        "shell_open": {"execute"},
        "shell_exec": {"execute"},
        "shell_close": {"state"},
        "read_output": {"read"},
    }
    for tool in _TOOLS:
        assert tool.category == "SHELL"
        assert tool.examples
        assert all(tool.validator(each) == () for each in tool.examples)


_TOOLS = (SHELL_OPEN, SHELL_EXEC, SHELL_CLOSE, READ_OUTPUT)
