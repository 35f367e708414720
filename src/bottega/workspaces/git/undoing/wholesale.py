"""What is left to do where the folder cannot be judged: everything goes that could make git run or write anything.

Nothing is followed and nothing is read but what is to be compared. Whatever keeps one file, or one repository, from
being looked at does not keep the others. A new repository that cannot be listed loses its `HEAD`, and is none any more;
one that was there before is the person's, who is told not to use git in it.
"""

import logging
import os
from collections.abc import Callable, Iterator

from bottega.workspaces.confine import Root
from bottega.workspaces.git import files
from bottega.workspaces.git.baseline import Baseline, Kept
from bottega.workspaces.git.contents import replacements
from bottega.workspaces.git.files import File
from bottega.workspaces.git.judge import Verdict, judge, judge_odd, put_back
from bottega.workspaces.git.scan import Found
from bottega.workspaces.git.sensitive import Kind, Targets, of_repositories, of_targets
from bottega.workspaces.git.undoing import reports
from bottega.workspaces.git.undoing.hashing import index_of
from bottega.workspaces.git.undoing.reports import Undone

_log = logging.getLogger(__name__)
_JUDGED: dict[str, Kind] = {
    "reference": "reference",
    "table": "table",
    "replacement": "replacement",
}
"""What one look at the file tells, and what others may stand in that are a person's: branches, and what `HEAD` says."""
Undo = Callable[[str, Verdict, File], list[Undone]]


class Wholesale:
    """Of one look; `undo` does to a file what a verdict says."""

    def __init__(self, root: Root, found: Found, before: Baseline, undo: Undo) -> None:
        self._root = root
        self._found = found
        self._before = before
        self._undo = undo
        self.failed: set[str] = set()
        """Repositories that were there before, and of which not everything could be looked at."""
        self._has_lost_index = False

    @property
    def reached(self) -> Targets:
        """Where settings led to that are as they were before."""
        before = self._before
        return Targets().joined(before.includes, before.hooks, before.programs)

    def files(self) -> list[Undone]:
        """Everything that is not as it was, but for what indexes and objects hold."""
        undone: list[Undone] = []
        done = set[tuple[str, str]]()
        for path, kind in self._paths():
            if (path, kind) in done:
                continue
            done.add((path, kind))
            try:
                file = files.look(self._root, path)
                verdict = None if file is None else self._verdict(path, kind, file)
                if file is not None and verdict is not None:
                    undone += self._undo(path, verdict, file)
            except Exception as odd:
                _log.warning("%r could not be undone: %r", path, odd)
                undone.append(Undone(path, reports.UNJUDGED, "", str(odd)))
        return undone

    def repositories(self) -> Iterator[Found]:
        """Each by itself, those first that were there before, with the ways to it that were."""
        old = self._before.files.keys()
        ways = Found(pointers=self._found.pointers & old, links=self._found.links & old)
        for each in self._sorted():
            yield Found(repositories={each}, pointers=ways.pointers, links=ways.links)

    def index_gone(self, repository: str, known: Callable[[str], bool]) -> list[Undone]:
        """Away with one that cannot be judged, unless it is known to be as it was."""
        path = index_of(repository)
        file = files.look(self._root, path)
        if file is None or file.is_folder or known(path):
            return []
        self._has_lost_index = True
        return self._undo(path, put_back(self._before.files.get(path), reports.UNJUDGED), file)

    def told(self, problem: Exception) -> str:
        return reports.wholesale(problem, self.failed, has_lost_index=self._has_lost_index)

    def _sorted(self) -> list[str]:
        known = self._before.repositories
        return sorted(self._found.repositories, key=lambda each: (each not in known, each))

    def _paths(self) -> Iterator[tuple[str, str]]:
        """Of what was there before, and of all that is."""
        before, found = self._before, self._found
        for path, kept in before.files.items():
            yield path, kept.kind
        groups = ((before.includes, (), ()), ((), before.hooks, ()), ((), (), before.programs))
        for led in (Targets().joined(*each) for each in groups):
            try:
                yield from of_targets(self._root, led).items()
            except Exception as problem:
                _log.warning("what settings lead to could not be looked at: %r", problem)
        rest = Found(pointers=found.pointers, links=found.links, others=found.others, odd=found.odd)
        yield from of_repositories(self._root, rest).items()
        for repository in self._sorted():
            failed = dict[str, Exception]()
            yield from of_repositories(self._root, Found(repositories={repository}), failed).items()
            if failed:
                _log.warning("%r could not be looked at: %r", repository, failed[repository])
                if repository in before.repositories:
                    self.failed.add(repository)
                else:
                    yield os.path.join(repository, "HEAD"), "config"

    def _verdict(self, path: str, kind: str, file: File) -> Verdict | None:
        if file.is_folder or self._before.holds(self._root, path):
            return None
        old = self._before.files.get(path)
        is_odd = path in self._found.odd
        if _is_still(file, old) or (kind == "odd" and is_odd):
            return judge_odd(path, file, old) if is_odd else None
        judged = _JUDGED.get(kind)
        if judged and (kind != "replacement" or os.path.basename(path) == replacements.PACKED):
            return judge(self._root, path, judged, file, self._before.files, ())
        return put_back(old, reports.UNJUDGED)


def _is_still(file: File, old: Kept | None) -> bool:
    return old is not None and (old.is_still(file) or old.was_out_of_reach(file))
