"""`recall`: the agent looks something up in its own session, also what is no longer in its sight."""

from typing import Any

from bottega.errors import BadUsage, NotFound
from bottega.tools.context import Context
from bottega.tools.tool import Outcome, Tool, success

PAGE = 8_000
"""Characters of one entry that are shown at once."""
_MOST = 20


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    query, index = arguments.get("query", "").strip(), arguments.get("index")
    if bool(query) == (index is not None):
        raise BadUsage("recall takes a query, or the index of an entry.")
    if index is not None:
        return await _read(index, arguments.get("start", 0), context)
    found = await context.search_log(query, arguments.get("limit", _MOST))
    result: dict[str, Any] = {
        "entries": [
            {"index": each.index, "who": each.who, "when": each.when, "text": each.text}
            for each in found
        ]
    }
    if found:
        result["note"] = "Newest first. recall with an index reads an entry whole."
    else:
        result["note"] = "Nothing in this session has all of these words. Try fewer, or others."
    return success(result)


async def _read(index: int, start: int, context: Context) -> Outcome:
    entry = await context.read_log(index)
    if entry is None:
        raise NotFound(
            f"Nothing was said at index {index} of this session.",
            hint="recall with a query finds indexes.",
        )
    text = entry.text[start : start + PAGE]
    if start and not text:
        raise NotFound(f"The entry ends before {start}: it has {len(entry.text):,} characters.")
    result = {"index": index, "who": entry.who, "when": entry.when, "text": text}
    if start + PAGE < len(entry.text):
        left = len(entry.text) - start - PAGE
        result["note"] = f"It goes on for {left:,} characters: start {start + PAGE}."
    return success(result)


RECALL = Tool(
    name="recall",
    description=(
        "Look something up in this session's own record: what the user said, what you said and called, and what tools "
        "gave, whole, also where it was compacted or cut from your sight. With `query`, entries that have all of its "
        "words, newest first; with `index`, that entry."
    ),
    schema={
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": 500,
                "description": "Words that the entry has, in any case and order: a name, a path, a part of an error.",
            },
            "index": {"type": "integer", "minimum": 1, "description": "The entry to read whole."},
            "start": {
                "type": "integer",
                "minimum": 0,
                "description": "With index: the character to begin at, for a long entry.",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        },
        "additionalProperties": False,
    },
    category="PLANNING",
    effects=frozenset({"read"}),
    run=run,
    examples=({"query": "ConnectionError port 8080"}, {"index": 57}, {"index": 57, "start": 8000}),
)
