"""Which objects and indexes were there before any program, and are known; other objects are hashed by whoever looks."""

from collections.abc import Callable, Iterator
from pathlib import Path

from bottega.workspaces.confine import Root
from bottega.workspaces.git import staging
from bottega.workspaces.git.baseline import OBJECTS
from bottega.workspaces.git.contents import stores
from bottega.workspaces.git.contents.stores import Lie
from bottega.workspaces.git.scan import Found


def index_of(repository: str) -> str:
    return f"{repository}/index" if repository else "index"


class Objects:
    """Of one guard."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._verified: stores.Known = set()

    def begin(self, root: Root, found: Found, *, shared: bool) -> None:
        """Note what is there; where programs of others are here already, only what theirs have found."""
        there = stores.found(root, staging.stores(root, found))
        marks = (stores.marked(root, index_of(each)) for each in found.repositories)
        there.update(mark for mark in marks if mark is not None)
        if shared:
            others = (
                each / OBJECTS for each in self._state.parent.iterdir() if each != self._state
            )
            there &= set[bytes]().union(*(stores.load(each) or () for each in others))
        stores.save(self._state / OBJECTS, there)

    def known(self, root: Root) -> Callable[[str], bool]:
        """What tells of an index, or a file of objects, whether it is still the one that was there before."""
        known = stores.load(self._state / OBJECTS) or set[bytes]()
        return lambda path: stores.marked(root, path) in known

    def lies(self, root: Root, found: Found, *, again: bool) -> Iterator[Lie]:
        """What is other than its name says; `again`: though it was looked at before, and no time tells otherwise."""
        known = stores.load(self._state / OBJECTS)
        if known is None:  # an earlier version has begun
            self.begin(root, found, shared=False)
            return
        known |= set[bytes]() if again else self._verified
        yield from stores.lies(root, staging.stores(root, found), known)
        self._verified = known
