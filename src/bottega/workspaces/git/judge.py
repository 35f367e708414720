"""What is to become of a file that git could be misled by, given how it was before: it stays, is put right, or goes."""

import os
import re
import stat
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Literal, NamedTuple

from bottega.workspaces.confine import Root
from bottega.workspaces.git import config
from bottega.workspaces.git.baseline import Kept
from bottega.workspaces.git.contents import mercurial, references, replacements, shallow, state
from bottega.workspaces.git.files import File
from bottega.workspaces.git.leading import (
    Leading,
    is_of_worktree,
    leads,
    resolved,
    said_by_commondir,
)
from bottega.workspaces.git.sensitive import OURS, Kind

HOOK = "a hook that git would run"
_EXEC = re.compile(rb"[ \t]*(exec|x)([ \t\r]|$)")


class Verdict(NamedTuple):
    why: str
    """Empty: nothing that needs to be told."""
    content: bytes | None
    """What it is to hold; None: it goes."""
    mode: int = 0o644
    apart: bool = False
    """It becomes a copy of its own, and its other names stay; whatever `content` says."""
    problem: str = ""
    """Why it cannot be put right."""


def judge(  # noqa: C901, PLR0911, PLR0912 - one a kind
    root: Root,
    path: str,
    kind: Kind,
    file: File,
    among: Mapping[str, Kept],
    repositories: Collection[str],
) -> Verdict | None:
    """None: it may stay as it is; `among` is what there was before, of all paths."""
    kept = among.get(path)
    if kept is not None and (kept.is_still(file) or kept.was_out_of_reach(file)):
        return None
    before = _plain(kept)
    if kind == "link" or not file.is_file:
        return _back(before, _ODD.format(kind="link" if file.is_link else "special file"))
    match kind:
        case "config":
            return _config(file, before)
        case "todo":
            return _todo(file, before)
        case "state":
            return _state(path, file, before)
        case "pointer" | "commondir" | "alternates":
            return _leading(root, path, kind, file, before, repositories)
        case "settings" | "store" if _runs_nothing(root, path, kind, file, kept):
            return None
        case "replacement" if path.rpartition("/")[2] == replacements.PACKED:
            return _packed(root, path, file, among)
        case "replacement" if _was_replaced(path, file, among):
            return None
        case "shallow":
            return _shallow(root, path, file, before)
        case "reference" if references.is_harmless(file.content):
            return None
        case "table":
            return Verdict("", None)  # git makes it anew
        case "resolution" if "postimage" not in os.path.basename(path):
            return Verdict("", before.content if before else None, file.mode)
        case "back" if _is_back(root, path, file):
            return None
        case "project" if kept is not None and kept.guarded:
            return None  # a person's editor has replaced it; it may say nothing that does harm
        case _:
            return _back(before, _WHY[kind])


def judge_odd(path: str, file: File, kept: Kept | None) -> Verdict | None:
    """Of a link, a special file or a file with several names in a repository: git would write elsewhere."""
    if file.is_file:
        is_old = kept is not None and (kept.inode, kept.device) == (file.inode, file.device)
        return None if is_old or file.names < 2 else Verdict(_SHARED, None, apart=True)
    if kept is not None and kept.is_still(file):
        return None
    if not file.is_link:
        is_old = kept is not None and (kept.mode, kept.inode) == (file.mode, file.inode)
        return None if is_old else Verdict(_ODD.format(kind="special file"), None)
    said = _BRANCH.fullmatch(file.content or b"") if path.rpartition("/")[2] == "HEAD" else None
    return Verdict(_ODD.format(kind="link"), b"ref: %s\n" % said[0] if said else None)


_BRANCH = re.compile(rb"refs/heads/[\w-][\w./-]*")
"""What a `HEAD` of the oldest kind, a link, says."""
_SHARED = "a second name of another file, to which git would write"
_ODD = "a {kind} that leads git elsewhere"
_STASH = "a stash that git applies by itself (`git stash store {}` puts it among the others)"
_WHY = {
    "hook": HOOK,
    "state": "the state of an operation that names what git would run",
    "replacement": "a reference that makes git take one object for another",
    "reference": "a reference that makes git write elsewhere than to references",
    "resolution": "a resolution of a conflict that git would take by itself",
    "grafts": "lines that give commits other parents",
    "shallow": "lines that hide the history of commits",
    "back": "a file that leads git to a work tree elsewhere",
    "remote": "an address that git would use",
    "settings": "settings of Mercurial or Jujutsu that can run programs",
    "store": "a file that leads Mercurial or Jujutsu to a repository elsewhere",
    "index": "an index that makes git overwrite its own files, or that could be read in two ways",
    "project": f"a {OURS} that Bottega would read",
}


def put_back(kept: Kept | None, why: str) -> Verdict:
    """As it was before, whatever it is."""
    return _back(_plain(kept), why)


def _plain(kept: Kept | None) -> Kept | None:
    """A file that can be put back; where a link led to is judged by itself."""
    if kept is None or kept.content is None or stat.S_ISLNK(kept.mode):
        return None
    return kept


def _back(before: Kept | None, why: str) -> Verdict:
    if before is None:
        return Verdict(why, None)
    return Verdict(why, before.content, before.mode)


def _runs_nothing(
    root: Root, path: str, kind: Literal["settings", "store"], file: File, kept: Kept | None
) -> bool:
    """Of Mercurial and Jujutsu: a new clone's settings, or what leads to a folder whose settings are looked at too."""
    if path.endswith(".hg/histedit-state"):
        return mercurial.is_harmless_state(file.content)
    if path.endswith(".backupfiles"):
        return mercurial.is_harmless_list(file.content)
    if kind == "settings":
        return kept is None and path.endswith(".hg/hgrc") and mercurial.is_harmless(file.content)
    ends = "/.hg" if path.endswith("/sharedpath") else "/.jj/repo"
    places = leads(root, path, kind, file.content) if file.content is not None else [".."]
    return all(f"/{each}".endswith(ends) for each in places)


def _state(path: str, file: File, before: Kept | None) -> Verdict | None:
    if state.is_harmless(path, file.content):
        return None
    if stash := state.stash(path, file.content):
        return _back(before, _STASH.format(stash))
    if state.is_plain_record(path, file.content):
        return Verdict("", (before.content if before else None) or b"", file.mode)
    return _back(before, _WHY["state"])


def _shallow(root: Root, path: str, file: File, before: Kept | None) -> Verdict | None:
    was = (before.content if before else None) or b""
    try:
        fresh = shallow.ends(root, path, file.content or b"", was)
    except ValueError:
        fresh = was
    if file.content is not None and set(fresh.split()) == set(file.content.split()):
        return None
    return Verdict(_WHY["shallow"], fresh or None, file.mode)


def _is_back(root: Root, path: str, file: File) -> bool:
    """Whether it says where a work tree in this folder is."""
    said = said_by_commondir(file.content or b"")
    return said.endswith(b"/.git") and resolved(root, os.path.dirname(path), said) != ".."


def _was_replaced(path: str, file: File, among: Mapping[str, Kept]) -> bool:
    """Whether it is what stood in a table before."""
    prefix, _, name = path.rpartition("refs/replace/")
    said = replacements.line_of(f"refs/replace/{name}", file.content or b"")
    with suppress(ValueError):
        return said in _replacements(prefix, among)
    return False


def _replacements(prefix: str, among: Mapping[str, Kept]) -> set[bytes]:
    """Those of a repository that there were before, in its table or as files: git moves them."""
    packed = among.get(f"{prefix}{replacements.PACKED}")
    if packed is not None and packed.content is None:
        raise ValueError("it was too large to know what it held before")
    known = replacements.lines(packed.content or b"") if packed else set[bytes]()
    return known | {
        replacements.line_of(path.removeprefix(prefix), kept.content or b"")
        for path, kept in among.items()
        if kept.kind == "replacement" and path.startswith(f"{prefix}refs/")
    }


def _packed(root: Root, path: str, file: File, among: Mapping[str, Kept]) -> Verdict | None:
    try:
        known = _replacements(path.removesuffix(replacements.PACKED), among)
        fresh = replacements.without_new(root, path, known)
    except ValueError as problem:
        return Verdict(_WHY["replacement"], None, problem=str(problem))
    return None if fresh is None else Verdict(_WHY["replacement"], fresh, file.mode)


def _config(file: File, before: Kept | None) -> Verdict | None:
    raw = file.content if file.content is not None else b"["
    kept = config.entries(before.content or b"") if before else None
    fresh, gone = config.cleaned(raw, tuple(kept or ()))
    if fresh is None:
        return None
    if not gone:
        return Verdict("", fresh, file.mode)
    why = f"settings that can run programs ({', '.join(gone[:5])}{' …' if len(gone) > 5 else ''})"
    if before is not None:
        return Verdict(why, _with_harmless(before.content or b"", kept or [], fresh), before.mode)
    return Verdict(why, fresh, 0o644)


def _with_harmless(before: bytes, kept: list[config.Entry], fresh: bytes) -> bytes:
    """The settings that there were, with new ones that run nothing: a person may have made these meanwhile."""
    more = [each for each in config.entries(fresh) or () if each not in kept]
    whole = before + (b"" if before.endswith(b"\n") else b"\n") + config.written(more)
    is_plain = more and config.entries(whole) == [*kept, *more]
    return whole if is_plain and config.cleaned(whole, tuple(kept)) == (None, ()) else before


def _todo(file: File, before: Kept | None) -> Verdict | None:
    raw = file.content if file.content is not None else b"exec"
    known = set((before.content or b"").split(b"\n")) if before else set[bytes]()
    lines = raw.split(b"\n")
    good = [line for line in lines if line in known or not _EXEC.match(line)]
    if len(good) == len(lines):
        return None
    return Verdict("steps of a rebase that run programs", b"\n".join(good), file.mode)


def _leading(
    root: Root,
    path: str,
    kind: Leading,
    file: File,
    before: Kept | None,
    repositories: Collection[str],
) -> Verdict | None:
    places = leads(root, path, kind, file.content) if file.content is not None else [".."]
    known = {os.path.join(each, "objects").lstrip("/") for each in repositories}
    fine = known if kind == "alternates" else repositories
    is_odd = kind == "commondir" and not is_of_worktree(path, *places)
    if places and all(each in fine for each in places) and not is_odd:
        return None
    return _back(before, "a file that leads git to a repository elsewhere")
