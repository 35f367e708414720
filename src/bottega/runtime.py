"""Opens every part from the settings: the only place where parts meet."""

from __future__ import annotations
