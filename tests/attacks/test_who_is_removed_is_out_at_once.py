"""Severity: medium (C1, its kind). Somebody whom the owner wants out keeps something running: they are removed all the
same, and nothing that they hold lets them in or spends anything afterwards.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.accounts.people import People
from bottega.projects.projects import Projects
from tests.attacks.directed_model import MODEL, calling, directed_model
from tests.server.api.using import prompted
from tests.server.crossing.belongings import at_this_machine
from tests.server.serving import Serving
from tests.workspaces.living import alive, new_mark, until_alive


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    place = tmp_path_factory.mktemp("evicted")
    (place / "start").mkdir()
    with (
        directed_model() as environment,
        Serving(place / "home", place / "start", environment=environment) as serving,
    ):
        yield serving


def people(serving: Serving, *words: str) -> str:
    command = [sys.executable, "-m", "bottega", "--home", str(serving.home), "people", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


async def test_who_keeps_a_command_running_is_removed_with_it(
    served: Serving, tmp_path: Path
) -> None:
    token = served.token("mallory")
    with at_this_machine(served) as database:
        project = await Projects(database).add(tmp_path, People(database).named("mallory").n)
    async with served.client(token) as client:
        wanted = {"project_id": project.id, "mode": "allow", "model": MODEL}
        session = (await client.post("/api/sessions", wanted))["id"]
        mark = new_mark()
        slow = calling(("bash_exec", {"command": f"sleep {mark}"}))
        for text in (slow, "more", "and more"):
            await prompted(client, session, text)
        await until_alive(mark)
        said = people(served, "remove", "mallory", "--with-sessions", "--yes")
        assert "Removed mallory and 1 session" in said
        assert not alive(mark)
        assert (await client.call("GET", "/api/me"))[0] == 401


async def test_what_lets_a_person_in_is_ended_and_what_is_theirs_stays(
    served: Serving, tmp_path: Path
) -> None:
    token = served.token("trent")
    with at_this_machine(served) as database:
        project = await Projects(database).add(tmp_path, People(database).named("trent").n)
    async with served.client(token) as client:
        wanted = {"project_id": project.id, "mode": "ask", "model": MODEL}
        session = (await client.post("/api/sessions", wanted))["id"]
        people(served, "revoke", "trent")
        assert (await client.call("GET", "/api/me"))[0] == 401
    again = people_token(served, "trent")
    async with served.client(again) as client:
        assert (await client.get(f"/api/sessions/{session}"))["id"] == session


def people_token(serving: Serving, name: str) -> str:
    command = [sys.executable, "-m", "bottega", "--home", str(serving.home)]
    done = subprocess.run([*command, "people", "token", name], capture_output=True, check=True)
    return done.stdout.decode().strip()
