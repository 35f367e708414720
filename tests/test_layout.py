"""The sources keep their shape: plain names, small files, a docstring each, documented events."""

import ast
import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from bottega.events.event import Event
from bottega.events.facts import FACTS
from bottega.events.layers import DERIVED, LAYERS

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src" / "bottega"
PAGE = (ROOT / "docs" / "events.md").read_text("utf-8")
BANNED = {
    *("util", "utils", "helper", "helpers", "common", "misc", "core", "shared", "base", "impl"),
    *("manager", "managers", "service", "services", "handler", "handlers", "data", "info", "v2"),
}
MOST_LINES = 500
MOST_FUNCTION_LINES = 60
MOST_FILES = 16

SOURCES = {
    path.relative_to(SRC): path.read_text("utf-8")
    for path in sorted(SRC.rglob("*.py"))
    if "__pycache__" not in path.parts
}
TREES = {path: ast.parse(source) for path, source in SOURCES.items()}


def words(name: str) -> list[str]:
    """The words of a snake_case or CamelCase name."""
    found = re.findall(r"[Vv]\d+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return [word.lower() for word in found]


def is_banned(name: str) -> bool:
    return not BANNED.isdisjoint(words(name))


def is_exempt(path: Path) -> bool:
    return path.name == "tables.py" or not {"migrations", "generated"}.isdisjoint(
        {*path.parts, path.stem}
    )


def test_names_are_split_into_their_words() -> None:
    assert words("_HTTPServiceV2") == ["http", "service", "v2"]
    assert words("base_url") == ["base", "url"]
    assert words("Database") == ["database"]
    assert words("openai_chat") == ["openai", "chat"]


def test_every_path_says_what_it_holds() -> None:
    assert [path for path in SOURCES if any(map(is_banned, path.with_suffix("").parts))] == []


def test_every_class_says_what_it_is() -> None:
    classes = [
        (path, node.name)
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]
    assert classes
    assert [found for found in classes if is_banned(found[1])] == []


def test_every_file_is_short_enough_to_read() -> None:
    lengths = {p: len(s.splitlines()) for p, s in SOURCES.items() if not is_exempt(p)}
    assert {path: long for path, long in lengths.items() if long > MOST_LINES} == {}


def test_every_function_is_short_enough_to_see() -> None:
    lengths = {
        (path, node.name): (node.end_lineno or 0) - node.lineno + 1
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert lengths
    assert {name: long for name, long in lengths.items() if long > MOST_FUNCTION_LINES} == {}


def test_every_module_says_its_idea() -> None:
    assert [path for path, tree in TREES.items() if not ast.get_docstring(tree)] == []


def test_every_package_is_small_enough_to_know() -> None:
    sizes = Counter(path.parent for path in SOURCES if path.name != "__init__.py")
    assert {package: files for package, files in sizes.items() if files > MOST_FILES} == {}


def rows(heading: str) -> dict[str, str]:
    """The rows of the table under a heading of the page on events, by the name in front."""
    _, _, rest = PAGE.partition(f"## {heading}\n")
    found = re.finditer(r"^\| `(\w+)` \|.*$", rest.partition("\n## ")[0], re.MULTILINE)
    return {row[1]: row[0] for row in found}


@pytest.mark.requirement("C13")
def test_the_page_on_events_shows_the_envelope_as_it_is() -> None:
    assert set(rows("The envelope")) == set(Event.__struct_fields__)


@pytest.mark.parametrize(("heading", "known"), [("Facts", FACTS), ("Derived events", DERIVED)])
def test_every_event_has_a_row_that_names_its_layer_and_its_fields(
    heading: str, known: dict[str, type[msgspec.Struct]]
) -> None:
    found = rows(heading)
    assert set(found) == set(known)
    for name, struct in known.items():
        fields = {field.encode_name for field in msgspec.structs.fields(struct)}
        assert fields <= set(re.findall(r"`(\w+)`", found[name])), name
        assert f"| {LAYERS[name]} |" in found[name], name


def test_the_page_on_events_stays_short() -> None:
    assert len(PAGE.splitlines()) <= 150


WEB = ROOT / "web" / "src"
WAY = ["api", "session", "studio", "texts", "ui", "prose", "features", "app"]
"""Folders of the studio in the data's way: each imports only from itself and from those before it."""
BESIDE = {("session", "studio/watch"), ("session", "studio/kept"), ("ui", "studio/watch")}
"""A value that is watched, and what a browser keeps, are below both."""
VIEWS = [
    path
    for path in sorted(WEB.rglob("*.ts*"))
    if path.name != "schema.d.ts" and path.parent != WEB and path.parent.name != "test"
]


def folder_of(path: Path) -> str:
    return path.relative_to(WEB).parts[0]


def rank(folder: str) -> int:
    return WAY.index(folder if folder in WAY else "features")


def test_the_studio_is_imported_along_its_way() -> None:
    wrong: list[str] = []
    for path in VIEWS:
        ours = folder_of(path)
        for target in re.findall(r'(?:from|import\() ?"(\.[^"]+)"', path.read_text("utf-8")):
            place = (path.parent / target).resolve()
            if not place.is_relative_to(WEB):  # what a test reads
                continue
            theirs = folder_of(place)
            if theirs in (ours, "test", "look") or (ours, f"{theirs}/{place.stem}") in BESIDE:
                continue
            if rank(theirs) >= rank(ours):
                wrong.append(f"{path.relative_to(WEB)} imports {target}")
    assert wrong == []


def test_files_of_the_studio_are_small_and_say_what_they_are() -> None:
    for path in VIEWS:
        text = path.read_text("utf-8")
        assert text.count("\n") <= (250 if path.suffix == ".tsx" else 350), path
        assert text.startswith("/*") or ".test." in path.name, path
    folders = Counter(path.parent for path in VIEWS if ".test." not in path.name)
    assert {str(folder): n for folder, n in folders.items() if n > MOST_FILES} == {}
