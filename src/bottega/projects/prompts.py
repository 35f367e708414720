"""What could be asked of an agent in a project, made of what was seen there. Pure.

Each is about something that is really there: a change, a test that failed, a command, a file. Only where nothing is
known of a folder do they say what anybody could.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

MOST = 3
_NAMED = 3
"""Files that a prompt names."""
_NAME = re.compile(r"[\w./+@=~:,\[\]()-]{1,200}")
_ABOUT_TESTS = re.compile(r"\btests?\b|\btesting\b", re.IGNORECASE)

Kind = Literal[
    "explain", "changes", "under_way", "failed", "tests", "readme", "review", "next", "begin"
]


class Seen(msgspec.Struct, frozen=True):
    """What is known of a folder. Paths are from it."""

    name: str
    files: int = 0
    languages: tuple[str, ...] = ()
    """The most used first; of programs before others."""
    manifests: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    """Files to begin reading with."""
    branch: str = ""
    changed: int = 0
    changed_files: tuple[str, ...] = ()
    under_way: str = ""
    """A merge, rebase or other work of git that was begun and not ended."""
    test_command: str = ""
    test_files: int = 0
    failed: tuple[str, ...] = ()
    """Tests that failed when they were last run."""
    readme: str | None = None
    """Its text; None: there is none."""


class Suggested(msgspec.Struct, frozen=True):
    kind: Kind
    title: str
    """A few words, for a button."""
    text: str
    """The prompt."""
    about: str
    """What it was made of."""


def suggested(seen: Seen) -> list[Suggested]:
    """Three, each of another kind: what the project is, what asks to be done, then what can always be."""
    if not seen.files:
        return list(_empty(seen))
    seen = msgspec.structs.replace(
        seen,
        entries=_inert(seen.entries),
        changed_files=_inert(seen.changed_files),
        failed=_inert(seen.failed),
    )
    return [_explain(seen), *_to_do(seen), *_always(seen)][:MOST]


def _inert(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those that are nothing but names. A repository chooses them: what could be read as an order is not repeated."""
    return tuple(each for each in names if _NAME.fullmatch(each))


def _explain(seen: Seen) -> Suggested:
    begin = _listed(seen.entries[:_NAMED])
    where = f" Begin with {begin}." if begin else ""
    spoken = f" in {seen.languages[0]}" if seen.languages else ""
    return Suggested(
        "explain",
        f"Explain {seen.name}",
        f"Explain this project to somebody who is new to it: what it does, how its parts work together, and where to"
        f" look first.{where}",
        f"{seen.files:,} {'file' if seen.files == 1 else 'files'}{', mostly' if spoken else ''}{spoken}",
    )


def _to_do(seen: Seen) -> Iterator[Suggested]:
    if seen.under_way:
        yield Suggested(
            "under_way",
            f"Finish the {seen.under_way}",
            f"A {seen.under_way} is under way in this repository. Look at what is left to do, explain each conflict,"
            " and propose how to finish it.",
            f"git says so{f', on {seen.branch}' if seen.branch else ''}",
        )
    if seen.failed:
        yield _failed(seen)
    if seen.changed:
        yield _changes(seen)
    if seen.test_command and not seen.failed:
        yield Suggested(
            "tests",
            "Run the tests",
            f"Run the tests with `{seen.test_command}`. If something fails, find out why and mend the cause; if all is"
            " well, name the part that they cover least.",
            f"{seen.test_files:,} test {'file' if seen.test_files == 1 else 'files'}, {seen.test_command}",
        )
    yield from _papers(seen)
    if seen.languages and not seen.test_files and seen.entries:
        yield Suggested(
            "tests",
            "Write the first test",
            f"There are no tests here yet. Write the first ones, for `{seen.entries[0]}`, and say how to run them.",
            "no file here looks like a test",
        )


def _failed(seen: Seen) -> Suggested:
    first = seen.failed[0]
    more = f" and {len(seen.failed) - 1} more" if len(seen.failed) > 1 else ""
    return Suggested(
        "failed",
        f"Mend {first.rpartition('::')[2] or first}",
        f"`{first}`{more} failed in the last run. Find out why, mend the cause, and run it again.",
        f"{len(seen.failed)} failed when the tests last ran",
    )


def _changes(seen: Seen) -> Suggested:
    files = "file" if seen.changed == 1 else "files"
    named = _listed(seen.changed_files[:_NAMED])
    rest = seen.changed - len(seen.changed_files[:_NAMED])
    which = f" ({named}{f' and {rest} more' if rest else ''})" if named else ""
    return Suggested(
        "changes",
        f"Look at {seen.changed} changed {files}",
        f"Look at what I have changed and not committed yet{which}: say what it does, what could break, and propose a"
        " commit message.",
        f"{seen.changed} uncommitted {files}{f' on {seen.branch}' if seen.branch else ''}",
    )


def _papers(seen: Seen) -> Iterator[Suggested]:
    run = f", and how to run the tests (`{seen.test_command}`)" if seen.test_command else ""
    if seen.readme is None:
        source = _listed(seen.manifests[:1]) or _listed(seen.entries[:1])
        yield Suggested(
            "readme",
            "Write a README",
            f"Write a README.md for this project: what it is, how to set it up{run}."
            f"{f' Take the facts from {source} and the code.' if source else ''}",
            "there is none yet",
        )
    elif seen.test_command and not _ABOUT_TESTS.search(seen.readme):
        yield Suggested(
            "readme",
            "Add tests to the README",
            f"The README says nothing of tests. Add a short section on how to run them (`{seen.test_command}`), in its"
            " own style.",
            "README without a word on tests",
        )


def _always(seen: Seen) -> Iterator[Suggested]:
    if seen.languages and seen.entries:
        yield Suggested(
            "review",
            "Find what could break",
            f"Read `{seen.entries[0]}` and what it leads to as a critical reviewer: name the three places that are most"
            " likely to break, with file and line, and propose how to mend each. Change nothing yet.",
            seen.entries[0],
        )
    yield Suggested(
        "next",
        "Propose what comes next",
        "Look at what is here and propose three next steps, the smallest first; say of each what it would change, and"
        " change nothing yet.",
        "what is here now",
    )
    yield Suggested(
        "review",
        "Tidy up",
        "Look for what is out of place here: files that nobody needs, names that mislead, things that are there twice."
        " List them, and change nothing yet.",
        "what is here now",
    )


def _empty(seen: Seen) -> Iterator[Suggested]:
    about = "the folder is empty"
    for title, text in (
        (
            "Plan something new",
            "I want to begin something new here. Ask me what it should be, and then plan it.",
        ),
        (
            "A small web page",
            "Make a single web page here, in one file without dependencies, about the word bottega.",
        ),
        (
            "A program with a test",
            "Begin a small command line program here that counts the words of a file, with a test, and run the test.",
        ),
    ):
        yield Suggested("begin", title, text, about)


def _listed(paths: tuple[str, ...]) -> str:
    named = [f"`{path}`" for path in paths]
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
