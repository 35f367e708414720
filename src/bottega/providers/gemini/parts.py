"""What the parts of an answer become: texts that grow, calls, and what Google ran itself."""

from typing import Any, cast

from bottega import ids
from bottega.messages.block import (
    Audio,
    Block,
    Document,
    Image,
    Reasoning,
    Source,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.providers.gemini.arguments import Leaves
from bottega.providers.gemini.chunks import FunctionCall, Part
from bottega.providers.protocol.json_values import written
from bottega.providers.protocol.loose_json import entries, kept, text_in
from bottega.providers.protocol.surrogates import Growing

MAX_SHOWN = 2000
"""Characters of a server tool's result that people see; the model's own record is `raw`."""


class Run:
    """Neighbouring parts of text, or of thought, as one block."""

    def __init__(self, thought: bool) -> None:
        self.thought = thought
        self.text = Growing()
        self.signature = ""

    def block(self) -> Block | None:
        text = self.text.text
        if self.thought or not text:
            # A seal without text belongs to no visible block, but must go back all the same.
            return Reasoning(text, "gemini", self.signature) if text or self.signature else None
        return Text(text, "gemini", self.signature) if self.signature else Text(text)


class Call:
    """A call that is ours to run; its arguments come whole, or leaf by leaf."""

    def __init__(self, wire: FunctionCall, signature: str) -> None:
        self.id = wire.id or ids.fresh("call")
        self.name = wire.name or ""
        self._signature = signature
        self._args = wire.args
        self._leaves = Leaves()
        self.open = False

    def take(self, wire: FunctionCall) -> str:
        """Take what this chunk says of the call; return its arguments when they are complete."""
        if wire.partial_args:
            self._leaves.add(wire.partial_args)
        self.open = wire.will_continue is True
        if self.open:
            return ""
        if self._args is None:
            self._args = self._leaves.value
        return written(self._args)

    def block(self) -> Block | None:
        said: Any = self._leaves.value if self.open else self._args
        found: dict[str, Any] | None = kept(said) if isinstance(said, dict) else None
        if self.open or self._leaves.broken:
            found = None
        return ToolUse(
            self.id,
            self.name,
            found or {},
            written(said) if found is None else "",
            origin="gemini" if self._signature else "",
            signature=self._signature,
        )


class Fixed:
    """A block that came whole."""

    def __init__(self, became: Block) -> None:
        self._became = became

    def block(self) -> Block | None:
        return self._became


def server_call(part: Part) -> ToolUse | None:
    """A call that Google runs itself, with the part as it came."""
    if part.executable_code is not None:
        raw, said = _kept("executableCode", part.executable_code, part)
        shown = {name: said[name] for name in ("language", "code") if name in said}
        return _use(text_in(said, "id"), "code_execution", shown, raw)
    if part.tool_call is not None:
        raw, said = _kept("toolCall", part.tool_call, part)
        name = text_in(said, "toolType").lower() or "server_tool"
        args = said.get("args")
        shown = cast("dict[str, Any]", args) if isinstance(args, dict) else {}
        return _use(text_in(said, "id"), name, shown, raw)
    return None


def _kept(
    name: str, wire: dict[str, Any], part: Part
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The part as it can be stored, and what it says; nothing where it nests without bottom."""
    seal = {"thoughtSignature": part.thought_signature} if part.thought_signature else {}
    raw: dict[str, Any] | None = kept({name: wire, **seal})
    return raw, raw[name] if raw else {}


def _use(call: str, name: str, said: dict[str, Any], raw: dict[str, Any] | None) -> ToolUse:
    call = call or ids.fresh("call")
    return ToolUse(call, name, said, server=True, origin="gemini", raw=raw)


def server_result(part: Part, last_call: str) -> ToolResult | None:
    """The result of such a call; one without an id answers the last call."""
    if part.code_execution_result is not None:
        name, wire = "codeExecutionResult", part.code_execution_result
    elif part.tool_response is not None:
        name, wire = "toolResponse", part.tool_response
    else:
        return None
    raw, said = _kept(name, wire, part)
    shown = text_in(said, "output") or _told(said.get("response"))
    return ToolResult(
        text_in(said, "id") or last_call,
        (Text(shown[:MAX_SHOWN]),) if shown else (),
        is_error=text_in(said, "outcome") not in ("", "OUTCOME_OK"),
        server=True,
        origin="gemini",
        raw=raw,
    )


def _told(response: Any) -> str:
    """The first of what a person can read of a server tool's response; markup for widgets is left out."""
    if isinstance(response, str):
        return "" if response.lstrip().startswith("<") else response[:MAX_SHOWN]
    if isinstance(response, dict):
        return _told(list(cast("dict[str, Any]", response).values()))
    if isinstance(response, list):
        return "\n".join(filter(None, map(_told, cast("list[Any]", response))))[:MAX_SHOWN]
    return ""


def visited(metadata: dict[str, Any]) -> tuple[ToolUse, ToolResult] | None:
    """The pages that Google fetched for this answer, as a call and its result."""
    pages = entries(metadata.get("urlMetadata"))
    if not pages:
        return None
    lines = [
        f"{text_in(page, 'retrievedUrl')} {text_in(page, 'urlRetrievalStatus')}" for page in pages
    ]
    raw: dict[str, Any] | None = kept({"urlContextMetadata": metadata})
    use = _use("", "url_context", {"urls": [text_in(p, "retrievedUrl") for p in pages]}, raw)
    shown = (Text("\n".join(lines)[:MAX_SHOWN]),)
    return use, ToolResult(use.id, shown, server=True, origin="gemini", raw=raw)


def sources(metadata: dict[str, Any]) -> list[Source]:
    """Where a grounded answer comes from, in the order of its chunks."""
    found: list[Source] = []
    for chunk in entries(metadata.get("groundingChunks")):
        for kind in ("web", "retrievedContext", "maps", "image"):
            origin = chunk.get(kind)
            if isinstance(origin, dict):
                place = cast("dict[str, Any]", origin)
                url = text_in(place, "uri") or text_in(place, "sourceUri")
                found.append(Source(text_in(place, "title"), url))
                break
    return found


def media(wire: dict[str, Any]) -> Block:
    """A picture, a sound or a document that the model made."""
    kind = text_in(wire, "mimeType")
    made = {"image": Image, "audio": Audio}.get(kind.partition("/")[0], Document)
    return made(kind, text_in(wire, "data"), name=text_in(wire, "displayName"))
