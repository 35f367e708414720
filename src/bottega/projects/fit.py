"""Which folders may be projects: none that holds Bottega's own home, or lies in it.

Whoever may read the files of such a project could read everybody's keys and sessions.
"""

import os
from pathlib import Path

from bottega.errors import Refused


def refuse_unfit(folder: str, home: Path) -> None:
    """Refuse a real path that may not be a project: the whole machine, or what holds or lies in Bottega's home."""
    own = os.path.realpath(home)
    if folder == "/" or _is_beneath(own, folder) or _is_beneath(folder, own):
        raise Refused(
            f"{folder!r} cannot be a project: "
            + (
                "it is the whole machine."
                if folder == "/"
                else "Bottega keeps its own files there."
            ),
            hint="Give a folder of its own to each project.",
        )


def _is_beneath(path: str, folder: str) -> bool:
    return os.path.commonpath((path, folder)) == folder
