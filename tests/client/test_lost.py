"""Cut connections, lost answers, servers that die: a client goes on where it was, and does nothing twice."""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bottega.client import Remote
from bottega.errors import BadUsage, Conflict, NotFound, Problem, StorageFailed
from bottega.events.event import Event
from bottega.ids import fresh_message
from bottega.reach import reach as reach_module
from bottega.reach.lines import Lines, Sent
from bottega.reach.problems import Unreachable, problem
from bottega.reach.reach import Reach, Try
from bottega.reach.stream import bursts
from bottega.sessions.asks import Reply
from bottega.studio.answering import Waits
from tests.client.conftest import token
from tests.client.cutting import cutting
from tests.server.serving import Serving

Scripted = Callable[..., str]

SAY = {"do": "say", "text": "All is well."}
SLOW = {"do": "say", "text": "word " * 60, "pieces": 60, "pace_ms": 10}
WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": "1\n"}}


async def test_through_a_kill_of_the_server_an_answer_goes_on_without_gap_or_double(
    serving: Serving, scripted: Scripted
) -> None:
    told: list[str] = []
    async with Remote(serving.address, serving.token(), watch=told.append) as studio:
        session = await studio.start(model=scripted([SLOW], [SLOW], [SLOW]))
        seen: list[Event] = []
        killed = False
        async for event in session.prompt("go"):
            seen.append(event)
            if not killed and event.type == "text_delta":
                killed = True
                await asyncio.to_thread(serving.kill)
                await asyncio.to_thread(serving.start)
        facts = [event.index for event in seen if event.sub == 0]
        assert facts == list(range(1, len(facts) + 1))
        assert len({(event.index, event.sub) for event in seen}) == len(seen)
        assert [event.type for event in seen].count("exchange_response") == 1
        assert "stream_reset" in [event.type for event in seen]
        assert told == ["lost", "back"]
        assert seen[-1].data.final_response == "word " * 59 + "word"


@pytest.mark.parametrize(
    "listen",
    [
        pytest.param(lambda reach: reach.call("GET", "sessions"), id="an answer"),
        pytest.param(lambda reach: anext(bursts(reach, "ses_1", largest=1 << 20)), id="an event"),
    ],
)
async def test_a_server_that_talks_without_end_is_left_before_it_fills_the_memory(
    listen: Callable[[Reach], Awaitable[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach_module, "LARGEST", 1 << 20)
    left = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 -\r\nConnection: close\r\n\r\n")
        with suppress(ConnectionError):
            while True:
                writer.write(b"data: " + b"x" * 65_536)
                await writer.drain()
        left.set()
        writer.close()

    async with await asyncio.start_server(endless, "127.0.0.1") as server, asyncio.timeout(30):
        port = server.sockets[0].getsockname()[1]
        async with Remote(f"http://127.0.0.1:{port}", "a-token") as studio:
            with pytest.raises(Problem, match="more than 1 MB at once"):
                await listen(studio.reach)
            await left.wait()


async def test_who_waits_for_a_server_that_is_gone_is_told_why_at_every_try() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = f"http://127.0.0.1:{gone.getsockname()[1]}"
    tries: list[Try] = []
    reach = Reach(address, "a-token", 0.3, most=0.1, trying=tries.append)
    await reach.open()
    try:
        with pytest.raises(Unreachable):
            await reach.call("GET", "sessions")
    finally:
        await reach.close()
    said = f"The server at {address} cannot be reached: nothing listens there."
    assert [(each.number, each.reason) for each in tries[:2]] == [(2, said), (3, said)]


@pytest.mark.parametrize("status", [502, 504])
async def test_what_a_proxy_had_no_answer_to_is_done_again_only_where_that_is_safe(
    status: int,
) -> None:
    asked: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        asked.append(request.split(b" ", 1)[0])
        answer = 200 if len(asked) > 2 else status
        writer.write(b"HTTP/1.1 %d -\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}" % answer)
        writer.close()

    async with await asyncio.start_server(proxy, "127.0.0.1") as server:
        port = server.sockets[0].getsockname()[1]
        reach = Reach(f"http://127.0.0.1:{port}", "a-token")
        await reach.open()
        try:
            with pytest.raises(Unreachable):
                await reach.call("POST", "sessions")
            assert asked == [b"POST"]
            doubted: list[bool] = []
            await reach.call("GET", "sessions", unsure=lambda: doubted.append(True))
            assert asked == [b"POST", b"GET", b"GET"]
            assert doubted == [True]
        finally:
            await reach.close()


async def test_a_line_that_is_cut_again_and_again_costs_nothing(
    shared: Serving, scripted: Scripted
) -> None:
    async with (
        cutting(shared.address) as line,
        Remote(line.address, token(shared)) as studio,
    ):
        session = await studio.start(model=scripted([SLOW]))
        seen: list[Event] = []
        async for event in session.prompt("go"):
            if event.type == "text_delta" and len(seen) % 7 == 0:
                line.sever()
            seen.append(event)
        again = [event async for event in session.exchange(seen[0].message_id)]
        assert seen == again
        assert [event.index for event in seen if event.sub == 0] == list(
            range(1, seen[-1].index + 1)
        )


async def test_a_prompt_whose_answer_was_lost_is_sent_again_and_runs_once(
    shared: Serving, scripted: Scripted
) -> None:
    async with (
        cutting(shared.address) as line,
        Remote(line.address, token(shared)) as studio,
    ):
        session = await studio.start(model=scripted([SAY], [SAY]))
        line.cut = f"POST /api/sessions/{session.id}/prompts".encode()
        assert (await session.prompt("go")).success
        assert line.swallowed == 1
        assert len(await session.steps()) == 1


async def test_an_answer_to_an_ask_that_was_lost_on_its_way_back_still_counts(
    shared: Serving, scripted: Scripted
) -> None:
    async with (
        cutting(shared.address) as line,
        Remote(line.address, token(shared)) as studio,
    ):
        session = await studio.start(model=scripted([WRITE], [SAY]))

        def allow(_: object) -> Reply:
            line.cut = b"POST /api/asks/"
            return Reply("allow_once")

        assert (await session.prompt("go", on_approval=allow)).success
        assert line.swallowed == 1
        ((ask, *_),) = [[e.data for e in await session.facts() if e.type == "approval_resolved"]]
        assert ask.answer == "allow_once"
        with pytest.raises(Conflict):
            await session.answer(ask.approval_id, "deny")


async def test_what_cannot_be_repeated_is_not_and_the_caller_is_told(
    shared: Serving,
) -> None:
    async with (
        cutting(shared.address) as line,
        Remote(line.address, token(shared)) as studio,
    ):
        before = len(await studio.sessions())
        line.cut = b"POST /api/sessions"
        with pytest.raises(Unreachable):
            await studio.start()
        assert len(await studio.sessions()) == before + 1


async def test_a_server_that_stays_away_is_given_up_after_the_time_that_was_set(
    serving: Serving, scripted: Scripted
) -> None:
    async with Remote(serving.address, serving.token(), patience=0.4) as studio:
        session = await studio.start(model=scripted([SAY]))
        serving.kill()
        begin = time.monotonic()
        with pytest.raises(Unreachable, match=serving.address) as told:
            await session.prompt("go")
        assert "bottega serve" in told.value.hint
        assert time.monotonic() - begin < 5


async def test_an_exchange_that_waits_for_an_answer_which_nobody_gives_is_left(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    with Serving(home, folder, environment={"BOTTEGA_PATIENCE": "0"}) as serving:
        async with Remote(serving.address, serving.token()) as studio:
            session = await studio.start(model=scripted([WRITE], [SAY]))
            with pytest.raises(Waits, match="write"):
                await session.prompt("go")
            ((session_id, ask),) = await studio.asks()
            assert session_id == session.id
            again = await studio.resume(session.id)
            assert [each.id for each in again.asks()] == [ask.id]
            await again.answer(ask, "allow_once")
            goes_on = again.resume(wait=True)
            assert goes_on
            assert (await goes_on).success
            assert again.resume() is None
            assert (folder / "a.txt").read_text() == "1\n"


async def test_problems_of_the_server_are_those_of_the_library(
    shared: Serving, scripted: Scripted
) -> None:
    async with Remote(shared.address, token(shared)) as studio:
        with pytest.raises(NotFound, match="no session"):
            await studio.resume("ses_nowhere")
        with pytest.raises(NotFound, match="no agent|There is no"):
            await studio.start(agent="nobody")
        session = await studio.start(model=scripted([SAY]))
        name = fresh_message()
        await session.prompt("go", message_id=name)
        with pytest.raises(Conflict, match="another prompt"):
            await session.prompt("otherwise", message_id=name)
        with pytest.raises(BadUsage, match="message_id"):
            await session.prompt("go", message_id="none")
    async with Remote(shared.address, "no-such-token") as nobody:
        with pytest.raises(Problem, match="not signed in") as told:
            await nobody.sessions()
        assert told.value.code == "not_signed_in"
    with pytest.raises(BadUsage, match="not the address"):
        Remote("ftp://127.0.0.1", "")
    with pytest.raises(BadUsage, match="not open"):
        await Remote(shared.address, "").sessions()
    assert isinstance(
        problem(503, b'{"code": "storage_failed", "detail": "Later."}'), StorageFailed
    )
    assert "status 502" in str(problem(502, b"<html>"))


def test_events_are_read_in_whatever_pieces_they_come() -> None:
    body = b'retry: 1000\n\n: beat\n\nid: 7\ndata: {"a":1}\n\nevent: trimmed\r\ndata: [1,2]\r\n\r\n'
    whole = [Sent(7, "", b'{"a":1}'), Sent(0, "trimmed", b"[1,2]")]
    for size in range(1, len(body) + 1):
        lines = Lines()
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        assert [sent for piece in pieces for sent in lines.feed(piece)] == whole
