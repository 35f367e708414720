"""An exchange where nothing can be drawn: text and lines, each where it belongs."""

from io import StringIO

import pytest

from bottega.cli.screen.plain import Plain
from bottega.cli.screen.terminal import Terminal
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import Text, ToolUse


class Paper(StringIO):
    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # pyright: ignore
        return self._encoding


def shown(*story: object, hold: bool = False, footer: bool = False) -> tuple[str, str]:
    out, err = Paper(), Paper()
    notes = Terminal(err, {})
    screen = Plain(Terminal(out, {}), notes, notes, hold=hold, footer=footer)
    for payload in story:
        screen.show(Event(facts.NAMES[type(payload)], 0, payload, "m", 1, 1))
    screen.tick()
    screen.close()
    return out.getvalue(), err.getvalue()


USE = ToolUse("1", "list_dir", {"path": "src"})
STORY = (
    facts.MessageStart("m"),
    facts.TextDelta("Let me "),
    facts.TextDelta("look."),
    facts.AssistantMessage((Text("Let me look."), USE), "tool_use"),
    facts.ToolResultFact("1", "list_dir", (Text('{"result":[1,2]}'),), duration_ms=3),
    facts.MessageStart("m"),
    facts.ConversationRetrying(2, 10, 3000, "It is overloaded."),
    facts.TextDelta("Two."),
    facts.AssistantMessage((Text("Two."),), "end_turn", notices=("No temperature.",)),
    facts.ExchangeResponse(True, "no_more_actions", "end_turn", 2, "Two.", duration_ms=9),
)


def test_text_and_notes_go_to_their_own_places() -> None:
    out, err = shown(*STORY, footer=True)

    assert out == "Let me look.\n\nTwo.\n"
    assert err == (
        "● list src  ✓ 2 entries · 3 ms\n"
        "↺ It is overloaded. Try 2 of 10 in 3 s\n"
        "note: No temperature.\n"
        "m · free · 9 ms\n"
    )


def test_held_text_is_the_final_answer_and_nothing_else() -> None:
    assert shown(*STORY, hold=True)[0] == "Two.\n"


def test_an_answer_that_was_not_streamed_or_starts_again_is_told() -> None:
    whole = facts.AssistantMessage((Text("All at once."),), "end_turn")
    assert shown(facts.MessageStart("m"), whole)[0] == "All at once.\n"

    out, err = shown(facts.TextDelta("Half"), facts.StreamReset("cut"), facts.TextDelta("Whole."))
    assert out == "Half\n\nWhole.\n"
    assert err == "↺ The answer broke off and starts again.\n"


@pytest.mark.requirement("A07", "A42")
def test_a_failure_is_said_once() -> None:
    error = facts.ErrorMessage("It failed", "x", hint="Try again.")
    end = facts.ExchangeResponse(False, "error", "error", 0)

    assert shown(error, end) == ("", "bottega: It failed. Try again.\n")


def test_an_ending_that_nobody_explained_is_explained() -> None:
    end = facts.ExchangeResponse(False, "refused", "refusal", 1)

    assert shown(end)[1] == "The model declined to answer.\n"
    assert shown(facts.PromptCancelled())[1] == "Taken back before its turn came.\n"


def test_a_terminal_that_knows_no_unicode_gets_signs_that_it_knows() -> None:
    paper = Paper("ascii")
    Terminal(paper, {}).write("● read_file  ✓ 3 ms … │")

    assert paper.getvalue() == "* read_file  + 3 ms ... |"
