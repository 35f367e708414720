"""What people remember of a session, and the steps of each exchange."""

import msgspec
import pytest

from bottega.events.event import Event
from bottega.events.facts import (
    ErrorMessage,
    Interrupted,
    MessageStart,
    StreamReset,
    TextDelta,
    UserMessage,
)
from bottega.events.fold import replay
from bottega.events.layers import AgentStep
from bottega.messages.block import Image, Reasoning, Text
from bottega.messages.message import Usage
from bottega.sessions.told.views import ChatMessage, chat, steps
from tests.events.logs import Generator, answer, call, end, log, prompt, ran
from tests.golden.test_golden import every_log, read
from tests.hunt import examples

CUT = {"success": False, "completion_reason": "user_stopped", "stop_reason": "cancelled"}


@pytest.mark.requirement("A08", "A14", "C3")
def test_a_chat_shows_prompts_and_final_answers_and_no_tool_turns() -> None:
    facts = log(
        *prompt("look"),
        MessageStart("model"),
        answer(Reasoning("hm"), Text("let me see"), call("c1")),
        *ran("c1", "secret output"),
        MessageStart("model"),
        answer(Reasoning("aha"), Text("It is there.")),
        end("It is there."),
        *prompt("thanks"),
        answer(Text("You are welcome.")),
        end("You are welcome."),
    )
    assert chat(facts) == [
        ChatMessage("user", "look", 1002),
        ChatMessage("assistant", "It is there.", 1009),
        ChatMessage("user", "thanks", 1011),
        ChatMessage("assistant", "You are welcome.", 1013),
    ]


@pytest.mark.requirement("A08")
def test_a_chat_message_has_the_three_fields_that_others_expect() -> None:
    (first, _) = chat(log(*prompt("hi"), answer(Text("yo")), end("yo")))
    assert msgspec.to_builtins(first) == {"role": "user", "content": "hi", "timestamp": 1002}


def test_steers_are_shown_as_prompts() -> None:
    facts = log(
        *prompt("go left"),
        answer(call("c1")),
        UserMessage((Text("no, right"),), steer=True),
        answer(Text("went right")),
        end("went right"),
    )
    assert [(m.role, m.content) for m in chat(facts)] == [
        ("user", "go left"),
        ("user", "no, right"),
        ("assistant", "went right"),
    ]


@pytest.mark.parametrize(
    ("payloads", "shown"),
    [
        ([TextDelta("half "), TextDelta("an ans")], "half an ans"),
        ([TextDelta("void"), StreamReset("cut"), TextDelta("anew")], "anew"),
        ([TextDelta("void"), Interrupted("died"), MessageStart("model")], None),
        ([answer(Text("first"), call("c1")), MessageStart("model"), TextDelta("sec")], "sec"),
        ([answer(Text("first"), call("c1")), MessageStart("model")], "first"),
        ([answer(Text("first"), call("c1")), MessageStart("model"), answer(call("c2"))], "first"),
        ([ErrorMessage("no", "bad_key")], None),
    ],
)
@pytest.mark.parametrize("ended", [True, False])
def test_a_cut_exchange_shows_the_text_it_got_to(
    payloads: list[object], shown: str | None, ended: bool
) -> None:
    ends = [end("", **CUT)] if ended else []
    messages = chat(log(*prompt("go"), MessageStart("model"), *payloads, *ends))
    assert [m.content for m in messages] == ["go", *filter(None, [shown])]


def test_the_end_says_what_the_final_text_is_also_when_it_was_cut() -> None:
    facts = log(*prompt("go"), answer(Text("long story")), end("long", **CUT))
    assert [m.content for m in chat(facts)] == ["go", "long"]


def test_a_success_without_words_shows_none() -> None:
    facts = log(*prompt("go"), answer(Text("working"), call("c1")), *ran("c1"), answer(), end(""))
    assert [m.content for m in chat(facts)] == ["go"]


def test_what_came_with_a_prompt_is_named() -> None:
    content = (Text("see"), Image("image/png", data="AAAA", name="cat.png"), Image("image/gif"))
    (message,) = chat(log(UserMessage(content)))
    assert message.content == "see\n[cat.png]\n[image/gif]"


def test_a_second_prompt_closes_an_exchange_without_an_end() -> None:
    facts = log(*prompt("one"), TextDelta("half"), *prompt("two"))
    assert [m.content for m in chat(facts)] == ["one", "half", "two"]


@pytest.mark.requirement("C3")
def test_an_exchange_has_its_steps_with_usage_and_model() -> None:
    (exchange,) = steps(
        log(
            *prompt("look"),
            MessageStart("model"),
            answer(Reasoning("hm"), Text("let me see"), call("c1")),
            *ran("c1", "one"),
            UserMessage((Text("quick"),), steer=True),
            MessageStart("model"),
            answer(Text("there")),
            end("there", 2),
        )
    )
    assert exchange.message_id == "m1"
    assert exchange.request == (Text("look"),)
    assert exchange.steers == ((Text("quick"),),)
    assert exchange.response
    assert exchange.response.final_response == "there"
    first, second = exchange.steps
    assert (first.iteration, first.thought, first.response_text) == (1, "hm", "let me see")
    assert [(c.id, c.name, c.input) for c in first.tool_calls] == [
        ("c1", "read_file", {"path": "c1"})
    ]
    assert [(r.tool_id, r.content, r.is_error) for r in first.tool_results] == [
        ("c1", "one", False)
    ]
    assert (first.usage, first.model, first.cost) == (Usage(10, 5), "model", 7)
    assert (first.is_complete, second.is_complete) == (False, True)


def test_an_exchange_that_runs_has_no_response_but_the_steps_so_far() -> None:
    (exchange,) = steps(log(*prompt("look"), MessageStart("model"), answer(call("c1"))))
    assert exchange.response is None
    assert [step.is_complete for step in exchange.steps] == [False]


def test_an_exchange_without_an_end_is_closed_by_the_next() -> None:
    first, second = steps(
        [*log(*prompt("one"), answer(Text("so"))), *log(*prompt("two"), message_id="m2")]
    )
    assert [step.response_text for step in first.steps] == ["so"]
    assert (first.response, second.message_id) == (None, "m2")


def agent_steps(facts: list[Event]) -> list[AgentStep]:
    return [event.data for event in replay(facts) if event.type == "agent_step"]


def viewed_steps(facts: list[Event]) -> list[AgentStep]:
    fields = AgentStep.__struct_fields__
    return [
        AgentStep(**{name: getattr(step, name) for name in fields})
        for exchange in steps(facts)
        for step in exchange.steps
    ]


@every_log
def test_the_steps_are_those_of_the_fold(path: object) -> None:
    facts = read(path)  # type: ignore[arg-type]
    assert viewed_steps(facts) == agent_steps(facts)


@pytest.mark.fuzz
def test_the_steps_are_those_of_the_fold_for_any_log_that_a_worker_writes() -> None:
    for seed in range(examples(500, 20_000)):
        facts = Generator(seed).plausible()
        assert viewed_steps(facts) == agent_steps(facts), seed
