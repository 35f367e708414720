"""From the path that a model wrote to the one path that may be opened for it.

A call is judged by canonical paths, and later runs: whatever a link leads to by then, only what was judged is opened.
"""

from bottega.errors import Conflict
from bottega.tools.context import Context


def settled(context: Context, path: str) -> str:
    """The canonical path, to be opened without following links; refused where it was not judged."""
    canonical = context.root.canonical(path)
    judged = context.judged
    if judged is None or any(
        _covers(folder, canonical) for folder in (*judged.reads, *judged.writes)
    ):
        return canonical
    raise Conflict(
        f"The path {path!r} leads elsewhere than when this call was judged.",
        hint="Make the call again.",
    )


def _covers(folder: str, path: str) -> bool:
    return folder in (".", path) or path.startswith(folder + "/")
