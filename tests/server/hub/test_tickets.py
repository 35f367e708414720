"""Tickets: one socket each, for whom and where they were given."""

import asyncio

import aiohttp
import pytest

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.accounts.secret import secret
from bottega.runtime import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.server.hub.wire import Gone, Wire, wire_to
from tests.server.serving import Serving

Tokens = dict[str, str]


async def test_a_ticket_opens_one_socket(shared: Serving, tokens: Tokens) -> None:
    async with shared.client(tokens["host"]) as client:
        ticket = (await client.post("/api/tickets"))["ticket"]
        async with client.session.ws_connect(f"/ws/{ticket}") as socket:
            assert (await Wire(socket).ask(type="ping"))["type"] == "pong"
        status, body = await refused(client.session, ticket)
    assert (status, body["code"]) == (401, "bad_ticket")
    assert "POST /api/tickets" in body["hint"]


async def test_of_many_who_come_with_one_ticket_one_gets_in(
    shared: Serving, tokens: Tokens
) -> None:
    async with shared.client(tokens["host"]) as client:
        ticket = (await client.post("/api/tickets"))["ticket"]

        async def tried() -> int:
            try:
                async with client.session.ws_connect(f"/ws/{ticket}"):
                    return 101
            except aiohttp.WSServerHandshakeError as error:
                return error.status

        got = await asyncio.gather(*(tried() for _ in range(20)))
    assert sorted(got) == [101] + [401] * 19


@pytest.mark.parametrize("words", ["x", "%00", "a" * 5000, "..%2f..", "é"])
async def test_what_is_no_ticket_is_refused(shared: Serving, tokens: Tokens, words: str) -> None:
    async with shared.client(tokens["host"]) as client:
        status, _ = await refused(client.session, words)
    assert status in (401, 403)


async def test_a_token_in_the_address_opens_nothing(shared: Serving, tokens: Tokens) -> None:
    async with aiohttp.ClientSession(shared.address) as session:
        assert (await refused(session, tokens["host"]))[0] == 401


async def test_who_is_not_signed_in_gets_no_ticket(shared: Serving) -> None:
    async with shared.client("no-such-token") as client:
        status, body = await client.call("POST", "/api/tickets")
    assert (status, body["code"]) == (401, "not_signed_in")


async def test_a_ticket_that_was_had_with_a_cookie_opens_a_socket_of_our_own_page_only(
    shared: Serving,
) -> None:
    login = await given(shared, "login")
    carried = shared.browser(login)
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(shared.address, cookie_jar=jar, headers=carried) as session:
        own = {"Origin": shared.address}

        async def ticket() -> str:
            async with session.post("/api/tickets", headers=own) as response:
                assert response.status == 201
                return (await response.json())["ticket"]

        async with session.ws_connect(f"/ws/{await ticket()}", headers=own) as socket:
            assert (await Wire(socket).ask(type="ping"))["type"] == "pong"
        for other in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
            assert (await refused(session, await ticket(), other))[0] == 403


async def test_a_socket_ends_soon_after_its_person_signs_out(shared: Serving) -> None:
    token = await given(shared, "token")
    async with wire_to(shared, token) as wire:
        await wire.ask(type="ping")
        database = Database.open(Home(shared.home), MIGRATIONS)
        await Passes(database, secret(shared.home)).end(token, "token")
        database.close()
        with pytest.raises(Gone) as gone:
            await wire.a("never")
    assert gone.value.code == 1008


async def refused(
    session: aiohttp.ClientSession, ticket: str, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, str]]:
    """The answer to a socket that is not opened."""
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    async with session.get(f"/ws/{ticket}", headers={**upgrade, **(headers or {})}) as response:
        return response.status, await response.json(content_type=None)


async def given(serving: Serving, kind: str) -> str:
    database = Database.open(Home(serving.home), MIGRATIONS)
    words = await Passes(database, secret(serving.home)).give(
        People(database).host(),
        kind,  # type: ignore[arg-type]
    )
    database.close()
    return words
