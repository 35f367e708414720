"""The lines of one call: while it is planned, while it waits for a person, while it runs, and for good."""

from bottega.cli.screen import tools
from bottega.cli.screen.calls.outcome import Outcome
from bottega.cli.screen.calls.phrase import Phrase
from bottega.cli.screen.calls.tail import Tail
from bottega.cli.screen.figures import count, duration
from bottega.cli.screen.tools import Part

LIVE, KEPT, KEPT_OF_FAILURE = 5, 3, 8
"""Lines of output under a command that runs, that is done, that failed."""


def planned(phrase: Phrase, width: int) -> list[Part]:
    return tools.line(("○", "dim"), *phrase, [], width)


def waiting(phrase: Phrase, width: int) -> list[Part]:
    return tools.line(("?", "accent"), *phrase, [("  waits for you", "accent")], width)


def running(mark: str, phrase: Phrase, waited: float, width: int) -> list[Part]:
    after = f"  {duration(waited * 1000)}" if waited >= 1 else ""
    return tools.line((mark, "tool.running"), *phrase, [(after, "dim")], width)


def finished(
    phrase: Phrase, end: Outcome, ms: int, width: int, amount: list[Part] | None = None
) -> list[Part]:
    """The line that stays."""
    style = f"tool.{end.mark}"
    extra: list[Part] = [(" ", ""), *amount] if amount else []
    if end.mark == "denied":
        after: list[Part] = [(f"  ⊘ {end.told}", style)]
    elif end.mark == "done":
        told = "" if amount else end.told
        after = [("  ✓ ", style), (tools.ended(told, ms), "dim")]
    elif end.told.startswith("exit "):
        after = [(f"  ✗ {end.told}", style), (f" · {duration(ms)}" if ms else "", "dim")]
    else:
        after = [(f"  ✗ {end.told}", style)]
    return tools.line(("●", style), *phrase, [*extra, *after], width)


def output(tail: Tail, most: int, width: int) -> list[list[Part]]:
    """The last lines of what was printed, set apart from the screen's own words by a bar."""
    shown = tail.last(most)
    lines: list[list[Part]] = []
    if (above := tail.total - len(shown)) > 0:
        lines.append([("  │ ", "dim"), (f"… {count(above, 'line')} above", "dim italic")])
    for each in shown:
        lines.append([("  │ ", "dim"), (tools.fitted(each, max(10, width - 5)), "dim")])
    return lines
