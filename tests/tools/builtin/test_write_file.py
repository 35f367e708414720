import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.approvals.touch import Touch
from bottega.tools.builtin.files.write_file import WRITE_FILE
from bottega.tools.reading import WHOLE_MAX
from bottega.workspaces.edit import Edit
from tests.tools.contexts import Workbench, change_of, refusal_of


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    made = Workbench(tmp_path)
    yield made
    made.root.close()


@pytest.mark.requirement("T29")
async def test_a_new_file_is_worked_out_and_not_written(bench: Workbench, tmp_path: Path) -> None:
    change = await change_of(WRITE_FILE, {"file_path": "src/a.txt", "content": "é\n2"}, bench)
    assert change.edits == (Edit("src/a.txt", None, "é\n2".encode()),)
    assert change.result == {
        "path": "src/a.txt",
        "preview": "é\n2",
        "size": 4,
        "lines": 2,
        "created": True,
    }
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("T29")
async def test_a_file_is_replaced_whole_and_its_beginning_shown(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("old")
    content = "".join(f"line {n}\n" for n in range(100))
    change = await change_of(WRITE_FILE, {"path": "a", "content": content}, bench)
    assert change.edits == (Edit("a", b"old", content.encode()),)
    assert change.result["preview"].splitlines() == [*(f"line {n}" for n in range(20)), "…"]
    assert (change.result["size"], change.result["lines"]) == (len(content), 100)
    assert "created" not in change.result
    change = await change_of(WRITE_FILE, {"path": "a", "content": ""}, bench)
    assert change.edits[0].after == b""
    assert (change.result["preview"], change.result["lines"]) == ("", 0)


async def test_exactly_one_name_is_taken(bench: Workbench) -> None:
    assert (await refusal_of(WRITE_FILE, {"content": ""}, bench))[0] == "bad_usage"
    both = {"file_path": "a", "path": "b", "content": ""}
    assert (await refusal_of(WRITE_FILE, both, bench))[0] == "bad_usage"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"1\r\n2\r\n", b"x\r\ny\r\n"),
        (b"1\r\n2\n", b"x\ny\n"),
        (b"\xef\xbb\xbf1\n", b"\xef\xbb\xbfx\ny\n"),
        ("\ufeff1\r\n".encode("utf-16-le"), "\ufeffx\r\ny\r\n".encode("utf-16-le")),
    ],
)
async def test_a_file_keeps_its_encoding_and_its_line_endings(
    bench: Workbench, tmp_path: Path, before: bytes, after: bytes
) -> None:
    (tmp_path / "a").write_bytes(before)
    change = await change_of(WRITE_FILE, {"path": "a", "content": "x\ny\n"}, bench)
    assert change.edits[0].after == after


@pytest.mark.parametrize(
    ("endings", "content", "after"),
    [
        ("lf", "x\ny\n", b"x\ny\n"),
        ("crlf", "x\ny\n", b"x\r\ny\r\n"),
        ("keep", "x\r\ny\n", b"x\r\ny\n"),
    ],
)
async def test_line_endings_can_be_asked_for(
    bench: Workbench, tmp_path: Path, endings: str, content: str, after: bytes
) -> None:
    (tmp_path / "a").write_bytes(b"1\r\n")
    given = {"path": "a", "content": content, "line_endings": endings}
    assert (await change_of(WRITE_FILE, given, bench)).edits[0].after == after


@pytest.mark.requirement("C20")
async def test_a_file_that_changed_since_it_was_read_is_not_overwritten(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("read")
    bench.saw("a", hashlib.sha256(b"read").hexdigest())
    given = {"path": "a", "content": "new"}
    assert (await change_of(WRITE_FILE, given, bench)).edits[0].after == b"new"
    (tmp_path / "a").write_text("edited by someone")
    code, words = await refusal_of(WRITE_FILE, given, bench)
    assert code == "stale"
    assert words.startswith("The file 'a' has changed since you read it. Read it again")
    (tmp_path / "link").symlink_to("a")
    code, _ = await refusal_of(WRITE_FILE, {"path": "link", "content": "new"}, bench)
    assert code == "stale", "another name of the file is the same file"
    os.unlink(tmp_path / "a")
    assert (await change_of(WRITE_FILE, given, bench)).result["created"]


async def test_what_cannot_be_written_is_refused_with_the_reason(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("same")
    (tmp_path / "image").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", WHOLE_MAX + 1)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "out").symlink_to("/etc")

    async def code(path: str, content: str = "x") -> str:
        return (await refusal_of(WRITE_FILE, {"path": path, "content": content}, bench))[0]

    assert await code("folder") == "not_a_file"
    assert await code(".") == "not_a_file"
    assert await code("pipe") == "not_a_file"
    assert await code("file/below") == "not_a_folder"
    assert await code("image") == "binary"
    assert await code("large") == "too_large"
    assert await code("dangling") == "linked"
    assert await code("out/passwd") == "path_outside_workspace"
    assert await code("../x") == "path_outside_workspace"
    assert await code("nul\0") == "path_outside_workspace"
    assert await code("file", "same") == "no_change"
    assert await code("new", "a\0b") == "bad_usage"
    assert await code("new", "\ud800") == "bad_usage"


@pytest.mark.parametrize("path", [".git/config", "sub/.git/hooks/pre-commit", ".GIT/config"])
async def test_files_of_git_are_not_written(bench: Workbench, path: str) -> None:
    code, words = await refusal_of(WRITE_FILE, {"path": path, "content": "x"}, bench)
    assert code == "protected"
    assert "git" in words


async def test_a_file_that_is_called_after_git_is_written(bench: Workbench) -> None:
    change = await change_of(WRITE_FILE, {"path": ".gitignore", "content": "x"}, bench)
    assert change.result["created"]


async def test_what_is_touched_is_the_file_that_a_link_leads_to(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    touched = WRITE_FILE.touched({"path": "link/../link/new.txt", "content": ""}, bench.root)
    assert touched == Touch(reads=("real/new.txt",), writes=("real/new.txt",))


async def test_a_path_that_leads_elsewhere_than_judged_is_refused(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    (tmp_path / "link").symlink_to("a")
    given = {"path": "link", "content": "x"}
    bench.judged = WRITE_FILE.touched(given, bench.root)
    assert (await change_of(WRITE_FILE, given, bench)).edits[0].path == "a"
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("b")
    code, words = await refusal_of(WRITE_FILE, given, bench)
    assert code == "conflict"
    assert "leads elsewhere" in words
