"""What a person sees of a folder before the first prompt: its size, its languages, its git, and what to ask for.

Everything is read, nothing is run but git as an onlooker; what cannot be read is left out.
"""

import asyncio
import json
import re
import stat
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any, cast

import msgspec

from bottega.errors import Problem
from bottega.messages.json_size import MOST_ARGUMENTS, check_size
from bottega.projects.files.finding import Listed
from bottega.projects.folders import Folders
from bottega.projects.projects import Project
from bottega.projects.prompts import Seen, Suggested, suggested
from bottega.tools.project import git
from bottega.tools.project.glance import description, glance, harmless
from bottega.tools.project.opened import beginning, text
from bottega.tools.project.scripts import MANIFESTS, scripts
from bottega.tools.project.tree import language
from bottega.workspaces.confine import Root

_LANGUAGES = 4
_NO_PROGRAMS = frozenset({"Markdown", "JSON", "YAML", "TOML", "HTML", "CSS", "SQL"})
_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*[_.-](?:test|spec)\.[^/.]+|[^/]*Tests?\.\w+)$")
_IN_TESTS = re.compile(r"(?:^|/)(?:tests?|spec|__tests__)/")
_ENTRY = re.compile(r"^(?:[^/]+/){0,3}(?:__main__|main|app|index|cli|server|lib|mod)\.\w+$")
_READMES = ("README.md", "README.rst", "README.txt", "README")
_README_MOST = 64 * 1024
_FAILED = ".pytest_cache/v/cache/lastfailed"
_FAILED_MOST = 20
_NODE = re.compile(r"(?=.{1,200}\Z)[\w./+-]+\.py(?:::\w+){1,4}(?:\[[\w.,:/=+-]{0,80}\])?", re.ASCII)
"""What pytest calls a test. A name goes into a prompt: one that could be a sentence does not."""


class Repository(msgspec.Struct, frozen=True):
    branch: str = ""
    """Empty: none is checked out."""
    changed: int | None = None
    """Files; None: it is not known."""
    under_way: str = ""
    note: str = ""
    """Why something is not known."""


class Outlook(msgspec.Struct, frozen=True):
    folder: str
    files: int
    whole: bool
    """False: there are more files than were counted."""
    languages: list[tuple[str, int]]
    """With how many files each has, the most first; of programs, if there are any."""
    manifests: list[str]
    """Files that say what kind of project it is."""
    about: str
    """The first paragraph of its readme."""
    repository: Repository | None
    prompts: list[Suggested]


async def outlook(
    folders: Folders, project: Project, listed: Listed, container: str = ""
) -> Outlook:
    within = await asyncio.to_thread(folders.container, project, container)
    paths = _inside(listed, f"{within}/" if within else "")
    with await asyncio.to_thread(folders.open_project, project, within) as root:
        state, seen = await asyncio.gather(
            git.state(root), asyncio.to_thread(_seen, root, within or project.name, paths)
        )
        about = await asyncio.to_thread(description, root)
        repository = await asyncio.to_thread(_repository, state, root)
    if repository:
        files = tuple(harmless(each[3:]) for each in (state or {}).get("files", ()))
        seen = msgspec.structs.replace(
            seen,
            branch=repository.branch,
            changed=repository.changed or 0,
            changed_files=files,
            under_way=repository.under_way,
        )
    named = [each for path in paths if (each := language(path))]
    programs = [each for each in named if each not in _NO_PROGRAMS]
    spoken = Counter(programs or named).most_common(_LANGUAGES)
    return Outlook(
        folder=root.path,
        files=len(paths),
        whole=listed.whole,
        languages=spoken,
        manifests=list(seen.manifests),
        about=harmless(about),
        repository=repository,
        prompts=suggested(seen),
    )


def _inside(listed: Listed, within: str) -> list[str]:
    return [
        path[len(within) :]
        for path in listed.names.paths
        if not path.endswith("/") and path.startswith(within)
    ]


def _repository(state: dict[str, Any] | None, root: Root) -> Repository | None:
    if state is None:
        above = glance(root, inside=False)  # a repository may begin further up
        return Repository(above.branch) if above.commit or above.branch else None
    counts = state.get("changes")
    return Repository(
        harmless(state.get("branch") or ""),
        None if counts is None else _changed(counts, state.get("files", [])),
        state.get("under_way") or "",
        state.get("note") or "",
    )


def _changed(counts: dict[str, int], files: list[str]) -> int:
    """How many files; one may be both staged and changed since, and of very many not all are named."""
    return len(files) if len(files) < git.SHOWN else sum(counts.values())


def _seen(root: Root, name: str, paths: list[str]) -> Seen:
    top = {path for path in paths if "/" not in path}
    manifests = tuple(each for each in MANIFESTS if each in top)
    tests = [path for path in paths if _is_test(path)]
    programs = [path for path in paths if language(path) and language(path) not in _NO_PROGRAMS]
    spoken = Counter(map(language, programs)).most_common(_LANGUAGES)
    readme = next((each for each in _READMES if each in top), "")
    return Seen(
        name=harmless(name.rpartition("/")[2]),
        files=len(paths),
        languages=tuple(each for each, _ in spoken),
        manifests=manifests,
        entries=_entries(programs, readme),
        test_command=_test_command(root, manifests, tests),
        test_files=len(tests),
        failed=tuple(_failed(root)),
        readme=text(root, readme, _README_MOST) if readme else None,
    )


def _is_test(path: str) -> bool:
    return bool(language(path)) and bool(_TEST.search(path) or _IN_TESTS.search(path))


def _entries(programs: list[str], readme: str) -> tuple[str, ...]:
    """What to begin reading with: where programs usually begin, else the shallowest of them."""
    own = [path for path in programs if not _is_test(path)] or programs
    begin = [path for path in own if _ENTRY.match(path)] or own
    names = [*([readme] if readme and not begin else []), *begin[:2]]
    return tuple(harmless(each) for each in names)


def _test_command(root: Root, manifests: Iterable[str], tests: list[str]) -> str:
    """The command that the project names for its tests, or the usual one for such a project."""
    named = scripts(root)
    if "test" in named.get("Makefile", ()):
        return "make test"
    if "test" in named.get("justfile", ()):
        return "just test"
    npm = named.get("package.json", {}).get("test", "")
    if npm and "no test specified" not in npm:
        return "npm test"
    if not tests and "Cargo.toml" not in manifests:
        return ""
    usual = {
        "Cargo.toml": "cargo test",
        "go.mod": "go test ./...",
        "pyproject.toml": "python -m pytest",
        "setup.py": "python -m pytest",
        "requirements.txt": "python -m pytest",
        "mix.exs": "mix test",
        "pom.xml": "mvn test",
        "build.gradle": "gradle test",
    }
    found = next((usual[each] for each in manifests if each in usual), "")
    only = {path for path in tests if path.endswith(".py")}
    return found or ("python -m pytest" if only else "")


def _failed(root: Root) -> list[str]:
    """What pytest wrote down of its last run; those that are still there."""
    try:
        source = beginning(root, _FAILED, 256 * 1024) or b"{}"
        check_size(source, MOST_ARGUMENTS)
        noted: object = json.loads(source)
    except (ValueError, RecursionError):
        return []
    names = list(cast("dict[str, Any]", noted)) if isinstance(noted, dict) else []
    tests = (each for each in names if _NODE.fullmatch(each) and _is_there(root, each))
    return list(islice(tests, _FAILED_MOST))


def _is_there(root: Root, test: str) -> bool:
    try:
        found = root.stat(test.partition("::")[0], follow=False)
    except (Problem, OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode)
