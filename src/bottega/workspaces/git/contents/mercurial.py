"""What `hg clone` writes into the settings of a new repository: addresses of others, and comments.

Whatever else may stand there can name a program. Only lines that cannot be read in another way count as harmless.
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
