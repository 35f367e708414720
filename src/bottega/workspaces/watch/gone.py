"""Forgets copies of files whose workspace is no longer there; what keeps workers apart stays."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

_NOTE = "folder"


def note_folder(state: Path, folder: str) -> None:
    """Write down which folder this state belongs to."""
    note = state / _NOTE
    with suppress(OSError):  # then the copies stay until it can be written
        if not note.exists():
            note.write_bytes(os.fsencode(folder))


def forget_gone(states: Path) -> int:
    """Remove the copies of every workspace whose folder is gone; returns how many workspaces that were."""
    forgotten = 0
    for note in states.glob(f"*/{_NOTE}"):
        with suppress(OSError):
            if os.path.lexists(note.read_bytes()):
                continue
            for name in ("shelf", "looks"):
                shutil.rmtree(note.parent / name, ignore_errors=True)
            note.unlink()
            forgotten += 1
    return forgotten
