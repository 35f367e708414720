import base64
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.approvals.touch import Touch
from bottega.messages.block import Image
from bottega.tools.builtin.files.read_file import READ_FILE
from bottega.tools.reading import WHOLE_MAX
from bottega.tools.tool import Outcome
from tests.tools.contexts import Workbench, succeeded
from tests.tools.contexts import outcome_of as bench_outcome

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


async def outcome_of(arguments: dict[str, Any], folder: Path) -> Outcome:
    from bottega.messages.block import ToolUse
    from bottega.tools.call import call
    from bottega.tools.registry import Registry

    async def on_intent(_: object) -> None: ...

    bench = Workbench(folder)
    use = ToolUse("call_1", "read_file", arguments)
    outcome = await call(use, Registry((READ_FILE,)), bench, on_intent)
    bench.root.close()
    return outcome


async def fault(arguments: dict[str, Any], folder: Path) -> tuple[str, str]:
    outcome = await outcome_of(arguments, folder)
    assert outcome.error is not None, outcome
    return outcome.error.code, outcome.error.message


@pytest.mark.requirement("C16", "T28")
async def test_one_file_has_path_content_size_and_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthrée")
    assert await succeeded(READ_FILE, {"file_path": "a.txt"}, tmp_path) == {
        "path": "a.txt",
        "content": "one\ntwo\nthrée",
        "size": 14,
        "lines": 3,
    }


@pytest.mark.requirement("A34", "C16")
async def test_several_files_have_an_entry_each_in_order(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n3\n4\n")
    (tmp_path / "b.txt").write_text("")
    asked = [
        {"path": "b.txt"},
        {"path": "nope.txt"},
        {"path": "a.txt", "start_line": 2, "end_line": 3},
        {
            "path": "a.txt",
            "ranges": [{"start_line": 1, "end_line": 1}, {"start_line": 4, "end_line": 9}],
        },
    ]
    result = await succeeded(READ_FILE, {"files": asked}, tmp_path)
    assert [entry["path"] for entry in result] == ["b.txt", "nope.txt", "a.txt", "a.txt"]
    assert result[0] == {"path": "b.txt", "content": "", "size": 0, "lines": 0}
    assert result[1]["error"]["code"] == "NOT_FOUND"
    assert result[2]["content"] == "2\n3\n"
    assert (result[2]["start_line"], result[2]["end_line"], result[2]["lines"]) == (2, 3, 4)
    assert result[3]["content"] == "[lines 1-1]\n1\n[lines 4-4]\n4\n"


async def test_several_files_of_which_none_can_be_read_are_an_error(tmp_path: Path) -> None:
    code, message = await fault({"files": [{"path": "x"}, {"path": "../y"}]}, tmp_path)
    assert code == "NOT_FOUND"
    assert "'x'" in message
    assert "'../y'" in message


@pytest.mark.parametrize(
    ("lines", "content", "end"),
    [
        ({"start_line": 3}, "3\n4", 4),
        ({"end_line": 2}, "1\n2\n", 2),
        ({"start_line": 2, "end_line": 2}, "2\n", 2),
        ({"start_line": 4, "end_line": 400}, "4", 4),
    ],
)
async def test_lines_may_be_open_at_either_end(
    tmp_path: Path, lines: dict[str, int], content: str, end: int
) -> None:
    (tmp_path / "a").write_text("1\n2\n3\n4")
    result = await succeeded(READ_FILE, {"file_path": "a", **lines}, tmp_path)
    assert (result["content"], result["end_line"], result["lines"]) == (content, end, 4)


async def test_lines_that_are_not_there_are_said_so(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n")
    code, message = await fault({"file_path": "a", "start_line": 3}, tmp_path)
    assert code == "OUT_OF_RANGE"
    assert "2 lines" in message
    code, _ = await fault({"file_path": "a", "start_line": 2, "end_line": 1}, tmp_path)
    assert code == "OUT_OF_RANGE"


@pytest.mark.parametrize("arguments", [{}, {"file_path": "a", "files": [{"path": "a"}]}])
async def test_either_one_file_or_several_are_asked_for(
    tmp_path: Path, arguments: dict[str, Any]
) -> None:
    _, message = await fault(arguments, tmp_path)
    assert "either file_path or files" in message


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("READEM.md", "'README.md'"),
        ("readme", "'README.md'"),
        ("scr/main.py", "'src/main.py'"),
        ("src/mian.py", "'src/main.py'"),
    ],
)
async def test_a_missing_file_is_answered_with_the_nearest_name(
    tmp_path: Path, path: str, meant: str
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").touch()
    (tmp_path / "README.md").touch()
    code, message = await fault({"file_path": path}, tmp_path)
    assert code == "NOT_FOUND"
    assert f"Did you mean {meant}?" in message


async def test_nothing_is_suggested_where_nothing_is_alike(tmp_path: Path) -> None:
    _, message = await fault({"file_path": "zzz"}, tmp_path)
    assert message == "There is nothing at 'zzz'."


@pytest.mark.requirement("A35")
async def test_a_path_outside_is_refused(tmp_path: Path) -> None:
    code, message = await fault({"file_path": "/etc/passwd"}, tmp_path)
    assert code == "PATH_OUTSIDE_WORKSPACE"
    assert "'/etc/passwd' is outside the workspace" in message


async def test_a_folder_and_a_pipe_are_answered_plainly(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    os.mkfifo(tmp_path / "pipe")
    code, message = await fault({"file_path": "src"}, tmp_path)
    assert code == "NOT_A_FILE"
    assert "list_dir" in message
    code, message = await fault({"file_path": "pipe"}, tmp_path)
    assert code == "NOT_A_FILE"
    assert "list_dir" not in message


async def test_an_image_is_shown_as_an_image(tmp_path: Path) -> None:
    (tmp_path / "dot.png").write_bytes(PNG)
    (tmp_path / "a.txt").write_text("a")
    outcome = await outcome_of({"files": [{"path": "dot.png"}, {"path": "a.txt"}]}, tmp_path)
    assert outcome.media == (Image("image/png", base64.b64encode(PNG).decode(), name="dot.png"),)
    assert outcome.result[0]["size"] == len(PNG)
    assert outcome.result[1]["content"] == "a"


async def test_a_binary_file_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"ELF\0\0\1" * 100)
    code, message = await fault({"file_path": "a.bin"}, tmp_path)
    assert code == "BINARY"
    assert "600 bytes" in message


async def test_text_in_another_encoding_is_shown_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("café\n".encode("latin-1"))
    (tmp_path / "wide").write_text("café\n", encoding="utf-16")
    result = await succeeded(READ_FILE, {"file_path": "latin"}, tmp_path)
    assert result["content"] == "caf�\n"
    assert "UTF-8" in result["note"]
    result = await succeeded(READ_FILE, {"file_path": "wide"}, tmp_path)
    assert result["content"] == "café\n"
    assert "UTF-16" in result["note"]


@pytest.fixture
def large(tmp_path: Path) -> list[str]:
    lines = [f"{n}:" + "x" * (n * 7919 % 400) + "\n" for n in range(1, 60_000)]
    (tmp_path / "large").write_text("".join(lines))
    assert (tmp_path / "large").stat().st_size > WHOLE_MAX
    return lines


async def test_a_large_file_is_read_only_in_parts(tmp_path: Path, large: list[str]) -> None:
    code, message = await fault({"file_path": "large"}, tmp_path)
    assert code == "TOO_LARGE"
    assert "start_line" in message
    for start, end in ((1, 3), (2_000, 2_600), (40_000, 40_001), (59_990, 60_500)):
        given = {"file_path": "large", "start_line": start, "end_line": end}
        result = await succeeded(READ_FILE, given, tmp_path)
        assert result["content"] == "".join(large[start - 1 : end])
        assert result["end_line"] == min(end, 59_999)
        assert result["lines"] is None
    code, _ = await fault({"file_path": "large", "start_line": 60_000}, tmp_path)
    assert code == "OUT_OF_RANGE"


async def test_the_rest_of_a_large_file_is_cut_with_a_note(
    tmp_path: Path, large: list[str]
) -> None:
    result = await succeeded(READ_FILE, {"file_path": "large", "start_line": 100}, tmp_path)
    assert "".join(large[99:]).startswith(result["content"])
    assert result["content"].count("\n") == result["end_line"] - 100
    assert "first 1,048,576 bytes" in result["note"]


async def test_an_endless_line_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "hole").write_bytes(b"x" * 10_000)
    os.truncate(tmp_path / "hole", 2_000_000_000)
    code, message = await fault({"file_path": "hole", "start_line": 2}, tmp_path)
    assert code == "TOO_LARGE"
    assert "Line 2" in message


async def test_a_long_text_is_cut_with_a_word_on_how_to_read_on(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("word\n" * 10_000)
    outcome = await outcome_of({"file_path": "long.txt"}, tmp_path)
    assert outcome.result["lines"] == 10_000
    assert len(outcome.result["content"]) < 10_300
    assert "read a part with start_line and end_line" in outcome.result["content"]


async def test_the_nearest_folder_is_named_where_the_file_is_in_none(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    _, message = await fault({"file_path": "scr/nope.py"}, tmp_path)
    assert "Did you mean 'src'?" in message


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
    ],
)
async def test_an_image_is_known_by_its_first_bytes(
    tmp_path: Path, head: bytes, media_type: str
) -> None:
    (tmp_path / "x").write_bytes(head + b"\0" * 20)
    outcome = await outcome_of({"file_path": "x"}, tmp_path)
    assert [media.media_type for media in outcome.media] == [media_type]


async def test_an_image_that_is_too_large_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(PNG + b"\0" * 6_000_000)
    assert await fault({"file_path": "x.png"}, tmp_path) == (
        "TOO_LARGE",
        "The image 'x.png' is larger than 5 MB.",
    )


async def test_a_large_binary_file_is_not_shown_in_parts_either(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    os.truncate(tmp_path / "x", WHOLE_MAX + 1)
    assert (await fault({"file_path": "x", "start_line": 1}, tmp_path))[0] == "BINARY"


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs Linux's /proc")
async def test_a_file_that_the_system_cannot_read_is_said_so() -> None:
    code, message = await fault({"file_path": "mem"}, Path(f"/proc/{os.getpid()}"))
    assert code == "UNREADABLE"
    assert message == "The file 'mem' could not be read: Input/output error."


async def test_numbers_of_lines_can_be_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n\nfour")
    result = await succeeded(READ_FILE, {"file_path": "a", "numbered": True}, tmp_path)
    assert result["content"] == "     1\tone\n     2\ttwo\n     3\t\n     4\tfour"
    part = {"file_path": "a", "start_line": 2, "end_line": 3, "numbered": True}
    assert (await succeeded(READ_FILE, part, tmp_path))["content"] == "     2\ttwo\n     3\t\n"
    (tmp_path / "empty").touch()
    result = await succeeded(READ_FILE, {"file_path": "empty", "numbered": True}, tmp_path)
    assert result["content"] == ""


async def test_numbers_of_lines_of_a_large_file_are_its_own(
    tmp_path: Path, large: list[str]
) -> None:
    part = {"file_path": "large", "start_line": 40_000, "end_line": 40_001, "numbered": True}
    result = await succeeded(READ_FILE, part, tmp_path)
    assert result["content"] == f" 40000\t{large[39_999]} 40001\t{large[40_000]}"


async def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n", encoding="utf-8-sig")
    result = await succeeded(READ_FILE, {"file_path": "a"}, tmp_path)
    assert (result["content"], result["size"]) == ("one\n", 7)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    made = Workbench(tmp_path)
    yield made
    made.root.close()


async def test_what_was_read_is_remembered_by_its_canonical_path(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("one\ntwo\n")
    (tmp_path / "dot.png").write_bytes(PNG)
    (tmp_path / "link").symlink_to("a")
    await bench_outcome(READ_FILE, {"file_path": "link", "start_line": 2}, bench)
    assert bench.known == {"a": hashlib.sha256(b"one\ntwo\n").hexdigest()}
    asked = {"files": [{"path": "dot.png"}, {"path": "missing"}]}
    await bench_outcome(READ_FILE, asked, bench)
    assert bench.known["dot.png"] == hashlib.sha256(PNG).hexdigest()
    assert set(bench.known) == {"a", "dot.png"}


async def test_a_file_that_is_gone_is_read_from_the_log(bench: Workbench, tmp_path: Path) -> None:
    bench.held["src/a.txt"] = b"1\n2\n3\n"
    (tmp_path / "link").symlink_to("src")
    outcome = await bench_outcome(READ_FILE, {"file_path": "src/a.txt", "start_line": 2}, bench)
    assert outcome.result["content"] == "2\n3\n"
    assert outcome.result["source"] == "log"
    assert "no longer there" in outcome.result["note"]
    assert bench.known == {}, "what is gone cannot be edited as if it were there"
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.txt").write_text("on disk")
    outcome = await bench_outcome(READ_FILE, {"file_path": "link/a.txt"}, bench)
    assert outcome.result["content"] == "on disk"
    assert "source" not in outcome.result, "the file system is the truth"


async def test_only_what_was_judged_is_read(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("harmless")
    (tmp_path / "secret").write_text("hidden")
    (tmp_path / "link").symlink_to("a")
    asked = {"files": [{"path": "link"}, {"path": "a"}]}
    bench.judged = READ_FILE.touched(asked, bench.root)
    assert bench.judged == Touch(reads=("a", "a"))
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("secret")
    outcome = await bench_outcome(READ_FILE, asked, bench)
    first, second = outcome.result
    assert first["error"]["code"] == "CONFLICT"
    assert "hidden" not in outcome.to_text()
    assert second["content"] == "harmless"
