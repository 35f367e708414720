"""Severity: high (H4, its kind). A repository's `.gitignore` holds patterns whose stars could be tried in very many
ways against a deep path: one listing of the folder would hold up everybody.
"""

import asyncio
import time
from collections.abc import Iterator

import pytest

from tests.attacks.two_people import both, crowded
from tests.server.serving import Serving

SOON = 1.0
PATTERNS = {
    "depths": "".join(f"**/a/**/a/**/a/z{n}\n" for n in range(1000)),
    "names": "".join("**/" + "a/" * 250 + f"z{n}\n" for n in range(120)),
    "stars": "".join("*a" * 200 + f"{n}\n" for n in range(120)),
}


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with crowded(tmp_path_factory.mktemp("patterns")) as server:
        yield server


@pytest.mark.parametrize("name", PATTERNS)
async def test_a_list_of_files_under_such_patterns_takes_little_and_holds_up_nobody(
    serving: Serving, name: str
) -> None:
    deep = f"{name}/" + "a/" * 300 + "a" * 200
    async with both(serving) as (greedy, host):
        files = f"/api/projects/{greedy.project}"
        kept = {"content": PATTERNS[name], "version": ""}
        wanted = {"path": deep}
        status, told = await greedy.client.call("POST", f"{files}/folders", wanted)
        assert status in (200, 201), told
        status, told = await greedy.client.call("PUT", f"{files}/file?path={name}/.gitignore", kept)
        assert status in (200, 201), told
        begun = time.monotonic()
        listing = asyncio.create_task(greedy.client.call("GET", f"{files}/files?path={deep}"))
        waits: list[float] = []
        while not listing.done():
            asked = time.monotonic()
            status, _ = await host.client.call("GET", "/api/me")
            assert status == 200
            waits.append(time.monotonic() - asked)
        assert (await listing)[0] == 200
    assert max(waits) < SOON
    assert time.monotonic() - begun < 10
