"""Generated histories: poisonous ones, as crashes and switches leave them, and valid ones."""

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

_origins = st.sampled_from(("", *ORIGINS))
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
    [{}, {"path": "a.py"}, {"n": 1, "deep": [{"text": "\ud83d"}]}, {"\ud800": "é"}, {"x": None}]
)
_signatures = st.sampled_from(["", "", "seal", "\ud800"])
_raws: st.SearchStrategy[dict[str, Any] | None] = st.sampled_from(
    [None, None, {"type": "own"}, {"bad": "\ud83d"}]
)
_media: st.SearchStrategy[Image | Audio | Document] = st.builds(
    lambda kind, media_type, data, blob, name: kind(media_type, data, blob, name),
    st.sampled_from([Image, Audio, Document]),
    st.sampled_from(["image/png", "image/png", ""]),
    st.sampled_from(["", "aGk="]),
    st.sampled_from(["", "f00d"]),
    st.sampled_from(["", "a.png", "\ud800.png"]),
)
_text = st.builds(Text, _texts, _origins, _signatures)
_result = st.builds(
    ToolResult,
    _ids,
    st.lists(st.one_of(_text, _media), max_size=2).map(tuple),
    st.booleans(),
    st.booleans(),
    _origins,
    _raws,
)
_use = st.builds(
    ToolUse,
    _ids,
    _names,
    _inputs,
    st.sampled_from(["", "", "", '{"path": ', "\ud800"]),
    st.sampled_from([False, False, True]),
    _origins,
    _signatures,
    _raws,
)
_reasoning = st.builds(Reasoning, _texts, _origins, _signatures, _raws)
_sources = st.just(Sources((Source("a page", "https://example.org"),)))
_block: st.SearchStrategy[Block] = st.one_of(
    _text, _text, _use, _use, _result, _result, _reasoning, _media, _sources
)
_contents = st.lists(_block, max_size=5).map(tuple)
_message = st.builds(
    Message, st.sampled_from(["user", "assistant", "tool"]), _contents, st.integers(0, 9)
)

poisonous = st.lists(_message, max_size=9).map(tuple)


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
