"""Which files of a workspace could make git run a program, or make it look for its settings elsewhere."""

import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Literal

import msgspec

from bottega.errors import Problem
from bottega.workspaces.confine import Root
from bottega.workspaces.git import config, files, leading, outside
from bottega.workspaces.git.contents import index, references, replacements, state
from bottega.workspaces.git.files import File, glance, look, names
from bottega.workspaces.git.scan import Found

Kind = Literal[
    "config",
    "hook",
    "pointer",
    "commondir",
    "remote",
    "todo",
    "state",
    "alternates",
    "replacement",
    "reference",
    "table",
    "resolution",
    "grafts",
    "shallow",
    "back",
    "link",
    "project",
    "settings",
    "store",
    "index",
    "odd",
]

OURS = ".bottega.toml"
HOOKS = (
    *("applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit"),
    *("prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout"),
    *("post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive"),
    *("post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite"),
    *("sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist"),
    *("p4-post-changelist", "p4-pre-submit", "post-index-change"),
)
_SAMPLE = ".sample"
_READ = 10_000
"""Files of settings that others include, and that are read in one look."""
_LONGEST = 60.0
"""Seconds in which settings are followed in one look."""
Said = Callable[[str, File], bytes | None]
"""What a file of settings in the workspace says that may stay."""


class Settings(msgspec.Struct, frozen=True):
    """One file of settings that git reads, and from where its paths count."""

    entries: tuple[config.Entry, ...]
    place: str
    """The folder of the file, absolute."""
    tops: tuple[str, ...]
    """The folders in which its hooks would run, absolute."""


Read = set[tuple[str, tuple[str, ...]]]
"""Files of settings that were read already, with the folders for which they were."""


class Targets(msgspec.Struct):
    """Where settings lead to inside the workspace, there or not; relative to it."""

    includes: set[str] = msgspec.field(default_factory=set[str])
    hooks: set[str] = msgspec.field(default_factory=set[str])
    """Folders of them."""
    programs: set[str] = msgspec.field(default_factory=set[str])
    """Files of the project that a filter, an alias and the like name."""

    def joined(
        self, includes: Iterable[str], hooks: Iterable[str], programs: Iterable[str]
    ) -> "Targets":
        """With these as well."""
        return Targets(
            self.includes.union(includes), self.hooks.union(hooks), self.programs.union(programs)
        )


def of_repositories(
    root: Root, found: Found, failed: dict[str, Exception] | None = None
) -> dict[str, Kind]:
    """What is there of all that repositories are made of and could do harm.

    If a dict is given, it gets the repositories of which a part cannot be listed: the rest is looked at all the same.
    """
    there: dict[str, Kind] = {}
    for repository in sorted(found.repositories):
        for problem in _of_one(root, repository, there):
            if failed is None:
                raise problem
            failed[repository] = problem
    for other in found.others:
        for name, kind in OTHERS[other[-3:].lower()].items():
            _add(root, f"{other}/{name}", kind, there)
    for path in found.pointers:
        there[path] = "pointer"
    for path in found.links:
        there[path] = "link"
    for path in found.odd:
        there.setdefault(path, "odd")
    _add(root, OURS, "project", there)
    return there


def _of_one(root: Root, repository: str, there: "There") -> Iterator[Exception]:
    """What keeps one of its parts from being listed."""
    for part in _PARTS:
        try:
            part(root, f"{repository}/" if repository else "", there)
        except Exception as problem:
            if isinstance(problem, files.Crowded):
                problem.repository = repository
            yield problem


There = dict[str, Kind]
MANY = "multi-pack-index"


def _known(root: Root, prefix: str, there: There) -> None:
    for name, kind in _FILES.items():
        _add(root, prefix + name, kind, there)


def _remotes(root: Root, prefix: str, there: There) -> None:
    for name in ("remotes", "branches"):
        _folder(root, prefix + name, "remote", there)


def _replacements(root: Root, prefix: str, there: There) -> None:
    for path in replacements.paths(root, prefix):
        _add(root, path, "replacement", there)


def _references(root: Root, prefix: str, there: There) -> None:
    for path, is_usual in references.symbolic(root, prefix):
        there.setdefault(path, "reference" if is_usual else "state")


def _resolutions(root: Root, prefix: str, there: There) -> None:
    for path in files.beneath(root, f"{prefix}rr-cache"):
        there[path] = "resolution"


def _worktrees(root: Root, prefix: str, there: There) -> None:
    for name in names(root, f"{prefix}worktrees") or ():
        _add(root, f"{prefix}worktrees/{name}/gitdir", "back", there)


def _indexes(root: Root, prefix: str, there: There) -> None:
    there |= dict.fromkeys(index.misleading(root, prefix.rstrip("/")), "index")


OTHERS: dict[str, dict[str, Kind]] = {
    ".hg": {
        "hgrc": "settings",
        "hgrc-not-shared": "settings",
        "sharedpath": "store",
        "histedit-state": "settings",
        "store": "store",
        "store/journal.backupfiles": "settings",
        "store/undo.backupfiles": "settings",
    },
    ".jj": {
        "repo": "store",
        "repo/config.toml": "settings",
        "workspace-config.toml": "settings",
        "repo/workspace-config.toml": "settings",
    },
}
"""Of Mercurial and Jujutsu: settings, which may run programs, files that say where a repository is, and lists of files
that `hg recover` and `hg rollback` put in place."""
_FILES: dict[str, Kind] = {
    "config": "config",
    "config.worktree": "config",
    "commondir": "commondir",
    "objects/info/alternates": "alternates",
    "info/grafts": "grafts",
    "shallow": "shallow",
}


def _add(root: Root, path: str, kind: Kind, there: There) -> None:
    seen = glance(root, path)
    if seen is None or seen.is_folder:
        return
    there[path] = kind
    if seen.is_link and (target := _inside(root, path)):
        there.setdefault(target, kind)


def _inside(root: Root, path: str) -> str:
    """Where a link leads to, if that is in the workspace."""
    try:
        found = root.canonical(path)
    except Problem:
        return ""
    return found if found not in (path, ".") else ""


def _hooks(root: Root, prefix: str, there: There) -> None:
    folder = f"{prefix}hooks"
    seen = glance(root, folder)
    if seen is None:
        return
    if seen.is_link:
        there[folder] = "link"
        folder = _inside(root, folder)
        if not folder:
            return
    listed = names(root, folder)
    for name in HOOKS if listed is None else listed:
        if not name.endswith(_SAMPLE):
            _add(root, f"{folder}/{name}", "hook", there)


def _folder(root: Root, folder: str, kind: Kind, there: There) -> None:
    seen = glance(root, folder)
    if seen is not None and seen.is_link:
        there[folder] = "link"
    for name in names(root, folder) or ():
        _add(root, f"{folder}/{name}", kind, there)


def _tables(root: Root, prefix: str, there: There) -> None:
    """What says again, for the sake of speed alone, what objects say: git believes it."""
    graph = f"{prefix}objects/info/commit-graph"
    if glance(root, graph) is not None:
        there[graph] = "table"
    there |= dict.fromkeys(files.beneath(root, f"{graph}s"), "table")
    folder = f"{prefix}objects/pack"
    there |= dict.fromkeys(files.beneath(root, f"{folder}/{MANY}.d"), "table")
    count = 0
    for path in files.walked(root, folder, deep=False):
        if is_table(path[len(folder) + 1 :]):
            there[path] = "table"
            files.refuse_crowd(folder, count := count + 1)


def is_table(name: str) -> bool:
    """Whether a file beside packs is such a one."""
    return name.startswith(MANY) or name.endswith((".bitmap", ".rev"))


def _state(root: Root, prefix: str, there: There) -> None:
    """Of operations that are under way."""
    for name in state.TOP:
        _add(root, prefix + name, "state", there)
    for folder in state.FOLDERS:
        seen = glance(root, prefix + folder)
        if seen is not None and not seen.is_folder:
            there[prefix + folder] = "link"
        if seen is None or not seen.is_folder:
            continue
        listed = names(root, prefix + folder)
        for name in state.KNOWN[folder] if listed is None else listed:
            kind: Kind = "todo" if name in state.TODO else "state"
            _add(root, f"{prefix}{folder}/{name}", kind, there)


_PARTS = (
    *(_known, _hooks, _remotes, _state, _replacements, _references, _tables, _resolutions),
    *(_worktrees, _indexes),
)


def under_way(root: Root, found: Found) -> dict[str, str]:
    """What says that an operation is under way, and which one that is."""
    prefixes = (f"{each}/" if each else "" for each in sorted(found.repositories))
    return {
        prefix + name: what
        for prefix in prefixes
        for name, what in state.UNDER_WAY.items()
        if glance(root, prefix + name) is not None
    }


def of_targets(root: Root, targets: Targets) -> dict[str, Kind]:
    """What is there of all that settings lead to."""
    there: dict[str, Kind] = {}
    for path in sorted(targets.includes | targets.hooks | targets.programs):
        _links(root, path, there)
    for path in targets.programs:
        _add(root, path, "hook", there)
    for path in targets.includes:
        _add(root, path, "config", there)
    for folder in targets.hooks:
        prefix = "" if folder == "." else f"{folder}/"
        for name in HOOKS:
            _add(root, prefix + name, "hook", there)
        if folder.rpartition("/")[2] == "_":  # husky: these run the files of the same name above
            above = folder.rpartition("/")[0]
            for name in HOOKS:
                _add(root, f"{above}/{name}" if above else name, "hook", there)
    return there


def _links(root: Root, path: str, there: There) -> None:
    """A link on the way to a target."""
    steps = path.split("/")
    for depth in range(1, len(steps) + 1):
        at = "/".join(steps[:depth])
        seen = None if at == "." else glance(root, at)
        if seen is not None and seen.is_link:
            there[at] = "link"


def _content(_: str, file: File) -> bytes | None:
    return file.content


def targets(
    root: Root, found: Found, only: Collection[str] | None = None, said: Said = _content
) -> Targets:
    """Where the settings of all repositories lead to, as they are now; of those here, perhaps `only` of some.

    Every include is followed, whatever its condition, outside of the workspace as well: it may lead back in. What is
    too much to be followed is noted in what was `found`, which is not whole then.
    """
    gathered, read = Targets(), Read()
    by_repository = leading.tops(root, found)
    left = deque(_of_repositories(root, by_repository, only, said))
    tops = tuple(sorted({root.path}.union(*by_repository.values())))
    deadline = time.monotonic() + _LONGEST
    for path in reversed(outside.files(_owner(root))):
        left.extendleft(_followed(root, os.path.dirname(path), path, tops, gathered, read, said))
    while left:
        settings = left.popleft()
        for entry in settings.entries:
            if len(read) > _READ or time.monotonic() > deadline:
                found.whole = False
                return gathered
            left.extend(_follow_setting(root, settings, entry, gathered, read, said))
    return gathered


def _follow_setting(
    root: Root,
    settings: Settings,
    entry: config.Entry,
    gathered: Targets,
    read: Read,
    said: Said,
) -> Iterator[Settings]:
    """Note where one setting leads to; what further settings it names."""
    key, value = entry
    gathered.programs.update(_programs(root, settings.tops, entry))
    if key == "core.hookspath":
        for top in (*settings.tops, settings.place):
            gathered.hooks.update(_reached(root, top, value or ""))
    elif key == "init.templatedir":
        yield from _template(root, settings, value or "", gathered, read, said)
    elif key.partition(".")[0] in ("include", "includeif") and key.endswith(".path"):
        yield from _followed(root, settings.place, value or "", settings.tops, gathered, read, said)


def _template(
    root: Root, settings: Settings, value: str, gathered: Targets, read: Read, said: Said
) -> Iterator[Settings]:
    """What every new repository gets a copy of: hooks, and settings."""
    for top in dict.fromkeys((*settings.tops, settings.place)):
        for place in _reached(root, top, value):
            folder = os.path.normpath(os.path.join(root.path, place))
            gathered.hooks.update(_reached(root, folder, "hooks"))
            for name in ("config", "config.worktree"):
                yield from _followed(root, folder, name, settings.tops, gathered, read, said)


def _followed(
    root: Root,
    base: str,
    value: str,
    tops: tuple[str, ...],
    gathered: Targets,
    read: Read,
    said: Said,
) -> Iterator[Settings]:
    """What a file of settings says, wherever it is; noted if it is in the workspace."""
    for path in outside.paths(base, value, _owner(root)):
        if (path, tops) in read:
            continue
        read.add((path, tops))
        if inside := _relative(root, path):
            gathered.includes.add(inside)
        yield from _settings(root, path, tops, said)


def _owner(root: Root) -> int:
    return os.fstat(root.fileno()).st_uid


def _relative(root: Root, path: str) -> str:
    """A path as seen from the workspace; empty: it is outside."""
    if path != root.path and not path.startswith(root.path.rstrip("/") + "/"):
        return ""
    try:
        return root.relative(path)
    except (Problem, ValueError):
        return ""


def _reached(root: Root, base: str, value: str) -> Iterator[str]:
    """Where a path of a setting leads to in the workspace."""
    for path in outside.paths(base, value, _owner(root)):
        if inside := _relative(root, path):
            yield inside


def _programs(root: Root, tops: Iterable[str], entry: config.Entry) -> Iterator[str]:
    """The files of the workspace that a setting may run: those that it can only mean, and those that are there."""
    certain, possible = set(config.programs(entry)), set(config.mentioned(entry))
    for top in tops:
        for program in certain:
            yield from _reached(root, top, program)
        for word in possible - certain:
            if os.path.isfile(os.path.join(top, word)):
                yield from _reached(root, top, word)


def _settings(root: Root, path: str, tops: tuple[str, ...], said: Said) -> Iterator[Settings]:
    """What a file of settings says, wherever it is. Git takes what it includes from where its name leads to."""
    real = os.path.realpath(path)
    if inside := _relative(root, real):
        seen = look(root, inside)
        raw = said(inside, seen) if seen is not None and seen.is_file else None
    else:
        raw = outside.raw(real)
    if raw and (entries := config.entries(raw)):
        for place in {os.path.dirname(path), os.path.dirname(real)}:
            yield Settings(tuple(entries), place, tops)


def _of_repositories(
    root: Root, gathered: leading.Tops, only: Collection[str] | None, said: Said
) -> Iterator[Settings]:
    for place, works in gathered.items():
        inside = _relative(root, place)
        if only is None or not inside or ("" if inside == "." else inside) in only:
            for name in ("config", "config.worktree"):
                yield from _settings(root, os.path.join(place, name), tuple(sorted(works)), said)


def is_of_repository(hook: str, found: Found) -> bool:
    """Whether it lies where git looks for hooks if no settings say otherwise."""
    folder, _, name = os.path.dirname(hook).rpartition("/")
    return name == "hooks" and folder in found.repositories
