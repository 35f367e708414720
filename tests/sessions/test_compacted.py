"""What a model sees of compacted logs: checked against a slow reading of the same words, over generated logs."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from bottega.events import facts as f
from bottega.events.codec import encode
from bottega.events.event import Event
from bottega.messages.block import Block, Image, Origin, Text, ToolResult, ToolUse
from bottega.messages.message import Message
from bottega.messages.repair import repair
from bottega.sessions.told.compacted import OPENING
from bottega.sessions.told.history import replay
from tests.events.logs import answer, call, log, prompt, ran
from tests.hunt import LONG, SEED, examples
from tests.messages import strict

STRICT: dict[Origin, Callable[[Sequence[Message]], None]] = {
    "openai-chat": strict.openai_chat,
    "openai-responses": strict.openai_responses,
    "anthropic": strict.anthropic,
    "gemini": strict.gemini,
}


def seen(*payloads: Any) -> list[Message]:
    return told(log(*payloads))


def told(facts: list[Event]) -> list[Message]:
    return replay((fact.index, encode(fact)) for fact in facts)


def texts(message: Message) -> list[tuple[str, bool]]:
    return [(each.text, each.aside) for each in message.content if isinstance(each, Text)]


def aside(text: str) -> Text:
    return Text(text, aside=True)


def test_an_aside_stands_around_the_words_that_it_follows() -> None:
    history = seen(*prompt("go"), f.Aside("Files: a", "Be brief."), answer(Text("yes")))
    assert history[0].content == (aside("Files: a"), Text("go"), aside("Be brief."))


def test_an_aside_after_an_answer_is_a_message_of_its_own() -> None:
    history = seen(*prompt("go"), answer(call("c1")), *ran("c1"), f.Aside(after="Still there?"))
    assert [message.role for message in history] == ["user", "assistant", "tool", "user"]
    assert history[-1].content == (aside("Still there?"),)


def test_the_users_words_stay_and_the_rest_becomes_a_summary() -> None:
    picture = Image("image/png", "aGk=")
    history = seen(
        *prompt("first"),
        f.Aside("Files: a", ""),
        answer(call("c1")),
        *ran("c1"),
        f.UserMessage((Text("rather there"), picture), steer=True),
        answer(Text("there")),
        f.Compaction(8, "It went there.", verbatim=True),
        *prompt("second"),
    )
    first, last = history
    assert texts(first)[0] == (OPENING, True)
    own = [block for block in first.content if not getattr(block, "aside", False)]
    assert own == [Text("first"), Text("rather there"), picture]
    assert "It went there." in texts(first)[-1][0]
    assert texts(first)[-1][1]
    assert last.content == (Text("second"),)


def test_a_cut_result_says_what_it_was_and_where_it_is() -> None:
    history = seen(
        *prompt("go"), answer(call("c1")), *ran("c1", "x" * 5000), f.Compaction(0, cut=(5,))
    )
    result = history[-1].content[0]
    assert isinstance(result, ToolResult)
    assert isinstance(result.content[0], Text)
    said = result.content[0].text
    assert "5,000" in said
    assert call("c1").name in said
    assert "recall with index 5" in said


def test_a_later_compaction_builds_on_the_cuts_of_an_earlier_one() -> None:
    history = seen(
        *prompt("a"),
        answer(call("c1")),
        *ran("c1", "x" * 900),
        f.Compaction(0, cut=(5,)),
        answer(call("c2")),
        *ran("c2", "y" * 900),
        f.Compaction(0, cut=(9,)),
    )
    results = [str(message.content) for message in history if message.role == "tool"]
    assert len(results) == 2
    assert all("Cut to save room" in each for each in results)


def test_an_undone_compaction_shows_all_again_and_the_one_before_it_counts() -> None:
    facts = [
        *prompt("a"),
        answer(Text("one")),
        f.Compaction(3, "first", verbatim=True),
        *prompt("b"),
        answer(Text("two")),
        f.Compaction(7, "both", verbatim=True),
    ]
    before = seen(*facts[:-1])
    assert len(seen(*facts)) == 1
    assert seen(*facts, f.CompactionUndone(8)) == before
    assert seen(*facts, f.CompactionUndone(8), f.CompactionUndone(4)) == seen(
        *prompt("a"), answer(Text("one")), f.Interrupted("."), *prompt("b"), answer(Text("two"))
    )


@pytest.mark.requirement("A13")
@pytest.mark.parametrize("border", [f.SessionReset(), f.SessionCleared()])
def test_nothing_before_a_reset_is_seen(border: Any) -> None:
    history = seen(
        *prompt("a"),
        answer(Text("one")),
        f.Compaction(3, "first", verbatim=True),
        border,
        *prompt("b"),
        f.CompactionUndone(4),
    )
    assert [message.content for message in history] == [(Text("b"),)]


def _naive(facts: list[Event]) -> list[Message]:
    """The same, as slowly and plainly as it can be said."""
    borders = [e.index for e in facts if isinstance(e.data, f.SessionReset | f.SessionCleared)]
    facts = [event for event in facts if not borders or event.index > borders[-1]]
    undone = {e.data.compaction for e in facts if isinstance(e.data, f.CompactionUndone)}
    counted = [e for e in facts if isinstance(e.data, f.Compaction) and e.index not in undone]
    cut = {index for event in counted for index in event.data.cut}
    whole = [event for event in counted if event.data.upto]
    newest = whole[-1] if whole else None
    upto = newest.data.upto if newest else 0
    words: list[tuple[Block, ...]] = []
    history: list[Message] = []
    for place, event in enumerate(facts):
        message = _one(facts, place, event, cut)
        if message is None:
            continue
        if event.index > upto:
            history.append(message)
        elif isinstance(event.data, f.UserMessage):
            words.append(event.data.content)
    if newest is None:
        return history
    content: list[Block] = [aside(OPENING)]
    for each in words:
        content += [aside("(Then the user said:)")] if len(content) > 1 else []
        content += each
    summed = "(Summary of what was done and answered up to here:)\n\n" + newest.data.summary
    return [Message("user", (*content, aside(summed)), newest.at), *history]


def _one(facts: list[Event], place: int, event: Event, cut: set[int]) -> Message | None:
    said = event.data
    if isinstance(said, f.UserMessage):
        content = said.content
        for later in facts[place + 1 :]:
            if isinstance(later.data, f.AssistantMessage | f.UserMessage | f.ToolResultFact):
                break
            if isinstance(later.data, f.Aside):
                before = (aside(later.data.before),) if later.data.before else ()
                after = (aside(later.data.after),) if later.data.after else ()
                content = (*before, *content, *after)
        return Message("user", content, event.at)
    if isinstance(said, f.AssistantMessage):
        return Message("assistant", said.content, event.at)
    if isinstance(said, f.ToolResultFact):
        content = said.content
        if event.index in cut:
            size = sum(len(part.text) for part in content if isinstance(part, Text))
            content = (
                Text(
                    f"(Cut to save room: {size:,} characters that {said.name} gave."
                    f" recall with index {event.index} shows them.)"
                ),
            )
        return Message("tool", (ToolResult(said.tool_id, content, said.is_error),), event.at)
    return None


def generated(dice: Random, resets: bool) -> list[Event]:
    payloads: list[Any] = []
    compactions: list[int] = []
    results: list[int] = []
    ends: list[int] = []
    """Where a step or an exchange is over: only there a summary may end."""
    for number in range(dice.randint(1, 6)):
        payloads += prompt(f"words {number}")
        if dice.random() < 0.5:
            payloads.append(f.Aside(dice.choice(["", "before"]), dice.choice(["", "after"])))
        for step in range(dice.randint(0, 4)):
            use = ToolUse(f"c{number}-{step}", dice.choice(["read_file", "bash_exec"]))
            payloads.append(answer(Text(f"thinking {number}"), use))
            result = f.ToolResultFact(use.id, use.name, (Text("out" * dice.randint(1, 90)),))
            payloads.append(result)
            results.append(len(payloads))
            ends.append(len(payloads))
            if dice.random() < 0.2:
                payloads.append(f.UserMessage((Text(f"steer {number}.{step}"),), steer=True))
            if dice.random() < 0.3:
                upto = dice.choice(ends) if dice.random() < 0.6 else 0
                least = max([upto, *(payloads[i - 1].upto for i in compactions)])
                cut = tuple(sorted(dice.sample(results, dice.randint(0, len(results)))))
                payloads.append(f.Compaction(least if upto else 0, f"s{number}", True, cut))
                compactions.append(len(payloads))
            if compactions and dice.random() < 0.15:
                payloads.append(f.CompactionUndone(dice.choice(compactions)))
        payloads.append(answer(Text(f"done {number}")))
        ends.append(len(payloads))
        if resets and dice.random() < 0.15:
            payloads.append(dice.choice([f.SessionReset(), f.SessionCleared()]))
            compactions, results, ends = [], [], []
    return log(*payloads)


@pytest.mark.fuzz
def test_any_log_is_seen_as_a_plain_reading_of_it_says() -> None:
    seed = SEED if not LONG else Random().randrange(2**32)
    print(f"seed {seed}")
    dice = Random(seed)
    for _ in range(examples(400, 50_000)):
        facts = generated(dice, resets=True)
        assert told(facts) == _naive(facts)


@pytest.mark.fuzz
def test_the_users_words_are_never_lost_and_every_protocol_takes_what_is_left() -> None:
    seed = SEED if not LONG else Random().randrange(2**32)
    print(f"seed {seed}")
    dice = Random(seed)
    for _ in range(examples(400, 50_000)):
        facts = generated(dice, resets=False)
        said = [
            block
            for event in facts
            if isinstance(event.data, f.UserMessage)
            for block in event.data.content
        ]
        own = [
            block
            for message in told(facts)
            if message.role == "user"
            for block in message.content
            if isinstance(block, Text) and not block.aside
        ]
        assert own == said
        for origin, check in STRICT.items():
            check(repair([*told(facts), Message("user", (Text("go on"),))], origin))
