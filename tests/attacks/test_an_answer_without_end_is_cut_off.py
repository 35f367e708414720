"""Severity: high (M9, its kind). A model's provider, trusted with nothing, writes an answer that never ends: words,
thoughts or the arguments of a call. Memory and disk grow with it, and once more whenever it is asked again.
"""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import aiohttp
import pytest

from tests.attacks.hostile import Target, target
from tests.attacks.obedient import obedient
from tests.attacks.two_people import Person, person_of

MEGABYTE = 1024 * 1024
FIELDS = ("content", "reasoning_content", "tool_calls")


@pytest.fixture(params=FIELDS)
async def scene(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncGenerator[tuple[Target, Person, str, str]]:
    with (
        obedient() as url,
        target(tmp_path, {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "no"}) as server,
    ):
        async with server.client(server.token()) as client:
            yield server, await person_of(client), url, request.param


async def test_an_answer_without_end_is_cut_off_once_and_told(
    scene: tuple[Target, Person, str, str],
) -> None:
    server, host, url, field = scene
    session = await host.begin()
    assert await host.ran("hello", session) == "hello"
    memory, disk, asked = server.rss(), _size(server.home), await _asked(url)
    status, answer = await host.say(session, f"ENDLESS {field}")
    assert status == 202
    error = await host.until(session, "error_message", after=answer["index"])
    end = await host.until(session, "exchange_response", after=answer["index"])
    assert error["data"]["code"] == "provider_error"
    assert "sent more at once than any answer holds" in error["data"]["message"]
    assert end["data"]["success"] is False
    assert await _asked(url) == asked + 1, "it is not asked for the same again"
    assert server.rss() - memory < 150 * MEGABYTE
    assert _size(server.home) - disk < 40 * MEGABYTE
    assert await host.ran("hello") == "hello"


async def _asked(url: str) -> int:
    """How many requests the model has seen."""
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return len(await answer.json(content_type=None))


def _size(home: Path) -> int:
    """What is kept; the write-ahead log is written over again, and is as long as it was at its fullest."""
    return sum(
        os.lstat(os.path.join(at, name)).st_size
        for at, _, names in os.walk(home)
        for name in names
        if not name.endswith("-wal")
    )
