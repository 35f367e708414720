"""What a door needs: an open house."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.server.house import House, Options
from bottega.settings import load
from bottega.studio import Studio


@pytest.fixture
async def house(home: Path) -> AsyncIterator[House]:
    async with Studio(settings=load(home=home, environment={})) as studio:
        yield House(studio, b"a secret of these tests", Options())
