"""The items of a response: what each says, and which tools the provider ran itself."""

from typing import Any, Literal, cast

from bottega.messages.block import Block, Image, Reasoning, Text, ToolResult, ToolUse
from bottega.providers.protocol.loose_json import arguments, entries, text_in
from bottega.providers.protocol.surrogates import Growing

Kind = Literal["message", "reasoning", "call", "run", "output", "sealed"]


def kind_of(item: dict[str, Any]) -> Kind:
    """What an item is to us; whatever we do not know is a tool that the provider ran."""
    kind = text_in(item, "type")
    if kind in ("message", "reasoning"):
        return cast("Kind", kind)
    if kind == "function_call":
        return "call"
    if kind.endswith("_output"):
        return "output"
    return "sealed" if "encrypted_content" in item else "run"


def message_text(item: dict[str, Any]) -> str:
    """The text of a message, a refusal included."""
    parts = entries(item.get("content"))
    return "".join(text_in(part, "text") + text_in(part, "refusal") for part in parts)


def is_refusal(item: dict[str, Any]) -> bool:
    return any(text_in(part, "refusal") for part in entries(item.get("content")))


def reasoning_text(item: dict[str, Any], said: Growing) -> str:
    """The summary and the raw thought, in the order in which they were streamed; empty if they do not go on so."""
    summary = "".join(text_in(part, "text") for part in entries(item.get("summary")))
    thought = "".join(text_in(part, "text") for part in entries(item.get("content")))
    if len(summary) + len(thought) < len(said):
        return ""
    streamed = said.text
    return next(
        (both for both in (summary + thought, thought + summary) if both.startswith(streamed)), ""
    )


def reasoning_block(item: dict[str, Any], text: str) -> Reasoning:
    raw = item if text_in(item, "type") else None
    return Reasoning(text, origin="openai-responses", raw=raw)


def text_block(item: dict[str, Any], text: str) -> Text:
    """The text; newer models want the phase of a message back with it."""
    phase = text_in(item, "phase")
    return Text(text, origin="openai-responses" if phase else "", signature=phase)


def run_name(item: dict[str, Any]) -> str:
    """What the provider's tool is called: an MCP tool by its own name, others by their kind."""
    named = text_in(item, "name")
    return named or text_in(item, "type").removesuffix("_call") or "tool"


def run_input(item: dict[str, Any]) -> dict[str, Any]:
    """What the provider's tool was given."""
    given = item.get("arguments", item.get("action"))
    if isinstance(given, str):
        return arguments(given) or {}
    if isinstance(given, dict):
        return cast("dict[str, Any]", given)
    names = ("queries", "code", "revised_prompt", "server_label")
    return {name: item[name] for name in names if item.get(name)}


def run_blocks(item: dict[str, Any], call: str) -> list[Block]:
    """The call, and its result unless that is an item of its own."""
    picture = _picture(item)
    raw = {name: value for name, value in item.items() if name != "result" or picture is None}
    use = ToolUse(
        call,
        run_name(item),
        input=run_input(item),
        server=True,
        origin="openai-responses",
        raw=raw,
    )
    if text_in(item, "type") == "tool_search_call":
        return [use]
    failed = text_in(item, "status") in ("failed", "incomplete") or bool(item.get("error"))
    content: tuple[Text | Image, ...] = tuple(Text(text) for text in _results(item) if text)
    if picture is not None:
        content = (*content, picture)
    return [use, ToolResult(call, content, failed, server=True, origin="openai-responses")]


def output_block(item: dict[str, Any], call: str) -> ToolResult:
    """A result that is an item of its own."""
    said = text_in(item, "output")
    content = (Text(said),) if said else ()
    return ToolResult(call, content, server=True, origin="openai-responses", raw=item)


def _results(item: dict[str, Any]) -> list[str]:
    found = [text_in(item, "output"), _reason(item.get("error"))]
    found += [text_in(entry, "logs") for entry in entries(item.get("outputs"))]
    for entry in entries(item.get("results")):
        found.append("\n".join(filter(None, (text_in(entry, "filename"), text_in(entry, "text")))))
    return found


def _reason(error: Any) -> str:
    return error if isinstance(error, str) else text_in(error, "message")


def _picture(item: dict[str, Any]) -> Image | None:
    body = text_in(item, "result")
    if not body or text_in(item, "type") != "image_generation_call":
        return None
    return Image(media_type=f"image/{text_in(item, 'output_format') or 'png'}", data=body)
