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
