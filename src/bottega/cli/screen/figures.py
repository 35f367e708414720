"""Numbers as people read them: counts, tokens, money, durations, moments. Pure; the unknown is never guessed."""

import time

_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000


def count(number: int, noun: str) -> str:
    """`1 line`, `12 lines`, `3 matches`."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        plural = noun[:-1] + "ies"
    if noun == "child":
        plural = "children"
    return f"{number:,} {noun if number == 1 else plural}"


def tokens(number: int) -> str:
    """`950`, `12.3k`, `1.2M`."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit
    return str(number)


def money(micro: int | None) -> str:
    """Micro-USD as dollars; small sums keep two digits that say something."""
    if micro is None:
        return "price unknown"
    if micro == 0:
        return "free"
    dollars = micro / 1_000_000
    if dollars >= 0.1:
        return f"${dollars:,.2f}"
    return f"${float(f'{dollars:.2g}'):.6f}".rstrip("0")


def duration(ms: int | float) -> str:
    """`3 ms`, `1.2 s`, `2 min 5 s`."""
    if ms < 1000:
        return f"{max(0, round(ms))} ms"
    seconds = ms / 1000
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def size(number: int) -> str:
    """Bytes: `812 B`, `3.4 kB`, `1.2 GB`."""
    amount = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def ago(at: int, now: int) -> str:
    """A moment in local time, the nearer the more exactly."""
    passed = now - at
    if passed < _MINUTE:
        return "just now"
    if passed < _HOUR:
        return f"{passed // _MINUTE} min ago"
    if passed < 12 * _HOUR:
        return f"{passed // _HOUR} h ago"
    then, today = time.localtime(at / 1000), time.localtime(now / 1000)
    yesterday = time.localtime((now - _DAY) / 1000)
    clock = time.strftime("%H:%M", then)
    if then[:3] == today[:3]:
        return f"today {clock}"
    if then[:3] == yesterday[:3]:
        return f"yesterday {clock}"
    return time.strftime("%Y-%m-%d", then)
