"""Tries, resets, ends and cancellation, against a real server on this machine."""

import asyncio

import pytest

from bottega.messages.block import Text
from bottega.providers.http.connect import Timeouts, Transport
from bottega.providers.provider import (
    Failed,
    Finished,
    Reset,
    Retrying,
    Started,
    TextPiece,
)
from tests.providers.loopback import CUT, HANG, Gate, Reply, serving
from tests.providers.plain import REQUEST, Caller, answer, line, text_of

HELLO = Reply(answer("Hel", "lo"))


@pytest.mark.requirement("A41")
async def test_an_answer_arrives_piece_by_piece_and_ends_once(transport: Transport) -> None:
    gate = Gate()
    reply = Reply([line(text="Hel"), gate, line(text="lo"), line(end="done")])
    async with serving(reply) as server, asyncio.timeout(30):
        caller = Caller(transport, server.url)
        stream = caller.provider.stream(REQUEST)
        assert await anext(stream) == Started("plain-1")
        assert await anext(stream) == TextPiece("Hel")
        assert not gate.opened.is_set()
        gate.opened.set()
        rest = [event async for event in stream]
    assert rest == [
        TextPiece("lo"),
        Finished((Text("Hello"),), "end_turn", provider_stop="done"),
    ]


async def test_a_key_that_is_repeated_as_a_models_name_or_a_reason_is_hidden(
    transport: Transport,
) -> None:
    key = "sk-canary-0123456789abcdef"
    reply = Reply([line(start=f"m-{key}", text="Hello"), line(end=f"stop {key}")])
    async with serving(reply) as server:
        events = await Caller(transport, server.url, key=key).ask()
    assert key not in repr(events)
    assert text_of(events) == "Hello"


@pytest.mark.requirement("C7", "A40")
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_a_passing_failure_is_tried_again(transport: Transport, status: int) -> None:
    async with serving(Reply([b"no"], status), HELLO) as server:
        caller = Caller(transport, server.url)
        events = await caller.ask()
    assert events[0] == Retrying(2, 10, 1.0, f"status {status}: no")
    assert isinstance(events[1], Started)
    assert text_of(events) == "Hello"
    assert caller.waits == [1.0]
    assert len(server.requests) == 2
    assert server.requests[0].body == server.requests[1].body


@pytest.mark.requirement("C7")
@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 413, 422])
async def test_a_judgement_on_the_request_is_final(transport: Transport, status: int) -> None:
    async with serving(Reply([b"no"], status), HELLO) as server:
        caller = Caller(transport, server.url)
        events = await caller.ask()
    assert [type(e) for e in events] == [Failed]
    assert len(server.requests) == 1
    assert caller.waits == []


@pytest.mark.requirement("C7")
async def test_a_400_is_final_even_if_it_is_called_retryable(transport: Transport) -> None:
    error = {"message": "m", "code": "bad_request", "retryable": True, "status": 400}
    async with serving(Reply([line(error=error)])) as server:
        await Caller(transport, server.url).fail()
    assert len(server.requests) == 1


@pytest.mark.requirement("A39", "A40", "C7")
@pytest.mark.parametrize("attempts", [1, 5, 10])
async def test_there_are_no_more_tries_than_the_target_allows(
    transport: Transport, attempts: int
) -> None:
    async with serving(Reply([b"no"], 503)) as server:
        caller = Caller(transport, server.url, attempts=attempts, luck=0.5)
        events = await caller.ask()
    assert len(server.requests) == attempts
    assert [type(e) for e in events] == [Retrying] * (attempts - 1) + [Failed]
    assert [e.number for e in events if isinstance(e, Retrying)] == list(range(2, attempts + 1))
    assert sum(caller.waits) <= 120
    assert max(caller.waits, default=0) <= 30


@pytest.mark.requirement("C7")
async def test_the_wait_that_the_provider_asks_for_is_kept(transport: Transport) -> None:
    async with serving(Reply([b"no"], 429, {"Retry-After": "17"}), HELLO) as server:
        caller = Caller(transport, server.url)
        events = await caller.ask()
    assert caller.waits == [17.0]
    assert text_of(events) == "Hello"


@pytest.mark.requirement("C7")
@pytest.mark.parametrize("asked", ["31", "86400", "1e300"])
async def test_an_absurd_wait_is_not_waited_for(transport: Transport, asked: str) -> None:
    async with serving(Reply([b"no"], 429, {"Retry-After": asked}), HELLO) as server:
        caller = Caller(transport, server.url)
        failed = await caller.fail()
    assert failed.retry_after == float(asked)
    assert caller.waits == []


@pytest.mark.requirement("C7")
@pytest.mark.parametrize("asked", ["-5", "nan", "inf", "-inf"])
async def test_a_senseless_wait_is_ignored(transport: Transport, asked: str) -> None:
    async with serving(Reply([b"no"], 429, {"Retry-After": asked}), HELLO) as server:
        caller = Caller(transport, server.url)
        await caller.ask()
    assert caller.waits == [1.0]


@pytest.mark.requirement("C7")
async def test_a_connection_cut_before_the_first_piece_is_tried_again(transport: Transport) -> None:
    cuts = [Reply([CUT]), Reply([b": hello\n\n", CUT]), Reply([line(start="m"), CUT])]
    async with serving(*cuts, HELLO) as server:
        events = await Caller(transport, server.url).ask()
    assert [type(e) for e in events[:4]] == [Retrying, Retrying, Retrying, Started]
    assert text_of(events) == "Hello"


@pytest.mark.requirement("C7")
async def test_an_answer_cut_after_its_first_piece_starts_anew(transport: Transport) -> None:
    async with serving(Reply([line(text="Hal"), CUT]), HELLO) as server:
        events = await Caller(transport, server.url).ask()
    kinds = [type(e) for e in events]
    assert kinds == [
        *(Started, TextPiece, Reset, Retrying),
        *(Started, TextPiece, TextPiece, Finished),
    ]
    assert text_of(events) == "Hello"


@pytest.mark.requirement("C7")
async def test_an_answer_starts_anew_only_once(transport: Transport) -> None:
    async with serving(Reply([line(text="Hal"), CUT])) as server:
        events = await Caller(transport, server.url).ask()
    assert len(server.requests) == 2
    assert sum(isinstance(e, Reset) for e in events) == 1
    assert isinstance(events[-1], Failed)
    assert events[-1].code == "cut_off"


@pytest.mark.requirement("C7")
async def test_after_a_reset_the_new_request_may_be_tried_again(transport: Transport) -> None:
    busy = Reply([b"no"], 503)
    async with serving(Reply([line(text="Hal"), CUT]), busy, busy, HELLO) as server:
        events = await Caller(transport, server.url).ask()
    assert len(server.requests) == 4
    assert text_of(events) == "Hello"


async def test_a_body_that_ends_without_an_end_is_cut_off(transport: Transport) -> None:
    async with serving(Reply([line(text="Hal")]), HELLO) as server:
        events = await Caller(transport, server.url).ask()
    assert text_of(events) == "Hello"
    assert sum(isinstance(e, Reset) for e in events) == 1


@pytest.mark.requirement("A42")
async def test_an_error_inside_an_answer_ends_it(transport: Transport) -> None:
    error = {"message": "No credit.", "code": "no_credit"}
    async with serving(Reply([line(text="Hal"), line(error=error)])) as server:
        events = await Caller(transport, server.url).ask()
    assert [type(e) for e in events] == [Started, TextPiece, Failed]
    assert len(server.requests) == 1


async def test_an_error_before_any_piece_shows_no_start(transport: Transport) -> None:
    overloaded = {"message": "Overloaded.", "code": "overloaded", "retryable": True}
    reply = Reply([line(start="m"), line(error=overloaded)])
    async with serving(reply, HELLO) as server:
        events = await Caller(transport, server.url).ask()
    assert [type(e) for e in events[:2]] == [Retrying, Started]


async def test_an_unsupported_request_fails_before_it_is_sent(transport: Transport) -> None:
    async with serving(HELLO) as server:
        events = await Caller(transport, server.url).ask(system="impossible")
    assert events == [
        Failed("The model 'plain-1' takes no system prompt.", "bad_request", hint="Leave it out.")
    ]
    assert server.requests == []


@pytest.mark.filterwarnings("default")
async def test_a_mistake_in_a_protocol_is_a_failure_not_a_crash(transport: Transport) -> None:
    async with serving(Reply([b"data: {no json\n\n"])) as server:
        caller = Caller(transport, server.url)
        assert (await caller.fail()).code == "provider_error"
        failed = (await caller.ask(system="broken"))[-1]
    assert isinstance(failed, Failed)
    assert failed.code == "bad_request"


async def test_notices_of_the_request_stand_in_the_answer(transport: Transport) -> None:
    async with serving(HELLO) as server:
        events = await Caller(transport, server.url).ask(temperature=0.5)
    assert isinstance(events[-1], Finished)
    assert events[-1].notices == ("The temperature was left out.",)


@pytest.mark.parametrize("moment", ["before the headers", "in the answer"])
async def test_cancelling_the_reader_closes_the_connection(
    transport: Transport, moment: str
) -> None:
    gate = Gate()
    steps = [gate] if moment == "before the headers" else [line(text="Hal"), gate]
    reply = Reply(steps)
    async with serving(reply) as server, asyncio.timeout(30):
        asking = asyncio.create_task(Caller(transport, server.url).ask())
        await gate.reached.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await reply.left.wait()


async def test_closing_the_iterator_closes_the_connection(transport: Transport) -> None:
    reply = Reply([line(text="Hal"), HANG])
    async with serving(reply) as server, asyncio.timeout(30):
        stream = Caller(transport, server.url).provider.stream(REQUEST)
        assert isinstance(await anext(stream), Started)
        await stream.aclose()
        await reply.left.wait()


async def test_cancelling_a_wait_ends_the_tries(transport: Transport) -> None:
    waiting = asyncio.Event()

    async def wait(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async with serving(Reply([b"no"], 503)) as server, asyncio.timeout(30):
        asking = asyncio.create_task(Caller(transport, server.url, sleep=wait).ask())
        await waiting.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert len(server.requests) == 1


@pytest.mark.requirement("C7")
async def test_all_waits_together_are_bounded(transport: Transport) -> None:
    async with serving(Reply([b"no"], 503)) as server:
        caller = Caller(transport, server.url, attempts=1000)
        await caller.fail()
    assert 90 <= sum(caller.waits) <= 120
    assert max(caller.waits) == 30


async def test_a_finished_answer_leaves_its_connection_for_the_next(transport: Transport) -> None:
    async with serving(HELLO) as server:
        caller = Caller(transport, server.url)
        for _ in range(3):
            await caller.ask()
    assert len({seen.port for seen in server.requests}) == 1


async def test_a_server_that_holds_a_finished_answer_open_delays_nobody(
    transport: Transport,
) -> None:
    reply = Reply([*answer("Hello"), HANG])
    async with serving(reply) as server, asyncio.timeout(30):
        events = await Caller(transport, server.url).ask()
        await reply.left.wait()
    assert text_of(events) == "Hello"


async def test_a_silent_provider_is_given_up_and_tried_again(transport: Transport) -> None:
    timeouts = Timeouts(idle=0.05)
    silent = Reply([HANG])
    async with serving(silent, HELLO) as server:
        events = await Caller(transport, server.url, timeouts=timeouts).ask()
        await silent.left.wait()
    assert isinstance(events[0], Retrying)
    assert "sent nothing for 0.05 seconds" in events[0].reason
    assert text_of(events) == "Hello"


async def test_an_answer_that_falls_silent_starts_anew(transport: Transport) -> None:
    async with serving(Reply([line(text="Hal"), HANG]), HELLO) as server:
        events = await Caller(transport, server.url, timeouts=Timeouts(idle=0.05)).ask()
    assert text_of(events) == "Hello"
    assert sum(isinstance(e, Reset) for e in events) == 1


async def test_the_total_time_is_final(transport: Transport) -> None:
    reply = Reply([line(text="Hal"), HANG])
    async with serving(reply) as server:
        caller = Caller(transport, server.url, timeouts=Timeouts(total=0.1))
        failed = await caller.fail()
        await reply.left.wait()
    assert failed.code == "timeout"
    assert len(server.requests) == 1


async def test_a_large_request_goes_out_whole(transport: Transport) -> None:
    async with serving(HELLO) as server:
        await Caller(transport, server.url).ask(system="x" * 3_000_000)
    assert len(server.requests[0].body) > 3_000_000
