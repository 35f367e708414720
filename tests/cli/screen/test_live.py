"""What a terminal shows while an exchange happens, event by event, at a clock that the test moves."""

import random

import pytest

from bottega.cli.screen.painter import Painter
from bottega.events import facts
from bottega.messages.block import Source, Sources, Text, ToolUse
from bottega.messages.message import Usage
from tests.cli.screen.emulated import exchange

END = facts.ExchangeResponse(
    True, "no_more_actions", "end_turn", 1, "x", Usage(1234, 56), 1234, 3400
)


def test_an_answer_grows_and_ends_with_what_it_cost() -> None:
    with exchange() as shown:
        shown.passes(2)
        assert "Thinking… 2 s   Ctrl-C stops" in shown.text
        shown.take(facts.TextDelta("Hello **wor"))
        shown.passes(1)
        assert "Hello **wor" in shown.text
        shown.take(facts.TextDelta("ld**.\n\n- one\n"), facts.TextDelta("- two"))
        shown.take(facts.AssistantMessage((Text("…"),), "end_turn"), END)
        shown.passes(1)

    assert shown.text == (
        "Hello world.\n\n • one\n • two\n\nopenai/gpt-5 · 1.2k in, 56 out · $0.0012 · 3.4 s"
    )


def test_tools_run_side_by_side_and_each_keeps_one_line() -> None:
    uses = (
        ToolUse("1", "read_file", {"file_path": "a.py"}),
        ToolUse("2", "list_dir", {"path": "src"}),
    )
    with exchange() as shown:
        shown.take(facts.AssistantMessage((Text("Let me look."), *uses), "tool_use"))
        shown.take(facts.ToolIntent("2", "list_dir", ""), facts.ToolOutputDelta("2", "a\nb\n"))
        shown.passes(2)
        assert "○ read a.py\n" in shown.text
        assert "list src  2.0 s\n  │ a\n  │ b\n" in shown.text
        shown.take(facts.ToolResultFact("2", "list_dir", (Text('{"result":[1]}'),), duration_ms=7))
        failed = Text('{"error":{"message":"No such file."}}')
        shown.take(facts.ToolResultFact("1", "read_file", (failed,), is_error=True))
        shown.passes(1)

    assert shown.text == (
        "Let me look.\n\n● list src  ✓ 1 entry · 7 ms\n  │ a\n  │ b\n● read a.py  ✗ No such file."
    )


def test_a_thought_is_shown_in_two_lines_and_then_folded_to_one() -> None:
    with exchange() as shown:
        for number in range(60):
            shown.take(facts.ReasoningDelta(f"thought {number}\n"))
        shown.passes(3)
        assert "thought 59" in shown.text
        assert shown.text.count("\n") <= 4
        shown.take(facts.TextDelta("So."))
        shown.passes(1)

    assert shown.text == "✻ Thought for 3.0 s: thought 0\n\nSo."


def test_a_retry_is_counted_down_and_leaves_no_trace() -> None:
    with exchange() as shown:
        shown.take(facts.ConversationRetrying(2, 10, 3000, "openai is overloaded."))
        shown.passes(1)
        assert "↺ openai is overloaded. Try 2 of 10 in 2 s" in shown.text
        shown.passes(1)
        assert "in 1 s" in shown.text
        shown.take(facts.TextDelta("There."))
        shown.passes(1)

    assert shown.text == "There."


def test_an_answer_that_starts_again_says_so() -> None:
    with exchange() as shown:
        shown.take(facts.TextDelta("Half"), facts.StreamReset("cut off"))
        shown.take(facts.MessageStart("m"), facts.TextDelta("Whole."))
        shown.passes(1)

    assert "Half\n\n↺ The answer broke off and starts again" in shown.text
    assert shown.text.endswith("Whole.")


@pytest.mark.requirement("A07")
def test_a_failure_is_a_panel_and_is_told_once() -> None:
    end = facts.ExchangeResponse(False, "error", "error", 0, duration_ms=5)
    with exchange() as shown:
        shown.take(facts.ErrorMessage("The key was \x1b[31mrefused.", "bad_key", hint="Set it."))
        shown.take(end)

    assert "│ The key was refused. │\n│ Set it.              │" in shown.text
    assert shown.text.count("refused") == 1
    assert shown.text.endswith("openai/gpt-5 · 5 ms")


def test_an_answer_that_was_not_streamed_is_shown_whole_with_its_sources_and_notices() -> None:
    content = (Text("Grounded."), Sources((Source("A page", "https://a.example"),)))
    with exchange() as shown:
        shown.take(
            facts.AssistantMessage(content, "end_turn", notices=("Temperature was ignored.",))
        )

    assert shown.text == (
        "Grounded.\n\n  [1] A page https://a.example\nNote: Temperature was ignored."
    )


def test_stopping_says_so_and_what_was_said_stays() -> None:
    end = facts.ExchangeResponse(False, "user_stopped", "cancelled", 1, duration_ms=5)
    with exchange() as shown:
        shown.take(facts.TextDelta("So far"), facts.CancelRequested())
        shown.passes(1)
        assert "Stopping…" in shown.text
        shown.take(facts.AssistantMessage((Text("So far"),), "cancelled"), end)

    assert shown.text.startswith("So far\n\n■ Stopped. What was said so far is kept.\n\n")


def test_what_is_drawn_in_the_end_does_not_depend_on_the_pieces_or_the_height() -> None:
    text = "\n\n".join(
        [
            "# Title",
            "word " * 60,
            "\n".join(f"{n}. item `{n}`" for n in range(1, 130)),
            "```python\n" + "\n".join(f"x = {n}" for n in range(120)) + "\n```",
            "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | {n} |" for n in range(40)),
            "The end.",
        ]
    )

    def drawn(size: int, lines: int) -> str:
        chance = random.Random(size)
        with exchange(lines=lines) as shown:
            for place in range(0, len(text), size):
                shown.take(facts.TextDelta(text[place : place + size]))
                if chance.random() < 0.2:
                    shown.passes(0.1)
            shown.take(facts.AssistantMessage((Text(text),), "end_turn"))
        return shown.text

    whole = drawn(len(text), 24)

    assert " 129. item 129" in whole
    assert "  x = 119\n\na" in whole
    assert drawn(7, 24) == whole
    assert drawn(29, 6) == whole


def test_a_long_answer_costs_no_more_per_word_than_a_short_one() -> None:
    """Counted in bytes written to the terminal: nothing that is finished is written again."""

    def written(paragraphs: int) -> int:
        with exchange() as shown:
            for number in range(paragraphs):
                for word in range(20):
                    shown.take(facts.TextDelta(f"word{word} "))
                shown.take(facts.TextDelta(f"paragraph {number}\n\n"))
                shown.passes(0.1)
        return len(shown.paper.getvalue())

    assert written(400) < 12 * written(40)


def test_markdown_loses_nothing_that_was_written() -> None:
    text = "Vec<T> and <b>tags</b>, [a link](https://b.example), <https://c.example>, ![pic](d.png)"

    (line,) = Painter(plain=True).markdown(text, 200)

    assert "Vec<T> and <b>tags</b>" in line
    assert "a link (https://b.example)" in line
    assert line.count("https://c.example") == 1
    assert "pic" in line


def test_without_colour_bold_stays_and_plain_has_no_escape_at_all() -> None:
    bold = Painter(colour=False).markdown("# Head\n\n`code`", 40)
    plain = Painter(plain=True).markdown("# Head\n\n`code`", 40)

    assert bold == ["\x1b[1;4mHead\x1b[0m", "", "code"]
    assert plain == ["Head", "", "code"]
