"""Severity: medium (M1). A person whose project was removed goes on in its old sessions, shells and runs.

What runs there ends at once, wherever it runs; its sessions can be read, exported and deleted, and nothing else.
"""

import asyncio
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.studio import Studio
from tests.attacks.directed_model import MODEL, calling, directed_model
from tests.server.api.using import following, prompted, ran
from tests.server.crossing.belongings import Owner, at_this_machine
from tests.server.crossing.test_ownership import OWNED, Way
from tests.server.serving import Client, Serving
from tests.workspaces.living import alive, new_mark, until_alive

AT_ONCE = 5.0
"""Seconds that this may take on a busy machine."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    place = tmp_path_factory.mktemp("removed")
    (place / "start").mkdir()
    with (
        directed_model() as environment,
        Serving(place / "home", place / "start", environment=environment) as serving,
    ):
        yield serving


class Guest:
    def __init__(self, serving: Serving, client: Client, project_id: str, folder: Path) -> None:
        self.serving = serving
        self.client = client
        self.project_id = project_id
        self.folder = folder

    async def session(self) -> str:
        wanted = {"project_id": self.project_id, "mode": "allow", "model": MODEL}
        return (await self.client.post("/api/sessions", wanted))["id"]

    async def removed(self) -> None:
        """As the command does it, in this process, which is another one than the server's."""
        async with Studio(self.serving.home) as studio:
            await studio.opened.remove(studio.runtime.folders.projects.get(self.project_id))

    async def restored(self) -> None:
        with at_this_machine(self.serving) as database:
            await Projects(database).add(self.folder, People(database).named("guest").n)

    def cli(self, *words: str) -> None:
        """By somebody at this machine, as they would do it."""
        command = [sys.executable, "-m", "bottega", "--home", str(self.serving.home), "projects"]
        subprocess.run([*command, *words], check=True, capture_output=True)


@pytest.fixture
async def guest(served: Serving, tmp_path: Path) -> AsyncIterator[Guest]:
    token = served.token("guest")
    folder = tmp_path / "project"
    folder.mkdir()
    with at_this_machine(served) as database:
        project = await Projects(database).add(folder, People(database).named("guest").n)
    async with served.client(token) as client:
        yield Guest(served, client, project.id, folder)


async def test_a_command_that_runs_is_ended_with_its_shells_when_its_project_is_removed(
    guest: Guest,
) -> None:
    session_id = await guest.session()
    await ran(guest.client, session_id, calling(("shell_open", {})))
    own = await guest.client.post(f"/api/projects/{guest.project_id}/shells", {})
    assert own["ended"] is False
    mark = new_mark()
    said = await prompted(
        guest.client, session_id, calling(("bash_exec", {"command": f"sleep {mark}"}))
    )
    await until_alive(mark)
    await asyncio.to_thread(guest.cli, "remove", guest.project_id)
    async with asyncio.timeout(AT_ONCE):
        async with following(guest.client, session_id) as events:
            bodies = [each.data async for each in _until_end(events, said)]
    assert b"project_removed" in b"".join(bodies)
    async with asyncio.timeout(AT_ONCE):
        while alive(mark):
            await asyncio.sleep(0.05)
    await guest.restored()
    shells = (await guest.client.get(f"/api/projects/{guest.project_id}/shells"))["shells"]
    assert [each for each in shells if not each["ended"]] == []


async def _until_end(events: Any, message_id: str) -> AsyncIterator[Any]:
    async for each in events:
        yield each
        if b'"exchange_response"' in each.data and message_id.encode() in each.data:
            return


async def test_a_prompt_that_waits_and_one_that_is_asked_about_are_ended_too(guest: Guest) -> None:
    session_id = await guest.session()
    await guest.client.call("PATCH", f"/api/sessions/{session_id}", {"mode": "ask"})
    write = calling(("write_file", {"file_path": "x", "content": "y"}))
    for text in (write, "hello"):
        await prompted(guest.client, session_id, text)
    async with asyncio.timeout(AT_ONCE):
        while not (await guest.client.get("/api/asks"))["asks"]:
            await asyncio.sleep(0.05)
    await guest.removed()
    async with asyncio.timeout(AT_ONCE):
        while (await guest.client.get(f"/api/sessions/{session_id}"))["status"] != "idle":
            await asyncio.sleep(0.05)
    assert (await guest.client.get("/api/asks"))["asks"] == []
    assert not (guest.folder / "x").exists()


async def test_what_the_host_puts_there_later_is_nobodys_but_the_hosts(guest: Guest) -> None:
    """As it was found: the old session went on reading and writing."""
    session_id = await guest.session()
    await ran(guest.client, session_id, calling(("write_file", {"file_path": "a", "content": "x"})))
    await guest.removed()
    (guest.folder / "secret.txt").write_text("the host's")
    said = {"message_id": str(uuid.uuid4()), "content": calling(("read_file", {"file_path": "a"}))}
    prompts = f"/api/sessions/{session_id}/prompts"
    status, told = await guest.client.call("POST", prompts, said)
    assert (status, told["code"]) == (403, "project_removed")
    assert "bottega projects add" in told["hint"]
    await guest.restored()
    await ran(guest.client, session_id, calling(("read_file", {"file_path": "a"})))
    events = await guest.client.get(f"/api/sessions/{session_id}/events")
    assert events["events"][-1][1]["data"]["success"] is True, "added again, it goes on"


READS = {
    ("GET", "/api/sessions/{session_id}"),
    ("GET", "/api/sessions/{session_id}/tail"),
    ("GET", "/api/sessions/{session_id}/children"),
    ("GET", "/api/sessions/{session_id}/tools"),
    ("GET", "/api/sessions/{session_id}/events"),
    ("GET", "/api/sessions/{session_id}/prompts"),
    ("GET", "/api/asks/{ask_id}"),
    ("GET", "/api/sessions/{session_id}/export"),
    ("GET", "/api/sessions/{session_id}/blobs/{blob}"),
    ("GET", "/api/sessions/{session_id}/outputs/{output_id}"),
    ("GET", "/api/sessions/{session_id}/usage"),
    ("GET", "/api/sessions/{session_id}/todos"),
}
"""What was said can be read."""
TIDIES = {
    ("PATCH", "/api/sessions/{session_id}"),
    ("PUT", "/api/sessions/{session_id}/tools"),
    ("POST", "/api/sessions/{session_id}/fork"),
    ("POST", "/api/sessions/{session_id}/reset"),
    ("POST", "/api/sessions/{session_id}/clear"),
    ("POST", "/api/sessions/{session_id}/close"),
    ("POST", "/api/sessions/{session_id}/undo-compaction"),
    ("DELETE", "/api/sessions/{session_id}/prompts/{message_id}"),
    ("DELETE", "/api/sessions/{session_id}"),
    ("DELETE", "/api/passes/{pass_id}"),
}
"""What concerns the log alone, and neither opens the folder nor runs anything."""
BODIES: dict[tuple[str, str], Any] = {
    ("POST", "/api/sessions/{session_id}/prompts"): {"content": "hello", "message_id": ""},
    ("POST", "/api/sessions/{session_id}/revert"): {"all": True},
    ("PATCH", "/api/sessions/{session_id}/prompts/{message_id}"): {"content": "other"},
}
REFUSED = [way for way in OWNED if way.key not in READS | TIDIES]


def test_every_route_is_thought_about() -> None:
    assert {way.key for way in OWNED} >= READS | TIDIES
    assert {way.key for way in REFUSED} >= set(BODIES)


@pytest.fixture
async def owner(guest: Guest) -> Owner:
    """With one of everything, before the project is removed."""
    made = Owner("guest", guest.client, guest.project_id, guest.folder)
    made.model = MODEL
    made.ids["session_id"] = await guest.session()
    session_id = made.ids["session_id"]
    big = calling(("bash_exec", {"command": "yes | head -99999"}))
    await ran(guest.client, session_id, big)
    await guest.client.call("PATCH", f"/api/sessions/{session_id}", {"mode": "ask"})
    write = calling(("write_file", {"file_path": "x", "content": made.word}))
    for name, text in (("first", write), ("message_id", "waits")):
        made.ids[name] = await prompted(guest.client, session_id, text)
    async with asyncio.timeout(AT_ONCE):
        while not (asks := (await guest.client.get("/api/asks"))["asks"]):
            await asyncio.sleep(0.05)
    made.ids["ask_id"] = asks[0]["id"]
    return await made.make("shell_id", "pass_id")


async def test_no_route_does_anything_in_a_project_that_was_removed(
    guest: Guest, owner: Owner
) -> None:
    await guest.removed()
    (guest.folder / "later.txt").write_text("the host's")
    before = sorted(path.name for path in guest.folder.iterdir())
    through: dict[str, Any] = {}
    for way in REFUSED:
        status, told = await _tried(owner, way)
        if not 400 <= status < 500 or "the host's" in str(told):
            through[str(way)] = (status, told)
    assert through == {}
    assert sorted(path.name for path in guest.folder.iterdir()) == before


async def test_what_was_said_in_a_project_that_was_removed_can_be_read_and_deleted(
    guest: Guest, owner: Owner
) -> None:
    await guest.removed()
    refused = {
        str(way): answer
        for way in OWNED
        if way.key in READS and set(way.names) <= set(owner.ids)
        if (answer := await _tried(owner, way))[0] >= 400
    }
    assert refused == {}
    listed = (await guest.client.get("/api/sessions"))["sessions"]
    assert owner.ids["session_id"] in {each["id"] for each in listed}
    async with asyncio.timeout(AT_ONCE):
        while (await _tried(owner, _way("DELETE", "/api/sessions/{session_id}")))[0] == 409:
            await asyncio.sleep(0.05)
    status, _ = await guest.client.call("GET", f"/api/sessions/{owner.ids['session_id']}")
    assert status == 404


async def _tried(owner: Owner, way: Way) -> tuple[int, Any]:
    body = BODIES.get(way.key)
    if body and "message_id" in body:
        body = {**body, "message_id": str(uuid.uuid4())}
    async with owner.client.session.request(
        way.method, way.filled(owner.ids), json=body
    ) as response:
        return response.status, await response.text()


def _way(method: str, path: str) -> Way:
    return next(way for way in OWNED if way.key == (method, path))


async def test_a_session_cannot_be_begun_and_none_spoken_to_by_the_simple_stream(
    guest: Guest,
) -> None:
    session_id = await guest.session()
    await guest.removed()
    body = {"message": "hello", "session_id": session_id}
    status, _ = await guest.client.call("POST", "/api/chat/agent/stream", body)
    assert status == 403
    status, _ = await guest.client.call(
        "POST", "/api/sessions", {"project_id": guest.project_id, "model": MODEL}
    )
    assert status == 404
