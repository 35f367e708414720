"""A tool call on one line, whatever the tool."""

from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"status":"success","result":[1,2,3]}', "3 entries"),
        ('{"status":"success","result":{"entries":[1],"path":"x"}}', "1 entry"),
        ('{"status":"success","result":"a\\nb\\nc\\n"}', "3 lines"),
        ('{"status":"success","result":{"content":"a\\nb"}}', "2 lines"),
        ('{"status":"success","result":"short"}', "short"),
        ('{"status":"success","result":""}', "nothing"),
        ('{"status":"success","result":null}', "done"),
        ('{"status":"success","result":{"a":1}}', "done"),
        ("plain words\nof two lines", "2 lines"),
        ("{broken", "{broken"),
        ("", "nothing"),
    ],
)
def test_a_result_is_told_by_its_amount(text: str, said: str) -> None:
    assert tools.outcome(text, is_error=False) == said


def test_an_error_is_told_in_its_own_words() -> None:
    told = '{"status":"error","error":{"message":"There is no file.","code":"X"}}'

    assert tools.outcome(told, is_error=True) == "There is no file."
    assert tools.outcome("it broke\nbadly", is_error=True) == "it broke badly"
    assert tools.outcome('{"error":"odd"}', is_error=True) == "odd"


def test_a_line_never_outgrows_its_width_but_keeps_how_it_ended() -> None:
    line = tools.finished("read_file", "x" * 200, "12 lines", ok=True, ms=3, width=60)

    assert len(tools.plain(line)) <= 60
    assert tools.plain(line).endswith("…  ✓ 12 lines · 3 ms")
