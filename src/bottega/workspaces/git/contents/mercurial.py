"""What `hg clone` writes into the settings of a new repository: addresses of others, and comments.

Whatever else may stand there can name a program. Only lines that cannot be read in another way count as harmless. Of an
operation that is under way only one file is more than text: that of `hg histedit`, unless it says its version first.
"""

import re

_HEAD = re.compile(rb"\[(paths|ui)\]")
_NOTE = re.compile(rb"(?:[#;][^\x00-\x08\x0b-\x1f\x7f]*)?")
_ADDRESS = re.compile(
    rb"[A-Za-z0-9_-]+ ?= ?(?:(?:https?|ssh)://\w[\w.@:/~+-]*|/[\w./+-]*)", re.ASCII
)


def is_harmless(raw: bytes | None) -> bool:
    """Whether these settings can run nothing, whoever made them."""
    if raw is None:
        return False
    section = b""
    for line in raw.split(b"\n"):
        if head := _HEAD.fullmatch(line):
            section = head[1]
        elif _NOTE.fullmatch(line):
            continue
        elif section != b"paths" or not _ADDRESS.fullmatch(line):
            return False
    return True


def is_harmless_state(raw: bytes | None) -> bool:
    """Whether the state of `hg histedit` is text: what does not begin so is unpickled, which runs what it names."""
    return raw is not None and raw.startswith(b"v1\n")


def is_harmless_list(raw: bytes | None) -> bool:
    """Whether a list of the files that `hg recover` puts back names none that Mercurial reads as settings."""
    if raw is None:
        return False
    version, _, rest = raw.partition(b"\n")
    if version != b"2" or (rest and not rest.endswith(b"\n")):
        return False
    return all(_is_harmless_line(line) for line in rest.split(b"\n")[:-1])


def _is_harmless_line(line: bytes) -> bool:
    parts = line.split(b"\0")
    if len(parts) != 4 or parts[0] not in (b"", b"plain", b"store"):
        return False
    return all(_FILE.fullmatch(name) and not _is_special(name) for name in parts[1:3])


def _is_special(name: bytes) -> bool:
    steps = name.lower().split(b"/")
    return steps[0] == b"" != name or not _SPECIAL.isdisjoint(steps) or b"hgrc" in steps[-1]


_FILE = re.compile(rb"[^\x00-\x1f\x7f]*")
_SPECIAL = frozenset({b".", b"..", b"sharedpath", b"histedit-state", b".hg", b".git"})
