"""What was told is folded from the facts; what the model no longer sees is told again."""

from typing import Any

from bottega.events import facts
from bottega.events.codec import encode
from bottega.events.event import Event
from bottega.events.facts import NAMES
from bottega.workers.told import FOLDED, Told

OPENING = facts.Opening({"mode": "ask", "timestamp": "2026-01-01 10:00 +0000"})
WHOLE = facts.Aside("context", "", {"files": "a", "git": "main", "mode": "plan"})


def folded(*payloads: Any) -> Told:
    told = Told()
    for payload in payloads:
        told.note(Event(NAMES[type(payload)], 0, payload))
    return told


def test_the_last_word_on_everything_counts() -> None:
    told = folded(OPENING, WHOLE, facts.Aside("x", "", {"mode": "allow"}))
    assert told.opening == OPENING
    assert told.whole
    assert told.known["mode"] == "allow"
    assert told.known["git"] == "main"


def test_after_a_reset_there_is_no_opening() -> None:
    for ending in (facts.SessionReset(), facts.SessionCleared()):
        told = folded(OPENING, WHOLE, ending)
        assert (told.opening, told.known, told.whole) == (None, {}, False)


def test_after_a_compaction_the_opening_stays_and_the_context_is_told_again() -> None:
    told = folded(OPENING, WHOLE, facts.Compaction(7, "They talked."))
    assert told.opening == OPENING
    assert not told.whole
    assert told.known["mode"] == "ask", "the aside that told of plan mode is gone"
    assert "git" not in told.known


def test_a_compaction_that_only_cuts_results_forgets_nothing() -> None:
    assert folded(OPENING, WHOLE, facts.Compaction(0, cut=(3,))).whole


def test_a_list_is_quiet_since_it_changed_or_was_named() -> None:
    answer = facts.AssistantMessage((), "end_turn")
    changed = facts.TodosChanged((facts.TodoItem("paint"),))
    assert folded(changed, answer, answer).quiet == 2
    assert folded(changed, answer, facts.Aside("", "x", {"todos": "e"})).quiet == 0
    assert folded(answer, changed).quiet == 0
    assert folded(changed).todos == changed.todos


def test_every_fact_that_is_folded_from_the_log_is_found_by_its_beginning() -> None:
    payloads = (
        *(OPENING, WHOLE, facts.SessionReset(), facts.SessionCleared()),
        *(facts.Compaction(1), facts.TodosChanged(())),
    )
    for payload in payloads:
        stored = encode(Event(NAMES[type(payload)], 0, payload))
        assert stored.startswith(FOLDED)
    assert not encode(Event("mode_changed", 0, facts.ModeChanged("ask"))).startswith(FOLDED)
