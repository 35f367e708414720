"""Which paths are git's own, however they are spelled: what stands there makes git run programs.

Disks that do not tell capital letters apart, that ignore signs nobody sees (HFS+), or that know short names and drop
dots, spaces and streams at the end (NTFS) take other spellings for `.git`. A workspace may lie on one.
"""

import re
import unicodedata

_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""What HFS+ passes over in a name."""
_ENDS = re.compile(r"(?::.*)?[. ]*$", re.DOTALL)
"""What NTFS drops at the end of a name: a stream, dots, spaces."""
_SHORT = re.compile(r"git~\d+")


def is_of_git(path: str) -> bool:
    """Whether a part of the path is git's folder, or the file that stands for it."""
    return any(_is_git(part) for part in path.replace("\\", "/").split("/"))


def _is_git(name: str) -> bool:
    seen = _IGNORED.sub("", unicodedata.normalize("NFKC", name)).casefold()
    seen = _ENDS.sub("", seen)
    return seen == ".git" or _SHORT.fullmatch(seen) is not None
