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
from bottega.providers.json_values import encode, is_object, objects, word
from bottega.providers.surrogates import Growing, mended

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
        return encode(self._args).decode()

    def block(self) -> Block | None:
        args: Any = self._leaves.value if self.open else self._args
        sound = not self.open and not self._leaves.broken and is_object(args)
        return ToolUse(
            self.id,
            self.name,
            args if sound else {},
            "" if sound else encode(args).decode(),
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
    seal = {"thoughtSignature": part.thought_signature} if part.thought_signature else {}
    if part.executable_code is not None:
        code = mended(part.executable_code)
        said = {name: code[name] for name in ("language", "code") if name in code}
        return _use(code, "code_execution", said, {"executableCode": code, **seal})
    if part.tool_call is not None:
        call = mended(part.tool_call)
        args = call.get("args")
        name = word(call.get("toolType")).lower() or "server_tool"
        shown = cast("dict[str, Any]", args) if isinstance(args, dict) else {}
        return _use(call, name, shown, {"toolCall": call, **seal})
    return None


def _use(wire: dict[str, Any], name: str, said: dict[str, Any], raw: dict[str, Any]) -> ToolUse:
    use_id = word(wire.get("id")) or ids.fresh("call")
    return ToolUse(use_id, name, said, server=True, origin="gemini", raw=raw)


def server_result(part: Part, last_call: str) -> ToolResult | None:
    """The result of such a call; one without an id answers the last call."""
    seal = {"thoughtSignature": part.thought_signature} if part.thought_signature else {}
    if part.code_execution_result is not None:
        wire, name = mended(part.code_execution_result), "codeExecutionResult"
        shown = word(wire.get("output"))
        failed = word(wire.get("outcome")) != "OUTCOME_OK"
    elif part.tool_response is not None:
        wire, name = mended(part.tool_response), "toolResponse"
        shown = _told(wire.get("response"))
        failed = False
    else:
        return None
    return ToolResult(
        word(wire.get("id")) or last_call,
        (Text(shown[:MAX_SHOWN]),) if shown else (),
        is_error=failed,
        server=True,
        origin="gemini",
        raw={name: wire, **seal},
    )


def _told(response: Any) -> str:
    """What a person can read of a server tool's response; markup for widgets is left out."""
    if isinstance(response, str):
        return "" if response.lstrip().startswith("<") else response
    if isinstance(response, dict):
        return _told(list(cast("dict[str, Any]", response).values()))
    if isinstance(response, list):
        return "\n".join(filter(None, map(_told, cast("list[Any]", response))))
    return ""


def visited(metadata: dict[str, Any]) -> tuple[ToolUse, ToolResult] | None:
    """The pages that Google fetched for this answer, as a call and its result."""
    pages = objects(metadata.get("urlMetadata"))
    if not pages:
        return None
    lines = [
        f"{word(page.get('retrievedUrl'))} {word(page.get('urlRetrievalStatus'))}" for page in pages
    ]
    raw = {"urlContextMetadata": metadata}
    use = _use({}, "url_context", {"urls": [word(p.get("retrievedUrl")) for p in pages]}, raw)
    shown = (Text("\n".join(lines)[:MAX_SHOWN]),)
    return use, ToolResult(use.id, shown, server=True, origin="gemini", raw=raw)


def sources(metadata: dict[str, Any]) -> list[Source]:
    """Where a grounded answer comes from, in the order of its chunks."""
    found: list[Source] = []
    for chunk in objects(metadata.get("groundingChunks")):
        for kind in ("web", "retrievedContext", "maps", "image"):
            origin = chunk.get(kind)
            if isinstance(origin, dict):
                place = cast("dict[str, Any]", origin)
                url = word(place.get("uri")) or word(place.get("sourceUri"))
                found.append(Source(word(place.get("title")), url))
                break
    return found


def media(wire: dict[str, Any]) -> Block:
    """A picture, a sound or a document that the model made."""
    kind = word(wire.get("mimeType"))
    made = {"image": Image, "audio": Audio}.get(kind.partition("/")[0], Document)
    return made(kind, word(wire.get("data")), name=word(wire.get("displayName")))
