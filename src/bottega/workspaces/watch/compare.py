"""Two looks at a workspace, and what has changed between them."""

from collections.abc import Callable, Iterator

import msgspec

from bottega.events.facts import FileChange
from bottega.workspaces.watch.manifest import Manifest


class Difference(msgspec.Struct, frozen=True):
    writes: tuple[FileChange, ...]
    """Named by the copies on the shelf."""
    unkept: tuple[str, ...]
    """Files that changed, and whose bytes are not there on one of the two sides."""


def difference(before: Manifest, after: Manifest, is_there: Callable[[str], bool]) -> Difference:
    """`is_there` says whether a file still exists that the second look did not list."""
    writes: list[FileChange] = []
    unkept: list[str] = []
    gone = [path for path in before.files.keys() - after.files.keys() if not is_there(path)]
    for path in sorted([*gone, *_touched(before, after)]):
        old, new = before.files.get(path), after.files.get(path)
        if (old and not old.sha) or (new and not new.sha):
            unkept.append(path)
        else:
            mode = old.mode if old and not new else 0
            writes.append(FileChange(path, old.sha if old else "", new.sha if new else "", mode))
    unkept += sorted(set(after.odd) ^ set(before.odd))
    return Difference(tuple(writes), tuple(unkept))


def _touched(before: Manifest, after: Manifest) -> Iterator[str]:
    """Files of the second look that are new or others than before."""
    # With other rules, or of more files than are looked at, a file may come into view that was there all along.
    other_view = not (before.whole and after.whole) or _rules(before) != _rules(after)
    for path, new in after.files.items():
        old = before.files.get(path)
        if old is None:
            if not other_view or not 0 < new.changed < before.taken:
                yield path
        elif old.sha != new.sha or (not old.sha and old != new):
            yield path


def _rules(manifest: Manifest) -> dict[str, str]:
    return {
        path: known.sha for path, known in manifest.files.items() if path.endswith(".gitignore")
    }
