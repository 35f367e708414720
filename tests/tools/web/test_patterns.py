"""Every pattern of the way out and of the reader of pages is quick, whatever it is held against."""

import importlib
import pkgutil
import re
import time
from types import ModuleType
from typing import Any

import pytest

from bottega.tools import web
from bottega.workspaces import network

SIZE = 100_000
PIECES = [
    *(" ", "\t", "\n", " \n", "a", "a:", ":", "a ", "A ", "0", "-", "\0", "\r", "<", "<a", "<a ", "<a href="),
    *("<meta ", "<meta charset", "<meta charset=", "<meta x charset= ", "<title", "HTTP/1.1 ", "HTTP/1.1 200 ", "GET "),
    *("GET a ", "!", "%", "&", "utf", "cp1", "href=", " href", "\thref =", "-a", "a-", "\u3000", "\x0b"),
]  # fmt: skip


def patterns() -> dict[str, re.Pattern[Any]]:
    found: dict[str, re.Pattern[Any]] = {}
    for package in (web, network):
        for each in pkgutil.iter_modules(package.__path__):
            module: ModuleType = importlib.import_module(f"{package.__name__}.{each.name}")
            found |= {
                f"{each.name}.{n}": v for n, v in vars(module).items() if isinstance(v, re.Pattern)
            }
    return found


def test_there_are_patterns_to_look_at() -> None:
    assert len(patterns()) >= 10


@pytest.mark.parametrize("name", patterns())
def test_a_hostile_text_of_100_kb_takes_less_than_a_tenth_of_a_second(name: str) -> None:
    pattern = patterns()[name]
    for piece in PIECES:
        for end in ("", "\0"):
            made: Any = piece * (SIZE // len(piece)) + end
            text: Any = made.encode() if isinstance(pattern.pattern, bytes) else made
            # A head's lines are matched whole, a page is searched.
            look = pattern.fullmatch if name.startswith("head.") else pattern.search
            started = time.thread_time()
            look(text)
            assert time.thread_time() - started < 0.1, (piece, end)
