"""What is left to do where the folder cannot be judged: everything goes that could make git run or write anything.

Nothing is followed and nothing is read but what is to be compared. Whatever keeps one file from being looked at does
not keep the others: a repository whose files cannot be listed loses its `HEAD`, and is none any more.
"""

import logging
from collections.abc import Iterator

from bottega.workspaces.confine import Root
from bottega.workspaces.git.baseline import Baseline
from bottega.workspaces.git.files import names
from bottega.workspaces.git.scan import Found, Scanner
from bottega.workspaces.git.sensitive import Targets, of_repositories, of_targets

_log = logging.getLogger(__name__)


def paths(root: Root, found: Found, before: Baseline) -> Iterator[str]:
    """Of all that is there, and of what was there before."""
    given: dict[str, None] = dict.fromkeys(before.files)
    groups = ((before.includes, (), ()), ((), before.hooks, ()), ((), (), before.programs))
    for led in (Targets().joined(*each) for each in groups):
        try:
            given |= dict.fromkeys(of_targets(root, led))
        except Exception as problem:
            _log.warning("what settings lead to could not be looked at: %r", problem)
    rest = Found(pointers=found.pointers, links=found.links, others=found.others, odd=found.odd)
    for part in (rest, *(Found(repositories={each}) for each in found.repositories)):
        given |= dict.fromkeys(_of(root, part))
    yield from given


def _of(root: Root, part: Found) -> list[str]:
    """Of one repository, or of all that is none."""
    try:
        said = [*of_repositories(root, part)]
        for repository in part.repositories:
            prefix = f"{repository}/" if repository else ""
            said += (prefix + name for name in names(root, repository) or () if _is_index(name))
        return said
    except Exception as problem:
        _log.warning("a repository could not be looked at: %r", problem)
    return [f"{repository}/HEAD".lstrip("/") for repository in part.repositories]


def _is_index(name: str) -> bool:
    return name == "index" or name.startswith("sharedindex.")


def scanned(scanner: Scanner, root: Root, before: Baseline) -> Found:
    """All repositories; those that are known from before where the folder cannot be looked through."""
    try:
        return scanner.scan(root)
    except Exception as problem:
        _log.warning("%r could not be looked through: %r", root.path, problem)
    kinds = ("config", "commondir")
    known = (path.rpartition("/")[0] for path, each in before.files.items() if each.kind in kinds)
    return Found(repositories={*known}, whole=False)
