"""What the conversation lists: sessions, and what waits for an answer."""

from bottega.cli.asking.shown import summary
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import ago
from bottega.cli.screen.tools import Part
from bottega.sessions.asks import Ask
from bottega.sessions.session import SessionRow, now


def sessions(rows: list[SessionRow], here: str, width: int) -> list[list[Part]]:
    """One line each, with the number that `/sessions` knows it by."""
    lines: list[list[Part]] = []
    for place, row in enumerate(rows, 1):
        mark = "›" if row.id == here else " "
        when = ago(row.updated_at, now())
        title = one_line(row.title or "(no title)", max(10, width - len(when) - 9))
        lines.append([(f"{mark}{place:>3}  ", "accent"), (title, ""), (f"  {when}", "dim")])
    return lines


def asks(waiting: list[Ask], width: int) -> list[list[Part]]:
    lines: list[list[Part]] = []
    for ask in waiting:
        when = ago(ask.created_at, now()) if ask.created_at else ""
        told = summary(ask, max(10, width - len(when) - 6))
        lines.append([("? ", "accent"), (told, ""), (f"  {when}", "dim")])
    return lines
