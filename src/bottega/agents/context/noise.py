"""Old results that the model can do without: which they are, by rules that cost nothing. Pure.

What did not work is never among them: a failure keeps its words, so that it is not tried again.
"""

import re
from collections.abc import Sequence
from typing import Any

from bottega.agents.context.measure import message_tokens
from bottega.messages.block import Media, Text, ToolResult, ToolUse
from bottega.messages.message import Message

Told = tuple[int, Message]

WORTH = 60
"""Tokens below which a result is not worth a word about its having been cut."""
LONG = 300
"""Tokens above which the output of something that went well is noise once it is old."""

LISTS = frozenset({"todo_read", "todo_write", "list_dir", "glob", "get_project_info"})
"""What they say can be had again at any time, and has most likely changed."""
RUNS = frozenset({"bash_exec", "shell_exec", "read_output", "grep", "web_fetch", "recall"})
READS = frozenset({"read_file"})
WRITES = frozenset({"write_file"})
"""After these the whole of a file is known anew; a patch leaves most of what was read as it was."""

_PARTLY = re.compile(r"_line'|'ranges'")
_FAILED = re.compile(r'"exit_code":(?!0\b)|"timed_out":true|"status":"error"')


def noise(told: Sequence[Told], end: int) -> list[int]:
    """The indexes of results before the place `end` that may be cut."""
    calls = _calls(told)
    later: set[Any] = set()
    found: list[int] = []
    for place in range(len(told) - 1, -1, -1):
        index, message = told[place]
        if message.role != "tool":
            continue
        result = message.content[0]
        if not isinstance(result, ToolResult):
            continue
        use = calls.get((result.tool_id, place))
        if place < end and _is_noise(result, use, later) and message_tokens(message) > WORTH:
            found.append(index)
        later.update(_marks(result, use))
    return found[::-1]


def failed(result: ToolResult) -> bool:
    """Whether this tells of something that did not work."""
    return result.is_error or any(
        isinstance(part, Text) and _FAILED.search(part.text[:400]) for part in result.content
    )


def _is_noise(result: ToolResult, use: ToolUse | None, later: set[Any]) -> bool:
    if failed(result):
        return False
    if any(isinstance(part, Media) for part in result.content):
        return True
    name = use.name if use else ""
    if name in LISTS or _same(result, name) in later:
        return True
    if name in READS and use is not None:
        paths = _paths(use)
        return bool(paths) and all(("file", path) in later for path in paths)
    return name in RUNS and message_tokens(Message("tool", (result,))) > LONG


def _marks(result: ToolResult, use: ToolUse | None) -> list[Any]:
    """What this result makes of earlier ones: a file that was read or changed anew is no longer what it was."""
    if use is None or failed(result):
        return []
    marks: list[Any] = [_same(result, use.name)]
    if use.name in WRITES or (use.name in READS and not _PARTLY.search(str(use.input))):
        marks += [("file", path) for path in _paths(use)]
    return marks


def _paths(use: ToolUse) -> list[str]:
    """The files that a call names."""
    named: list[Any] = [use.input.get("file_path"), use.input.get("path")]
    files = use.input.get("files")
    if isinstance(files, list):
        named += [each.get("path") for each in files if isinstance(each, dict)]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return [path for path in named if isinstance(path, str)]


def _same(result: ToolResult, name: str) -> Any:
    texts = tuple(part.text for part in result.content if isinstance(part, Text))
    return ("same", name, texts)


def _calls(told: Sequence[Told]) -> dict[tuple[str, int], ToolUse]:
    """The call of each result, by its id and place: ids may come again in a long session."""
    open_: dict[str, ToolUse] = {}
    found: dict[tuple[str, int], ToolUse] = {}
    for place, (_, message) in enumerate(told):
        for block in message.content:
            if isinstance(block, ToolUse):
                open_[block.id] = block
            elif isinstance(block, ToolResult) and block.tool_id in open_:
                found[block.tool_id, place] = open_[block.tool_id]
    return found
