"""The results as text: each figure beside its goal, its floor, the best peer and the last results that were kept."""

from collections.abc import Iterable
from statistics import median

from rows import FLOOR, OURS, ROWS, Row, Samples, best_framework, ratio


def number(value: float | None) -> str:
    if value is None:
        return "–"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def span(values: list[float] | None) -> str:
    """The median, and the range over the rounds."""
    if not values:
        return "–"
    middle = number(median(values))
    if len(values) == 1:
        return middle
    return f"{middle} ({number(min(values))}–{number(max(values))})"


def goals(samples: Samples, kept: Samples) -> list[str]:
    """Every figure that was measured, with its verdict."""
    lines = [
        ["figure", "unit", "goal", "floor", OURS, "last kept", "best peer", "× floor", "peer ×", ""]
    ]
    for row in ROWS:
        if row.key in samples:
            lines.append(_goal(row, samples, kept.get(row.key, {})))
    return aligned(lines)


def _goal(row: Row, samples: Samples, kept: dict[str, list[float]]) -> list[str]:
    values = samples[row.key]
    best = best_framework(values)
    return [
        row.what,
        row.unit,
        row.goal or "–",
        number(median(values[FLOOR])) if FLOOR in values else "–",
        span(values.get(OURS)),
        number(median(kept[OURS])) if OURS in kept else "–",
        f"{number(median(values[best]))} {best}" if best else "–",
        number(ratio(values, OURS, FLOOR)),
        number(ratio(values, best, OURS)) if best else "–",
        row.verdict(samples),
    ]


def stacks(samples: Samples) -> list[str]:
    """All figures that more than Bottega and the floor have, one column a stack."""
    names = list(dict.fromkeys(name for values in samples.values() for name in values))
    shown = [row for row in ROWS if len(samples.get(row.key, {}).keys() - {OURS, FLOOR})]
    lines = [["figure", "unit", *names]]
    for row in shown:
        values = samples[row.key]
        lines.append([row.what, row.unit, *(span(values.get(name)) for name in names)])
    return aligned(lines) if shown else []


def aligned(lines: Iterable[list[str]]) -> list[str]:
    cells = list(lines)
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    ruled = [cells[0], ["-" * width for width in widths], *cells[1:]]
    return [
        " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in ruled
    ]
