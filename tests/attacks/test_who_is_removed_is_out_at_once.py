"""Severity: medium (M14, its kind). Whoever keeps something running cannot be removed, and a token that was stolen from
them cannot be ended: the owner's key goes on paying.
"""

import asyncio
import subprocess
import sys
from pathlib import Path

from tests.attacks.two_people import both, crowded
from tests.server.serving import Serving


async def _bottega(serving: Serving, *words: str) -> str:
    """What a command of the owner's says, which succeeds."""
    command = [sys.executable, "-m", "bottega", "--home", str(serving.home), *words]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, cwd=serving.folder, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


async def test_the_owner_shuts_out_who_keeps_something_running(tmp_path: Path) -> None:
    with crowded(tmp_path) as serving:
        async with both(serving) as (greedy, _):
            session = await greedy.begin()
            _, answer = await greedy.say(session, "STREAM 4000 50")
            await greedy.until(session, "text_delta", after=answer["index"])
            await greedy.say(session, "STREAM 4000 50")
            assert "ended: 1." in await _bottega(serving, "people", "revoke", "greedy")
            assert (await greedy.client.call("GET", "/api/me"))[0] == 401
            await _bottega(serving, "people", "remove", "greedy", "--with-sessions", "--yes")
            assert "greedy" not in await _bottega(serving, "people", "list")
