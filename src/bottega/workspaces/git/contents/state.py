"""What git keeps of an operation that is under way, and takes up again at `--continue`: which of it is harmless.

A merge strategy is the name of a program, and old versions read some of these files as shell. Only names and contents
that are known to be data may be new; whatever a later git learns to read from there is taken for harmful.
"""

import re
import shlex
from collections.abc import Callable

from bottega.workspaces.git import config
from bottega.workspaces.git.contents import references

FOLDERS = ("rebase-merge", "rebase-apply", "sequencer")
TODO = ("git-rebase-todo", "todo")
TOP = (
    *("MERGE_MODE", "MERGE_RR", "MERGE_AUTOSTASH", "AUTO_MERGE", "BISECT_NAMES", "BISECT_LOG"),
    *("BISECT_TERMS", "BISECT_START", "BISECT_EXPECTED_REV", "BISECT_ANCESTORS_OK", "gc.pid"),
    *("BISECT_FIRST_PARENT", "BISECT_HEAD"),
)
"""Files of state beside these folders."""

UNDER_WAY = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "sequencer": "cherry-pick or revert",
    "BISECT_START": "bisect",
}
"""What says that an operation is under way."""

_QUOTED = rb"'[^'\0]*'(?:\\['!]'[^'\0]*')*"
"""A word as git quotes it for a shell: nothing in it is anything but text."""
_WORD = re.compile(rb"[\w-]*\n?")
_NUMBER = re.compile(rb"\d*\n?")
_HASHES = re.compile(rb"[0-9a-f\s]*")
_REF = re.compile(rb"(?!-)(?:detached HEAD|[^\x00-\x20\x7f~^:?*\[\\]*)\n?")
_HASH = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TEXT = re.compile(rb".*", re.DOTALL)
_NOTHING = re.compile(rb"\s*")
_AUTHOR = re.compile(rb"(?:GIT_AUTHOR_(?:NAME|EMAIL|DATE)=" + _QUOTED + rb"\n?)*")
_SIGN = re.compile(rb"(?:-S[\w@.<>+ =!-]*)?\n?")
_PATHS = re.compile(rb"(?: ?" + _QUOTED + rb")*\s*")
_BISECTED = re.compile(
    rb"(?:(?:#[^\n]*|status:[^\n]*"
    rb"|git bisect [\w-]+(?: (?:" + _QUOTED + rb"|[\w./^~@{}:=+-]+))* *)\n)*"
)
_STRATEGIES = frozenset({"ours", "octopus", "ort", "recursive", "resolve", "subtree"})
_OPTION = re.compile(
    r"(?:--)?(?:ours|theirs|patience|histogram|minimal|diff-algorithm=\w+|ignore-[a-z-]+"
    r"|(?:no-)?renormalize|no-renames|(?:find-renames|rename-threshold)(?:=\d+%?)?|subtree(?:=[\w/-]+)?)"
)
_APPLY = re.compile(
    r"-[Cp]\d+|--whitespace=[\w-]+|--ignore-(?:space-change|whitespace)|--reject|-q|--3way"
    r"|--(?:directory|include|exclude)=(?!.*\.\.)[^/\0-\x1f][^\0-\x1f]*"
)
_SWITCH = re.compile(r"(?:true|false|yes|no|on|off|0|1|)", re.IGNORECASE)


def _is_strategy(content: bytes) -> bool:
    return content.decode("latin-1").strip() in _STRATEGIES | {""}


def _words(allowed: re.Pattern[str]) -> Callable[[bytes], bool]:
    def fits(content: bytes) -> bool:
        if len(content) > config.LONGEST_LINE:
            return False
        try:
            words = shlex.split(content.decode())
        except ValueError:  # no text, or no closing quotation mark
            return False
        return all(allowed.fullmatch(word) for word in words)

    return fits


def _are_options(content: bytes) -> bool:
    """Of a cherry-pick: settings, but for one file only."""
    said = config.entries(content)
    return said is not None and all(_is_option(key, value or "") for key, value in said)


def _is_option(key: str, value: str) -> bool:
    section, _, name = key.partition(".")
    allowed = _SWITCH if name in _SWITCHES else _VALUES.get(name)
    return section == "options" and allowed is not None and allowed.fullmatch(value) is not None


_VALUES = {
    "strategy": re.compile("|".join(_STRATEGIES)),
    "strategy-option": _OPTION,
    "mainline": re.compile(r"\d+"),
    "gpg-sign": re.compile(r"[\w@.<>+ =!]*"),
    "default-msg-cleanup": re.compile(r"[a-z]*"),
}
_SWITCHES = frozenset(
    {
        *("no-commit", "edit", "signoff", "record-origin", "allow-ff", "allow-rerere-auto"),
        *("allow-empty", "allow-empty-message", "keep-redundant-commits", "commit-use-reference"),
        "drop-redundant-commits",
    }
)

Judge = Callable[[bytes], object]


def _is_head(content: bytes) -> bool:
    """What is moved, at the end of a rebase, to where that has got."""
    said = content.removesuffix(b"\n")
    return said in (b"", b"detached HEAD") or references.is_name(said)


def _are_names(content: bytes) -> bool:
    return all(references.is_name(each) for each in content.split(b"\n") if each)


def _are_updates(content: bytes) -> bool:
    """References that a rebase moves as well: of each the name, where it was and where it comes to be."""
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    hashes = [each for number, each in enumerate(lines) if number % 3]
    return (
        len(lines) % 3 == 0
        and all(references.is_name(each) for each in lines[::3])
        and all(_HASH.fullmatch(each) for each in hashes)
    )


_OF_HASHES = (
    *("abort-safety", "amend", "dirtyindex", "onto", "orig-head", "squash-onto"),
    *("original-commit", "rewritten", "rewritten-list", "rewritten-pending", "stopped-sha"),
)
_OF_WORDS = (
    *("allow_rerere_autoupdate", "applying", "cdate_is_adate", "drop_redundant_commits"),
    *("empty", "force-rebase", "ignore_date", "interactive", "keep", "keep_redundant_commits"),
    *("messageid", "no-reschedule-failed-exec", "no-verify", "quiet", "quoted-cr", "rebasing"),
    *("reschedule-failed-exec", "scissors", "sign", "signoff", "threeway", "utf8", "verbose"),
)
_OF_TEXT = (
    *("current-fixups", "done", "final-commit", "git-rebase-todo.backup", "info", "message"),
    *("message-fixup", "message-squash", "msg", "msg-clean", "patch", "patch-merge-index"),
    "rebased-patches",
)
_STEPS: dict[str, Judge] = {
    "author-script": _AUTHOR.fullmatch,
    "apply-opt": _words(_APPLY),
    "gpg_sign_opt": _SIGN.fullmatch,
    "head-name": _is_head,
    "onto_name": _REF.fullmatch,
    "refs-to-delete": _are_names,
    "update-refs": _are_updates,
    "strategy": _is_strategy,
    "strategy_opts": _words(_OPTION),
    **dict.fromkeys(("end", "msgnum", "last", "next"), _NUMBER.fullmatch),
    **dict.fromkeys(_OF_HASHES, _HASHES.fullmatch),
    **dict.fromkeys(_OF_WORDS, _WORD.fullmatch),
    **dict.fromkeys(_OF_TEXT, _TEXT.fullmatch),
}
_SEQUENCER: dict[str, Judge] = {
    "head": _HASHES.fullmatch,
    "abort-safety": _HASHES.fullmatch,
    "opts": _are_options,
}
_TOP: dict[str, Judge] = {
    "MERGE_MODE": _WORD.fullmatch,
    "MERGE_RR": _NOTHING.fullmatch,  # git copies the files that it names
    "BISECT_NAMES": _PATHS.fullmatch,
    "BISECT_LOG": _BISECTED.fullmatch,
    "BISECT_TERMS": re.compile(rb"(?:[A-Za-z][\w-]*\n)*(?:[A-Za-z][\w-]*)?").fullmatch,
    "BISECT_START": _REF.fullmatch,
    "gc.pid": re.compile(rb"(?:\d* )?[\w.-]*\n?").fullmatch,
}
_STASH = "autostash"
KNOWN = {
    "rebase-merge": (*_STEPS, *TODO, _STASH),
    "rebase-apply": (*_STEPS, _STASH),
    "sequencer": (*_SEQUENCER,),
}
"""The names to look for where a folder does not let itself be listed."""


def stash(path: str, content: bytes | None) -> str:
    """The stash that git applies by itself at the end of an operation; empty: this file names none."""
    said = (content or b"").strip()
    return said.decode() if f"/{path}".endswith(_STASHES) and _HASH.fullmatch(said) else ""


_STASHES = ("/MERGE_AUTOSTASH", f"rebase-merge/{_STASH}", f"rebase-apply/{_STASH}")


def is_plain_record(path: str, content: bytes | None) -> bool:
    """Whether it is what git notes of conflicts, to record how they are resolved; it names files of the work tree.

    It cannot stay: git writes to these files, and a link may take the place of one at any time.
    """
    return path.endswith("/MERGE_RR") and _RECORD.fullmatch(content or b"") is not None


_RECORD = re.compile(rb"(?:[0-9a-f]{40,64}(?:\.\d+)?\t(?!/)(?:(?!\.\./|[^\0]*/\.\./)[^\0\n]+)\0)*")


def is_harmless(path: str, content: bytes | None) -> bool:
    """Whether a file of state, whose path ends as it does in a repository, can run nothing."""
    folder, _, name = path.rpartition("/")
    if name.endswith(".lock"):
        return True  # git reads it under its other name
    inside = folder.rpartition("/")[2]
    if name == "MERGE_AUTOSTASH":
        known = None
    elif inside not in FOLDERS:
        known = _TOP.get(name, _HASHES.fullmatch)
    elif inside == "sequencer":
        known = _SEQUENCER.get(name)
    else:
        known = _TEXT.fullmatch if name.isdecimal() else _STEPS.get(name)
    if name in _OF_TEXT and inside != "sequencer" and inside in FOLDERS:
        return True  # however long
    return known is not None and content is not None and bool(known(content))
