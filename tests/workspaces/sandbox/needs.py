"""What a machine may lack; `make test` names what was skipped for it."""

from pathlib import Path

import pytest

from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.walls import bubblewrap, landlock
from tests.workspaces.sandbox import rooms

needs_bubblewrap = pytest.mark.skipif(
    bubblewrap.find() is None,
    reason="bubblewrap is not installed, or may not make namespaces here: apt-get install bubblewrap",
)
needs_landlock = pytest.mark.skipif(
    landlock.version() < landlock.NEEDED, reason="this kernel has no Landlock, or an old one"
)
needs_root = pytest.mark.skipif(not rooms.ROOT, reason="only root can become somebody else")
counted = pytest.mark.skipif(
    not Local(Path("/nonexistent")).counts, reason="no control groups can be made here"
)
only_bubblewrap = pytest.mark.parametrize("kind", ["bubblewrap"], scope="module")
