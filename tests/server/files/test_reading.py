"""Looking at a project's folders and reading its files."""

import hashlib
import os
from pathlib import Path

from tests.server.files.conftest import Desk
from tests.server.serving import Serving


def _resident(pid: int) -> int:
    """Kilobytes, the most that there ever were."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise AssertionError("no such line")


async def test_a_project_names_its_containers_and_neither_hidden_nor_ignored_folders(
    desk: Desk,
) -> None:
    for name in ("web", "api", ".hidden", "build"):
        (desk.folder / name).mkdir()
    (desk.folder / ".gitignore").write_text("build/\n")
    (desk.folder / "linked").symlink_to("web")
    (desk.folder / "plain.txt").write_text("no folder")
    shown = await desk.client.get(desk.at)
    assert {"api", "web"} <= {*shown["containers"]}
    assert {".hidden", "build", "linked", "plain.txt"}.isdisjoint(shown["containers"])
    assert shown["folder"] == str(desk.folder.resolve())


async def test_a_folder_is_listed_with_kinds_sizes_and_what_git_ignores(desk: Desk) -> None:
    place = desk.folder / "kinds"
    (place / "inner").mkdir(parents=True)
    (place / "node_modules" / "x").mkdir(parents=True)
    (place / ".gitignore").write_text("node_modules/\n*.log\n")
    (place / "a.txt").write_text("four")
    (place / "b.log").write_text("")
    (place / "link").symlink_to("../../outside")
    os.mkfifo(place / "pipe")
    listed = await desk.client.get(f"{desk.at}/files", params={"path": "kinds", "depth": 2})
    entries = {each["name"]: each for each in listed["entries"]}
    assert [each["name"] for each in listed["entries"]][:2] == ["inner", "node_modules"]
    assert entries["a.txt"]["size"] == 4
    assert entries["a.txt"]["path"] == "kinds/a.txt"
    assert entries["pipe"]["kind"] == "pipe"
    assert entries["link"] | {"kind": "link", "target": "../../outside"} == entries["link"]
    assert entries["inner"]["entries"] == []
    assert entries["node_modules"]["ignored"]
    assert entries["node_modules"]["entries"] is None
    assert entries["b.log"]["ignored"]
    assert not entries["a.txt"]["ignored"]


async def test_what_lies_in_an_ignored_folder_is_ignored_too(desk: Desk) -> None:
    place = desk.folder / "above"
    (place / "dist" / "deep").mkdir(parents=True)
    (place / ".gitignore").write_text("dist\n")
    (place / "dist" / "deep" / "x.js").write_text("")
    listed = await desk.client.get(f"{desk.at}/files", params={"path": "above/dist/deep"})
    assert [each["ignored"] for each in listed["entries"]] == [True]


async def test_a_huge_folder_comes_page_by_page_and_each_entry_once(desk: Desk) -> None:
    place = desk.folder / "huge"
    place.mkdir()
    for n in range(2_500):
        (place / f"f{n:04}").touch()
    names: list[str] = []
    start: int | None = 0
    while start is not None:
        page = await desk.client.get(f"{desk.at}/files", params={"path": "huge", "start": start})
        assert page["total"] == 2_500
        assert len(page["entries"]) <= 1_000
        names += (each["name"] for each in page["entries"])
        start = page["next"]
    assert names == [f"f{n:04}" for n in range(2_500)]


async def test_a_name_that_is_no_text_is_shown_and_cannot_be_named(desk: Desk) -> None:
    place = desk.folder / "odd"
    place.mkdir()
    (place / os.fsdecode(b"caf\xe9")).write_text("x")
    listed = await desk.client.get(f"{desk.at}/files", params={"path": "odd"})
    assert [(each["name"], each["path"]) for each in listed["entries"]] == [("caf\ufffd", "")]


async def test_a_text_file_is_read_with_its_version_and_how_it_is_written_down(desk: Desk) -> None:
    body = b"\xef\xbb\xbfone\r\ntwo\r\nlast"
    (desk.folder / "marked.txt").write_bytes(body)
    read = await desk.client.get(f"{desk.at}/file", params={"path": "marked.txt"})
    assert read["content"] == "one\r\ntwo\r\nlast"
    assert read["version"] == hashlib.sha256(body).hexdigest()
    assert (read["lines"], read["ends"], read["size"]) == (3, "crlf", len(body))
    assert read["encoding"] == "utf-8, marked"


async def test_a_binary_file_is_told_and_not_shown(desk: Desk) -> None:
    (desk.folder / "picture").write_bytes(b"\x89PNG\0\0\0")
    (desk.folder / "latin.txt").write_bytes(b"caf\xe9")
    for name in ("picture", "latin.txt"):
        read = await desk.client.get(f"{desk.at}/file", params={"path": name})
        assert read["binary"]
        assert read["content"] == ""
        assert read["version"]


async def test_a_large_file_is_read_in_pieces_that_tear_no_character(desk: Desk) -> None:
    text = "übergrößenträger 𝄞 " * 60_000
    (desk.folder / "large.txt").write_text(text)
    pieces: list[str] = []
    offset, size = 0, 1
    while offset < size:
        ask = {"path": "large.txt", "offset": offset, "limit": 99_991}
        read = await desk.client.get(f"{desk.at}/file", params=ask)
        assert read["offset"] == offset
        pieces.append(read["content"])
        offset, size = read["next"], read["size"]
    assert "".join(pieces) == text


async def test_a_sparse_file_of_a_gigabyte_takes_no_memory(desk: Desk, shared: Serving) -> None:
    with (desk.folder / "sparse").open("wb") as file:
        file.write(b"text at first\n" * 1000)
        file.truncate(1 << 30)
    before = _resident(shared.pid)
    read = await desk.client.get(f"{desk.at}/file", params={"path": "sparse"})
    assert read["size"] == 1 << 30
    assert read["next"] <= 1 << 20
    far = {"path": "sparse", "offset": (1 << 30) - 10}
    assert (await desk.client.get(f"{desk.at}/file", params=far))["next"] == 1 << 30
    status, problem = await desk.client.call(
        "PUT",
        f"{desk.at}/file",
        {"content": "", "version": read["version"]},
        params=far | {"offset": 0},
    )
    assert (status, problem["code"]) == (413, "too_large")
    assert _resident(shared.pid) - before < 60_000


async def test_a_text_of_any_characters_comes_as_it_is(desk: Desk) -> None:
    text = "".join(map(chr, (*range(1, 0xD800), *range(0xE000, 0x20000)))) * 2
    (desk.folder / "all.txt").write_bytes(text.encode())
    read = await desk.client.get(f"{desk.at}/file", params={"path": "all.txt"})
    assert read["content"] == text
    (desk.folder / "none.txt").write_bytes(b"")
    assert (await desk.client.get(f"{desk.at}/file", params={"path": "none.txt"}))["content"] == ""


async def test_a_text_that_is_far_longer_as_json_is_read_in_pieces(desk: Desk) -> None:
    body = b"\x01" * 5_000_000
    (desk.folder / "odd.txt").write_bytes(body)
    read, at = b"", 0
    while at < len(body):
        page = await desk.client.get(f"{desk.at}/file", params={"path": "odd.txt", "offset": at})
        read, at = read + page["content"].encode(), page["next"]
    assert read == body
    whole = await desk.client.get(f"{desk.at}/file", params={"path": "odd.txt"})
    assert (whole["lines"], whole["next"] < len(body)) == (None, True)
