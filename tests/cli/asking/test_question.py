"""A question about a call on a real terminal: what is shown, and what each key does."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.events import facts
from bottega.sessions.asks import Ask
from tests.cli.conftest import scrubbed
from tests.cli.terminal import Terminal

PROGRAM = [sys.executable, "-m", "tests.cli.asking.program"]
ROOT = Path(__file__).parents[3]
KEYS = "y allow once"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1\n"


def ask(tool: str = "bash_exec", given: dict[str, Any] | None = None, **detail: Any) -> Ask:
    given = {"command": "make"} if given is None else given
    if tool == "bash_exec":
        detail.setdefault("command", given.get("command", ""))
    asked = facts.ApprovalRequired("ask-1", "tool", "t", tool, "hash", detail=detail)
    return Ask("ask-1", 1, "m", 0, asked, given)


def question(text: str, *choices: str) -> Ask:
    asked = facts.ApprovalRequired("ask-1", "question", question=text, choices=choices)
    return Ask("ask-1", 1, "m", 0, asked, {})


class Asked:
    """A program on a terminal that asks what it is told to ask."""

    def __init__(
        self, folder: Path, kind: str = "live", program: Sequence[str] = PROGRAM, **more: str
    ) -> None:
        path = folder / f"asks-{kind}"
        os.mkfifo(path)
        environment = {
            **scrubbed(folder / "home"),
            "PYTHONPATH": f"{ROOT}/src:{ROOT}",
            **more,
        }
        arguments = [kind, str(path)]
        self.terminal = Terminal(arguments, environment, ROOT, (30, 80), list(program))
        self._pipe = path.open("w")
        self.terminal.wait_for("ready")

    def __call__(self, what: Ask) -> Terminal:
        self.terminal.resize(30, 80)
        self.terminal.clear()
        self._pipe.write(msgspec.json.encode(what).decode() + "\n")
        self._pipe.flush()
        return self.terminal

    def end(self) -> None:
        self.terminal.end()
        self._pipe.close()


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    program = Asked(tmp_path_factory.mktemp("asked"))
    yield program
    program.end()


def reply(terminal: Terminal) -> dict[str, Any]:
    terminal.wait_for("REPLY {")
    terminal.wait_for("}")
    return json.loads(terminal.raw.decode().rpartition("REPLY ")[2])


def test_all_that_decides_is_shown_and_y_allows_once(asked: Asked) -> None:
    terminal = asked(
        ask(
            given={"command": "make\nrm -rf build", "timeout": 600},
            reason="ask mode asks before commands",
            sandbox="not sandboxed",
            network=True,
            folder="/elsewhere",
        )
    )
    terminal.wait_for(KEYS)

    shown = terminal.text()
    assert "? Run this command?\n│ make\n│ rm -rf build\n" in shown
    assert "  why      ask mode asks before commands\n" in shown
    assert "  in       /elsewhere\n" in shown
    assert "  with     timeout=600\n" in shown
    assert "  network  it asks for the network\n" in shown
    assert "  sandbox  not sandboxed\n" in shown
    terminal.send("y")
    assert reply(terminal) == {"word": "allow_once"}


def test_a_change_is_shown_as_a_diff_with_colours(asked: Asked) -> None:
    terminal = asked(ask("patch_file", {"file_path": "a.py"}, diff=DIFF))
    terminal.wait_for(KEYS)

    assert (
        "? Make this change?\n│ a.py  +1 −1\n│ 1 − x = 1\n│ 1 + x = 2\n│ 2   y = 1\n"
        in terminal.text()
    )
    assert b"\x1b[31m" in terminal.raw
    assert b"\x1b[32m" in terminal.raw
    terminal.send("y")
    assert reply(terminal) == {"word": "allow_once"}


def test_what_was_typed_before_the_question_decides_nothing(asked: Asked) -> None:
    asked.terminal.send("yyy\nyes\n")  # nobody asks yet: it waits in the terminal
    terminal = asked(ask())
    terminal.wait_for(KEYS)
    terminal.send("s")

    assert reply(terminal) == {"word": "stop"}


def test_who_is_typing_when_it_appears_decides_nothing(asked: Asked) -> None:
    terminal = asked(ask())
    terminal.wait_for("│ make")
    for letter in "yes y":
        terminal.send(letter)
    terminal.wait_for(KEYS)
    terminal.send("s")

    assert reply(terminal) == {"word": "stop"}


def test_pasted_text_arrow_keys_and_enter_decide_nothing(asked: Asked) -> None:
    terminal = asked(ask(offers=["bash_exec"]))
    terminal.wait_for(KEYS)
    terminal.send("yes\n")
    terminal.wait_for("Keys that come together do not count.")
    terminal.send("\x1b[A")
    terminal.wait_for("? lists the keys.")
    terminal.send("\r")
    terminal.wait_for("Enter decides nothing here: y allows, n denies.")
    terminal.send("s")

    assert reply(terminal) == {"word": "stop"}


def test_a_allows_what_is_offered_and_says_what_that_is(asked: Asked) -> None:
    terminal = asked(ask(offers=["bash_exec(make)"]))
    terminal.wait_for("a allow all bash_exec(make)")
    terminal.send("a")

    assert reply(terminal) == {"word": "allow_all", "grant": "bash_exec(make)"}


def test_of_several_offers_a_number_chooses_one(asked: Asked) -> None:
    terminal = asked(ask(offers=["bash_exec", "bash_exec(make)"]))
    terminal.wait_for("1 allow all bash_exec  2 allow all bash_exec(make)")
    terminal.send("a")
    terminal.wait_for("Which? Press 1 to 2.")
    terminal.send("2")

    assert reply(terminal) == {"word": "allow_all", "grant": "bash_exec(make)"}


def test_n_denies_with_a_word_to_the_model_or_without(asked: Asked) -> None:
    terminal = asked(ask())
    terminal.wait_for(KEYS)
    terminal.send("n")
    terminal.wait_for("Why? (Enter: no reason) ›")
    terminal.send("\x03")
    terminal.wait_for(KEYS)
    terminal.send("n")
    terminal.wait_for("Why? (Enter: no reason) ›", times=2)
    terminal.send("use npm instead\r")

    assert reply(terminal) == {"word": "deny", "note": "use npm instead"}


def test_e_edits_the_command_itself(asked: Asked) -> None:
    terminal = asked(ask(given={"command": "make all", "timeout": 5}))
    terminal.wait_for(KEYS)
    terminal.send("e")
    terminal.wait_for("edit › make all")
    terminal.send("\x7f\x7f\x7ftest\r")

    assert reply(terminal) == {"word": "edit", "input": {"command": "make test", "timeout": 5}}


def test_e_edits_arguments_as_json_and_asks_again_for_what_is_none(asked: Asked) -> None:
    terminal = asked(ask("other", {"n": 1}))
    terminal.wait_for(KEYS)
    terminal.send("e")
    terminal.wait_for("edit › {")
    terminal.send("\x7f\r")
    terminal.wait_for("These are no arguments:")
    terminal.wait_for("edit › {", times=2)
    terminal.send(', "m": 2}\r')

    assert reply(terminal) == {"word": "edit", "input": {"n": 1, "m": 2}}


def test_what_is_too_long_to_show_must_be_looked_at_first(asked: Asked) -> None:
    command = "\n".join(f"echo {n}" for n in range(1000))
    terminal = asked(ask(given={"command": command}))
    terminal.wait_for("… 800 more lines (8.9 kB in all); d shows all of it")
    terminal.wait_for("d show all")
    terminal.send("y")
    terminal.wait_for("Not all of it was shown: press d and look first.")
    terminal.send("d")
    terminal.wait_for("1–29 of 1,000 · space goes on · q back")
    terminal.send("q")
    terminal.wait_for("  d show all  s stop  ? help")
    terminal.send("y")
    terminal.wait_for("Not all of it was shown: press d and look first.")
    terminal.send("d")
    terminal.wait_for("1–29 of 1,000")
    terminal.send("G")
    terminal.wait_for("972–1,000 of 1,000 · the end · q back")
    terminal.wait_for("│ echo 999")
    terminal.send("q")
    terminal.wait_for(KEYS)
    terminal.send("y")

    assert reply(terminal) == {"word": "allow_once"}


def test_a_command_cannot_deceive(asked: Asked) -> None:
    evil = "ls\x1b[2K\r" + " " * 200 + "; rm -rf ~\u202e\n  y allow once  n deny\n"
    terminal = asked(ask(given={"command": evil}))
    terminal.wait_for("s stop")

    shown = terminal.text()
    assert "⟨200 spaces⟩; rm -rf ~⟨U+202E⟩" in shown
    assert "│ ls⟨U+001B⟩[2K⟨U+000D⟩" in shown
    assert "│   y allow once  n deny" in shown
    assert b"\x1b[2K" not in terminal.raw
    assert "\u202e".encode() not in terminal.raw
    terminal.send("s")
    assert reply(terminal) == {"word": "stop"}


def test_a_terminal_without_escapes_asks_the_same_in_plain_text(tmp_path: Path) -> None:
    program = Asked(tmp_path, "plain", TERM="dumb")
    terminal = program(ask(offers=["bash_exec"]))
    terminal.wait_for("  y allow once  a allow all bash_exec  n deny  e edit  s stop  ? help")
    terminal.send("?")
    terminal.wait_for("y  allow it, this once")
    terminal.send("n")
    terminal.wait_for("Why? (Enter: no reason) ›")
    terminal.send("nox\x7f!\r")

    assert reply(terminal) == {"word": "deny", "note": "no!"}
    assert b"\x1b" not in terminal.raw
    program.end()


def test_a_stopped_program_gives_the_terminal_back_and_asks_again_when_it_goes_on(
    tmp_path: Path,
) -> None:
    shell = ["bash", "-c", 'set -m; "$@"; echo stopped; read -r; fg', "bash", *PROGRAM]
    program = Asked(tmp_path, program=shell)
    terminal = program(ask())
    terminal.wait_for(KEYS)
    terminal.send("\x1a")
    terminal.wait_for("stopped")
    assert KEYS not in terminal.text()
    terminal.line("")
    terminal.wait_for(KEYS)
    terminal.send("y")

    assert reply(terminal) == {"word": "allow_once"}
    program.end()


def test_a_screen_made_narrower_while_asking_asks_on(asked: Asked) -> None:
    terminal = asked(ask(offers=["bash_exec(make)"]))
    terminal.wait_for("? help")
    terminal.resize(24, 40)
    terminal.wait_for(
        "  y allow once\n  a allow all bash_exec(make)  n deny\n  e edit  s stop  ? help"
    )
    terminal.send("y")

    assert reply(terminal) == {"word": "allow_once"}


def test_choices_have_numbers_and_other_words_are_taken_too(asked: Asked) -> None:
    what = question("Which database?", "SQLite", "PostgreSQL")
    terminal = asked(what)
    terminal.wait_for("? Which database?\n  1 SQLite\n  2 PostgreSQL\n")
    terminal.wait_for("1–2 choose")
    terminal.send("2")
    assert reply(terminal) == {"word": "answer", "note": "PostgreSQL"}

    terminal = asked(what)
    terminal.wait_for("t answer in your own words")
    terminal.send("t")
    terminal.wait_for("answer ›")
    terminal.send("none of them\r")
    assert reply(terminal) == {"word": "answer", "note": "none of them"}


def test_a_question_without_choices_takes_words_at_once(asked: Asked) -> None:
    terminal = asked(question("What is its name?"))
    terminal.wait_for("answer ›")
    terminal.send("Ada\r")

    assert reply(terminal) == {"word": "answer", "note": "Ada"}
