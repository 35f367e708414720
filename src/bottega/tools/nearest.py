"""What a wrong path probably meant: the names beside it that look most like it."""

from bottega.errors import NotFound, Problem
from bottega.workspaces.confine import Root

_MOST = 3
_LOOKED_AT = 5_000


def nearest(root: Root, path: str) -> list[str]:
    """Paths that exist and resemble the one that does not, best first; none where nothing does."""
    from bottega import alike as likeness

    folder, missing, rest = _last_folder(root, root.relative(path).split("/"))
    names = {entry.name: entry.name.casefold() for entry in root.list(folder, _LOOKED_AT).entries}
    wanted = missing.casefold()
    alike = likeness.close(wanted, names.values(), _MOST, 0.6)
    begun = sorted(low for low in names.values() if low.startswith(wanted.partition(".")[0] + "."))
    ranked = list(dict.fromkeys(alike + begun))[:_MOST]
    found = [name for low in ranked for name, folded in names.items() if folded == low]
    prefix = "" if folder == "." else f"{folder}/"
    return [prefix + "/".join((name, *_kept(root, prefix + name, rest))) for name in found]


def not_found(root: Root, path: str, problem: Problem) -> NotFound:
    """The problem of a path that is not there, with what was probably meant as the next step."""
    alike = [repr(each) for each in nearest(root, path)]
    meant = f"Did you mean {' or '.join(alike)}?" if alike else ""
    return NotFound(problem.message, hint=meant)


def _last_folder(root: Root, parts: list[str]) -> tuple[str, str, list[str]]:
    """The deepest folder that is there, the first part that is not, and what follows it."""
    folder = "."
    for index, part in enumerate(parts):
        deeper = part if folder == "." else f"{folder}/{part}"
        try:
            root.list(deeper, 0)
        except (Problem, OSError):
            return folder, part, parts[index + 1 :]
        folder = deeper
    return folder, parts[-1], []


def _kept(root: Root, found: str, rest: list[str]) -> list[str]:
    """The rest of the path, where it exists beneath the name that was found."""
    try:
        root.stat("/".join((found, *rest)))
    except (Problem, OSError):
        return []
    return rest
