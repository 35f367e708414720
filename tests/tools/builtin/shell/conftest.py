"""A bench on a real folder: a real sandbox that is opened when it is first used, outputs and shells beside it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.sandbox import Sandbox
from bottega.workspaces.shells.shells import BUFFER, Shells
from tests.tools.contexts import Workbench


class Bench(Workbench):
    def __init__(self, folder: Path, local: Local) -> None:
        super().__init__(folder)
        self._local = local

    async def sandbox(self, *, network: bool = False) -> Sandbox:
        if network not in self.sandboxes:
            self.sandboxes[network] = await self._local.open(self.root)
        return self.sandboxes[network]


@pytest.fixture
async def bench(tmp_path: Path, folder: Path) -> AsyncIterator[Workbench]:
    local = Local(tmp_path / "state")
    bench = Bench(folder, local)
    bench.opened_shells = Shells(local, Outputs(tmp_path / "shells", head=0, tail=BUFFER))
    yield bench
    await bench.shells.close_all()
    for each in bench.sandboxes.values():
        await each.close()
    bench.root.close()
