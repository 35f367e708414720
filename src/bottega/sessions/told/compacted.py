"""What the model sees of a session that was compacted: the user's own words, a summary, and the rest as it was.

Pure. Whatever was cut can be found again by its index; what the user said is never reworded.
"""

from collections.abc import Sequence

from bottega.events import facts as f
from bottega.messages.block import Block, Text, ToolResult, ToolUse
from bottega.messages.message import Message

OPENING = (
    "(The conversation so far was compacted to save room. What the user said in it stands here word for word; what"
    " was done and answered is summed up after it. The whole is kept: the tool `recall` finds any of it.)"
)
LATER = "(Then the user said:)"
SUMMARY = "(Summary of what was done and answered up to here:)"


def compacted(
    told: list[tuple[int, Message]], compactions: Sequence[tuple[int, f.Compaction]]
) -> list[tuple[int, Message]]:
    """These messages as they are seen after these compactions, oldest first, each of which still counts."""
    cut = {index for _, each in compactions for index in each.cut}
    if cut:
        told = _stubbed(told, cut)
    for at, newest in reversed(compactions):
        if newest.upto:
            stands = [each for each in told if each[0] <= newest.upto]
            rest = [each for each in told if each[0] > newest.upto]
            return [(newest.upto, _in_place_of(stands, newest, at)), *rest]
    return told


def _in_place_of(stands: list[tuple[int, Message]], newest: f.Compaction, at: int) -> Message:
    if not newest.verbatim:
        return Message("user", (Text(newest.summary),), at)
    content: list[Block] = [Text(OPENING, aside=True)]
    for _, message in stands:
        if message.role == "user" and (words := own_words(message)):
            if len(content) > 1:
                content.append(Text(LATER, aside=True))
            content += words
    if newest.summary:
        content.append(Text(f"{SUMMARY}\n\n{newest.summary}", aside=True))
    return Message("user", tuple(content), at)


def own_words(message: Message) -> list[Block]:
    """What the user said and showed in this message, without what was told beside it."""
    return [block for block in message.content if not (isinstance(block, Text) and block.aside)]


def _stubbed(told: list[tuple[int, Message]], cut: set[int]) -> list[tuple[int, Message]]:
    names: dict[str, str] = {}
    seen: list[tuple[int, Message]] = []
    for index, message in told:
        if message.role == "assistant":
            names |= {each.id: each.name for each in message.content if isinstance(each, ToolUse)}
        if index in cut and message.role == "tool":
            content = tuple(_stub(each, index, names) for each in message.content)
            seen.append((index, Message("tool", content, message.at)))
        else:
            seen.append((index, message))
    return seen


def _stub(block: Block, index: int, names: dict[str, str]) -> Block:
    if not isinstance(block, ToolResult):
        return block
    name = names.get(block.tool_id, "the tool")
    text = stub(name, size_of(block), index)
    return ToolResult(block.tool_id, (Text(text),), block.is_error)


def stub(name: str, size: int, index: int) -> str:
    """What is left of a result that was cut."""
    return f"(Cut to save room: {size:,} characters that {name} gave. recall with index {index} shows them.)"


def size_of(result: ToolResult) -> int:
    """Characters of a result; those of a picture are its base64."""
    return sum(
        len(part.text) if isinstance(part, Text) else len(part.data) for part in result.content
    )
