"""A history for a model that is given no tools: calls and results as text, or not at all.

A single pass wrote its files into its answer, so the calls that saved them say nothing new. A model whose calls are
read from its text gets them back in the form that it is asked to write, and results in one that it cannot mistake for a
person's words. The same history gives the same text each time.
"""

from collections.abc import Iterable, Sequence

import msgspec

from bottega.agents.reading.text_calls import told, tool_results_text
from bottega.agents.shape import is_saving
from bottega.messages.block import Block, Text, ToolResult, ToolUse
from bottega.messages.message import Message
from bottega.tools.tool import to_json

_replace = msgspec.structs.replace


def in_text(messages: Sequence[Message]) -> list[Message]:
    saved = {use.id for message in messages for use in _ours(message) if is_saving(use)}
    return list(_spoken(_without(messages, saved) if saved else messages))


def _ours(message: Message) -> list[ToolUse]:
    return [b for b in message.content if isinstance(b, ToolUse) and not b.server]


def _without(messages: Sequence[Message], calls: set[str]) -> Iterable[Message]:
    """Without these calls and their results."""
    for message in messages:
        content = tuple(block for block in message.content if _call_of(block) not in calls)
        if content or not message.content:
            yield message if content == message.content else _replace(message, content=content)


def _call_of(block: Block) -> str | None:
    if isinstance(block, ToolUse) and not block.server:
        return block.id
    return block.tool_id if isinstance(block, ToolResult) else None


def _spoken(messages: Iterable[Message]) -> Iterable[Message]:
    uses: dict[str, ToolUse] = {}
    results: list[tuple[ToolUse, ToolResult]] = []
    for message in messages:
        if message.role == "tool":
            results += [
                (uses.get(block.tool_id, ToolUse(block.tool_id, "unknown")), block)
                for block in message.content
                if isinstance(block, ToolResult)
            ]
            continue
        if results:
            yield _told(results)
            results = []
        ours = _ours(message)
        uses.update((use.id, use) for use in ours)
        yield _with_text(message) if ours else message
    if results:
        yield _told(results)


def _told(results: list[tuple[ToolUse, ToolResult]]) -> Message:
    shown = [
        (use, ToolResult(result.tool_id, (Text(told(use)),), is_error=True))
        if use.malformed
        else (use, result)
        for use, result in results
    ]
    media = [
        block for _, result in results for block in result.content if not isinstance(block, Text)
    ]
    return Message("user", (Text(tool_results_text(shown), aside=True), *media))


def _with_text(message: Message) -> Message:
    content = tuple(
        Text(_call(block)) if isinstance(block, ToolUse) and not block.server else block
        for block in message.content
    )
    return _replace(message, content=content)


def _call(use: ToolUse) -> str:
    written = use.malformed or to_json({"name": use.name, "arguments": use.input})
    return f"\n```tool_call\n{written}\n```\n"
