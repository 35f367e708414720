"""What has to be seen to decide: the whole of what would run, why it is asked, where and with what rights. Pure.

Every line of it stands behind a bar, so that nothing in a command or a file can pass for a word of the screen's own.
What is too long to show has to be looked at by itself before it can be allowed.
"""

from collections.abc import Callable, Iterator
from textwrap import wrap
from typing import Any, NamedTuple

import msgspec
from rich.cells import cell_len, chop_cells

from bottega.approvals.shown import MOST_SHOWN
from bottega.approvals.shown import shown as made_plain
from bottega.cli.screen import diff
from bottega.cli.screen.calls.phrase import phrase, whose
from bottega.cli.screen.clean import one_line, visible
from bottega.cli.screen.figures import count, size
from bottega.cli.screen.tools import Part
from bottega.sessions.asks import Ask

MOST = 200
"""Rows that are shown at once."""
LABEL = 11
"""Columns of the word in front of a note."""

Rows = list[list[Part]]


class Shown(NamedTuple):
    title: list[Part]
    body: Rows
    whole: Callable[[int], Rows]
    """All of it, for a screen of this width."""
    is_cut: bool
    notes: Rows


_TITLES = {
    "bash_exec": "Run this command?",
    "shell_exec": "Run this in the open shell?",
    "shell_open": "Open a shell?",
    "write_file": "Write this file?",
    "patch_file": "Make this change?",
    "multi_edit": "Make these changes?",
    "web_fetch": "Fetch this page?",
}


def shown(ask: Ask, width: int, folder: str = "") -> Shown:
    """An ask about a call; `folder` is the session's own, which need not be named."""
    whole = _whole(ask)
    rows = whole(width)
    body = rows[:MOST]
    if len(rows) > MOST:
        length = len(_text(ask))
        more = (
            f"… {count(len(rows) - MOST, 'more line')} ({size(length)} in all); d shows all of it"
        )
        body = [*body, [("│ ", "accent"), (more, "accent")]]
    title: list[Part] = [("? ", "accent"), (_title(ask), "bold")]
    return Shown(title, body, whole, len(rows) > MOST, _notes(ask, folder, width))


def asks(ask: Ask) -> str:
    """`reviewer asks: `, where it is not the session's own agent that does."""
    return f"{one_line(visible(ask.asker))} asks: " if ask.asker else ""


def _title(ask: Ask) -> str:
    return asks(ask) + _question(ask)


def _question(ask: Ask) -> str:
    name = ask.asked.tool_name
    if name in _TITLES:
        return _TITLES[name]
    *server, tool = whose(name)
    return f"Use {tool} of the MCP server {server[0]}?" if server else f"Use {tool}?"


def _whole(ask: Ask) -> Callable[[int], Rows]:
    text = ask.asked.detail.get("diff")
    if isinstance(text, str) and (files := diff.parse(text)):
        # A file of which it tells no line: what would be written there stands in the arguments.
        also = not all(file.hunks for file in files)
        return lambda width: [
            *(_barred(row) for row in diff.drawn(files, width - 2)[0]),
            *(_barred_text(visible(as_json(ask.input)), width) if also else ()),
        ]
    return lambda width: list(_barred_text(_readable(ask), width))


def _readable(ask: Ask) -> str:
    text = _text(ask)
    if ask.asked.detail.get("command") and len(text) <= MOST_SHOWN:
        return made_plain(text)
    return visible(text)


def _text(ask: Ask) -> str:
    """What would run, as text: a command or an address as itself, all else as its arguments."""
    detail = ask.asked.detail
    for name in ("diff", "command", "url"):
        value = detail.get(name)
        if isinstance(value, str) and value:
            return value
    return as_json(ask.input) if ask.input else "(no arguments)"


def as_json(given: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(given), indent=2).decode()


def _barred(row: list[Part]) -> list[Part]:
    return [("│ ", "accent"), *row]


def _barred_text(text: str, width: int) -> Iterator[list[Part]]:
    """Lines behind a bar; a line that goes on in the next row has a broken bar there."""
    room = max(10, width - 3)
    for line in text.split("\n"):
        pieces = chop_cells(line, room) if cell_len(line) > room else [line]
        for place, piece in enumerate(pieces or [""]):
            yield [("┆ " if place else "│ ", "accent"), (piece, "")]


def _notes(ask: Ask, folder: str, width: int) -> Rows:
    detail = ask.asked.detail
    notes: Rows = []

    def note(label: str, text: str, style: str = "") -> None:
        lines = wrap(one_line(visible(text)), max(20, width - LABEL - 1))
        for place, line in enumerate(lines):
            notes.append([(f"  {'' if place else label}".ljust(LABEL), "dim"), (line, style)])

    if reason := detail.get("reason"):
        note("why", str(reason))
    where = str(detail.get("folder") or "")
    if where and where not in (".", folder):
        note("in", where)
    if extra := _extra(ask):
        note("with", extra)
    if detail.get("network"):
        note("network", "it asks for the network", "accent")
    if sandbox := str(detail.get("sandbox") or ""):
        bare = sandbox.lower().startswith("not sandboxed")
        note("sandbox", sandbox, "bold red" if bare else "dim")
    return notes


def _extra(ask: Ask) -> str:
    """All arguments that are not told already by what is shown."""
    detail = ask.asked.detail
    main = next((name for name in ("diff", "command", "url") if detail.get(name)), "")
    if main in ("", "diff"):
        return ""
    told = {main: detail[main], "network": bool(detail.get("network"))}
    rest = {name: value for name, value in ask.input.items() if told.get(name) != value}
    return " ".join(f"{name}={_as_json(value)}" for name, value in rest.items())


def _as_json(value: Any) -> str:
    """One value, so that none can pass for two."""
    return msgspec.json.encode(value).decode()


def summary(ask: Ask, width: int = 0) -> str:
    """An ask on one line, for lists."""
    who = f"{visible(ask.asker)}: " if ask.asker else ""
    if ask.asked.kind == "tool":
        verb, about = phrase(ask.asked.tool_name, ask.input)
        return one_line(f"{who}{verb} {visible(about)}", width)
    return one_line(who + (visible(ask.asked.question) or ask.asked.kind), width)
