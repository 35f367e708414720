"""What waits where nobody is there to be asked: told in full, with how to answer it from anywhere."""

from bottega.cli.asking.shown import asks, shown
from bottega.cli.screen.clean import one_line, visible
from bottega.cli.screen.figures import count
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part
from bottega.sessions.asks import WORDS, Ask, Word
from bottega.sessions.session import SessionRow

CODE = 4
"""The exit code of an exchange that waits for an answer."""
SHORT = 8
"""So much of the end of an id names it: its beginning is the time."""

_ANSWERS = {
    "tool": "allow      # or deny, all, edit, stop",
    "question": "answer --note TEXT",
    "plan": "accept     # or discard",
    "client": "result --input JSON",
    "limit": "raise      # or stop",
    "resume": "continue   # or stop",
}


def told(
    session: SessionRow, waiting: list[Ask], terminal: Terminal, painter: Painter, at: str = ""
) -> list[str]:
    """The lines that say what is asked, and what to type; `at` is the server that asks, if it is elsewhere."""
    rows: list[list[Part]] = [[(f"{count(len(waiting), 'ask')} wait for an answer.", "bold")]]
    if len(waiting) == 1:
        rows = [[("An answer is waited for.", "bold")]]
    for ask in waiting:
        rows += [[], *body(ask, session, terminal.width), *([] if at else _how(ask))]
    name = session.id[-SHORT:]
    then = f"bottega attach --at {at} {name}" if at else f"bottega resume {name}"
    rows += [[], [("then  ", "dim"), (then, "")]]
    width = terminal.width
    return [line for row in rows for line in (painter.parts(row, width) or [""])]


def body(ask: Ask, session: SessionRow, width: int) -> list[list[Part]]:
    """One ask, whole."""
    if ask.asked.kind in ("tool", "client"):
        what = shown(ask, width, session.folder)
        return [what.title, *what.whole(width), *what.notes]
    lines = (asks(ask) + visible(ask.asked.question or ask.asked.tool_name)).split("\n")
    rows: list[list[Part]] = [[("? ", "accent"), (lines[0], "bold")]]
    rows += [[("│ ", "accent"), (line, "")] for line in lines[1:]]
    if plan := ask.input.get("plan"):
        rows += [[("│ ", "accent"), (line, "")] for line in visible(str(plan)).split("\n")]
    choices = ask.asked.choices if ask.asked.kind == "question" else ()
    return rows + [[("  - ", "accent"), (one_line(visible(each)), "")] for each in choices]


def answers(ask: Ask) -> tuple[Word, ...]:
    """The words that this ask takes."""
    return next((words for kind, words in WORDS.items() if kind == ask.kind), ())


def _how(ask: Ask) -> list[list[Part]]:
    may = _ANSWERS.get(ask.asked.kind, "")
    return [[("answer  ", "dim"), (f"bottega approve {ask.id[-SHORT:]} {may}", "")]]
