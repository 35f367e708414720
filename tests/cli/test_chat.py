"""`bottega chat` on a real terminal: what a person sees, and what their keys do."""

import json
import re
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Script, say
from tests.cli.terminal import Terminal

Chat = Callable[..., Terminal]


@pytest.fixture
def chat(env: dict[str, str], work: Path) -> Iterator[Chat]:
    opened: list[Terminal] = []

    def open_(*arguments: str, size: tuple[int, int] = (30, 140), **more: str) -> Terminal:
        terminal = Terminal(["chat", *arguments], {**env, **more}, work, size)
        opened.append(terminal)
        return terminal

    yield open_
    for terminal in opened:
        terminal.end()


@pytest.fixture
def gated(script: Script, tmp_path: Path) -> str:
    """Answers: half of one, waiting for ever; then whole ones."""
    never = {"do": "gate", "path": str(tmp_path / "never")}
    return script([say("Half of it. "), never], [say("Second.")], [say("Third.")])


def test_an_answer_is_drawn_with_its_thought_its_tools_and_what_it_cost(
    chat: Chat, script: Script, home: Path
) -> None:
    look = [
        {"do": "think", "text": "I should look first.", "pieces": 3, "pace_ms": 80},
        say("Let me look."),
        {"do": "call", "name": "list_dir", "input": {"path": "."}},
        {"do": "call", "name": "read_file", "input": {"file_path": "c.txt"}},
    ]
    model = script(look, [say("# Files\n\n- `a.txt`\n- **b.py**\n\nThat is all.")])
    terminal = chat("-m", model)
    terminal.wait_for("›")
    terminal.line("list the files")
    terminal.wait_for("free ·")

    shown = terminal.text()
    assert re.search(r"✻ Thought.*: I should look first\.", shown)
    assert re.search(r"● list \.  ✓ 2 entries · \d+ ms", shown)
    assert "● read c.txt  ✗ There is nothing at 'c.txt'." in shown
    assert " • a.txt\n • b.py\n\nThat is all.\n" in shown
    assert re.search(rf"{re.escape(model)} · [\d.k]+ in, \d+ out · free · ", shown)
    assert "Ctrl-C stops" not in shown

    terminal.hang_up()
    assert terminal.leave() == 0
    assert "bottega chat --continue" in terminal.text()
    mode = stat.S_IMODE((home / "history").stat().st_mode)
    assert mode == 0o600


def test_ctrl_c_stops_the_answer_and_on_an_empty_line_leaves(chat: Chat, gated: str) -> None:
    terminal = chat("-m", gated)
    terminal.wait_for("›")
    terminal.line("one")
    terminal.wait_for("Half of it.")
    terminal.send("\x03")
    terminal.wait_for("■ Stopped.")
    terminal.wait_for("›", times=2)
    terminal.line("two")
    terminal.wait_for("Second.")
    terminal.wait_for("›", times=3)

    terminal.send("a line that is not sent\x03")
    terminal.send("\x03")

    assert terminal.leave() == 0
    assert terminal.text().count("Half of it.") == 1


def test_a_lost_terminal_ends_the_exchange_properly(chat: Chat, gated: str, bottega: Call) -> None:
    terminal = chat("-m", gated)
    terminal.wait_for("›")
    terminal.line("one")
    terminal.wait_for("Half of it.")
    terminal.signal(signal.SIGHUP)
    terminal.leave()

    events = bottega("events", json.loads(bottega("sessions", "--json").out)[0]["id"], "--json")
    assert json.loads(events.out.splitlines()[-1])["data"]["stop_reason"] == "cancelled"


def test_slash_commands_answer_and_an_unknown_one_gets_a_suggestion(
    chat: Chat, script: Script, bottega: Call
) -> None:
    model = script([say("First.")], [say("Second.")])
    bottega("run", "-m", model, "an earlier session")
    terminal = chat("-m", model, size=(30, 240))  # the model's name is a path, and may be long
    terminal.wait_for("›")
    terminal.line("/sesions")
    terminal.wait_for("There is no command /sesions. Did you mean /sessions?")
    terminal.line("/help")
    terminal.wait_for("/sessions  List the last sessions")
    terminal.line("/model")
    terminal.wait_for("answers. `bottega models` lists who else can.")
    terminal.line("/model nonsense")
    terminal.wait_for("There is no provider for the model 'nonsense'.")
    terminal.line("/etc/hosts, what is it?")
    terminal.wait_for("First.")
    terminal.line("/sessions")
    terminal.wait_for("2  an earlier session")
    terminal.line("/sessions 2")
    terminal.wait_for("› an earlier session")
    terminal.line("/new")
    terminal.wait_for("A new session begins with your next prompt.")
    terminal.line("/exit")

    assert terminal.leave() == 0
    assert len(json.loads(bottega("sessions", "--json").out)) == 2


def test_several_lines_and_pasted_text_are_one_prompt(
    chat: Chat, script: Script, bottega: Call
) -> None:
    terminal = chat("-m", script([say("Got it.")], [say("And that.")]))
    terminal.wait_for("›")
    terminal.send("first\\\rsecond\x1b\rthird\r")
    terminal.wait_for("Got it.")
    terminal.wait_for("›", times=2)
    terminal.send("\x1b[200~pasted one\npasted two\n\x1b[201~\r")
    terminal.wait_for("And that.")
    terminal.wait_for("›", times=3)
    terminal.send("\x1b[A")
    terminal.wait_for("pasted two", times=2)
    terminal.send("\x03\x03")
    terminal.leave()

    events = bottega("events", "--json", json.loads(bottega("sessions", "--json").out)[0]["id"])
    said = [json.loads(line) for line in events.out.splitlines()]
    texts = [e["data"]["content"][0]["text"] for e in said if e["type"] == "user_message"]
    assert [text.strip() for text in texts] == ["first\nsecond\nthird", "pasted one\npasted two"]


def test_going_on_shows_what_was_said_last_and_that_it_was_interrupted(
    chat: Chat, gated: str
) -> None:
    first = chat("-m", gated)
    first.wait_for("›")
    first.line("tell me")
    first.wait_for("Half of it.")
    first.signal(signal.SIGKILL)
    first.leave()

    terminal = chat("--continue")
    terminal.wait_for("Interrupted: the program that ran this ended")

    shown = terminal.text()
    assert "› tell me" in shown
    assert "Half of it." in shown
    terminal.line("go on")
    terminal.wait_for("Second.")
    terminal.hang_up()
    assert terminal.leave() == 0


@pytest.mark.requirement("A42")
def test_a_failure_is_a_panel_with_its_hint_and_the_conversation_goes_on(
    chat: Chat, script: Script
) -> None:
    failing = {
        "do": "fail",
        "code": "bad_key",
        "message": "The key was refused.",
        "hint": "Set it.",
    }
    retrying = {"do": "retry", "delay": 0.7, "reason": "It is overloaded."}
    terminal = chat("-m", script([retrying, failing]))
    terminal.wait_for("›")
    terminal.line("hi")
    terminal.wait_for("It is overloaded. Try 2 of 3")
    terminal.wait_for("╭")
    terminal.wait_for("│ The key was refused. │\n│ Set it.")
    terminal.wait_for("›", times=2)
    assert "overloaded" not in terminal.text()
    terminal.line(f"/model {script([say('Better.')])}")
    terminal.wait_for("answers from now on.")
    terminal.line("again")
    terminal.wait_for("Better.")
    terminal.hang_up()
    assert terminal.leave() == 0


def test_no_colour_means_no_colour_and_a_dumb_terminal_gets_no_escape(
    chat: Chat, script: Script
) -> None:
    model = script([say("Some `code` and **bold**.")], [say("More.")])
    plain = chat("-m", model, NO_COLOR="1")
    plain.wait_for("›")
    plain.line("hi")
    plain.wait_for("Some code and bold.")
    plain.wait_for("free")
    plain.line("/exit")
    plain.leave()
    colours = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|9[0-7]|4[0-7]|38|48)[;m]")
    assert colours.search(plain.raw) is None

    dumb = chat("-m", model, TERM="dumb")
    dumb.wait_for("/help lists the commands")
    dumb.line("hi")
    dumb.wait_for("Some `code` and **bold**.")
    dumb.send("\x04")
    assert dumb.leave() == 0
    assert b"\x1b" not in dumb.raw


def test_lines_from_a_pipe_are_prompts_and_the_answer_is_plain(child: Call, script: Script) -> None:
    look = [{"do": "call", "name": "list_dir", "input": {"path": "."}}]
    model = script(look, [say("Two **files**.")], [say("Bye.")])

    done = child("chat", "-m", model, stdin="list\n\nbye\n")

    assert done.code == 0
    assert "\x1b" not in done.out
    assert "● list .  ✓ 2 entries" in done.out
    assert done.out.index("Two **files**.\n") < done.out.index("Bye.\n")


def test_what_a_model_says_cannot_command_the_terminal(chat: Chat, script: Script) -> None:
    evil = "\x1b]0;owned\x07Look \x1b[2Jhere\x1b[31m \u202eabc"
    terminal = chat("-m", script([say(evil, pieces=5)]))
    terminal.wait_for("›")
    terminal.line("hi")
    terminal.wait_for("Look here abc")
    terminal.wait_for("free")

    assert b"\x1b]0;owned" not in terminal.raw
    assert b"\x1b[2J" not in terminal.raw
    assert "\u202e".encode() not in terminal.raw


def test_deleting_asks_and_takes_no_for_an_answer(
    env: dict[str, str], work: Path, bottega: Call, script: Script
) -> None:
    bottega("run", "-m", script([say("Hello.")]), "hi")
    session = json.loads(bottega("sessions", "--json").out)[0]["id"]
    for said, code in (("n", 1), ("y", 0)):
        terminal = Terminal(["delete", session], env, work)
        terminal.wait_for(f"Delete {session[-8:]}, hi (")
        terminal.line(said)
        assert terminal.leave() == code

    assert json.loads(bottega("sessions", "--json").out) == []


def test_a_typed_key_is_not_shown(env: dict[str, str], work: Path, bottega: Call) -> None:
    terminal = Terminal(["keys", "set", "openai"], env, work)
    terminal.wait_for("Key of openai:")
    terminal.line("sk-typed-1234567890abcdef")

    assert terminal.leave() == 0
    assert b"sk-typed" not in terminal.raw
    assert "sk-…cdef" in bottega("keys", "list").out


def test_in_a_session_that_another_program_runs_a_prompt_waits_and_can_be_taken_back(
    chat: Chat, gated: str, bottega: Call
) -> None:
    other = chat("-m", gated)
    other.wait_for("›")
    other.line("one")
    other.wait_for("Half of it.")
    session = json.loads(bottega("sessions", "--json").out)[0]["id"]

    terminal = chat("--session", session)
    terminal.wait_for("Another program works in this session; what you say waits.")
    terminal.line("two")
    terminal.wait_for("Waiting for its turn…")
    terminal.send("\x03")
    terminal.wait_for("■ Taken back before its turn came.")
    terminal.hang_up()
    assert terminal.leave() == 0

    other.send("\x03")
    other.wait_for("■ Stopped.")


def test_without_any_key_the_guide_answers_and_says_how_to_get_more(chat: Chat) -> None:
    terminal = chat()
    terminal.wait_for("guide — no key is configured, so the built-in guide answers.")
    terminal.line("read a.txt")
    terminal.wait_for("● read a.txt  ✓")
    terminal.wait_for("guide · ")
    terminal.hang_up()
    assert terminal.leave() == 0
