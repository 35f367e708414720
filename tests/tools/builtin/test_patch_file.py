import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.tools.builtin.files.patch_file import PATCH_FILE
from bottega.workspaces.edit import Edit
from tests.tools.contexts import Workbench, change_of, refusal_of


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    made = Workbench(tmp_path)
    yield made
    made.root.close()


def patch(old: str, new: str, everywhere: bool | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"old_text": old, "new_text": new}
    return made if everywhere is None else {**made, "replace_all": everywhere}


def patches(*made: dict[str, Any], path: str = "a.py") -> dict[str, Any]:
    return {"file_path": path, "patches": list(made)}


@pytest.mark.requirement("T30")
async def test_patches_are_made_in_order_on_the_running_text(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n")
    given = patches(patch("two\n", "2\n2b\n"), patch("2b\nthree", "3"))
    change = await change_of(PATCH_FILE, given, bench)
    assert change.edits == (Edit("a.py", b"one\ntwo\nthree\n", b"one\n2\n3\n"),)
    assert change.result == {
        "path": "a.py",
        "changes": [
            {"line": 2, "lines_removed": 1, "lines_added": 2, "places": 1},
            {"line": 3, "lines_removed": 2, "lines_added": 1, "places": 1},
        ],
        "size": 8,
        "lines": 3,
    }
    assert (tmp_path / "a.py").read_text() == "one\ntwo\nthree\n", "nothing is written here"


@pytest.mark.requirement("T30")
async def test_one_patch_that_does_not_fit_stops_them_all_and_all_such_are_told(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\n")
    given = patches(patch("one", "1"), patch("six", "6"), patch("two", "2"), patch("ten", "10"))
    code, words = await refusal_of(PATCH_FILE, given, bench)
    assert code == "no_match"
    assert words.startswith("Nothing was changed. Patch 2 of 'a.py' does not fit.")
    assert "Patch 4 of 'a.py' does not fit." in words
    assert "Patch 3" not in words


async def test_several_places_are_counted_and_named(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x\ny\nx\nx x\n")
    code, words = await refusal_of(PATCH_FILE, patches(patch("x", "z")), bench)
    assert code == "several_matches"
    assert "fits in 4 places, at lines 1, 3, 4, 4." in words
    change = await change_of(PATCH_FILE, patches(patch("x", "z", True)), bench)
    assert change.edits[0].after == b"z\ny\nz\nz z\n"
    assert change.result["changes"][0]["places"] == 4
    (tmp_path / "a.py").write_text("x\n" * 5_000)
    _, words = await refusal_of(PATCH_FILE, patches(patch("x", "z")), bench)
    assert "fits in 5,000 places, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …." in words


async def test_a_text_that_overlaps_itself_fits_in_several_places(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("aXaXa")
    code, _ = await refusal_of(PATCH_FILE, patches(patch("aXa", "b")), bench)
    assert code == "several_matches"


@pytest.mark.parametrize(
    ("text", "old", "words"),
    [
        ("def f():\n\treturn 1\n", "def f():\n    return 1", "the file has tabs"),
        ("def f():\n    return 1\n", "def f():\n\treturn 1", "the file has spaces"),
        ("a = 1  \nb = 2\n", "a = 1\nb = 2", "Only white space differs"),
        ("say(“hello”) — now\n", 'say("hello") - now', "Only quotation marks"),
        ("Total = Sum(Values)\n", "total = sum(values)", "Only the case of letters"),
        ("a = 1\nb = 2\n", "     1\ta = 1\n     2\tb = 2", "line numbers before its lines"),
        ("a = 1\nb = 2\n", "a = 1\\nb = 2", "escaped once too often"),
    ],
)
async def test_a_miss_says_why_and_shows_the_lines(
    bench: Workbench, tmp_path: Path, text: str, old: str, words: str
) -> None:
    (tmp_path / "a.py").write_text("# first\n" + text)
    code, said = await refusal_of(PATCH_FILE, patches(patch(old, "new")), bench)
    assert code == "no_match"
    assert words in said
    assert f"     2\t{text.splitlines()[0]}" in said


async def test_a_miss_shows_the_nearest_text_with_its_lines(
    bench: Workbench, tmp_path: Path
) -> None:
    rows = [f"value_{n} = compute({n})" for n in range(1, 200)]
    (tmp_path / "a.py").write_text("\n".join(rows))
    old = "value_120 = compute(120)\nvalue_121 = compute(121, True)\nvalue_122 = compute(122)"
    _, said = await refusal_of(PATCH_FILE, patches(patch(old, "x")), bench)
    assert said.endswith("\n".join(f"{n:>6}\t{rows[n - 1]}" for n in range(119, 124)))
    _, said = await refusal_of(PATCH_FILE, patches(patch("valu_77 = compute(77)", "x")), bench)
    assert f"    77\t{rows[76]}" in said
    _, said = await refusal_of(PATCH_FILE, patches(patch("@@@@ ~~~~ §§§§", "x")), bench)
    assert "Nothing in the file resembles" in said


async def test_looking_for_what_is_alike_ends_in_time(bench: Workbench, tmp_path: Path) -> None:
    rows = (f"{n * 7919 % 10_007} row of a long table number {n}" for n in range(180_000))
    (tmp_path / "a.py").write_text("\n".join(rows))
    began = time.monotonic()
    code, said = await refusal_of(PATCH_FILE, patches(patch("rwo fo a lnog tbale", "x")), bench)
    assert code == "no_match"
    assert len(said) < 2_000
    assert time.monotonic() - began < 10


async def test_line_endings_of_the_file_are_kept(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"one\r\ntwo\r\nthree")
    for newline in ("\n", "\r\n"):
        given = patches(patch(f"one{newline}two", f"1{newline}1b{newline}2"))
        change = await change_of(PATCH_FILE, given, bench)
        assert change.edits[0].after == b"1\r\n1b\r\n2\r\nthree"
    code, words = await refusal_of(PATCH_FILE, patches(patch("one\r\n", "one\n")), bench)
    assert code == "no_change"
    assert "line endings" in words


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
async def test_encoding_and_byte_order_mark_are_kept(
    bench: Workbench, tmp_path: Path, codec: str
) -> None:
    (tmp_path / "a.py").write_text("caffè\nlatte\n", encoding=codec)
    change = await change_of(PATCH_FILE, patches(patch("caffè", "tè")), bench)
    assert change.edits[0].after == "tè\nlatte\n".encode(codec)


async def test_an_empty_old_text_creates_a_file_and_nothing_else(
    bench: Workbench, tmp_path: Path
) -> None:
    given = patches(patch("", "a\r\nb\n"), patch("b", "c"))
    change = await change_of(PATCH_FILE, given, bench)
    assert change.edits == (Edit("a.py", None, b"a\r\nc\n"),)
    assert change.result["created"]
    (tmp_path / "a.py").touch()
    change = await change_of(PATCH_FILE, given, bench)
    assert change.edits == (Edit("a.py", b"", b"a\r\nc\n"),)
    assert "created" not in change.result
    (tmp_path / "a.py").write_text("x")
    code, words = await refusal_of(PATCH_FILE, given, bench)
    assert code == "no_match"
    assert "already has text" in words


async def test_patches_that_change_nothing_are_refused(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x y\n")
    code, words = await refusal_of(PATCH_FILE, patches(patch("x", "x")), bench)
    assert code == "no_change"
    assert "old_text and new_text are the same" in words
    code, words = await refusal_of(PATCH_FILE, patches(patch("x", "z"), patch("z", "x")), bench)
    assert code == "no_change"
    assert "together change nothing" in words


async def test_a_file_that_is_not_there_cannot_be_patched(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "app.py").touch()
    code, words = await refusal_of(PATCH_FILE, patches(patch("x", "y"), path="appp.py"), bench)
    assert code == "not_found"
    assert "Did you mean 'app.py'?" in words
    bench.held["gone.py"] = b"text"
    _, words = await refusal_of(PATCH_FILE, patches(patch("x", "y"), path="gone.py"), bench)
    assert "read_file still shows what it held" in words
    (tmp_path / "empty").touch()
    _, words = await refusal_of(PATCH_FILE, patches(patch("x", "y"), path="empty"), bench)
    assert "The file is empty" in words


async def test_a_file_that_would_become_too_large_is_refused(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("a" * 1_000_000)
    code, _ = await refusal_of(PATCH_FILE, patches(patch("a", "b" * 1_000, True)), bench)
    assert code == "too_large"


@pytest.mark.requirement("C20")
async def test_a_file_that_changed_since_it_was_read_is_not_patched(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("one\n")
    bench.saw("a.py", hashlib.sha256(b"other\n").hexdigest())
    code, _ = await refusal_of(PATCH_FILE, patches(patch("one", "1")), bench)
    assert code == "stale"
