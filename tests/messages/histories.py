"""Generated histories: poisonous ones, as crashes and switches leave them, and valid ones."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from bottega.messages.block import (
    Audio,
    Block,
    Document,
    Image,
    Origin,
    Reasoning,
    Source,
    Sources,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.messages.message import Message

ORIGINS: tuple[Origin, ...] = ("anthropic", "openai-chat", "openai-responses", "gemini")

_texts = st.sampled_from(
    [
        "",
        " ",
        "\n\t",
        "hello",
        "so be it",
        "été",
        "half \ud83d",
        "\ude00 a pair \ud83d\ude00",
        "\ud800",
    ]
)
_ids = st.sampled_from(
    [
        "a",
        "a_2",
        "call_1",
        "functions.read:0",
        "",
        "ü",
        "x" * 50,
        "x" * 70,
        "x" * 71,
        "b\ud800",
        "a\n",
    ]
)
_names = st.sampled_from(["read_file", "functions.read file", "", "n" * 80, "naïve\udfff"])
_inputs: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {},
        {"path": "a.py"},
        {"\ud800": "e"},
        {"n": 1, "deep": [{"text": "\ud83d"}]},
        {"\ud800": "é"},
        {"x": None},
    ]
)
_signatures = st.sampled_from(["", "", "seal", "\ud800"])
_raws: st.SearchStrategy[dict[str, Any] | None] = st.sampled_from(
    [None, None, {"type": "own"}, {"bad": "\ud83d"}]
)
_malformed = st.sampled_from(["", "", "", '{"path": ', "\ud800"])
_sources = st.just(Sources((Source("a page", "https://example.org"),)))
_media: st.SearchStrategy[Image | Audio | Document] = st.builds(
    lambda kind, media_type, data, blob, name: kind(media_type, data, blob, name),
    st.sampled_from([Image, Audio, Document]),
    st.sampled_from(["image/png", "image/png", ""]),
    st.sampled_from(["", "aGk="]),
    st.sampled_from(["", "f00d"]),
    st.sampled_from(["", "a.png", "\ud800.png"]),
)


@cache
def poisonous(origin: Origin) -> st.SearchStrategy[tuple[Message, ...]]:
    """Histories as crashes, cancels and switches from and to `origin` leave them, and worse."""
    origins = st.sampled_from((origin, origin, origin, "", *ORIGINS))
    text = st.builds(Text, _texts, origins, _signatures)
    parts = st.lists(st.one_of(text, _media), max_size=2).map(tuple)
    provided = st.sampled_from([False, False, True])
    result = st.builds(ToolResult, _ids, parts, st.booleans(), provided, origins, _raws)
    use = st.builds(
        ToolUse, _ids, _names, _inputs, _malformed, provided, origins, _signatures, _raws
    )
    reasoning = st.builds(Reasoning, _texts, origins, _signatures, _raws)
    block: st.SearchStrategy[Block] = st.one_of(
        text, use, use, result, result, reasoning, _media, _sources
    )
    said = st.lists(st.one_of(text, text, block), max_size=3).map(tuple)
    answered = st.lists(block, max_size=6).map(tuple)
    ran = st.lists(st.one_of(result, result, result, block), max_size=3).map(tuple)
    message = st.one_of(
        st.builds(Message, st.just("user"), said),
        st.builds(Message, st.just("assistant"), answered, st.integers(0, 9)),
        st.builds(Message, st.just("tool"), ran),
    )
    return st.lists(message, max_size=8).map(tuple)


def poisoned(
    *origins: Origin,
) -> st.SearchStrategy[tuple[Origin, tuple[Message, ...]]]:
    """One of these protocols, and a history that it would refuse."""
    return st.sampled_from(origins).flatmap(lambda o: st.tuples(st.just(o), poisonous(o)))


@st.composite
def valid(draw: st.DrawFn, origin: Origin) -> tuple[Message, ...]:
    """A history that `origin` itself could have written, with parallel calls and server tools."""
    history: list[Message] = []
    for turn in range(draw(st.integers(1, 4))):
        history.append(
            Message("user", (Text(draw(st.sampled_from(["do it", "né", "again"]))),), turn)
        )
        for step in range(draw(st.integers(0, 3))):
            count = draw(st.integers(1, 3))
            ids = [f"call_{turn}_{step}_{number}" for number in range(count)]
            history.append(Message("assistant", (*_thought(draw, origin), *map(_called, ids))))
            history += [
                Message("tool", (ToolResult(i, (Text("fine"),), draw(st.booleans())),)) for i in ids
            ]
        if draw(st.booleans()) or history[-1].role == "user":
            provided = _provided(f"srv_{turn}", origin) if draw(st.booleans()) else ()
            history.append(Message("assistant", (*provided, Text("done", origin))))
    if history[-1].role != "tool":
        history.append(Message("user", (Text("thanks"),)))
    return tuple(history)


def _thought(draw: st.DrawFn, origin: Origin) -> tuple[Block, ...]:
    return (Reasoning("hm", origin, "seal"), Text("well")) if draw(st.booleans()) else ()


def _called(name: str) -> ToolUse:
    return ToolUse(name, "read_file", {"path": "a.py", "lines": [1, 2]})


def _provided(name: str, origin: Origin) -> tuple[Block, ...]:
    use = ToolUse(name, "web_search", {}, server=True, origin=origin, raw={"id": name})
    return use, ToolResult(name, (Text("found"),), server=True, origin=origin, raw={"id": name})
