"""A bench with a real sandbox on a real folder, and room for outputs and shells beside it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.shells.shells import BUFFER, Shells
from tests.tools.contexts import Workbench


@pytest.fixture
async def bench(tmp_path: Path, folder: Path) -> AsyncIterator[Workbench]:
    local = Local(tmp_path / "state")
    sandbox = await local.open(str(folder))
    bench = Workbench(folder)
    bench.sandboxes = {False: sandbox}
    bench.opened_shells = Shells(local, Outputs(tmp_path / "shells", head=0, tail=BUFFER))
    yield bench
    await bench.shells.close_all()
    await sandbox.close()
    bench.root.close()
