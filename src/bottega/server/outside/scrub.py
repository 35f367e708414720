"""The last line of defence for secrets in logs: whatever is known to be one is blotted out before a line is written.

Nothing that logs hands secrets over in the first place; this is for the message of an error that somebody else wrote.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator

import msgspec

from bottega.errors import Problem
from bottega.providers.http.address import login_of
from bottega.settings import Settings
from bottega.spending.key import KeyRing

BLOT = "[secret]"
SHORTEST = 8
"""Characters from which a value is looked for; shorter ones would blot out words."""
EVERY = 1.0
"""Seconds between two looks whether keys were changed."""

_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|HEADERS)$")
_SHAPES = re.compile(
    r"(?i:\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}"
    r"|\b(?:sk|pk|xox[abp]|gh[pousr])[-_][\w-]{12,}"
    r"|(?<=/sign-in#)[\w-]{16,}|(?<=/ws/)[\w-]{16,}"
    r"|(?<=://)[^\s/@:]*:[^\s/@]+(?=@)"
)


class Scrub:
    """Called in one thread only."""

    def __init__(self, settings: Callable[[], Settings], more: Iterable[str] = ()) -> None:
        self._settings = settings
        self._more = tuple(more)
        self._seen: object = None
        self._looked = -EVERY
        self._known: re.Pattern[str] | None = None

    def __call__(self, text: str) -> str:
        self._look()
        if self._known:
            text = self._known.sub(BLOT, text)
        return _SHAPES.sub(BLOT, text)

    def _look(self) -> None:
        if time.monotonic() - self._looked < EVERY:
            return
        self._looked = time.monotonic()
        settings = self._settings()
        seen = (settings.stamp, _stamp(settings))
        if seen != self._seen:
            self._seen = seen
            found = {each for each in _secrets(settings, self._more) if len(each) >= SHORTEST}
            # Escaped, as they stand in a line of JSON, too; the longest first, for one may hold another.
            found |= {msgspec.json.encode(each).decode()[1:-1] for each in found}
            either = "|".join(map(re.escape, sorted(found, key=len, reverse=True)))
            self._known = re.compile(either) if found else None


def _secrets(settings: Settings, more: Iterable[str]) -> Iterator[str]:
    yield from more
    for name, value in settings.environment.items():
        if _NAMES.search(name.upper()):
            yield value.strip()
    for own in settings.values.providers.values():
        yield login_of(own.base_url)[1]
    for server in settings.values.mcp.values():
        yield from (*server.env.values(), *server.headers.values())
    try:
        yield from KeyRing(settings.home).all().values()
    except Problem:
        return  # what cannot be read cannot be told either


def _stamp(settings: Settings) -> tuple[int, int]:
    try:
        stat = (settings.home / "keys.json").stat()
    except OSError:
        return (0, 0)
    return (stat.st_mtime_ns, stat.st_ino)
