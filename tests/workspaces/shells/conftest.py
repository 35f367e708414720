from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.shells.attention import Pace
from bottega.workspaces.shells.shells import BUFFER, Shells


@pytest.fixture
async def shells(tmp_path: Path) -> AsyncIterator[Shells]:
    outputs = Outputs(tmp_path / "shells", head=0, tail=BUFFER)
    pace = Pace(quiet=0.1, again=0.05)
    shells = Shells(Local(tmp_path / "state"), outputs, pace=pace)
    yield shells
    await shells.close_all()
    assert outputs.names() == []
