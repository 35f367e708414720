"""References, which say what other one to write in their place: git follows them, and writes wherever the last leads.

A name need not begin with `refs/`: `ref: commondir` makes a file of the next commit's hash that git then takes its
settings from. New ones may lead to what is a reference and nothing else.
"""

import os
import re
from collections.abc import Iterator

from bottega.workspaces.confine import Root
from bottega.workspaces.git.files import open_readable, walked

_MARK = b"ref:"
_LONGEST = 4096
"""Bytes of a file that is a reference to another one."""
_SIGNS = r"[^\x00-\x20\x7f~^:?*\[\\/\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]"
"""Of a name; what some disks pass over in one is none."""
NAME = rf"refs/(?!(?i:replace)(?:/|\Z))[A-Za-z0-9][\w-]*(?:/(?!\.){_SIGNS}+)*"
"""Of a reference that git may write by itself: replacements of objects are none."""
_NAME = re.compile(NAME, re.ASCII)
_ODD = re.compile(r"\.\.|@\{|\.(?i:lock)(?:/|\Z)")
_MESSAGES = re.compile(r".*(?:MSG|DESCRIPTION|description)")
"""Files beside references that hold any text; git writes to none by this name."""
_LEADING = frozenset({"HEAD", "NOTES_MERGE_REF"})
"""Beside `refs`, all that git itself lets lead to another one."""


def is_name(name: bytes) -> bool:
    """Whether it is the whole name of a reference that may be written."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return False
    return _NAME.fullmatch(text) is not None and _ODD.search(text) is None


def symbolic(root: Root, prefix: str) -> Iterator[tuple[str, bool]]:
    """The files of a repository, whose paths begin so, that lead to other references; whether git makes such ones."""
    for path in walked(root, prefix.rstrip("/"), deep=False):
        name = path[len(prefix) :]
        if not _MESSAGES.fullmatch(name) and _begins(root, path):
            yield path, name in _LEADING
    for path in walked(root, f"{prefix}refs"):
        if _begins(root, path):
            yield path, True


def is_harmless(content: bytes | None) -> bool:
    """Whether git may follow this one."""
    if content is None or len(content) > _LONGEST:
        return False
    return not content.startswith(_MARK) or is_name(content[len(_MARK) :].strip(b" \t\n\v\f\r"))


def _begins(root: Root, path: str) -> bool:
    """As git reads it, a file that leads to another reference."""
    opened = open_readable(root, path)
    if opened is None:
        return False
    try:
        return os.pread(opened, len(_MARK), 0) == _MARK
    except OSError:
        return True  # nobody can say what it holds
    finally:
        os.close(opened)
