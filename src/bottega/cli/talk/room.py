"""What a person does about a session's context: look how full it is, compact it, reset it, clear it."""

from bottega.cli.screen.figures import count, tokens
from bottega.cli.screen.tools import Part
from bottega.events import facts
from bottega.sessions.told.transcript import compacted
from bottega.studio.anywhere import AnySession
from bottega.studio.context import Context

Rows = list[list[Part]]

BAR = 30
"""Cells of the longest bar."""
NOTHING: Rows = [[("Nothing was said yet.", "")]]

_LABELS = {
    "system": "system prompt",
    "tools": "tools",
    "instructions": "project's rules",
    "words": "your words",
    "asides": "asides",
    "answers": "answers",
    "calls": "calls",
    "results": "results",
    "media": "media",
}
_EIGHTHS = " ▏▎▍▌▋▊▉"


def drawn(context: Context, width: int, *, plain: bool = False) -> Rows:
    """How full the window is, and with what: the largest part has the longest bar."""
    about = "" if context.counted else "about "
    said = " (assumed: set context_window)" if context.assumed else ""
    rows: Rows = [
        [
            (f"{context.percent:.0f} % full", "bold"),
            (f" · {about}{context.tokens:,} of {context.window:,} tokens{said}", ""),
        ]
    ]
    room = max(5, min(BAR, width - 40))
    largest = max(context.parts.values(), default=0) or 1
    for name, size in context.parts.items():
        if size:
            bar = _bar(size / largest * room, plain)
            share = 100 * size / context.window
            label = f"  {_LABELS[name].ljust(16)}{tokens(size):>7} {share:>5.1f} %  "
            rows.append([(label, ""), (bar, "accent")])
    rows.append([(_next(context), "dim")])
    return rows


def _bar(cells: float, plain: bool) -> str:
    if plain:
        return "#" * max(1, round(cells))
    whole, rest = divmod(max(1, round(cells * 8)), 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def _next(context: Context) -> str:
    if not context.compact_at:
        return "It is never compacted by itself; /compact does it now."
    left = round(context.window * context.compact_at / 100) - context.tokens
    when = f"in {tokens(left)} tokens" if left > 0 else "with the next model call"
    return f"It is compacted at {context.compact_at} %, {when}; /compact does it now."


async def context(session: AnySession | None, width: int, *, plain: bool) -> Rows:
    return drawn(await session.context(), width, plain=plain) if session else NOTHING


async def compact(session: AnySession | None, argument: str) -> Rows:
    if session is None:
        return NOTHING
    if argument == "undo":
        return await _undo(session)
    if argument:
        return [[("/compact takes nothing, or `undo`.", "")]]
    made = await session.compact()
    if made is None:
        return [[("It is compacted before the next model call.", "")]]
    if not made:
        return [[("There is nothing that could be left out.", "")]]
    return [[(compacted(await newest(session)), ""), (" /compact undo brings it back.", "dim")]]


async def newest(session: AnySession) -> facts.Compaction:
    """The last compaction of a session that has one."""
    made = [e.data for e in await session.facts() if isinstance(e.data, facts.Compaction)]
    return made[-1]


async def _undo(session: AnySession) -> Rows:
    if not await session.undo_compaction():
        return [[("There is no compaction to undo.", "")]]
    full = (await session.context()).percent
    return [[(f"Undone: the model sees it all again. The context is {full:.0f} % full.", "")]]


async def reset(session: AnySession | None) -> Rows:
    if session is None or not await session.reset():
        return NOTHING
    told = " What was said is kept; what you had allowed for the session is asked for again."
    return [[("The model begins anew.", "bold"), (told, "")]]


async def clear(session: AnySession | None, argument: str) -> Rows:
    if session is None:
        return NOTHING
    if argument != "yes":
        events = count(len(await session.facts()), "event")
        said = f"This deletes all that was said here ({events}) and what was kept to undo changes, for good."
        return [[(said, "accent"), (" /clear yes does it; /reset only begins anew.", "")]]
    await session.clear()
    return [[("Cleared. Nothing of what was said here is left.", "")]]
