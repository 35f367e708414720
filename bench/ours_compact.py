"""What a compaction costs beside the model's summary: planning it from the log, and the fold of every later start."""

from bottega.agents.context.compact import Aim, draft
from bottega.events.codec import encode
from bottega.events.event import Event
from bottega.events.facts import NAMES, AssistantMessage, Compaction, ToolResultFact, UserMessage
from bottega.messages.block import Text, ToolUse
from bottega.messages.message import Usage
from bottega.sessions.feed import Row
from bottega.sessions.told.history import indexed, replay
from bottega.workers.compacting import guessed
from stopwatch import Figures, cpu_of, history, main

LENGTHS = (100, 1000, 10_000)
FIXED = 3000.0
"""Tokens of what comes before messages."""


async def compact(_: str, quick: bool) -> Figures:
    figures: Figures = {}
    for length in LENGTHS:
        rows = worked(length)

        async def plan(rows: list[Row] = rows) -> Compaction:
            return planned(rows)

        spent = await cpu_of(plan, 0.2 if quick else 1.0, least=3)
        figures[f"compact.{length}"] = spent * 1e3
        after = [*rows, row(len(rows) + 1, planned(rows))]

        async def fold(rows: list[Row] = after, length: int = length) -> None:
            if len(replay(rows)) > length / 2:
                raise AssertionError("nothing was compacted")

        spent = await cpu_of(fold, 0.2 if quick else 1.0, least=3)
        figures[f"compact.fold.{length}"] = spent * 1e3
    return figures


def worked(length: int) -> list[Row]:
    """A log of that many messages of 500 characters: a prompt, then seven steps of a call and its result, and on."""
    rows: list[Row] = []
    for number, each in enumerate(history(length), 1):
        said, kind = (Text(each["content"]),), number % 15
        if kind == 1:
            rows.append(row(number, UserMessage(said)))
        elif kind % 2:
            rows.append(row(number, ToolResultFact(f"call_{number - 1}", "read_file", said)))
        else:
            call = ToolUse(f"call_{number}", "read_file", {"file_path": f"part{number}.py"})
            usage = Usage(round(FIXED) + number * 125, 125)
            rows.append(row(number, AssistantMessage((*said, call), "tool_use", usage)))
    return rows


def row(index: int, fact: UserMessage | AssistantMessage | ToolResultFact | Compaction) -> Row:
    return index, encode(Event(NAMES[type(fact)], 1760000000000, fact, index=index))


def planned(rows: list[Row]) -> Compaction:
    """What leaves a window that this history has filled."""
    told = indexed(rows)
    found = guessed(rows, told, FIXED)
    plan = draft(told, Aim(window=found.total, fixed=FIXED, factor=found.exact))
    if plan is None:
        raise AssertionError("there is nothing to drop")
    return Compaction(plan.upto, "What was done. " * 100, verbatim=True, cut=plan.cut)


if __name__ == "__main__":
    main(compact=compact)
