"""Severity: low (L4). What the host set as instructions stands in the requests and the log of a guest's session."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec
import pytest
from aiohttp import web

from bottega.ids import fresh_message
from tests.server.crossing.belongings import owner_of
from tests.server.serving import Client, Serving

WORDS = "HOST-ONLY: the deploy password hint is the name of the cat"


class Vendor:
    """A model on this machine that keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.port = 0

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(await request.text())
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for choice in ({"delta": {"content": "Hello."}}, {"delta": {}, "finish_reason": "stop"}):
            piece = {"id": "c", "object": "chat.completion.chunk", "model": "m"}
            body = msgspec.json.encode({**piece, "choices": [{"index": 0, **choice}]})
            await response.write(b"data: " + body + b"\n\n")
        await response.write(b"data: [DONE]\n\n")
        return response


@pytest.fixture
async def vendor() -> AsyncGenerator[Vendor]:
    vendor = Vendor()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", vendor.complete)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    vendor.port = runner.addresses[0][1]
    yield vendor
    await runner.cleanup()


async def talked(client: Client, project: str) -> str:
    """All that a person sees of a session of theirs, once it is answered."""
    begun = await client.post(
        "/api/sessions", {"project_id": project, "model": "openai-chat/m", "mode": "ask"}
    )
    said = {"message_id": fresh_message(), "content": "hello"}
    await client.post(f"/api/sessions/{begun['id']}/prompts", said)
    seen = ""
    headers = {"Accept": "text/event-stream"}
    path = f"/api/sessions/{begun['id']}/events"
    async with asyncio.timeout(20), client.session.get(path, headers=headers) as stream:
        async for line in stream.content:
            seen += line.decode()
            if "exchange_response" in seen and not line.strip():
                break
    return seen


async def test_a_guest_is_not_told_what_the_host_set_for_themselves(
    home: Path, folder: Path, vendor: Vendor, tmp_path: Path
) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(f'instructions = "{WORDS}"\n')
    environment = {
        "OPENAI_BASE_URL": f"http://127.0.0.1:{vendor.port}/v1",
        "OPENAI_API_KEY": "sk-test-0123456789abcdef",
    }
    with Serving(home, folder, environment=environment) as server:
        async with (
            server.client() as host,
            owner_of(server, "guest", tmp_path / "theirs") as guest,
        ):
            mine = (await host.get("/api/projects"))["projects"][0]["id"]
            seen = await talked(host, mine)
            assert WORDS in seen
            assert WORDS in vendor.asked[0]
            vendor.asked.clear()
            seen = await talked(guest.client, guest.ids["project_id"])
    assert vendor.asked
    assert '"user_name":"guest"' in seen, "nor who runs the server"
    assert WORDS not in seen
    assert not any(WORDS in each for each in vendor.asked)
