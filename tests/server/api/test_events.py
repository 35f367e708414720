"""A page, a stream and the log hold the same bytes, wherever a reader comes back."""

import asyncio

import msgspec
import pytest

from bottega.sessions.care.retention import trim
from bottega.sessions.feed import Row
from bottega.sessions.session import Sessions
from tests.server.api.using import Api, Message, begun, following, memory, prompted, ran, until
from tests.server.serving import Client

_page = msgspec.json.Decoder(
    type("Page", (msgspec.Struct,), {"__annotations__": {"events": list[tuple[int, msgspec.Raw]]}})
)


async def paged(client: Client, session: str, limit: int) -> list[Row]:
    """All events, page by page, their bytes as they came."""
    rows: list[Row] = []
    while True:
        after = rows[-1][0] if rows else 0
        async with client.session.get(
            f"/api/sessions/{session}/events", params={"after": after, "limit": limit}
        ) as response:
            page = _page.decode(await response.read()).events
        if not page:
            return rows
        rows += [(index, bytes(raw)) for index, raw in page]


async def streamed(client: Client, session: str, upto: int, after: int = 0) -> list[Row]:
    """All events past a cursor, from a stream that is left when it has told the last."""
    rows: list[Row] = []
    async with following(client, session, after) as told:
        async for message in told:
            if not message.event:
                rows.append((int(message.id), message.data))
            if rows and rows[-1][0] >= upto:
                break
    return rows


@pytest.mark.requirement("X02")
async def test_a_page_a_stream_and_the_log_hold_the_same_bytes(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client, mode="allow")
        await ran(client, session, "write it, naïve ☕")
        log = api.stored(session)
        assert await paged(client, session, 3) == log
        assert await paged(client, session, 1000) == log
        assert await streamed(client, session, log[-1][0]) == log


async def test_who_comes_back_at_any_index_gets_exactly_the_rest(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        await ran(client, session, "hello")
        log = api.stored(session)
        for index in range(len(log)):
            assert await streamed(client, session, log[-1][0], index) == log[index:]
            async with following(client, session, 0, **{"Last-Event-ID": str(index)}) as told:
                first = await anext(told)
            assert (int(first.id), first.data) == log[index], "the header counts, not the address"


async def test_readers_that_leave_and_come_back_while_it_streams_miss_nothing(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        message_id = await prompted(client, session, "many")

        async def reader(most: int) -> list[Row]:
            rows: list[Row] = []
            while not rows or b"exchange_response" not in rows[-1][1]:
                async with following(client, session, rows[-1][0] if rows else 0) as told:
                    async for message in told:
                        rows.append((int(message.id), message.data))
                        if len(rows) % most == 0 or b"exchange_response" in message.data:
                            break
            return rows

        found = await asyncio.gather(*(reader(most) for most in (1, 2, 3, 7, 1000)))
        await until(client, session, "exchange_response", message_id)
        log = api.stored(session)
        assert all(rows == log for rows in found)


async def test_a_cursor_past_the_end_waits_for_what_comes_after_it(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        await ran(client, session, "hello")
        last = len(api.stored(session))
        page = await client.get(f"/api/sessions/{session}/events", params={"after": last + 2})
        assert page == {"events": [], "trimmed": [], "last_index": last}
        async with following(client, session, last + 2) as told:
            await prompted(client, session, "again")
            assert (await anext(told)).id == str(last + 3)


async def test_what_is_no_longer_kept_is_told(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        await ran(client, session, "many")
        before = api.stored(session)
        database = api.database()
        assert (await trim(database, session=Sessions(database).get(session))).rows
        database.close()
        log = api.stored(session)
        missing = sorted({index for index, _ in before} - {index for index, _ in log})
        gap = [missing[0], missing[-1]]
        page = await client.get(f"/api/sessions/{session}/events")
        assert page["trimmed"] == [gap]
        told: list[Message] = []
        async with following(client, session) as stream:
            async for message in stream:
                told.append(message)
                if b"exchange_response" in message.data:
                    break
        assert [(int(each.id), each.data) for each in told if not each.event] == log
        place = next(i for i, each in enumerate(told) if each.event == "trimmed")
        assert msgspec.json.decode(told[place].data) == gap
        assert int(told[place + 1].id) == gap[1] + 1


async def test_a_stream_ends_with_its_session(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        await ran(client, session, "hello")
        async with following(client, session) as told:
            await anext(told)
            status, _ = await client.call("DELETE", f"/api/sessions/{session}")
            assert status == 204
            rest = [message async for message in told]
        assert rest[-1].event == "session-ended"
        assert msgspec.json.decode(rest[-1].data) == {"session_id": session}
        status, _ = await client.call("GET", f"/api/sessions/{session}/events")
        assert status == 404


async def test_a_reader_that_does_not_read_holds_neither_memory_nor_others(own: Api) -> None:
    async with own.client() as client:
        session = await begun(client)
        await ran(client, session, "hello")
        await grow(own, session, 60)
        slow = [
            await client.session.get(
                f"/api/sessions/{session}/events",
                headers={"Accept": "text/event-stream"},
                read_bufsize=1024,
            )
            for _ in range(4)
        ]
        before = memory(own.serving.pid)
        end = await ran(client, session, "hello again")
        assert end["success"]
        assert memory(own.serving.pid) - before < 40_000_000, "60 MB wait for each of four"
        for response in slow:
            response.close()


async def grow(api: Api, session: str, megabytes: int) -> None:
    """Long events, as another process might write them."""
    from bottega.events.event import Event
    from bottega.events.facts import TextDelta
    from bottega.sessions.log import insert

    database = api.database()
    n = Sessions(database).get(session).n
    long = Event("text_delta", 1, TextDelta("x" * 200_000), "m")
    for _ in range(megabytes):
        await database.write(lambda c: insert(c, n, [long] * 5))
    database.close()


async def test_a_server_that_ends_does_not_wait_for_those_who_follow(own: Api) -> None:
    async with own.client() as client:
        session = await begun(client)
        await ran(client, session, "hello")
        async with following(client, session) as told:
            await anext(told)
            await asyncio.to_thread(own.serving.stop)
            assert all([not message.event async for message in told])


@pytest.mark.parametrize("bad", ["-1", "x", "1e3", "99999999999999999999"])
async def test_a_cursor_that_is_no_index_is_refused(api: Api, bad: str) -> None:
    async with api.client() as client:
        session = await begun(client)
        path = f"/api/sessions/{session}/events"
        assert (await client.call("GET", path, params={"after": bad}))[0] == 422
        assert (await client.call("GET", path, headers={"Last-Event-ID": bad}))[0] == 422
