"""Severity: high. An agent uses the shells of another person's agents in a folder that both have."""

import json
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.attacks.two_people import MODEL, Person, add, crowded
from tests.server.serving import Serving

SECRET = "only-the-hosts-7431"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Serving]:
    with crowded(tmp_path_factory.mktemp("shared")) as started:
        yield started


@asynccontextmanager
async def sharing(
    server: Serving, folder: Path, container: str = ""
) -> AsyncGenerator[tuple[Person, Person]]:
    """The host, who has the folder as a project, and another person, who has it or a folder in it."""
    (folder / container).mkdir(parents=True)
    add(server, "host", folder)
    token = add(server, "greedy", folder / container)
    async with server.client(server.token()) as host, server.client(token) as greedy:
        persons: list[Person] = []
        for client, path in ((host, folder), (greedy, folder / container)):
            projects = (await client.get("/api/projects"))["projects"]
            (project,) = (each["id"] for each in projects if each["folder"] == str(path))
            persons.append(Person(client, project))
        yield persons[0], persons[1]


def calling(tool: str, **arguments: str) -> str:
    return f"CALL {tool} {json.dumps(arguments)}"


async def opened(person: Person, session: str) -> str:
    """The id of a shell that an agent of the person's opens."""
    said = await person.ran(calling("shell_open"), session)
    return json.loads(said)["result"]["session_id"]


@pytest.mark.parametrize("container", ["", "sub"], ids=["the same folder", "a folder in it"])
async def test_nobody_lists_uses_reads_or_closes_it(
    server: Serving, tmp_path: Path, container: str
) -> None:
    async with sharing(server, tmp_path / "shared", container) as (host, greedy):
        wanted = {"project_id": host.project, "container": container, "mode": "allow"}
        hosts = (await host.client.post("/api/sessions", wanted | {"model": MODEL}))["id"]
        shell = await opened(host, hosts)
        await host.ran(
            calling("shell_exec", session_id=shell, command=f"TOKEN={SECRET}; echo $TOKEN"), hosts
        )
        session = await greedy.begin()
        for attempt in (
            calling("shell_exec", session_id="sh_guessed", command="id"),
            calling("shell_exec", session_id=shell, command="echo stolen $TOKEN"),
            calling("read_output", output_id=shell),
            calling("shell_close", session_id=shell),
        ):
            said = await greedy.ran(attempt, session)
            assert '"error"' in said, said
            assert SECRET not in said
            assert shell not in said.replace(f"'{shell}'", ""), "only the id that was asked for"
        status, _ = await greedy.client.call("GET", f"/api/sessions/{session}/outputs/{shell}")
        assert status == 404
        still = await host.ran(
            calling("shell_exec", session_id=shell, command="echo still $TOKEN"), hosts
        )
        assert f"still {SECRET}" in still


async def test_one_persons_shells_leave_room_for_anothers_in_the_same_folder(
    server: Serving, tmp_path: Path
) -> None:
    async with sharing(server, tmp_path / "shared") as (host, greedy):
        await opened(greedy, await greedy.begin())
        theirs = (await host.client.get(f"/api/projects/{host.project}/shells"))["shells"]
        assert theirs == []
        assert await opened(host, await host.begin())
