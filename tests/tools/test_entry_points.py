"""Tools that another distribution brings, really installed on a path of its own, in a process of its own."""

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.processes import run

GOOD = """
from bottega.tools.decorator import tool

@tool(effects={"read"})
async def shout(text: str) -> str:
    "Say it louder."
    return text.upper()

@tool
def whisper(text: str) -> str:
    "Say it softer."
    return text.lower()

def both():
    yield shout
    yield whisper
"""

PROGRAM = """
import asyncio, json, sys
sys.path[:0] = sys.argv[1:]
from bottega.tools.builtin import builtin_registry
from bottega.tools.entry_points import extend
registry = builtin_registry()
before = set(registry.names)
notices = extend(registry)
added = [tool for tool in registry if tool.name not in before]
print(json.dumps({
    "added": {tool.name: [tool.known, tool.description] for tool in added},
    "notices": notices,
}))
"""


def installed(folder: Path, name: str, module: str, entries: str) -> Path:
    """A distribution as an installer leaves it: a module and its dist-info."""
    place = folder / name
    place.mkdir()
    (place / f"{name}.py").write_text(textwrap.dedent(module))
    about = place / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[bottega.tools]\n{entries}\n")
    (about / "RECORD").write_text("")
    return place


def found(*places: Path) -> dict[str, Any]:
    done = run(PROGRAM, *places)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.requirement("A47")
def test_tools_of_other_distributions_are_added_as_strangers(tmp_path: Path) -> None:
    one = installed(tmp_path, "theirs_one", GOOD, "one = theirs_one:shout")
    two = installed(tmp_path, "theirs_two", GOOD.replace("shout", "call"), "more = theirs_two:both")
    assert found(one, two) == {
        "added": {
            "shout": [False, "Say it louder."],
            "call": [False, "Say it louder."],
            "whisper": [False, "Say it softer."],
        },
        "notices": [],
    }


BROKEN = [
    ("raise RuntimeError('no luck')", "x", "RuntimeError: no luck"),
    ("import sys; sys.exit(3)", "x", "SystemExit: 3"),
    ("", "missing", "AttributeError"),
    ("import nowhere", "x", "ModuleNotFoundError"),
    ("x = 7", "x", "TypeError"),
    ("x = ['no tool']", "x", "it gives a str where a Tool is wanted"),
    ("def x(): raise ValueError('later')", "x", "ValueError: later"),
    (GOOD.replace("shout", "read_file"), "read_file", "already a tool called 'read_file'"),
    (
        "from bottega.tools.tool import Tool\n"
        "x = Tool(name='odd', description='', schema={'type': 7}, category='WEB',"
        " effects=frozenset(), run=print)",
        "x",
        "ValueError: schema",
    ),
]


@pytest.mark.requirement("A47")
def test_a_broken_one_is_a_notice_and_the_others_work(tmp_path: Path) -> None:
    places = [
        installed(tmp_path, f"broken{n}", module, f"a = broken{n}:{name}")
        for n, (module, name, _) in enumerate(BROKEN)
    ]
    told = found(*places, installed(tmp_path, "theirs", GOOD, "one = theirs:shout"))
    assert list(told["added"]) == ["shout"]
    notices = told["notices"]
    assert len(notices) == len(BROKEN)
    for n, (notice, (_, name, reason)) in enumerate(zip(notices, BROKEN, strict=True)):
        assert notice.startswith(f"The tools of broken{n} (a = broken{n}:{name}) were left out: ")
        assert reason in notice


def test_nothing_is_imported_before_somebody_asks(tmp_path: Path) -> None:
    good = installed(tmp_path, "theirs", GOOD, "one = theirs:shout")
    done = run(
        """
        import sys
        sys.path.insert(0, sys.argv[1])
        import bottega.runtime
        from bottega.tools.builtin import builtin_registry
        builtin_registry()
        assert "theirs" not in sys.modules
        """,
        good,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.requirement("A47")
def test_a_session_offers_them_to_its_model(tmp_path: Path) -> None:
    good = installed(tmp_path, "theirs", GOOD, "one = theirs:shout")
    bad = installed(tmp_path, "broken", "import nowhere", "a = broken:x")
    done = run(
        """
        import asyncio, os, sys
        sys.path[:0] = sys.argv[2:]
        from bottega.studio import Studio

        async def main():
            os.mkdir(sys.argv[1] + "/work")
            async with Studio(sys.argv[1] + "/home") as studio:
                session = await studio.start(folder=sys.argv[1] + "/work")
                await session.prompt("hello")
                assert "shout" in studio.runtime.registry.names
                (notice,) = studio.runtime.notices
                assert "broken" in notice

        asyncio.run(main())
        """,
        tmp_path,
        good,
        bad,
    )
    assert done.returncode == 0, done.stderr
