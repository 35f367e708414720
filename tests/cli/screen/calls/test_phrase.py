"""What a call does, in human terms."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.cli.screen.calls.phrase import _PHRASES, phrase  # pyright: ignore[reportPrivateUsage]

TEXT = st.text("ab \n\x1b", max_size=4)
PLAIN = st.none() | st.booleans() | st.integers(0, 9) | TEXT
JSON = PLAIN | st.lists(PLAIN | st.dictionaries(TEXT, PLAIN, max_size=2), max_size=3)
NAMES = ("command", "path", "file_path", "files", "edits", "ranges", "start_line", "todos", "url")


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("read_file", {"file_path": "a.py"}, "read a.py"),
        ("read_file", {"file_path": "a.py", "start_line": 3, "end_line": 9}, "read a.py:3–9"),
        ("read_file", {"files": [{"path": "a"}, {"path": "b", "end_line": 2}]}, "read a, b:1–2"),
        (
            "read_file",
            {"files": [{"path": "a", "ranges": [{"start_line": 1, "end_line": 2}]}]},
            "read a:1–2",
        ),
        ("write_file", {"file_path": "a.py", "content": "x"}, "write a.py"),
        ("patch_file", {"file_path": "a.py", "patches": []}, "edit a.py"),
        ("multi_edit", {"edits": [{"file_path": "a"}, {"file_path": "b"}]}, "edit a, b"),
        ("list_dir", {}, "list ."),
        ("glob", {"pattern": "**/*.py", "path": "src"}, "find **/*.py in src"),
        ("grep", {"pattern": "foo", "path": "src"}, "search “foo” in src"),
        ("bash_exec", {"command": "npm test"}, "$ npm test"),
        ("bash_exec", {"command": "\ncd x\nmake\nmake install"}, "$ cd x … 2 more lines"),
        ("shell_exec", {"session_id": "s", "command": "ls"}, "$ ls"),
        ("web_fetch", {"url": "https://a.example"}, "fetch https://a.example"),
        ("ask_user", {"question": "Which?"}, "ask Which?"),
        ("todo_write", {"todos": [{}, {}]}, "note 2 to-dos"),
        ("mcp__time__convert_time", {"zone": "UTC"}, "time: convert_time UTC"),
        ("anything", {"depth": 2}, "anything depth=2"),
    ],
)
def test_a_call_is_told_in_the_words_of_a_person(
    name: str, given: dict[str, Any], said: str
) -> None:
    assert " ".join(phrase(name, given)).strip() == said


@given(
    st.sampled_from([*_PHRASES, "mcp__a__b", "mcp__", "odd\nname"]),
    st.dictionaries(st.sampled_from(NAMES) | TEXT, JSON, max_size=4),
)
def test_whatever_a_model_writes_there_is_a_phrase_of_one_safe_line(
    name: str, given: dict[str, Any]
) -> None:
    said = " ".join(phrase(name, given))

    assert "\n" not in said
    assert "\x1b" not in said
