"""A request that says one thing twice is refused: whoever reads the other of the two would decide otherwise."""

from collections import Counter

from starlette.types import Scope

from bottega.server.house import House
from bottega.server.problems import Halt
from bottega.server.who import cookies_in

_ONCE = frozenset(
    {
        *(b"host", b"origin", b"authorization", b"cookie", b"content-length", b"content-type"),
        *(b"transfer-encoding", b"sec-fetch-site", b"sec-fetch-mode", b"x-forwarded-host"),
        *(b"x-forwarded-proto", b"upgrade", b"if-match", b"last-event-id"),
    }
)


def refuse_doubled(scope: Scope, house: House) -> None:
    counted = Counter(name for name, _ in scope["headers"] if name in _ONCE)
    for name, times in counted.items():
        if times > 1:
            raise _twice(f"the header {name.decode('latin-1')}")
    if len(cookies_in(dict(scope["headers"]), house)) > 1:
        raise _twice("the cookie of this server")


def _twice(what: str) -> Halt:
    return Halt(
        400,
        "said_twice",
        f"This request has {what} twice.",
        "Send it once. In a browser, clear the cookies of this address.",
    )
