"""The parts of a repository: where git writes, where files may have several names, and where a work tree begins."""

from enum import Enum


class Part(Enum):
    NONE = 0
    """It is in no repository."""
    TOP = 1
    OBJECTS = 2
    """Clones on one disk share these files, and git never writes to one that is there."""
    MODULES = 3
    """It holds the repositories of submodules, or of work trees."""
    GITS = 4
    """Git writes there, and nothing makes a work tree or another repository of what lies in it."""
    UNKNOWN = 5
    """Git knows no folder of that name: tools keep work trees there."""

    @property
    def may_share_nothing(self) -> bool:
        """Whether no file in it may be one of another place, too."""
        return self not in (Part.NONE, Part.OBJECTS)


_GITS = frozenset(
    {
        *("branches", "hooks", "info", "logs", "lfs", "rebase-apply", "rebase-merge", "refs"),
        *("reftable", "remotes", "rr-cache", "sequencer", "svn"),
    }
)


def part_of(  # noqa: PLR0911 - one a part
    name: str, above: Part, is_repository: bool, is_work_tree: bool
) -> Part:
    """What a folder is, by its name in small letters, what it lies in, and what it holds."""
    match above:
        case Part.GITS | Part.OBJECTS:
            return above
        case Part.TOP if name == "objects":
            return Part.OBJECTS
        case Part.TOP if name in ("modules", "worktrees"):
            return Part.MODULES
        case Part.TOP if name in _GITS:
            return Part.GITS
        case Part.MODULES:
            return Part.TOP if is_repository else Part.MODULES
        case _ if is_repository:
            return Part.TOP
        case Part.NONE:
            return Part.NONE
        case _:
            return Part.NONE if is_work_tree else Part.UNKNOWN
