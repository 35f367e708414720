"""What was read is not read again, and never shown once it has changed."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.messages.block import ToolUse
from bottega.tools.builtin.files.list_dir import LIST_DIR
from bottega.tools.builtin.files.read_file import READ_FILE
from bottega.tools.cache import SETTLED, Cache
from bottega.tools.call import call
from bottega.tools.context import Context
from bottega.tools.registry import Registry
from bottega.tools.tool import Outcome, Tool
from tests.tools.contexts import Workbench


class Counted:
    """A tool that counts how often it really runs."""

    def __init__(self, tool: Tool) -> None:
        self.runs = 0
        assert tool.run is not None
        self._run = tool.run
        self.tool = msgspec.structs.replace(tool, run=self.run)

    async def run(self, arguments: dict[str, Any], context: Context) -> Outcome:
        self.runs += 1
        return await self._run(arguments, context)


class Bench(Workbench):
    def __init__(self, folder: Path, cache: Cache) -> None:
        super().__init__(folder)
        self.cache = cache
        self.reader = Counted(READ_FILE)

    async def read(self, path: str, **more: Any) -> Any:
        return await self.call(self.reader.tool, {"file_path": path, **more})

    async def call(self, tool: Tool, arguments: dict[str, Any]) -> Any:
        async def intend(_: Tool) -> None: ...

        use = ToolUse("call_1", tool.name, arguments)
        outcome = await call(use, Registry((tool,)), self, intend, cache=self.cache)
        return outcome.error or outcome.result


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """The clock's tick is taken for nothing here, so that files just written count as settled."""
    made = Bench(tmp_path, Cache(settled=0))
    yield made
    made.root.close()


@pytest.mark.requirement("A45")
async def test_a_file_that_has_not_changed_is_not_read_twice(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    first = await bench.read("a")
    bench.known.clear()
    assert await bench.read("a") == first
    assert bench.reader.runs == 1
    assert set(bench.known) == {"a"}, "the model has seen it again"
    await bench.read("a", numbered=True)
    assert bench.reader.runs == 2, "other arguments are another call"


@pytest.mark.requirement("A45")
async def test_any_change_of_the_file_is_seen(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one\n")
    old = path.stat()

    async def content() -> str:
        return (await bench.read("a"))["content"]

    assert await content() == "one\n"
    path.write_text("two\n")
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert await content() == "two\n", "the same size and the same time of change"
    (tmp_path / "b").write_text("new\n")
    os.utime(tmp_path / "b", ns=(old.st_atime_ns, old.st_mtime_ns))
    os.rename(tmp_path / "b", path)
    assert await content() == "new\n", "another file of the same name"
    path.unlink()
    assert (await bench.read("a")).code == "NOT_FOUND"
    path.symlink_to("c")
    (tmp_path / "c").write_text("linked\n")
    assert await content() == "linked\n"
    path.unlink()
    (tmp_path / "d").write_text("again\n")
    path.symlink_to("d")
    assert await content() == "again\n", "a link that leads elsewhere"


async def test_a_file_that_changed_just_now_is_not_remembered(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Cache())
    assert SETTLED == 2_000_000_000
    (tmp_path / "a").write_text("one\n")
    await bench.read("a")
    await bench.read("a")
    assert bench.reader.runs == 2
    assert len(bench.cache) == 0
    bench.root.close()


async def test_only_reading_files_is_remembered(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    lister = Counted(LIST_DIR)
    writer = Counted(msgspec.structs.replace(READ_FILE, effects=frozenset({"read", "state"})))
    for _ in range(2):
        await bench.call(lister.tool, {})
        await bench.call(writer.tool, {"file_path": "a"})
        await bench.call(bench.reader.tool, {"file_path": "../x"})
    assert (lister.runs, writer.runs, bench.reader.runs) == (2, 2, 2)
    assert len(bench.cache) == 0


async def test_a_file_that_changes_while_it_is_read_is_not_remembered(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("one\n")

    async def slow(arguments: dict[str, Any], context: Context) -> Outcome:
        outcome = await bench.reader.run(arguments, context)
        (tmp_path / "a").write_text("two\n")
        return outcome

    await bench.call(msgspec.structs.replace(READ_FILE, run=slow), {"file_path": "a"})
    assert len(bench.cache) == 0


async def test_a_write_drops_what_was_read_of_the_file(bench: Bench, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(name)
        await bench.read(name)
    bench.cache.drop(bench.root.path, ["a"])
    assert len(bench.cache) == 1
    bench.cache.drop("/elsewhere")
    assert len(bench.cache) == 1
    bench.cache.drop(bench.root.path)
    assert len(bench.cache) == 0


async def test_there_is_room_for_so_much_and_the_oldest_goes(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Cache(room=2_500, settled=0))
    for name in "abc":
        (tmp_path / name).write_text("x" * 1_000)
    (tmp_path / "large").write_text("x" * 3_000)
    await bench.read("a")
    await bench.read("b")
    await bench.read("a")
    await bench.read("c")
    await bench.read("large")
    assert len(bench.cache) == 2
    runs = bench.reader.runs
    await bench.read("a")
    assert bench.reader.runs == runs
    await bench.read("b")
    assert bench.reader.runs == runs + 1
    bench.root.close()


async def test_settings_and_workspaces_are_kept_apart(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    (tmp_path / "sub").mkdir()
    os.link(tmp_path / "a", tmp_path / "sub" / "a")
    await bench.read("a")
    bench.settings = {"some": "thing"}
    await bench.read("a")
    assert bench.reader.runs == 2
    other = Bench(tmp_path / "sub", bench.cache)
    await other.read("a")
    assert other.reader.runs == 1
    other.root.close()


async def test_what_is_remembered_is_judged_as_what_is_read(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("harmless")
    (tmp_path / "secret").write_text("hidden")
    link = tmp_path / "link"
    link.symlink_to("secret")
    assert (await bench.read("link"))["content"] == "hidden"
    link.unlink()
    link.symlink_to("a")
    bench.judged = READ_FILE.touched({"file_path": "link"}, bench.root)
    link.unlink()
    link.symlink_to("secret")
    assert (await bench.read("link")).code == "CONFLICT"


async def test_a_path_that_is_no_text_can_be_remembered(bench: Bench, tmp_path: Path) -> None:
    name = "latin-\udce9"
    os.close(os.open(os.fsencode(tmp_path / name), os.O_CREAT))
    await bench.read(name)
    await bench.read(name)
    assert bench.reader.runs == 1
