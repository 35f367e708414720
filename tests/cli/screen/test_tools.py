"""A tool call on one line, whatever the tool and however long."""

from typing import Any

import pytest
from rich.cells import cell_len

from bottega.cli.screen import tools


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, ""),
        ({"path": "README.md"}, "README.md"),
        ({"path": "src", "depth": 2, "hidden": None}, "src depth=2"),
        ({"files": [{"path": "a.py", "start_line": 1}, {"path": "b.py"}]}, "a.py, b.py"),
        ({"depth": 3}, "depth=3"),
        ({"command": "ls -l\nrm x", "cwd": "/tmp"}, "ls -l rm x cwd=/tmp"),
        ({"options": {"a": 1}}, 'options={"a":1}'),
        ({"path": "\x1b[31mevil"}, "evil"),
        ({"items": [1, {"n": 2}]}, '1, {"n":2}'),
    ],
)
def test_arguments_are_told_in_a_few_words(given: dict[str, Any], said: str) -> None:
    assert tools.arguments(given) == said


def test_a_line_never_outgrows_its_width_but_keeps_how_it_ended() -> None:
    line = tools.line(("●", ""), "read", "x" * 200, [("  ✓ 12 lines · 3 ms", "dim")], 60)

    assert len(tools.plain(line)) <= 60
    assert tools.plain(line).endswith("…  ✓ 12 lines · 3 ms")


def test_wide_letters_are_counted_by_the_columns_that_they_fill() -> None:
    line = tools.line(("●", ""), "read", "目录" * 40, [("  ✓ done", "")], 60)

    assert 50 <= cell_len(tools.plain(line)) <= 60
