"""The blocks of an answer while they are open: each takes its deltas, then says what it became."""

from collections.abc import Sequence
from typing import Any, Protocol, cast

from bottega import ids
from bottega.messages.block import Block, Reasoning, Source, Text, ToolResult, ToolUse
from bottega.providers.anthropic.events import Delta
from bottega.providers.protocol.bounds import check_number
from bottega.providers.protocol.json_values import written
from bottega.providers.protocol.loose_json import arguments, entries, kept, text_in
from bottega.providers.protocol.surrogates import Growing
from bottega.providers.provider import CallPiece, ReasoningPiece, StreamEvent, TextPiece

MAX_SHOWN = 2000
"""Characters of a server tool's result that people see; the model's own record is `raw`."""

CUT = "(cut off before the arguments)"


class OpenBlock(Protocol):
    def open(self) -> Sequence[StreamEvent]:
        """What the block's start says already."""
        ...

    def take(self, delta: Delta) -> Sequence[StreamEvent]: ...

    def close(self) -> Sequence[StreamEvent]:
        """What was held back; called once."""
        ...

    def block(self, cut: bool) -> Block | None:
        """What it became; `cut` says that the answer ended inside it, at the token limit."""
        ...


class OpenText:
    def __init__(self, start: dict[str, Any], sources: dict[Source, None]) -> None:
        self._text = Growing()
        self._start = start
        self._sources = sources
        """Of the whole answer, each once."""

    def open(self) -> Sequence[StreamEvent]:
        for citation in entries(self._start.get("citations")):
            self._cite(citation)
        return self._add(text_in(self._start, "text"))

    def take(self, delta: Delta) -> Sequence[StreamEvent]:
        if delta.type == "text_delta":
            return self._add(delta.text or "")
        for citation in entries([delta.citation]):
            self._cite(citation)
        return ()

    def close(self) -> Sequence[StreamEvent]:
        left = self._text.end()
        return (TextPiece(left),) if left else ()

    def block(self, cut: bool) -> Block | None:
        text = self._text.text
        return Text(text) if text else None

    def _add(self, piece: str) -> Sequence[StreamEvent]:
        shown = self._text.add_odd(piece)
        return (TextPiece(shown),) if shown else ()

    def _cite(self, citation: dict[str, Any]) -> None:
        url = text_in(citation, "url") or text_in(citation, "source")
        title = text_in(citation, "title") or text_in(citation, "document_title")
        if url or title:
            check_number(self._sources)
            self._sources[Source(title, url)] = None


class OpenThought:
    def __init__(self, start: dict[str, Any]) -> None:
        self._text = Growing()
        self._start = start
        self._signature: list[str] = []

    def open(self) -> Sequence[StreamEvent]:
        self._signature.append(text_in(self._start, "signature"))
        return self._add(text_in(self._start, "thinking"))

    def take(self, delta: Delta) -> Sequence[StreamEvent]:
        if delta.type == "thinking_delta":
            return self._add(delta.thinking or "")
        if delta.signature:
            self._signature.append(delta.signature)
        return ()

    def close(self) -> Sequence[StreamEvent]:
        left = self._text.end()
        return (ReasoningPiece(left),) if left else ()

    def block(self, cut: bool) -> Block | None:
        text, signature = self._text.text, "".join(self._signature)
        return Reasoning(text, "anthropic", signature) if text or signature else None

    def _add(self, piece: str) -> Sequence[StreamEvent]:
        shown = self._text.add_odd(piece)
        return (ReasoningPiece(shown),) if shown else ()


class OpenCall:
    """A tool call, ours to run or (`server`) run by the provider."""

    def __init__(self, start: dict[str, Any], number: int) -> None:
        self._start = start
        self._number = number
        self._server = start.get("type") != "tool_use"
        self._text = Growing()
        self._given = False
        self.id = text_in(start, "id") or ids.fresh("call")
        self.name = text_in(start, "name")

    def open(self) -> Sequence[StreamEvent]:
        return (CallPiece(self._number, "", self.id, self.name),)

    def take(self, delta: Delta) -> Sequence[StreamEvent]:
        if delta.type != "input_json_delta":
            return ()
        shown = self._text.add_odd(delta.partial_json or "")
        return (CallPiece(self._number, shown),) if shown else ()

    def close(self) -> Sequence[StreamEvent]:
        left = self._text.end()
        given = self._start.get("input")
        if given and not self._text.text:
            # A server that does not stream arguments puts them into the start.
            left = self._text.add_odd(written(given))
            self._given = True
        return (CallPiece(self._number, left),) if left else ()

    def block(self, cut: bool) -> Block | None:
        text = self._text.text
        found, malformed = arguments(text), text
        if cut and not self._server and (self._given or not text.strip()):
            # Arguments that were parsed elsewhere do not show whether they are all there.
            found, malformed = None, text or CUT
        use = found or {}
        return ToolUse(
            self.id,
            self.name,
            use,
            malformed if found is None else "",
            self._server,
            "anthropic" if self._server else "",
            raw=kept({**self._start, "input": use}) if self._server else None,
        )


class Whole:
    """A block that comes in one piece and has no deltas."""

    def __init__(self, became: Block | None) -> None:
        self._became = became

    def open(self) -> Sequence[StreamEvent]:
        return ()

    def take(self, delta: Delta) -> Sequence[StreamEvent]:
        return ()

    def close(self) -> Sequence[StreamEvent]:
        return ()

    def block(self, cut: bool) -> Block | None:
        return self._became


def opened(start: dict[str, Any], calls: int, sources: dict[Source, None]) -> OpenBlock:
    """The open block for a `content_block`; kinds that nobody knows become nothing."""
    kind = text_in(start, "type")
    if kind == "text":
        return OpenText(start, sources)
    if kind == "thinking":
        return OpenThought(start)
    if kind == "redacted_thinking":
        raw = kept(start)
        return Whole(Reasoning("", "anthropic", raw=raw) if raw else None)
    if kind.endswith("tool_use"):
        return OpenCall(start, calls)
    if kind.endswith("tool_result"):
        return Whole(_result(start))
    return Whole(None)


def _result(start: dict[str, Any]) -> ToolResult:
    raw: dict[str, Any] | None = kept(start)
    inner: Any = (raw or {}).get("content")
    shown = _told(inner)
    return ToolResult(
        text_in(start, "tool_use_id"),
        (Text(shown),) if shown else (),
        is_error=start.get("is_error") is True or text_in(inner, "type").endswith("error"),
        server=True,
        origin="anthropic",
        raw=raw,
    )


_TELLING = ("error_code", "title", "url", "text", "stdout", "stderr", "tool_name", "content")
_NESTED = ("content", "tool_references")


def _told(found: Any) -> str:
    """The first of what a person can read of a server tool's result; sealed contents are left out."""
    if isinstance(found, str):
        return found[:MAX_SHOWN]
    if isinstance(found, list):
        return "\n".join(filter(None, map(_told, cast("list[Any]", found))))[:MAX_SHOWN]
    if not isinstance(found, dict):
        return ""
    block = cast("dict[str, Any]", found)
    words = (block.get(name) for name in _TELLING)
    line = " ".join(word.strip() for word in words if isinstance(word, str) and word.strip())
    inner = (_told(block.get(name)) for name in _NESTED if not isinstance(block.get(name), str))
    return "\n".join(filter(None, (line, *inner)))[:MAX_SHOWN]
