"""What a call was judged by is what it opens, even if a link takes its place at the worst moment."""

import os
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import Problem
from bottega.tools.builtin import builtin_registry
from bottega.tools.tool import Tool
from bottega.workspaces.confine import Linked, Root
from tests.tools.contexts import Workbench
from tests.workspaces.test_onlooker import needs_landlock


class Swapped(Root):
    """A root in which the folder `public` becomes a link to `private` right after a path was resolved."""

    ready = False

    def canonical(self, path: str) -> str:
        found = super().canonical(path)
        if self.ready:
            self.ready = False
            os.rename(f"{self.path}/public", f"{self.path}/aside")
            os.symlink("private", f"{self.path}/public")
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, words in (("public", "harmless"), ("private", "hidden")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(words)
    return tmp_path


PATCH = {"old_text": "hidden", "new_text": "changed"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_file", {"file_path": "public/file"}),
    ("list_dir", {"path": "public"}),
    ("glob", {"pattern": "*", "path": "public"}),
    ("grep", {"pattern": "hidden", "path": "public"}),
    ("write_file", {"path": "public/file", "content": "new"}),
    ("patch_file", {"path": "public/file", "patches": [PATCH]}),
    ("multi_edit", {"edits": [{"path": "public/file", "patches": [PATCH]}]}),
]


async def told(tool: Tool, arguments: dict[str, Any], bench: Workbench) -> str:
    try:
        if tool.plan is not None:
            return str(await tool.plan(arguments, bench))
        assert tool.run is not None
        return (await tool.run(arguments, bench)).to_text()
    except Problem as problem:
        return f"{type(problem).__name__}: {problem}"


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[name for name, _ in CALLS])
async def test_a_link_that_comes_after_the_judgement_leads_nowhere(
    folder: Path, name: str, arguments: dict[str, Any]
) -> None:
    bench = Workbench(folder)
    bench.root.close()
    bench.root = root = Swapped(folder)
    tool = builtin_registry().get(name)
    bench.judged = tool.touched(arguments, root)
    root.ready = True
    said = await told(tool, arguments, bench)
    root.close()
    assert not root.ready, "the link never came"
    assert "symbolic link" in said
    assert "hidden" not in said.replace('"hidden"', "")


@needs_landlock
@pytest.mark.parametrize("name", ["glob", "grep"])
async def test_a_search_sees_only_the_folder_that_was_judged(folder: Path, name: str) -> None:
    """Another folder takes its place after it was opened, and before the program opens it again."""

    class Late(Root):
        def open_folder(self, path: str = ".", *, follow: bool = True) -> int:
            opened = super().open_folder(path, follow=follow)
            if path == "public":
                os.rename(f"{self.path}/public", f"{self.path}/aside")
                os.rename(f"{self.path}/private", f"{self.path}/public")
            return opened

    bench = Workbench(folder)
    bench.root.close()
    bench.root = Late(folder)
    given = {"pattern": "hidden" if name == "grep" else "*", "path": "public"}
    tool = builtin_registry().get(name)
    bench.judged = tool.touched(given, bench.root)
    said = await told(tool, given, bench)
    bench.root.close()
    assert (folder / "public" / "file").read_text() == "hidden"
    assert '"files":[]' in said


def test_the_system_says_so_too(folder: Path) -> None:
    (folder / "link").symlink_to("private")
    with Root(folder) as root, pytest.raises(Linked):
        root.open_file("link/file", follow=False)
