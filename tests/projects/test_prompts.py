"""What is proposed for a project says only what is true of it."""

import msgspec

from bottega.projects.prompts import Seen, suggested

PLAIN = Seen(
    "shop",
    files=12,
    languages=("Python",),
    manifests=("pyproject.toml",),
    entries=("src/shop/__main__.py",),
    test_command="make test",
    test_files=3,
    readme="# Shop\n\nHow to run the tests: make test",
)


def kinds(**more: object) -> list[str]:
    return [each.kind for each in suggested(msgspec.structs.replace(PLAIN, **more))]


def test_the_first_is_what_the_project_is_and_names_where_to_begin() -> None:
    first, tests, review = suggested(PLAIN)
    assert first.kind == "explain"
    assert "`src/shop/__main__.py`" in first.text
    assert first.about == "12 files, mostly in Python"
    assert "`make test`" in tests.text
    assert "`src/shop/__main__.py`" in review.text


def test_what_asks_to_be_done_comes_before_what_could_be() -> None:
    assert kinds() == ["explain", "tests", "review"]
    assert kinds(changed=2) == ["explain", "changes", "tests"]
    assert kinds(changed=2, failed=("t.py::test_x",)) == ["explain", "failed", "changes"]
    assert kinds(changed=2, under_way="rebase", failed=("t.py::test_x",)) == [
        *("explain", "under_way", "failed"),
    ]
    assert kinds(readme=None) == ["explain", "tests", "readme"]
    assert kinds(readme="# Shop") == ["explain", "tests", "readme"]
    assert kinds(test_command="", test_files=0, readme="x") == ["explain", "tests", "review"]


def test_of_a_folder_with_a_single_note_there_are_three_of_different_kinds() -> None:
    plain = [each.kind for each in suggested(Seen("notes", files=1, readme="x"))]
    assert plain == ["explain", "next", "review"]


def test_changes_and_failures_are_named() -> None:
    seen = msgspec.structs.replace(
        PLAIN,
        branch="main",
        changed=5,
        changed_files=("a.py", "b.py", "c.py", "d.py", "e.py"),
        failed=("tests/test_a.py::test_one", "tests/test_a.py::test_two"),
    )
    _, failed, changes = suggested(seen)
    assert failed.title == "Mend test_one"
    assert "`tests/test_a.py::test_one` and 1 more failed" in failed.text
    assert "(`a.py`, `b.py` and `c.py` and 2 more)" in changes.text
    assert changes.about == "5 uncommitted files on main"


def test_of_an_empty_folder_nothing_is_claimed() -> None:
    empty = suggested(Seen("new"))
    assert [each.kind for each in empty] == ["begin"] * 3
    assert {each.about for each in empty} == {"the folder is empty"}
