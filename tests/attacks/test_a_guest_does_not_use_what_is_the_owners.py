"""A guest's agent calls the owner's MCP servers and remote agents, with the owner's secrets. Severity: medium (M2).

Both are the owner's alone, unless an entry names the person, or everyone.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from bottega.accounts.people import People
from bottega.agents.agent import Whereabouts
from bottega.ids import fresh_message
from bottega.mcp.approved import Approved
from bottega.mcp.server import McpServer, destination_of
from bottega.projects.projects import Projects
from bottega.runtime import MIGRATIONS
from bottega.spending.approved import ApprovedAgents
from bottega.spending.key import KeyRing
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.attacks.sinks import Sink, hub, obedient, offered, sink
from tests.server.serving import Client, Serving

SECRET = "canary-secret-0123456789"
TOOL = "mcp__hub__echo"


class Place:
    """A served home with an MCP server and a remote agent of the owner's, and a guest with a project."""

    def __init__(self, server: Serving, model: Sink, far: Sink, hub: Sink) -> None:
        self.server = server
        self.model = model
        self.far = far
        self.hub = hub

    def share(self, *people: str) -> None:
        """Write both entries down, shared with these people, and approve them as the owner would."""
        home = self.server.home
        header = {"Authorization": "Bearer $HUB"}
        hub = McpServer(url=f"{self.hub.url}/mcp", headers=header, people=people)
        table: dict[str, Any] = {"url": hub.url, "headers": hub.headers}
        table |= {"people": list(people)} if people else {}
        config = {"model": "openai-chat/any", "mcp": {"hub": table}}
        (home / "config.toml").write_text(tomlkit.dumps(config))
        Approved(home).approve("hub", hub)
        KeyRing(home).set("HUB", SECRET, destination_of("hub", hub))
        where = Whereabouts(self.far.url, key="OFFICE", people=people)
        (home / "agents").mkdir(exist_ok=True)
        shared = f", people = {list(people)}" if people else ""
        (home / "agents" / "office.toml").write_text(
            f'remote = {{ address = "{where.address}", key = "OFFICE"{shared} }}\n'
        )
        KeyRing(home).set("OFFICE", SECRET, self.far.url)
        ApprovedAgents(home).approve("office", where)
        self.model.heard.clear()
        self.far.heard.clear()
        self.hub.heard.clear()


async def _guest(home: Path, folder: Path) -> None:
    database = Database.open(Home(home), MIGRATIONS)
    try:
        person = await People(database).add("guest")
        await Projects(database).add(folder, person.n)
    finally:
        database.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    top = tmp_path_factory.mktemp("shared")
    for name in ("home", "work", "theirs"):
        (top / name).mkdir()
    (top / "home").chmod(0o700)
    with sink() as model, sink() as far, sink() as servers:
        model.answer, servers.answer = obedient, hub
        given = {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": "sk-of-the-model"}
        server = Serving(top / "home", top / "work", environment=given)
        place = Place(server, model, far, servers)
        place.share()
        with server:
            asyncio.run(_guest(top / "home", top / "theirs"))
            yield place


@pytest.fixture
async def guest(place: Place) -> AsyncIterator[Client]:
    async with place.server.client(place.server.token("guest")) as client:
        yield client


async def begun(client: Client, **more: Any) -> str:
    (project,) = (await client.get("/api/projects"))["projects"]
    body = {"project_id": project["id"], "mode": "allow", **more}
    return (await client.post("/api/sessions", body))["id"]


async def said(client: Client, session: str, text: str) -> None:
    """Send a prompt, and wait for the end of its exchange."""
    body = {"content": text, "message_id": fresh_message()}
    admitted = await client.post(f"/api/sessions/{session}/prompts", body)
    path = f"/api/sessions/{session}/events?after={admitted['index']}"
    given = {"Accept": "text/event-stream"}
    async with client.session.get(path, headers=given) as response:
        async for line in response.content:
            if line.startswith(b"data:") and b'"exchange_response"' in line:
                return


async def test_a_guest_is_neither_offered_nor_given_the_owners_servers_and_agents(
    place: Place, guest: Client
) -> None:
    place.share()
    session = await begun(guest)
    await said(guest, session, f'CALL {TOOL} {{"text": "x"}}')
    await said(guest, session, 'CALL delegate {"agent": "office", "task": "canary-words"}')

    tools = [offered(each) for each in place.model.heard if each.body]
    assert all(TOOL not in each for each in tools)
    assert all("office" not in json.dumps(each) for each in tools)
    assert place.hub.heard == [], "it was not even asked what it offers"
    assert place.far.heard == []


async def test_a_guest_cannot_choose_or_see_a_remote_agent_of_the_owners(
    place: Place, guest: Client
) -> None:
    place.share()
    listed = await guest.get("/api/agents")
    assert "office" not in json.dumps(listed)
    (project,) = (await guest.get("/api/projects"))["projects"]
    session = await begun(guest)
    prompt = {"content": "x", "message_id": fresh_message()}
    for method, path, body in (
        ("GET", "/api/agents/office", None),
        ("POST", "/api/sessions", {"project_id": project["id"], "agent": "office"}),
        ("PATCH", f"/api/sessions/{session}", {"agent": "office"}),
        ("POST", f"/api/sessions/{session}/prompts", {**prompt, "agent": "office"}),
    ):
        status, told = await guest.call(method, path, body)
        assert status == 404, told
        assert place.far.url not in json.dumps(told)
    assert place.far.heard == []


@pytest.mark.parametrize("people", [("somebody", "else"), ("Guest",), ("guest ",), ("*",)])
async def test_what_is_shared_with_others_is_not_shared_with_a_guest(
    place: Place, guest: Client, people: tuple[str, ...]
) -> None:
    place.share(*people)
    assert "office" not in json.dumps(await guest.get("/api/agents"))


@pytest.mark.parametrize("people", [("guest",), ("everyone",)])
async def test_what_is_shared_with_a_guest_by_name_or_with_everyone_can_be_used(
    place: Place, guest: Client, people: tuple[str, ...]
) -> None:
    place.share(*people)
    session = await begun(guest)
    await said(guest, session, 'CALL delegate {"agent": "office", "task": "canary-words"}')

    tools = offered(next(each for each in place.model.heard if each.body))
    assert TOOL in tools
    assert "office" in json.dumps(tools["delegate"])
    assert place.hub.knows(SECRET)
    assert place.far.knows(SECRET)


async def test_a_shared_agent_is_approved_by_the_owner_and_not_by_a_guest(
    place: Place, guest: Client
) -> None:
    place.share("guest")
    (place.server.home / "remote.json").unlink()
    session = await begun(guest, agent="office")
    await said(guest, session, "canary-words")

    assert place.far.heard == []
    assert (await guest.get("/api/asks"))["asks"] == []


@pytest.fixture
def agents(place: Place) -> Iterator[Path]:
    """The folder of the owner's agents, as it was before once the test is over."""
    place.share()
    folder = place.server.home / "agents"
    before = set(folder.iterdir())
    yield folder
    for each in set(folder.iterdir()) - before:
        each.unlink()


async def noticed(client: Client, **wishes: Any) -> str:
    """The notices of a new session's first exchange."""
    session = await begun(client, **wishes)
    await said(client, session, "hello")
    told = (await client.get(f"/api/sessions/{session}"))["tail"]["events"]
    answers = [event for _, event in told if event["type"] == "assistant_message"]
    return json.dumps([each["data"].get("notices", []) for each in answers])


async def test_what_is_wrong_with_the_owners_files_is_told_to_the_owner(
    place: Place, agents: Path, guest: Client
) -> None:
    (agents / "acquisition-acme.toml").write_text(
        f'[remote]\naddress = "{place.far.url}"\ntoken_name = "ACME-TOKEN"\n'
    )
    (agents / "ledger.toml").write_text(
        'description = "Counts."\nsystem_prompt = "Count."\ntools = ["acme-tool"]\n'
    )
    assert "acquisition" not in await noticed(guest)
    assert "acme" not in json.dumps(await guest.get("/api/agents")).lower().replace("acme-tool", "")
    (ledger,) = [
        each for each in (await guest.get("/api/agents"))["agents"] if each["slug"] == "ledger"
    ]
    assert "acme-tool" not in json.dumps(ledger["problems"])
    session = await begun(guest)
    status, told = await guest.call(
        "POST",
        f"/api/sessions/{session}/prompts",
        {"content": "x", "message_id": fresh_message(), "agent": "ledger"},
    )
    assert status == 422, told
    assert str(agents) not in json.dumps(told)
    assert "acme-tool" not in json.dumps(told)

    async with place.server.client(place.server.token()) as host:
        assert "acquisition-acme" in await noticed(host), "the owner is told, whoever came before"


async def test_a_wrong_name_names_no_agent_of_the_owners(
    place: Place, agents: Path, guest: Client
) -> None:
    for slug in ("offic", "nobody"):
        status, told = await guest.call("GET", f"/api/agents/{slug}")
        assert status == 404
        assert "office" not in json.dumps(told)


async def test_an_agent_for_all_tells_a_guest_no_tools_of_servers_that_are_not_theirs(
    place: Place, agents: Path, guest: Client
) -> None:
    (agents / "mixed.toml").write_text(
        f'description = "Both."\nsystem_prompt = "Do."\ntools = ["read_file", "{TOOL}"]\n'
    )
    assert "mcp__" not in json.dumps(await guest.get("/api/agents/mixed"))
    assert "mcp__" not in json.dumps(await guest.get("/api/agents"))
    assert "mcp__" not in await noticed(guest, agent="mixed")
    place.share("guest")
    assert TOOL in (await guest.get("/api/agents/mixed"))["tools"]


async def test_why_a_shared_server_does_not_start_is_not_told_to_a_guest(
    place: Place, agents: Path, guest: Client
) -> None:
    home = place.server.home
    hub = McpServer(command="/opt/secret-place/program", people=("guest",))
    table = {"command": hub.command, "people": list(hub.people)}
    (home / "config.toml").write_text(
        tomlkit.dumps({"model": "openai-chat/any", "mcp": {"hub": table}})
    )
    Approved(home).approve("hub", hub)
    told = await noticed(guest)
    assert "hub" in told
    assert "secret-place" not in told
