"""The state of a workspace's git, without running anything that the repository could have put into its config.

git is asked about a repository of our own making: an empty folder with plain settings that borrows the objects and a
copy of the index. Hooks, filters, monitors and includes of the real one are never seen; and as an onlooker git can
neither write nor start a program, nor read anything outside the workspace.
"""

import asyncio
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from bottega.tools.project.git_config import GitConfig, parsed
from bottega.tools.project.opened import text, whole
from bottega.tools.searching.ignore_files import NAMES, look_at
from bottega.workspaces.confine import Linked, Missing, Root
from bottega.workspaces.onlooker import Look, Seen, look

_SECONDS = 5.0
_INDEX_MAX = 64 * 1024 * 1024
_OUTPUT_MAX = 1024 * 1024
SHOWN = 50
_PROGRAMS = "/usr/bin:/usr/local/bin:/bin:/opt/homebrew/bin"
_COPIED = ("HEAD", "index", "packed-refs", "shallow", "info/exclude")
_REF = re.compile(r"refs/[\w./@+-]+")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_OPERATIONS = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}
_STATUS = (
    *("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/nowhere"),
    *("status", "--porcelain=v2", "--branch", "-z", "--no-renames"),
    *("--untracked-files=normal", "--ignore-submodules=all"),
)


class Repository(msgspec.Struct, frozen=True):
    """What its files say."""

    branch: str
    """Empty: no branch is checked out."""
    ref: str
    commit: str
    config: GitConfig


async def state(root: Root) -> dict[str, Any] | None:
    """Branch, upstream and changes; None where the workspace is no repository."""
    try:
        kind = root.stat(".git", follow=False).st_mode
    except Missing:
        return None
    except Linked:
        kind = 0
    if not stat.S_ISDIR(kind):
        return {"note": "The repository itself lies outside this folder; its state is not known."}
    found = await asyncio.to_thread(repository, root)
    return _known(root, found) | await _status(root, found)


def _known(root: Root, found: Repository) -> dict[str, Any]:
    told: dict[str, Any] = {"branch": found.branch or None, "commit": found.commit[:12] or None}
    if remotes := found.config.remotes():
        told["remotes"] = remotes
    inside = {entry.name for entry in root.list(".git", follow=False).entries}
    if under_way := [word for name, word in _OPERATIONS.items() if name in inside]:
        told["under_way"] = under_way[0]
    return told


def repository(root: Root) -> Repository:
    head = text(root, ".git/HEAD", 4096).strip()
    ref = head.removeprefix("ref:").strip() if head.startswith("ref:") else ""
    if not _REF.fullmatch(ref) or ".." in ref:
        ref = ""
    commit = head if _COMMIT.fullmatch(head) else _commit(root, ref) if ref else ""
    config = parsed(text(root, ".git/config", 256 * 1024))
    return Repository(ref.removeprefix("refs/heads/"), ref, commit, config)


def _commit(root: Root, ref: str) -> str:
    loose = text(root, f".git/{ref}", 4096).strip()
    if _COMMIT.fullmatch(loose):
        return loose
    packed = text(root, ".git/packed-refs", 16 * 1024 * 1024)
    found = re.search(rf"^([0-9a-f]{{40,64}}) {re.escape(ref)}$", packed, re.MULTILINE)
    return found[1] if found else ""


async def _status(root: Root, found: Repository) -> dict[str, Any]:
    program = shutil.which("git", path=_PROGRAMS)
    if program is None:
        return {"note": "git is not installed here; what has changed is not known."}
    with tempfile.TemporaryDirectory(prefix="bottega-git-") as made:
        await asyncio.to_thread(_fill, root, found, Path(made))
        output = bytearray()

        def take(piece: bytes) -> bool:
            output.extend(piece)
            return len(output) < _OUTPUT_MAX

        seen = await _asked(root, program, made, take)
    if seen.stuck:
        return {
            "note": f"What has changed is not known: {seen.stuck!r} is no file that git could read."
        }
    if seen.code and not seen.enough:
        words = "took too long" if seen.late else seen.errors.strip().splitlines()[-1:]
        return {"note": f"What has changed is not known: git {''.join(words) or 'failed'}."}
    return _told(bytes(output))


async def _asked(root: Root, program: str, made: str, take: Callable[[bytes], bool]) -> Seen:
    ours, folder = os.open(made, os.O_RDONLY | os.O_DIRECTORY), root.open_folder(".")
    environment = {
        "GIT_DIR": made,
        "GIT_WORK_TREE": ".",
        "GIT_OBJECT_DIRECTORY": ".git/objects",
        "GIT_INDEX_FILE": f"{made}/index",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": f"{made}/none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": made,
        "LC_ALL": "C",
    }
    try:
        asked = Look((program, *_STATUS), folder, (folder, ours), (), environment, _SECONDS)
        return await look(asked, take, lambda: look_at(root, names=(*NAMES, ".gitattributes")).odd)
    finally:
        os.close(ours)
        os.close(folder)


def _fill(root: Root, found: Repository, place: Path) -> None:
    for name in ("refs/heads", "info"):
        (place / name).mkdir(parents=True)
    for name in _COPIED:
        body = whole(root, f".git/{name}", _INDEX_MAX)
        if body is not None:
            (place / name).write_bytes(body)
            # git tells by the index's own time whether a file may have changed right after it was written.
            at = root.stat(f".git/{name}").st_mtime_ns
            os.utime(place / name, ns=(at, at))
    (place / "none").touch()
    (place / "config").write_text(found.config.safe(found.branch))
    remote, merge = found.config.upstream(found.branch)
    theirs = f"refs/remotes/{remote}/{merge.removeprefix('refs/heads/')}"
    for ref in (found.ref, theirs):
        if _REF.fullmatch(ref) and ".." not in ref and (commit := _commit(root, ref)):
            (place / ref).parent.mkdir(parents=True, exist_ok=True)
            (place / ref).write_text(f"{commit}\n")


def _told(output: bytes) -> dict[str, Any]:
    told: dict[str, Any] = {}
    counts = {"staged": 0, "modified": 0, "untracked": 0, "conflicted": 0}
    files: list[str] = []
    for record in output.decode(errors="surrogateescape").split("\0"):
        kind, _, rest = record.partition(" ")
        if kind == "#":
            _branch(rest, told)
        elif kind in ("1", "u", "?"):
            mark = rest[:2] if kind != "?" else "??"
            _count(kind, mark, counts)
            files.append(f"{mark} {rest.split(' ', {'1': 7, 'u': 9, '?': 0}[kind])[-1]}")
    told["changes"] = {name: count for name, count in counts.items() if count}
    if files:
        told["files"] = files[:SHOWN]
    return told


def _count(kind: str, mark: str, counts: dict[str, int]) -> None:
    if kind == "?":
        counts["untracked"] += 1
    elif kind == "u":
        counts["conflicted"] += 1
    else:
        counts["staged"] += mark[0] != "."
        counts["modified"] += mark[1] != "."


def _branch(line: str, told: dict[str, Any]) -> None:
    key, _, value = line.partition(" ")
    if key == "branch.upstream":
        told["upstream"] = value
    elif key == "branch.ab":
        ahead, behind = value.split()
        told["ahead"], told["behind"] = int(ahead), -int(behind)
