"""What a server does by itself: leftovers go, at its start and once a day, and a failure of that is only told."""

import asyncio
import logging
import os
from pathlib import Path

import pytest

from bottega.server.chores import chores
from bottega.studio import Studio

LOST = "0" * 64


async def test_leftovers_go_at_the_start_and_again_later(home: Path) -> None:
    async with Studio(home) as studio:
        lost = studio.runtime.database.home.blobs / LOST
        doing = asyncio.create_task(chores(studio, first=0, every=0.01))
        for _ in range(2):
            lost.touch()
            os.utime(lost, (1, 1))
            async with asyncio.timeout(20):
                while lost.exists():
                    await asyncio.sleep(0.01)
        doing.cancel()


async def test_what_goes_wrong_is_told_and_tried_again(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Studio(home) as studio:
        blobs = studio.runtime.database.home.blobs
        blobs.rename(blobs.with_name("elsewhere"))
        with caplog.at_level(logging.WARNING, "bottega.server.chores"):
            doing = asyncio.create_task(chores(studio, first=0, every=0.01))
            async with asyncio.timeout(20):
                while not caplog.records:
                    await asyncio.sleep(0.01)
        blobs.with_name("elsewhere").rename(blobs)
        lost = blobs / LOST
        lost.touch()
        os.utime(lost, (1, 1))
        async with asyncio.timeout(20):
            while lost.exists():
                await asyncio.sleep(0.01)
        doing.cancel()
    assert "could not be swept" in caplog.text
