"""Severity: high (H5, its kind). A stranger sends a header of tens of thousands of cookies."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from bottega.server import who

OURS = "bottega-8000"
HEADERS = {
    "semicolons": b";" * 63_000,
    "pairs": b"a=b;" * 15_000,
    "our name": b"bottega-8000=" * 4_500,
    "nearly our name": b"xbottega-8000=;" * 4_000,
    "blanks": b" " * 63_000,
}


@pytest.fixture(autouse=True)
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(who, "cookie_name", lambda house: OURS)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]


def cookies(header: bytes) -> list[str]:
    house: Any = SimpleNamespace()
    return who.cookies_in({b"cookie": header}, house)


@pytest.mark.parametrize("kind", HEADERS)
def test_a_long_header_is_looked_through_in_no_time(kind: str) -> None:
    started = time.thread_time()
    for _ in range(20):
        cookies(HEADERS[kind])
    assert time.thread_time() - started < 0.2


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (b"bottega-8000=v", ["v"]),
        (b"a=b; bottega-8000=v; c=d", ["v"]),
        (b"a=b;bottega-8000=v ;c=d", ["v"]),
        (b"a=bottega-8000=v", []),
        (b"xbottega-8000=v", []),
        (b"bottega-80001=v", []),
        (b"bottega-8000=v; bottega-8000=w", ["v", "w"]),
        (b"bottega-8000=", [""]),
        (b"", []),
    ],
)
def test_ours_is_found_wherever_it_stands(header: bytes, found: list[str]) -> None:
    assert cookies(header) == found
