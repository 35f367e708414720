"""Any history becomes one that a strict provider accepts, and loses nothing that was said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.messages.block import (
    Image,
    Origin,
    Reasoning,
    Sources,
    Text,
    ToolResult,
    ToolUse,
    plain_text,
)
from bottega.messages.message import Message, user
from bottega.messages.repair import GO_ON, INTERRUPTED, NOT_RUN, OPENING, repair
from tests.hunt import examples
from tests.messages.histories import ORIGINS, poisoned, valid
from tests.messages.strict import STRICT

hunted = settings(max_examples=examples(300, 100_000), deadline=None, database=None)
roamed = settings(hunted, max_examples=examples(300, 10_000))
History = tuple[Message, ...]


def answer(*blocks: object) -> Message:
    return Message("assistant", blocks)  # type: ignore[arg-type]


def result(call: str, text: str = "fine") -> Message:
    return Message("tool", (ToolResult(call, (Text(text),)),))


def lost(call: str, word: str = INTERRUPTED) -> Message:
    return Message("tool", (ToolResult(call, (Text(word),), is_error=True),))


def use(call: str, **fields: object) -> ToolUse:
    return ToolUse(call, "read_file", {"path": "a"}, **fields)  # type: ignore[arg-type]


def texts(history: History, role: str) -> list[str]:
    """What was visibly said, with whole characters, without what says nothing."""
    said = [
        block.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        for message in history
        if message.role == role
        for block in message.content
        if isinstance(block, Text) and block.text.strip()
    ]
    return [text for text in said if text not in {OPENING, GO_ON, "[image/png]"}]


@pytest.mark.fuzz
@pytest.mark.requirement("C3", "A27")
@given(poison=poisoned(*ORIGINS))
@hunted
def test_any_history_becomes_one_that_a_strict_provider_accepts(
    poison: tuple[Origin, History],
) -> None:
    origin, history = poison
    before = repr(history)
    mended = repair(history, origin)
    if history:
        STRICT[origin](mended)
    assert repr(history) == before
    assert repair(mended, origin) is mended
    assert repair(list(history), origin) == mended
    assert texts(mended, "user") == texts(history, "user")
    assert texts(mended, "assistant") == texts(history, "assistant")


@pytest.mark.fuzz
@given(drawn=st.data(), origin=st.sampled_from(ORIGINS))
@roamed
def test_a_valid_history_comes_back_as_it_is(drawn: st.DataObject, origin: Origin) -> None:
    history = drawn.draw(valid(origin))
    STRICT[origin](history)
    assert repair(history, origin) is history


@pytest.mark.fuzz
@given(poison=poisoned(*ORIGINS))
@roamed
def test_a_new_prompt_changes_nothing_that_was_mended_before_it(
    poison: tuple[Origin, History],
) -> None:
    """Otherwise the provider's cache of the conversation would be lost."""
    origin, history = poison
    first = repair((*history, user("one")), origin)
    second = repair((*history, user("one"), answer(Text("two")), user("three")), origin)
    assert second[: len(first)] == first


@pytest.mark.fuzz
@given(poison=poisoned(""))
@roamed
def test_a_provider_without_a_protocol_gets_a_history_in_order(
    poison: tuple[Origin, History],
) -> None:
    _, history = poison
    mended = repair(history, "")
    assert repair(mended, "") is mended
    assert texts(mended, "assistant") == texts(history, "assistant")


@pytest.mark.requirement("A27")
def test_parallel_calls_of_a_cancelled_step_each_get_a_result_in_the_order_of_the_calls() -> None:
    history = (user("go"), answer(use("a"), use("b"), use("c")), result("c"), user("stop"))
    assert repair(history, "anthropic") == (
        *history[:2],
        lost("a"),
        lost("b"),
        result("c"),
        user("stop"),
    )


def test_a_crash_between_two_results_leaves_a_valid_history() -> None:
    history = (user("go"), answer(use("a"), use("b")), result("a"))
    assert repair(history, "anthropic") == (*history, lost("b"))


def test_results_of_calls_with_the_same_id_are_dealt_out_in_order() -> None:
    history = (user("go"), answer(use("a"), use("a")), result("a", "1"), result("a", "2"))
    assert repair(history, "gemini")[2:] == (result("a", "1"), result("a_2", "2"))


def test_the_first_of_two_results_wins_and_orphans_are_left_out() -> None:
    history = (
        user("go"),
        result("x", "nobody asked"),
        answer(use("a")),
        result("a", "first"),
        result("a", "second"),
    )
    assert repair(history, "openai-chat") == (history[0], *history[2:4])


def test_a_result_that_came_late_stands_right_after_its_call() -> None:
    history = (user("go"), answer(use("a")), user("hurry"), result("a"), user("please"))
    assert repair(history, "gemini") == (
        *history[:2],
        result("a"),
        Message("user", (Text("hurry"), Text("please"))),
    )


def test_results_said_in_one_message_or_by_the_user_become_one_message_each() -> None:
    both = (ToolResult("a", (Text("1"),)), ToolResult("b", (Text("2"),)))
    start = (user("go"), answer(use("a"), use("b")))
    for said in (Message("user", both), Message("tool", both)):
        mended = repair((*start, said, user("and")), "openai-chat")
        assert mended == (*start, result("a", "1"), result("b", "2"), user("and"))


def test_a_call_and_its_result_are_renamed_together() -> None:
    turn = (answer(use("call_0")), result("call_0"))
    mended = repair((user("go"), *turn, *turn, *turn), "gemini")
    assert [m.content[0].id for m in mended[1::2]] == ["call_0", "call_0_2", "call_0_3"]  # type: ignore[union-attr]
    assert [m.content[0].tool_id for m in mended[2::2]] == ["call_0", "call_0_2", "call_0_3"]  # type: ignore[union-attr]


def test_a_result_belongs_to_the_latest_call_of_its_id() -> None:
    history = (user("go"), answer(use("a")), answer(use("a")), result("a", "which?"))
    mended = repair(history, "anthropic")
    assert mended[2:] == (lost("a"), answer(use("a_2")), result("a_2", "which?"))


@pytest.mark.parametrize(
    ("given_id", "origin", "expected"),
    [
        ("functions.read:0", "anthropic", "functions_read_0"),
        ("", "anthropic", "call"),
        ("x" * 64, "openai-responses", "x" * 64),
        ("x" * 65, "openai-responses", "x" * 64),
        ("x" * 64, "openai-chat", "x" * 40),
    ],
)
def test_ids_that_a_provider_refuses_are_rewritten(
    given_id: str, origin: Origin, expected: str
) -> None:
    mended = repair((user("go"), answer(use(given_id)), result(given_id)), origin)
    assert mended == (user("go"), answer(use(expected)), result(expected))


def test_a_renamed_call_leaves_its_raw_item_behind_and_keeps_its_signature() -> None:
    call = use("a b", origin="gemini", signature="seal", raw={"id": "a b"})
    mended = repair((user("go"), answer(call), result("a b")), "gemini")
    assert mended[1] == answer(use("a_b", origin="gemini", signature="seal"))


def test_ids_cut_to_the_same_length_stay_apart() -> None:
    history = (user("go"), answer(use("x" * 70 + "1"), use("x" * 70 + "2")))
    calls = [block.id for block in repair(history, "anthropic")[1].content]  # type: ignore[union-attr]
    assert calls == ["x" * 64, "x" * 62 + "_2"]


def test_malformed_arguments_go_back_as_an_object_with_an_error() -> None:
    call = ToolUse("a", "read_file", malformed='{"path": ', origin="anthropic", raw={"x": 1})
    mended = repair((user("go"), answer(call)), "anthropic")
    assert mended == (
        user("go"),
        answer(ToolUse("a", "read_file", {"malformed": '{"path": '}, origin="anthropic")),
        lost("a", NOT_RUN),
    )


def test_a_tool_name_that_the_model_made_up_is_made_acceptable() -> None:
    calls = answer(ToolUse("a", "functions.read file"), ToolUse("b", ""))
    names = [block.name for block in repair((user("go"), calls), "openai-chat")[1].content]  # type: ignore[union-attr]
    assert names == ["functions_read_file", "unnamed"]


def test_for_gemini_a_name_begins_with_a_letter() -> None:
    named = ("9lives", "-x", "_x", "x", "9" * 64)
    calls = answer(*(ToolUse(str(place), name) for place, name in enumerate(named)))
    (_, mended, *_) = repair((user("go"), calls), "gemini")
    names = [block.name for block in mended.content if isinstance(block, ToolUse)]
    assert names == ["_9lives", "_-x", "_x", "x", "_" + "9" * 63]
    assert repair((user("go"), calls), "openai-chat")[1] == calls


@pytest.mark.requirement("C15")
def test_thoughts_and_seals_go_back_to_the_protocol_that_wrote_them_and_to_no_other() -> None:
    thought = Reasoning("hm", "anthropic", "seal")
    call = use("a", origin="anthropic", signature="s", raw={"x": 1})
    spoken = Text("so", "anthropic", "s")
    history = (user("go"), answer(thought, spoken, call), result("a"))
    assert repair(history, "anthropic") is history
    assert repair(history, "gemini")[1] == answer(
        Text("so", "anthropic"), use("a", origin="anthropic")
    )


def test_thoughts_that_anthropic_would_refuse_are_left_out() -> None:
    unsigned = Reasoning("hm", "anthropic")
    redacted = Reasoning("", "anthropic", raw={"type": "redacted_thinking"})
    said = (unsigned, redacted, Text("so"), Reasoning("and", "anthropic", "seal"))
    mended = repair((user("go"), answer(*said), user("on")), "anthropic")
    assert mended[1] == answer(redacted, Text("so"))


def test_a_thought_alone_is_no_answer() -> None:
    history = (user("go"), answer(Reasoning("hm", "gemini", "seal")), user("on"))
    assert repair(history, "gemini") == (Message("user", (Text("go"), Text("on"))),)


def test_what_a_provider_ran_itself_goes_back_to_it_and_to_no_other() -> None:
    search = ToolUse("s", "web_search", {}, server=True, origin="anthropic", raw={"id": "s"})
    found = ToolResult("s", (Text("x"),), server=True, origin="anthropic", raw={"id": "s"})
    history = (user("go"), answer(search, found, Text("found it")), user("on"))
    assert repair(history, "anthropic") is history
    assert repair(history, "openai-chat")[1] == answer(Text("found it"))


def test_what_gemini_thought_before_code_that_never_ran_is_no_answer() -> None:
    code = {"executableCode": {"code": "1"}}
    ran = ToolUse("s", "code_execution", {}, server=True, origin="gemini", raw=code)
    history = (user("go"), answer(Reasoning("hm", "gemini", "seal"), ran), user("on"))
    assert repair(history, "gemini") == (Message("user", (Text("go"), Text("on"))),)


def test_a_search_that_was_cut_off_does_not_go_back_to_anthropic() -> None:
    search = ToolUse("s", "web_search", {}, server=True, origin="anthropic", raw={"id": "s"})
    found = ToolResult("s", (), server=True, origin="anthropic", raw={"id": "s"})
    for content in ((search, Text("so")), (found, Text("so")), (found, search, Text("so"))):
        mended = repair((user("go"), answer(*content), user("on")), "anthropic")
        assert mended[1] == answer(Text("so"))
    mended = repair((user("go"), answer(search, found, search, found), user("on")), "anthropic")
    assert mended[1] == answer(search, found)


def test_a_search_that_stands_in_the_history_twice_goes_back_once() -> None:
    search = ToolUse("s", "web_search", {}, server=True, origin="anthropic", raw={"id": "s"})
    found = ToolResult("s", (), server=True, origin="anthropic", raw={"id": "s"})
    turn = (answer(search, found, Text("so")), user("on"))
    mended = repair((user("go"), *turn, *turn), "anthropic")
    assert mended == (user("go"), *turn, answer(Text("so")), user("on"))


def test_sources_are_not_sent() -> None:
    history = (user("go"), answer(Text("so"), Sources()), user("on"))
    assert repair(history, "gemini")[1] == answer(Text("so"))


@pytest.mark.requirement("A25")
def test_empty_messages_leave_no_trace() -> None:
    history = (user("go"), answer(Text(" ")), answer(), user(""), user("on"))
    assert repair(history, "openai-chat") == (Message("user", (Text("go"), Text("on"))),)


def test_who_speaks_twice_in_a_row_has_spoken_once() -> None:
    history = (user("a"), answer(Text("b")), answer(Text("c"), use("x")), result("x"))
    assert repair(history, "gemini") == (
        user("a"),
        answer(Text("b"), Text("c"), use("x")),
        result("x"),
    )


def test_a_user_has_the_first_and_the_last_word() -> None:
    mended = repair((answer(Text("welcome")),), "openai-chat")
    assert mended == (user(OPENING), answer(Text("welcome")), user(GO_ON))
    assert repair((), "openai-chat") == ()
    assert repair((user(" "),), "openai-chat") == (user(GO_ON),)


def test_an_error_without_a_word_gets_one() -> None:
    silent = Message("tool", (ToolResult("a", (Text(""),), is_error=True),))
    quiet = Message("tool", (ToolResult("b"),))
    mended = repair((user("go"), answer(use("a"), use("b")), silent, quiet), "anthropic")
    assert plain_text(mended[2].content[0].content)  # type: ignore[union-attr]
    assert mended[3] == quiet


def test_a_picture_that_the_model_made_is_named_to_providers_that_do_not_take_it_back() -> None:
    history = (user("draw"), answer(Image("image/png", "aGk=")), user("bluer"))
    assert repair(history, "gemini") is history
    assert repair(history, "anthropic")[1] == answer(Text("[image/png]"))


def test_half_a_character_is_replaced_and_two_halves_are_joined() -> None:
    call = ToolUse("a", "write", {"text": ["\ud83d\ude00", "\ud800"]})
    mended = repair((user("\ud83d\ude00 \udfff"), answer(call), result("a")), "gemini")
    assert mended[0] == user("😀 \ufffd")
    assert mended[1] == answer(ToolUse("a", "write", {"text": ["😀", "\ufffd"]}))


def test_a_raw_item_that_cannot_be_said_is_left_behind() -> None:
    bad = {"text": "\ud800"}
    history = (
        user("go"),
        answer(
            Reasoning("hm", "anthropic", raw=bad),
            use("a", origin="anthropic", raw=bad),
            ToolUse("b", "write", {"\ud800": "e"}),
        ),
        Message("tool", (ToolResult("a", (Text("x"),), origin="anthropic", raw=bad),)),
        result("b"),
    )
    assert repair(history, "anthropic") == (
        user("go"),
        answer(use("a", origin="anthropic"), ToolUse("b", "write", {"\ufffd": "e"})),
        Message("tool", (ToolResult("a", (Text("x"),), origin="anthropic"),)),
        result("b"),
    )


def long_history(turns: int) -> History:
    history: list[Message] = []
    for turn in range(turns):
        call = ToolUse(f"toolu_{turn:020}", "read_file", {"path": "src/a.py", "start": 1})
        thought = Reasoning("so", "anthropic", "seal")
        history += [user("please"), answer(thought, Text("yes"), call), result(call.id)]
        history.append(answer(Text("done")))
    return (*history, user("thanks"))


def test_a_long_valid_history_comes_back_untouched() -> None:
    history = long_history(250)
    assert repair(history, "anthropic") is history
