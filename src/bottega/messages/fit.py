"""Blocks, made fit for one wire protocol: the same value where nothing is wrong.

What only another protocol understands is taken off; blank text, halves of surrogate pairs and names
that a provider refuses do not pass. `repair` brings what is left into a valid order.
"""

import json
import re
from collections.abc import Callable, Container, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from bottega.messages.block import (
    Audio,
    Block,
    Document,
    Image,
    Origin,
    Reasoning,
    Sources,
    Text,
    ToolResult,
    ToolUse,
)

MALFORMED = "malformed"
"""The one argument under which a call shows what the model wrote instead of a JSON object."""
SILENT_FAILURE = "the tool failed without saying why"

_Media = Image | Audio | Document
_Rule = Callable[[Any, Origin], Block | None]

_UNFIT = re.compile(r"[^a-zA-Z0-9_-]")
_is_name = lru_cache(re.compile(r"[a-zA-Z0-9_-]{1,64}").fullmatch)
_are_ids = re.compile(r"(?:[a-zA-Z0-9_-]{1,64}\n)*").fullmatch
_are_short_ids = re.compile(r"(?:[a-zA-Z0-9_-]{1,40}\n)*").fullmatch
_CALLING = frozenset({ToolUse, ToolResult})
_SCALARS = frozenset({int, float, bool, type(None)})
_SEALED: frozenset[Origin] = frozenset({"anthropic", "openai-responses"})
"""They take a thought back only before the thing that it led to."""
_PAIRING: frozenset[Origin] = frozenset({"anthropic", "gemini"})
"""They take a call of their own back only with its result."""
_SHOWING: frozenset[Origin] = frozenset({"", "gemini"})
"""They take media back in an assistant's message; the others are told that there were some."""

_replace = msgspec.structs.replace
_encode = msgspec.json.Encoder().encode


def said(content: tuple[Block, ...], origin: Origin) -> tuple[Block, ...]:
    """What a user said."""
    return content if _is_plain(content) else _fitted(content, _SAID, origin)


def answered(
    content: tuple[Block, ...], origin: Origin, taken: Container[str]
) -> tuple[Block, ...]:
    """What an assistant answered, without provider-run calls whose ids are `taken`; empty if only
    thoughts are left."""
    if _is_plain(content):
        return content
    fitted = _fitted(content, _ANSWERED, origin)
    for block in fitted:
        if type(block) in _CALLING and block.server:
            fitted = _paired(fitted, origin, taken)
            break
    if fitted and type(fitted[-1]) is Reasoning:
        fitted = _without_last_thought(fitted, origin)
    return fitted


def result(block: ToolResult, origin: Origin) -> ToolResult:
    """The result of a call of ours."""
    if block.raw is not None and (block.origin != origin or not _speakable(block.raw)):
        block = _replace(block, raw=None)
    content = _fitted(block.content, _SAID, origin)
    if not content and block.is_error:
        content = (Text(SILENT_FAILURE),)
    return block if content is block.content else _replace(block, content=content)


def are_ids(ids: Sequence[str], origin: Origin) -> bool:
    """Whether the provider takes each of these as the id of a call."""
    check = _are_short_ids if id_length(origin) == 40 else _are_ids
    return check("\n".join((*ids, ""))) is not None


def id_length(origin: Origin) -> int:
    """How long the id of a call may be; OpenAI's two protocols differ."""
    return 40 if origin == "openai-chat" else 64


def name(wish: str, otherwise: str, length: int = 64) -> str:
    """The nearest thing to `wish` that is taken as the name of a tool or the id of a call."""
    return _UNFIT.sub("_", wish)[:length] or otherwise


def _is_plain(content: tuple[Block, ...]) -> bool:
    """One text that every protocol takes as it is: nearly every message of a long history."""
    if len(content) != 1:
        return False
    block = content[0]
    if type(block) is not Text or block.signature:
        return False
    text = block.text
    return text.isascii() and text != "" and not text.isspace()


def _fitted(
    content: tuple[Block, ...], rules: dict[type[Any], _Rule], origin: Origin
) -> tuple[Any, ...]:
    for block in content:
        if rules[type(block)](block, origin) is not block:
            break
    else:
        return content
    fitted = (rules[type(block)](block, origin) for block in content)
    return tuple(block for block in fitted if block is not None)


def _paired(content: tuple[Any, ...], origin: Origin, taken: Container[str]) -> tuple[Any, ...]:
    """The provider's own calls each once, results only after their calls, and for some no call without
    its result."""
    ends = {b.tool_id: place for place, b in enumerate(content) if type(b) is ToolResult}
    calls: set[str] = set()
    done: set[str] = set()
    kept: list[Any] = []
    for place, block in enumerate(content):
        if type(block) is ToolUse and block.server:
            lonely = origin in _PAIRING and ends.get(block.id, -1) < place
            if lonely or block.id in calls or block.id in taken:
                continue
            calls.add(block.id)
        elif type(block) is ToolResult:
            if block.tool_id not in calls or block.tool_id in done:
                continue
            done.add(block.tool_id)
        kept.append(block)
    return content if len(kept) == len(content) else tuple(kept)


def _without_last_thought(content: tuple[Any, ...], origin: Origin) -> tuple[Any, ...]:
    end = len(content)
    while end and type(content[end - 1]) is Reasoning:
        end -= 1
    return content[:end] if origin in _SEALED or not end else content


def _text(block: Text, origin: Origin) -> Text | None:
    text = block.text
    if not text or text.isspace():
        return None
    if block.signature and (block.origin != origin or not _speakable(block.signature)):
        block = _replace(block, signature="")
    if text.isascii() or _speakable(text):
        return block
    return _replace(block, text=_whole(text))


def _reasoning(block: Reasoning, origin: Origin) -> Text | Reasoning | None:
    if block.said:
        return _text(Text(f"THOUGHT: {block.text}"), origin)
    if block.origin != origin:
        return None
    sealed = block.signature or block.raw is not None
    plain = block.raw is None and block.text.isascii() and block.signature.isascii()
    if not plain and not _speakable(block):
        return None
    needed = sealed if origin == "anthropic" else sealed or block.text
    return block if needed else None


def _media(block: _Media, _: Origin) -> _Media | None:
    if not block.media_type.isascii() or not block.media_type:
        return None
    if not (block.data or block.blob) or not (block.data.isascii() and block.blob.isascii()):
        return None
    if block.name.isascii() or _speakable(block.name):
        return block
    return _replace(block, name=_whole(block.name))


def _shown(block: _Media, origin: Origin) -> Block | None:
    fitted = _media(block, origin)
    if fitted is None or origin in _SHOWING:
        return fitted
    return Text(f"[{fitted.media_type}]")


def _use(block: ToolUse, origin: Origin) -> ToolUse | None:
    if block.server:
        return block if block.origin == origin and _speakable(block) else None
    if block.malformed:
        block = _replace(block, input={MALFORMED: block.malformed}, malformed="", raw=None)
    if block.signature and (block.origin != origin or not _speakable(block.signature)):
        block = _replace(block, signature="")
    if block.raw is not None and (block.origin != origin or not _speakable(block.raw)):
        block = _replace(block, raw=None)
    if not _is_name(block.name):
        block = _replace(block, name=name(block.name, "unnamed"))
    if origin == "gemini" and not block.name[0].isalpha() and block.name[0] != "_":
        block = _replace(block, name=f"_{block.name}"[:64])
    if not _flat(block.input) and not _speakable(block.input):
        block = _replace(
            block, input=json.loads(_whole(json.dumps(block.input, ensure_ascii=False)))
        )
    return block


def _provided(block: ToolResult, origin: Origin) -> ToolResult | None:
    return block if block.server and block.origin == origin and _speakable(block) else None


def _flat(arguments: dict[str, Any]) -> bool:
    """Whether a glance is enough: plain values, and texts in ASCII."""
    for key, value in arguments.items():
        if type(value) is str:
            if not value.isascii():
                return False
        elif type(value) not in _SCALARS:
            return False
        if not key.isascii():
            return False
    return True


def _speakable(value: Any) -> bool:
    """Whether it can be said in UTF-8 at all."""
    try:
        _encode(value)
    except UnicodeEncodeError:
        return False
    return True


def _whole(text: str) -> str:
    """Halves that belong together joined, lone ones replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _never(_: Block, __: Origin) -> None:
    return None


_SAID: dict[type[Any], _Rule] = {
    Text: _text,
    Image: _media,
    Audio: _media,
    Document: _media,
    Reasoning: _never,
    ToolUse: _never,
    ToolResult: _never,
    Sources: _never,
}
_ANSWERED: dict[type[Any], _Rule] = {
    Text: _text,
    Image: _shown,
    Audio: _shown,
    Document: _shown,
    Reasoning: _reasoning,
    ToolUse: _use,
    ToolResult: _provided,
    Sources: _never,
}
