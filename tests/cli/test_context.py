"""What a person does about the context: look how full it is, compact, undo, reset, clear."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bottega.cli.talk import room, slash
from bottega.studio.context import Context
from tests.cli.conftest import Call, say
from tests.cli.terminal import Terminal

Chat = Callable[..., Terminal]
LONG = "Words that nobody will need again. " * 60
PARTS = {"system": 200, "tools": 3_000, "instructions": 0, "words": 10, "results": 20_000}


def shown(context: Context, width: int = 100) -> str:
    return "\n".join("".join(text for text, _ in row) for row in room.drawn(context, width))


def test_the_largest_part_has_the_longest_bar_and_nothing_is_left_out() -> None:
    text = shown(Context("m", 100_000, False, 23_210, True, PARTS, 80))
    assert text.startswith("23 % full · 23,210 of 100,000 tokens\n")
    bars = {line[2:18].strip(): line.count("█") for line in text.split("\n")[1:-1]}
    assert bars == {"system prompt": 0, "tools": 4, "your words": 0, "results": 30}
    assert "compacted at 80 %, in 56.8k tokens" in text
    guess = shown(Context("m", 128_000, True, 120_000, False, PARTS, 80))
    assert "about 120,000 of 128,000 tokens (assumed: set context_window)" in guess
    assert "with the next model call" in guess
    assert "never compacted by itself" in shown(Context("m", 1000, False, 10, True, PARTS, 0))


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_the_commands_are_listed_in_whole_words_on_a_narrow_screen(width: int) -> None:
    listed = slash.overview(width)
    assert all(len(line) <= width for line in listed.split("\n"))
    assert " ".join(listed.split()) == " ".join(slash.overview(1000).split())


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_the_bars_fit_the_screen(width: int) -> None:
    text = shown(Context("m", 100_000, False, 23_210, True, PARTS, 80), width)
    assert all(len(line) <= max(width, 60) for line in text.split("\n")[1:-1])


def test_the_commands_are_listed() -> None:
    for name in ("context", "compact", "reset", "clear"):
        assert f"/{name}" in slash.overview()
    parsed = slash.parse("/compact undo")
    assert parsed is not None
    assert (parsed.name, parsed.argument) == ("compact", "undo")


@pytest.fixture
def chat(env: dict[str, str], work: Path) -> Iterator[Chat]:
    opened: list[Terminal] = []

    def open_(*arguments: str, **more: str) -> Terminal:
        terminal = Terminal(["chat", *arguments], {**env, **more}, work, (40, 140))
        opened.append(terminal)
        return terminal

    yield open_
    for terminal in opened:
        terminal.end()


@pytest.fixture
def talker(scripted: Callable[..., str]) -> str:
    record = {"when": "<record>", "turns": [[say("They said many words, to no end.")]]}
    return scripted([say(LONG)], after="repeat", rules=[record])


def test_a_person_looks_compacts_undoes_resets_and_clears(chat: Chat, talker: str) -> None:
    terminal = chat("-m", talker, BOTTEGA_CONTEXT_WINDOW="9000")
    terminal.wait_for("›")
    terminal.line("/context")
    terminal.wait_for("Nothing was said yet.")
    for number in range(1, 5):
        terminal.line(f"word {number}")
        terminal.wait_for(" · free · ", number)
    for line, told in (
        ("/context", "of 9,000 tokens"),
        ("/compact", "left the model's sight"),
        ("/compact undo", "sees it all again"),
        ("/reset", "The model begins anew."),
        ("/clear", "/clear yes does it"),
        ("/clear yes", "Cleared."),
    ):
        terminal.line(line)
        terminal.wait_for(told)
    assert re.search(r"answers +[\d.k]+ +[\d.]+ %", terminal.text())


def test_a_session_is_compacted_from_the_command_line(bottega: Call, talker: str) -> None:
    assert bottega("run", "-m", talker, "one").code == 0
    (listed,) = json.loads(bottega("sessions", "--json").out)
    session = listed["id"]
    for _ in range(4):
        assert bottega("run", "-s", session, "more").code == 0
    made = bottega("compact", session)
    assert made.code == 0, made.err
    assert "They said many words" in made.out
    assert "Compacted:" in made.err
    assert "Compacted:" in bottega("show", session).out
    assert bottega("compact", "--undo", session).code == 0
    again = bottega("compact", "--undo", session)
    assert again.code == 2
    assert "no compaction to undo" in again.err
