"""One open shell: real terminals, real shells, in a real sandbox."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.sandbox import Size
from bottega.workspaces.shells.attention import Pace
from bottega.workspaces.shells.reply import Busy, Gone, NothingRuns, Reply
from bottega.workspaces.shells.shell import Shell
from bottega.workspaces.shells.shells import Shells
from tests.workspaces.living import alive, new_mark, until, until_alive

Open = Callable[..., Awaitable[Shell]]


@pytest.fixture
def opened(shells: Shells, folder: Path) -> Open:
    async def make(command: str = "", **more: Any) -> Shell:
        return (await shells.open(Root(folder), "ses_1", command, **more)).shell

    return make


def text(reply: Reply) -> str:
    return reply.output.ends(10_000).head


async def said(shell: Shell, command: str, seconds: float = 20) -> str:
    reply = await shell.run(command, seconds)
    assert not reply.running
    assert reply.exit_code == 0, text(reply)
    return text(reply)


KINDS = pytest.mark.parametrize("command", ["", "/bin/sh"])


@KINDS
@pytest.mark.requirement("T33", "T34")
async def test_a_shell_keeps_its_state_between_commands(opened: Open, command: str) -> None:
    shell = await opened(command)
    await said(shell, 'mkdir -p sub/deep; cd sub; export A=1; B=two; f() { echo "f $1"; }')
    await said(shell, "alias ll='echo aliased'; umask 027; set -u")
    assert await said(shell, "echo \"${PWD##*/} $A $B\"; f x; ll; umask; sh -c 'echo $A'") == (
        "sub 1 two\nf x\naliased\n0027\n1\n"
    )


@KINDS
async def test_each_command_has_its_own_exit_code(opened: Open, command: str) -> None:
    shell = await opened(command)
    for code in (0, 1, 3, 127, 255):
        assert (await shell.run(f"(exit {code})", 20)).exit_code == code
        assert await said(shell, "echo $?") == f"{code}\n", "and the next one knows it"
    assert (await shell.run("no-such-program", 20)).exit_code == 127
    assert (await shell.run("sh -c 'kill -9 $$'", 20)).exit_code == 137
    assert (await shell.run("true | false", 20)).exit_code == 1


@KINDS
async def test_output_is_exactly_what_the_command_printed(opened: Open, command: str) -> None:
    shell = await opened(command)
    assert await said(shell, "printf abc") == "abc"
    assert await said(shell, "true") == ""
    assert await said(shell, "echo; echo; printf '\\n'") == "\n\n\n"
    assert await said(shell, "printf 'é 漢 🎉\\n'; printf '\\377\\n'") == "é 漢 🎉\n�\n"
    assert await said(shell, "echo out; echo err >&2") == "out\nerr\n"
    assert await said(shell, "printf '\\033[31mred\\033[0m\\n'") == "red\n"
    assert await said(shell, "echo 'PS1=x $ # prompt>'") == "PS1=x $ # prompt>\n"


@KINDS
async def test_commands_of_any_shape_reach_the_shell_as_they_are(
    opened: Open, command: str
) -> None:
    shell = await opened(command)
    assert await said(shell, "for x in 1 2\ndo\n  echo $x\ndone") == "1\n2\n"
    assert await said(shell, "cat <<'END'\n a 'b' \"c\" $d \\e `f`\n\ttab\nEND") == (
        " a 'b' \"c\" $d \\e `f`\n\ttab\n"
    )
    assert await said(shell, "cat <<END; echo after\n$((1+1))\nEND") == "2\nafter\n"
    assert await said(shell, "echo a \\\n  b # and a remark") == "a b\n"
    assert await said(shell, "echo 'a\nb' \"c\nd\"") == "a\nb c\nd\n"
    assert (
        await said(shell, "printf '%s' '\t\x01\x7f\x1b[1m!'; echo '!!'; echo ${#IFS}")
        == "\t!!!\n3\n"
    )
    assert await said(shell, "echo 'trailing'\n\n\n") == "trailing\n"
    assert await said(shell, "") == ""
    assert await said(shell, "   # nothing at all") == ""


@pytest.mark.parametrize("command", ["bash", "dash"])
async def test_a_command_that_is_no_sentence_fails_and_the_shell_goes_on(
    opened: Open, command: str
) -> None:
    shell = await opened(command)
    for wrong in (
        "echo 'open",
        'echo "open',
        "echo $(",
        "if true; then",
        "( echo x",
        ")",
        "echo `",
    ):
        reply = await shell.run(wrong, 20)
        assert not reply.running
        assert reply.exit_code not in (0, None), wrong
        assert await said(shell, "echo still here") == "still here\n"
    reply = await shell.run("cat <<END\nthe text may end it", 20)
    assert text(reply).rstrip().endswith("the text may end it")


async def test_a_very_long_command_arrives_whole(opened: Open) -> None:
    shell = await opened()
    value = "".join(f"{n:06}é" for n in range(14_000))
    assert await said(shell, f"x='{value}'; echo ${{#x}}") == f"{len(value)}\n"
    assert len(value) > 95_000


@KINDS
async def test_a_command_that_ends_the_shell_gives_its_code(opened: Open, command: str) -> None:
    shell = await opened(command)
    reply = await shell.run("echo bye; exit 3", 20)
    assert reply.ended
    assert reply.exit_code == 3
    assert text(reply).startswith("bye\n")
    with pytest.raises(Gone):
        await shell.run("true", 20)
    shell = await opened(command)
    reply = await shell.run("exec sh -c 'echo replaced; exit 5'", 20)
    assert (reply.ended, reply.exit_code, text(reply)) == (True, 5, "replaced\n")
    shell = await opened(command)
    reply = await shell.run("kill -9 $$", 20)
    assert (reply.ended, reply.exit_code) == (True, -9)


async def test_what_the_shell_is_told_about_itself_does_not_confuse_it(opened: Open) -> None:
    shell = await opened()
    await said(shell, "PS1='mine> '; PROMPT_COMMAND='echo noise'; PS2='more> '")
    assert await said(shell, "echo a") == "a\n"
    assert "b" in await said(shell, "set -x; echo b; set +x")
    assert await said(shell, "exec 3>&1 >/dev/null; echo lost") == ""
    assert await said(shell, "exec >&3; echo back") == "back\n"
    assert await said(shell, "printf() { echo mine; }; read() { :; }; printf x") == "mine\n"
    await said(shell, "unset -f printf read; stty -icanon echo -isig")
    assert await said(shell, "echo c") == "c\n"
    await said(shell, "stty echo; trap 'echo trapped' INT")
    assert await said(shell, "echo d") == "d\n"
    assert (await shell.run("set -e; echo e", 20)).exit_code == 0
    reply = await shell.run("false", 20)
    assert (reply.ended, reply.exit_code) == (True, 1)


async def test_the_mark_of_a_command_cannot_be_printed_by_another(opened: Open) -> None:
    shell = await opened()
    lines = "printf '\\033]7117;0123456789abcdef;0\\007'; echo on"
    assert await said(shell, lines) == "on\n"
    reply = await shell.run("printf '\\033]7117;0123456789abcdef;0\\007'; (exit 4)", 20)
    assert reply.exit_code == 4


@KINDS
async def test_a_job_in_the_background_does_not_hold_the_shell(opened: Open, command: str) -> None:
    shell = await opened(command)
    reply = await shell.run(
        "(until [ -e go ]; do sleep 0.01; done; echo from behind) & echo $!", 20
    )
    assert reply.exit_code == 0
    assert await said(shell, "echo meanwhile") == "meanwhile\n"
    assert "from behind" in await said(shell, "touch go; wait")


@pytest.mark.requirement("T34")
async def test_a_program_that_waits_for_input_is_noticed_and_can_be_answered(opened: Open) -> None:
    shell = await opened()
    reply = await shell.run("read -p 'Name? ' name; echo \"Hello $name\"", 20)
    assert (reply.running, reply.waiting, reply.exit_code) == (True, True, None)
    assert text(reply) == "Name? "
    assert reply.seconds < 10
    with pytest.raises(Busy, match="still runs"):
        await shell.run("echo too early", 20)
    reply = await shell.send("Ada\n", 20)
    assert (reply.running, reply.exit_code, text(reply)) == (False, 0, "Hello Ada\n")
    with pytest.raises(NothingRuns):
        await shell.send("more\n", 20)


async def test_a_question_that_comes_late_is_noticed_and_so_is_each_of_several(
    opened: Open,
) -> None:
    shell = await opened()
    program = "import time; time.sleep(0.7)\nfor n in range(3): print(input(f'{n}? ') * 2)"
    reply = await shell.run(f'python3 -c "{program}"', 20)
    assert (reply.waiting, text(reply)) == (True, "0? ")
    reply = await shell.send("ab\n", 20)
    assert (reply.waiting, text(reply)) == (True, "abab\n1? ")
    reply = await shell.send("cd\n", 20)
    assert (reply.waiting, text(reply)) == (True, "cdcd\n2? ")
    reply = await shell.send("ef\n", 20)
    assert (reply.exit_code, text(reply)) == (0, "efef\n")


async def test_a_password_is_asked_for_on_the_terminal_and_not_echoed(opened: Open) -> None:
    shell = await opened()
    program = "import getpass; print(len(getpass.getpass('Secret: ')))"
    reply = await shell.run(f'python3 -c "{program}" < /dev/null', 20)
    assert (reply.waiting, text(reply)) == (True, "Secret: ")
    reply = await shell.send("hunter22\n", 20)
    assert reply.exit_code == 0
    assert "hunter22" not in text(reply)
    assert text(reply).strip() == "8"
    assert b"hunter22" not in b"".join(chunk for _, chunk in shell.read(0))


async def test_a_pipeline_that_reads_the_terminal_is_noticed(opened: Open) -> None:
    shell = await opened()
    reply = await shell.run("cat | sort", 20)
    assert reply.waiting
    reply = await shell.send("b\na\n\x04", 20)
    assert (reply.exit_code, text(reply)) == (0, "a\nb\n")


async def test_a_command_that_works_silently_is_never_called_done_or_waiting(opened: Open) -> None:
    """Elsewhere a fixed pause was taken for the end."""
    shell = await opened()
    reply = await shell.run("echo begun; sleep 1.5; echo done; (exit 9)", 20)
    assert text(reply) == "begun\ndone\n"
    assert (reply.exit_code, reply.running, reply.waiting) == (9, False, False)


async def test_after_its_timeout_a_command_runs_on_and_can_be_waited_for(
    opened: Open, folder: Path
) -> None:
    shell = await opened()
    command = "echo a; until [ -e go ]; do sleep 0.01; done; echo b; (exit 6)"
    reply = await shell.run(command, 0.3)
    assert (reply.running, reply.waiting, reply.exit_code, text(reply)) == (
        True,
        False,
        None,
        "a\n",
    )
    waiting = asyncio.create_task(shell.send("", 20))
    await asyncio.sleep(0)
    with pytest.raises(Busy, match="Another call"):
        await shell.run("true", 0.05)
    (folder / "go").touch()
    reply = await waiting
    assert (reply.running, reply.exit_code, text(reply)) == (False, 6, "b\n")


@KINDS
async def test_ctrl_c_stops_what_runs_and_the_shell_goes_on(opened: Open, command: str) -> None:
    shell = await opened(command)
    mark = new_mark()
    reply = await shell.run(f"sleep {mark}; echo not this", 0.3)
    assert reply.running
    await until_alive(mark)
    reply = await shell.send("\x03", 20)
    assert (reply.running, reply.exit_code) == (False, 130)
    assert "not this" not in text(reply)
    assert alive(mark) == []
    assert await said(shell, "echo on") == "on\n"


async def test_ctrl_c_at_a_question_brings_the_prompt_back(opened: Open) -> None:
    shell = await opened()
    assert (await shell.run("PS1=mine; read x; echo not this", 20)).waiting
    reply = await shell.send("\x03", 3)
    if (
        reply.running
    ):  # the shell's own prompt was taken from it, so that its end shows only with the next line
        reply = await shell.send("\n", 20)
    assert "not this" not in text(reply)


async def test_ctrl_z_stops_and_the_shell_can_bring_it_back(opened: Open) -> None:
    shell = await opened()
    reply = await shell.run("cat", 20)
    assert reply.waiting
    reply = await shell.send("\x1a", 20)
    assert (reply.running, reply.exit_code) == (False, 148)
    reply = await shell.run("fg", 20)
    assert reply.waiting
    reply = await shell.send("\x04", 20)
    assert reply.exit_code == 0


async def test_a_cancelled_command_is_stopped_and_the_shell_goes_on(opened: Open) -> None:
    shell = await opened()
    mark = new_mark()
    await said(shell, "X=kept")
    task = asyncio.create_task(shell.run(f"sleep {mark}; sleep {mark}", 60))
    await until_alive(mark)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(mark) == []
    assert await said(shell, "echo $X") == "kept\n"


async def test_a_cancelled_command_that_resists_takes_its_shell_along(opened: Open) -> None:
    shell = await opened()
    mark = new_mark()
    command = f"sh -c \"trap '' INT TERM HUP; sleep {mark}; sleep {mark}; sleep {mark}\""
    task = asyncio.create_task(shell.run(command, 60))
    await until_alive(mark, 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert shell.ended
    assert alive(mark) == []


async def test_the_terminals_size_is_what_was_asked_for_and_can_change(opened: Open) -> None:
    shell = await opened(size=Size(30, 100))
    assert await said(shell, "stty size") == "30 100\n"
    shell.resize(Size(50, 200))
    assert await said(shell, "stty size") == "50 200\n"
    assert await said(shell, "test -t 0 && test -t 1 && test -t 2 && echo yes") == "yes\n"


@pytest.mark.requirement("T33")
async def test_a_program_that_is_no_shell_is_talked_to_line_by_line(opened: Open) -> None:
    shell = await opened("python3 -q")
    reply = await shell.run("x = 6 * 7", 20)
    assert reply.exit_code is None
    reply = await shell.run("print(x)", 20)
    assert text(reply).replace("print(x)\n", "") == "42\n>>> "
    reply = await shell.run("import time; time.sleep(0.8); print('late')", 20)
    assert "\nlate\n" in text(reply), "a pause is not the end"
    assert text(await shell.run("for n in 1, 2:", 20)).endswith("... ")
    assert text(await shell.run("    print(n)", 20)).endswith("... ")
    assert "1\n2\n>>> " in text(await shell.run("", 20))
    reply = await shell.run("import sys; sys.exit(4)", 20)
    assert (reply.ended, reply.exit_code) == (True, 4)


async def test_all_that_was_printed_can_be_read_from_a_cursor(opened: Open) -> None:
    shell = await opened()
    seen = shell.size
    await said(shell, "echo one")
    chunks = list(shell.read(seen))
    assert b"one\r\n" in b"".join(chunk for _, chunk in chunks)
    assert b"$ echo one\r\n" in b"".join(chunk for _, chunk in shell.read(0))
    seen = shell.size
    await said(shell, "echo two")
    after = b"".join(chunk for _, chunk in shell.read(seen))
    assert b"two\r\n" in after
    assert b"one\r\n" not in after


async def test_fast_output_is_drained_and_the_buffer_has_an_end(opened: Open) -> None:
    shell = await opened()
    reply = await shell.run("yes 0123456789abcdef | head -c 12000000; echo; echo end", 60)
    ends = reply.output.ends(1_000)
    assert reply.exit_code == 0
    assert ends.head.startswith("0123456789abcdef\n")
    assert ends.tail.endswith("end\n")
    assert ends.total > 11_900_000
    kept = sum(len(chunk) for _, chunk in shell.read(0))
    assert 9_000_000 < kept <= 10 * 1024 * 1024
    assert shell.size > 12_000_000


async def test_what_comes_is_shown_while_it_comes(opened: Open, folder: Path) -> None:
    shell = await opened()
    shown: list[str] = []
    task = asyncio.create_task(
        shell.run("echo first; until [ -e go ]; do sleep 0.01; done; echo second", 20, shown.append)
    )
    await until(lambda: shown)
    assert shown == ["first\n"]
    (folder / "go").touch()
    await task
    assert "".join(shown) == "first\nsecond\n"


async def test_closing_ends_everything_and_may_be_done_again(opened: Open) -> None:
    shell = await opened()
    mark = new_mark()
    await shell.run(
        f"trap '' TERM HUP; setsid sleep {mark} & nohup sleep {mark} & sleep {mark}", 0.3
    )
    await until_alive(mark, 3)
    await asyncio.gather(shell.close(), shell.close())
    await shell.close()
    assert alive(mark) == []
    assert shell.ended


async def test_where_the_system_cannot_be_asked_a_pause_after_a_question_must_do(
    opened: Open,
) -> None:
    shell = await opened()
    attention = shell._attention
    attention._pace = Pace(quiet=0.05, again=0.05, unknown=0.3)
    attention._terminal.readers = lambda: None  # type: ignore[method-assign]
    began = time.monotonic()
    reply = await shell.run("printf 'Sure? '; read x; echo $x", 20)
    assert (reply.waiting, text(reply)) == (True, "Sure? ")
    assert time.monotonic() - began < 10
    reply = await shell.send("yes\n", 20)
    assert text(reply) == "yes\n"
    reply = await shell.run("echo a line; sleep 1; echo another", 20)
    assert text(reply) == "a line\nanother\n", "a pause after a whole line is no question"
