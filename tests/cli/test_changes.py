"""`bottega changes` and `bottega revert`: a session's work is shown, undone and made again."""

import asyncio
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.events import facts as f
from bottega.messages.block import Text
from bottega.projects.folders import Folders
from bottega.runtime import MIGRATIONS
from bottega.sessions.attach import Attachments
from bottega.sessions.session import HOST, Sessions
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import Home
from bottega.workspaces.changes.kept import blobs_of
from tests.cli.conftest import Call, one_sentence
from tests.cli.terminal import Terminal
from tests.events.logs import log, prompt
from tests.sessions import stored

Step = dict[str, tuple[bytes | None, bytes | None]]
Session = Callable[..., str]


@pytest.fixture
def session(home: Path, work: Path) -> Session:
    """A session whose log says that it changed these files, step by step; the folder is as the last step left it."""

    def make(*steps: Step, folder: Path | None = None, write: bool = True) -> str:
        if write:
            for step in steps:
                _leave(folder or work, step)
        return asyncio.run(_told(home, folder or work, steps))

    return make


def _leave(folder: Path, step: Step) -> None:
    for path, (_, after) in step.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if after is None:
            (folder / path).unlink()
        else:
            (folder / path).write_bytes(after)


async def _told(home: Path, folder: Path, steps: tuple[Step, ...]) -> str:
    database = Database.open(Home(home), MIGRATIONS)
    try:
        blobs = Blobs(database.home.blobs)
        attachments = Attachments(database, blobs)
        project, container = await Folders(database).place(folder, HOST)
        row = await Sessions(database).create(
            model="m",
            agent="coder",
            folder=str(folder),
            project=project.n,
            container=container,
        )
        said: list[Any] = prompt("go")
        for number, step in enumerate(steps):
            writes = tuple(
                f.FileChange(
                    path,
                    "" if before is None else blobs.keep(before),
                    "" if after is None else blobs.keep(after),
                )
                for path, (before, after) in step.items()
            )
            await database.write(
                lambda connection, w=writes: attachments.add(connection, row.n, blobs_of(w))
            )
            said += [
                f.ToolIntent(f"c{number}", "write_file", "hash", ("write",), writes),
                f.ToolResultFact(f"c{number}", "write_file", (Text("done"),)),
            ]
        await stored.write(database, row, log(*said))
        return row.id
    finally:
        database.close()


WORK: tuple[Step, ...] = (
    {"a.txt": (b"one\ntwo\n", b"one\n2\n"), "new/c.txt": (None, b"x\ny\n")},
    {"a.txt": (b"one\n2\n", b"one\n2\nthree\n"), "b.py": (b"print(1)\n", None)},
)


def test_changes_are_listed_with_their_lines(bottega: Call, session: Session) -> None:
    name = session(*WORK)
    out = bottega("changes").out

    rows = [line.split() for line in out.splitlines()]
    assert rows[0] == ["M", "a.txt", "+2", "-1"]
    assert rows[1] == ["D", "b.py", "-1"]
    assert rows[2] == ["A", "new/c.txt", "+2"]
    assert out.splitlines()[3] == f"3 files, +4 -2 in session {name[-8:]}"
    assert bottega("changes", name[-8:]).out == out


def test_changes_are_told_to_programs_with_what_became_of_them(
    bottega: Call, session: Session, work: Path
) -> None:
    name = session(*WORK)
    (work / "a.txt").write_bytes(b"a person's\n")
    (work / "new" / "c.txt").unlink()
    (work / "b.py").symlink_to("/etc/passwd")
    found = json.loads(bottega("changes", name, "--json").out)

    assert [(each["path"], each["change"], each["now"]) for each in found] == [
        ("a.txt", "modified", "edited"),
        ("b.py", "deleted", "unreachable"),
        ("new/c.txt", "added", "undone"),
    ]
    assert (found[0]["added"], found[0]["removed"], found[0]["mixed"]) == (2, 1, False)
    listed = bottega("changes").out
    assert "edited since" in listed
    assert "undone since" in listed


def test_a_difference_in_a_pipe_is_a_patch_that_git_takes(
    bottega: Call, session: Session, work: Path
) -> None:
    whole = {path.name: path.read_bytes() for path in work.iterdir()}
    steps = {
        **WORK[0],
        "no end": (None, b"no newline"),
        'odd "name"\t': (None, b"\x1b[31mred\r\n"),
        "empty": (None, b""),
    }
    session(steps, WORK[1])
    patch = bottega("changes", "--diff").out

    assert "\x1b[31mred" in patch
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    done = subprocess.run(
        ["git", "apply", "-R", "-"],
        cwd=work,
        input=patch.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, (done.stderr.decode(), patch)
    assert {path.name: path.read_bytes() for path in work.iterdir() if path.is_file()} == whole


def test_a_difference_on_a_terminal_has_colours_and_no_commands(
    env: dict[str, str], session: Session, work: Path
) -> None:
    session({"a.txt": (b"one\ntwo\n", b"one\n\x1b]0;title\x07evil\x1b[2J\n")})
    terminal = Terminal(["changes", "--diff"], env, work)
    assert terminal.leave() == 0

    shown = terminal.text()
    assert "2 − two\n" in shown
    assert "2 + ⟨U+001B⟩]0;title⟨U+0007⟩evil⟨U+001B⟩[2J\n" in shown
    assert b"\x1b[31mtwo" in terminal.raw
    assert "\x1b[32m⟨U+001B⟩]0;title".encode() in terminal.raw
    assert b"\x1b]0;title" not in terminal.raw
    assert b"\x1b[2J" not in terminal.raw


def test_bytes_that_are_no_text_are_counted_as_nothing(bottega: Call, session: Session) -> None:
    session({"a.txt": (b"one\ntwo\n", b"\0\xff"), "n.bin": (None, b"\xff")})

    assert bottega("changes").out.splitlines()[0].split() == ["M", "a.txt"]
    assert "Binary files a/a.txt and b/a.txt differ" in bottega("changes", "--diff").out


def test_a_session_without_changes_and_a_folder_without_sessions_say_so(
    bottega: Call, session: Session, tmp_path: Path
) -> None:
    assert "No session has worked in" in one_sentence(bottega("changes"))
    (tmp_path / "other").mkdir()
    name = session(folder=tmp_path / "other")
    assert bottega("changes", name).out == f"Session {name[-8:]} has changed no files.\n"
    assert json.loads(bottega("changes", name, "--json").out) == []
    assert "There is no session" in one_sentence(bottega("changes", "nonesuch"))


def test_a_session_is_undone_and_made_again(bottega: Call, session: Session, work: Path) -> None:
    name = session(*WORK)
    left = {"a.txt": b"one\n2\nthree\n", "new/c.txt": b"x\ny\n"}
    done = bottega("revert", "--yes")

    assert (done.code, done.err) == (0, f"Changed 3 files (session {name[-8:]}).\n")
    assert [line.split()[:2] for line in done.out.splitlines()] == [
        ["M", "a.txt"],
        ["A", "b.py"],
        ["D", "new/c.txt"],
    ]
    assert (work / "a.txt").read_bytes() == b"one\ntwo\n"
    assert (work / "b.py").read_bytes() == b"print(1)\n"
    assert not (work / "new" / "c.txt").exists()
    assert "nothing to do" in bottega("revert", "--yes").err

    assert bottega("revert", name, "--redo", "--yes").code == 0
    assert {path: (work / path).read_bytes() for path in left} == left
    assert not (work / "b.py").exists()


def test_what_a_person_edited_since_is_left_and_the_rest_is_undone(
    bottega: Call, session: Session, work: Path
) -> None:
    session(*WORK)
    (work / "a.txt").write_bytes(b"a person's\n")
    done = bottega("revert", "--yes")

    assert done.code == 1
    assert "bottega: 'a.txt' was edited since." in done.err
    assert "Changed 2 files, left 1 as before" in done.err
    assert (work / "a.txt").read_bytes() == b"a person's\n"
    assert (work / "b.py").exists()


def test_only_the_named_paths_are_undone(
    bottega: Call, session: Session, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = session(*WORK, {"new/a.txt": (None, b"inner\n")})
    assert bottega("revert", name, "b.py", "--yes").code == 0
    assert (work / "b.py").exists()
    assert (work / "a.txt").read_bytes() == b"one\n2\nthree\n"
    monkeypatch.chdir(work / "new")
    assert bottega("revert", name, "a.txt", "--yes").code == 0
    assert not (work / "new" / "a.txt").exists()
    assert (work / "a.txt").read_bytes() == b"one\n2\nthree\n"
    monkeypatch.chdir(work)
    assert bottega("revert", "new/", "--yes").code == 0
    assert not (work / "new" / "c.txt").exists()
    told = one_sentence(bottega("revert", "other.txt", "--yes"))
    assert "neither a session nor a file that it changed" in told
    assert (work / "a.txt").read_bytes() == b"one\n2\nthree\n"


def test_work_that_is_mixed_with_somebody_elses_is_left(
    bottega: Call, session: Session, work: Path
) -> None:
    mine: Step = {"a.txt": (b"one\ntwo\n", b"mine\n")}
    more: Step = {"a.txt": (b"mine and theirs\n", b"mine, theirs and mine\n")}
    session(mine, more)
    done = bottega("revert", "--yes")

    assert done.code == 1
    assert "changed by somebody else" in done.err
    assert (work / "a.txt").read_bytes() == b"mine, theirs and mine\n"


@pytest.mark.parametrize(
    "path", [".git/hooks/pre-commit", "sub/.git/config", "../evil", "/tmp/evil"]
)
def test_a_log_that_somebody_made_up_undoes_nothing_outside_and_nothing_of_gits(
    bottega: Call, session: Session, work: Path, path: str
) -> None:
    """A log that was brought in may say anything: also that a file was removed which was never there."""
    (work / ".git" / "hooks").mkdir(parents=True)
    session({path: (b"evil", None)}, write=False)
    done = bottega("revert", "--yes")

    assert done.code == 1
    assert not (work / path).exists()
    assert not (work.parent / "evil").exists()


def test_a_link_that_was_put_in_a_files_place_is_not_followed(
    bottega: Call, session: Session, work: Path, tmp_path: Path
) -> None:
    session(*WORK)
    (tmp_path / "outside").write_bytes(b"one\n2\nthree\n")
    (work / "a.txt").unlink()
    (work / "a.txt").symlink_to(tmp_path / "outside")
    done = bottega("revert", "--yes")

    assert done.code == 1
    assert "symbolic link" in done.err
    assert (tmp_path / "outside").read_bytes() == b"one\n2\nthree\n"


def test_a_folder_that_is_gone_is_said(bottega: Call, session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    name = session({"f": (b"1", b"2")}, folder=folder)
    (folder / "f").unlink()
    folder.rmdir()

    assert "cannot be opened" in one_sentence(bottega("revert", name, "--yes"))
    assert "cannot be read now" in bottega("changes", name).out


def test_bytes_that_the_session_does_not_have_are_not_taken_from_elsewhere(
    bottega: Call, session: Session, home: Path, work: Path
) -> None:
    name = session({"a.txt": (b"one\ntwo\n", b"new\n")})
    (home / "blobs" / Blobs(home / "blobs").keep(b"one\ntwo\n")).unlink()
    done = bottega("revert", name, "--yes")

    assert done.code == 1
    assert "is not here" in done.err
    assert (work / "a.txt").read_bytes() == b"new\n"
    assert "is not here" in bottega("changes", name, "--diff").out
    assert bottega("changes", name).out.splitlines()[0].split() == ["M", "a.txt"]


def test_it_is_asked_first_on_a_terminal_and_refused_without_one(
    bottega: Call, env: dict[str, str], session: Session, work: Path
) -> None:
    session(*WORK)
    assert "--yes" in one_sentence(bottega("revert"))
    for key, code, after in (("n", 1, b"one\n2\nthree\n"), ("y", 0, b"one\ntwo\n")):
        terminal = Terminal(["revert"], env, work)
        terminal.wait_for("Do this to 3 files")
        assert "a.txt" in terminal.text()
        terminal.line(key)
        assert terminal.leave() == code
        assert (work / "a.txt").read_bytes() == after
    assert os.listdir(work / "new") == []
