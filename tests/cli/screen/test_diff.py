"""A unified diff on a screen: numbers, signs, words that changed, and nothing that deceives."""

import difflib

import pytest
from rich.cells import cell_len

from bottega.cli.screen import diff
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.tools import plain


def unified(before: str, after: str, path: str = "src/app.py") -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return "".join(
        each if each.endswith("\n") else f"{each}\n\\ No newline at end of file\n" for each in lines
    )


def shown(text: str, width: int = 60, most: int = 0) -> list[str]:
    rows, _ = diff.drawn(diff.parse(text), width, most)
    return [plain(row).rstrip() for row in rows]


def test_each_line_has_its_number_and_its_sign() -> None:
    before = "".join(f"line {n}\n" for n in range(1, 30))
    after = before.replace("line 10\n", "line ten\nand more\n").replace("line 25\n", "")

    assert shown(unified(before, after)) == [
        "src/app.py  +2 −2",
        " 7   line 7",
        " 8   line 8",
        " 9   line 9",
        "10 − line 10",
        "10 + line ten",
        "11 + and more",
        "12   line 11",
        "13   line 12",
        "14   line 13",
        "   ⋮",
        "23   line 22",
        "24   line 23",
        "25   line 24",
        "25 − line 25",
        "26   line 26",
        "27   line 27",
        "28   line 28",
    ]


def test_new_and_deleted_files_are_named_so() -> None:
    made = "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n"
    gone = "--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n"

    assert shown(made + gone) == [
        "new.txt (new file)  +1",
        "1 + hello",
        "",
        "old.txt (deleted)  −1",
        "1 − bye",
    ]


def test_what_is_no_text_is_told_in_words() -> None:
    text = "--- a/x.png\n+++ b/x.png\nBinary file: 3 bytes become 4 bytes.\n"

    assert shown(text) == ["x.png", "  Binary file: 3 bytes become 4 bytes."]


def test_a_file_that_holds_a_diff_does_not_pass_for_one() -> None:
    before = "-- a/innocent\n++ b/innocent\n@@ -1 +1 @@\n"
    found = diff.parse(unified(before, "", "patch.diff"))

    assert [(file.path, file.removed) for file in found] == [("patch.diff", 3)]


@pytest.mark.parametrize("hidden", ["\x1b[2K", "\r", "\u202e", "\u200b", "\x08", "\x9b", "\u2028"])
def test_what_a_terminal_would_obey_or_hide_is_named(hidden: str) -> None:
    text = f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+safe{hidden}evil\n"

    line = shown(text)[-1]

    assert hidden not in line
    assert f"⟨U+{ord(hidden[0]):04X}⟩" in line
    assert line.startswith("1 + safe")
    assert line.endswith("evil")


def test_the_words_that_changed_are_set_off_in_both_lines() -> None:
    text = unified("    return old_name(x)\n", "    return new_name(x)\n")
    rows, _ = diff.drawn(diff.parse(text), 60)

    assert [part for row in rows for part in row if part[1].endswith(".word")] == [
        ("old", "diff.removed.word"),
        ("new", "diff.added.word"),
    ]


def test_lines_that_have_little_in_common_are_not_set_off() -> None:
    rows, _ = diff.drawn(diff.parse(unified("alpha\n", "something else\n")), 60)

    assert not [part for row in rows for part in row if part[1].endswith(".word")]


def test_no_row_is_wider_than_the_screen_and_nothing_is_lost() -> None:
    long = "目录 and words " * 30
    rows = shown(unified("x\n", f"{long}\n"), width=40)

    assert max(map(cell_len, rows)) <= 40
    assert "".join(row[4:].ljust(0) for row in rows[2:]).replace(" ", "") == long.replace(" ", "")


def test_a_long_diff_is_cut_with_a_count() -> None:
    text = unified("", "".join(f"{n}\n" for n in range(500)))
    rows, left = diff.drawn(diff.parse(text), 60, most=20)

    assert len(rows) == 20
    assert left == 501 - 20
    assert plain(diff.left_off(left)) == "… 481 more lines"


def test_colours_tell_what_signs_tell_and_signs_stay_without_colours() -> None:
    (_, _, line), _ = diff.drawn(diff.parse(unified("a\n", "b\n")), 60)

    assert "\x1b[32mb\x1b[0m" in Painter().parts(line, 60)[0]
    assert "\x1b[32m" not in Painter(colour=False).parts(line, 60)[0]
    assert Painter(plain=True).parts(line, 60) == ["1 + b"]
