"""Severity: high (H5) and medium (M4, its kind). A remote Bottega that was approved sends a huge event or answer,
endless small ones, an id that is none, or a cost below zero: the exchange ends with an error that says so, and nothing
of it is counted or kept.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from bottega.agents.agent import Whereabouts
from bottega.agents.spec import Spec
from bottega.client import Remote
from bottega.errors import Problem
from bottega.events.event import Event
from bottega.messages.message import Usage
from bottega.origin import origin_of
from bottega.reach.reach import Reach, retry_after
from bottega.reach.stream import bursts
from bottega.sessions import spent
from bottega.spending.approved import ApprovedAgents
from bottega.spending.key import KeyRing
from bottega.studio import Studio
from bottega.workers.far import taking
from bottega.workers.far.other import Other
from tests.attacks.sinks import sink
from tests.attacks.turns import longest_wait_beside

Told = tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], dict[str, Any]]
"""Its kind, its data, and what of its envelope is not as usual."""
END: Told = (
    "exchange_response",
    {
        "success": True,
        "completion_reason": "task_complete",
        "stop_reason": "end_turn",
        "iterations": 1,
    },
)


@asynccontextmanager
async def _hostile(
    events: Callable[[], AsyncIterator[Told]], session_id: str = "ses_far"
) -> AsyncGenerator[str]:
    """A server that looks like a Bottega, and tells these events of whatever it is asked."""
    said: list[str] = []

    async def posted(request: web.Request) -> web.Response:
        body = await request.json()
        if not request.path.endswith("/prompts"):
            return web.json_response({"id": session_id}, status=201)
        said.append(body["message_id"])
        answer = {"message_id": said[-1], "index": 1, "repeated": False}
        return web.json_response(answer, status=202)

    async def followed(request: web.Request) -> web.StreamResponse:
        if not request.path.endswith("/events"):
            return web.json_response({"id": "ses_far"})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        index = 1
        async for kind, data, *odd in events():
            index += 1
            body = {"type": kind, "at": 1, "data": data, "message_id": said[-1]}
            body |= odd[0] if odd else {}
            number = body.pop("index", index)
            await response.write(f"id: {number}\ndata: {json.dumps(body)}\n\n".encode())
        return response

    async def agreed(_: web.Request) -> web.Response:
        return web.json_response({})

    app = web.Application()
    app.router.add_post("/{any:.*}", posted)
    app.router.add_get("/{any:.*}", followed)
    for method in ("PATCH", "PUT", "DELETE"):
        app.router.add_route(method, "/{any:.*}", agreed)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def _asked(
    home: Path,
    folder: Path,
    events: Callable[[], AsyncIterator[Told]],
    session_id: str = "ses_far",
) -> tuple[list[Event], spent.Used]:
    """The log of an exchange that such a server answers, and what was counted."""
    async with _hostile(events, session_id) as address:
        where = Whereabouts(address, "doer")
        KeyRing(home).set(where.token_name, "token", origin_of(address))
        ApprovedAgents(home).approve("afar", where)
        agent = Spec(slug="afar", name="Afar", remote=where)
        async with Studio(home, agents=[agent]) as studio, asyncio.timeout(20):  # pyright: ignore[reportArgumentType]
            session = await studio.start(agent="afar", folder=folder)
            await session.prompt("go")
            return await session.facts(), spent.in_last(studio.runtime.database, 24, 1)


def _error(log: list[Event]) -> str:
    assert not log[-1].data.success
    return next(event.data.message for event in log if event.type == "error_message")


async def test_one_huge_event_is_not_taken(home: Path, folder: Path) -> None:
    async def huge() -> AsyncIterator[Told]:
        yield "text_delta", {"text": "x" * (taking.LARGEST + 4_000_000)}
        yield END

    began = time.monotonic()
    log, _ = await _asked(home, folder, huge)
    assert "8 MB at once" in _error(log)
    assert not any(event.type == "text_delta" for event in log)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "session_id",
    ["s" * 20_000_000, "s" * 101, "../people", "a/b", "a?b", "", "é", "a\n"],
    ids=["20 MB", "101 letters", "a path", "a slash", "a query", "empty", "é", "a line end"],
)
async def test_an_id_that_can_be_none_is_neither_asked_for_nor_stored(
    home: Path, folder: Path, session_id: str
) -> None:
    async def events() -> AsyncIterator[Told]:
        yield END

    log, _ = await _asked(home, folder, events, session_id)
    assert "makes no sense" in _error(log) or "at once" in _error(log)
    assert sum(each.stat().st_size for each in home.glob("bottega.db*")) < 5_000_000


async def test_what_a_server_says_went_wrong_is_one_line() -> None:
    async def refused(_: web.Request) -> web.Response:
        told = {"code": "nope", "detail": "no\nbottega: done", "hint": "a\r\nb" + "x" * 100_000}
        return web.json_response(told, status=400)

    async def odd(_: web.Request) -> web.Response:
        return web.json_response({"projects": 7})

    app = web.Application()
    app.router.add_get("/api/agents", refused)
    app.router.add_get("/api/projects", odd)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with Remote(f"http://127.0.0.1:{runner.addresses[0][1]}", "token") as remote:
            with pytest.raises(Problem) as told:
                await remote.agents()
            assert len(str(told.value).splitlines()) == 1
            assert len(str(told.value)) < 10_000
            with pytest.raises(Problem, match="makes no sense"):
                await remote.projects()
    finally:
        await runner.cleanup()


async def test_endless_small_events_end_the_exchange(
    home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "MOST_CARRIED", 4 * 1024 * 1024)

    async def flood() -> AsyncIterator[Told]:
        for _ in range(200):
            yield "text_delta", {"text": "x" * 60_000}
        yield END

    log, _ = await _asked(home, folder, flood)
    assert "4 MB in one exchange" in _error(log)
    stored = sum(len(event.data.text) for event in log if event.type == "text_delta")
    assert stored <= 4 * 1024 * 1024


_CALL = {"tool_id": "t", "name": "n", "hash": "h"}
_USE = {"type": "tool_use", "id": "c", "name": "x"}
MANY: dict[str, Told] = {
    "values in a call": ("tool_intent", {**_CALL, "input": {"a": [[]] * 60_000}}),
    "fields in a call": (
        "tool_intent",
        {**_CALL, "input": {f"a{n}": {} for n in range(20_000)}},
    ),
    "todos": ("todos_changed", {"todos": [{"content": "x"}] * 40_000}),
    "calls": ("assistant_message", {"content": [_USE] * 20_000, "stop_reason": "tool_use"}),
    "values in a question": (
        "approval_required",
        {"approval_id": "a", "kind": "question", "hash": "h", "detail": {"a": [[]] * 60_000}},
    ),
    "what nobody reads": ("text_delta", {"text": "x", "more": [[]] * 60_000}),
}


@pytest.mark.parametrize("kind", MANY)
async def test_an_event_of_very_many_values_is_not_taken(
    home: Path, folder: Path, kind: str
) -> None:
    async def crowded() -> AsyncIterator[Told]:
        yield MANY[kind]
        yield END

    log, _ = await _asked(home, folder, crowded)
    assert "sent an event of more than 50,000 fields and elements" in _error(log)
    assert not any(event.type == MANY[kind][0] for event in log)


async def test_many_events_of_many_values_end_the_exchange(
    home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "MOST_MEMBERS", 5_000)

    async def flood() -> AsyncIterator[Told]:
        for _ in range(3_000):  # of these there may be any number
            yield "text_delta", {"text": "x"}
        for _ in range(100):
            yield "tool_intent", {**_CALL, "input": {"a": [[]] * 200}}
        yield END

    log, _ = await _asked(home, folder, flood)
    assert "5,000 fields and elements in one exchange" in _error(log)
    assert len([event for event in log if event.type == "tool_intent"]) < 20


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        ({"input_tokens": 5, "output_tokens": 5}, -5_000_000_000),
        ({"input_tokens": -1_000_000_000, "output_tokens": 1}, 0),
        ({"input_tokens": 1, "cached_tokens": -1}, 0),
        ({"input_tokens": 5, "output_tokens": 5}, 2**60),
        ({"input_tokens": 2**60, "output_tokens": 5}, 0),
    ],
)
async def test_a_cost_that_cannot_be_true_is_not_counted(
    home: Path, folder: Path, usage: dict[str, int], cost: int
) -> None:
    async def lying() -> AsyncIterator[Told]:
        content = [{"type": "text", "text": "hi"}]
        answer = {"content": content, "stop_reason": "end_turn", "usage": usage, "cost": cost}
        yield "assistant_message", {**answer, "model": "m"}
        yield END

    log, used = await _asked(home, folder, lying)
    assert "cannot be true" in _error(log)
    assert used == spent.Used()


async def test_no_row_takes_anything_off_what_was_used(home: Path, folder: Path) -> None:
    async with Studio(home) as studio:
        session = await studio.start(model="guide", folder=folder)
        n = session.row.n
        for tokens, cost in ((-7, -7), (2**60, 2**62)):
            await studio.runtime.database.write(
                lambda c, t=tokens, p=cost: spent.note(c, n, "m", Usage(t, 0), p)
            )
        used = spent.in_last(studio.runtime.database, 24, 1)
    assert (used.tokens, used.cost) == (spent.MOST, spent.MOST)


NUMBERS = ("9" * 17, str(2**53), str(2**63), "1" + "0" * 30, "9" * 6000)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{len(number)} digits")
async def test_an_index_that_can_be_none_ends_the_exchange(
    home: Path, folder: Path, number: str
) -> None:
    async def odd() -> AsyncIterator[Told]:
        yield "text_delta", {"text": "x"}, {"index": number}
        yield END[0], END[1], {"index": number + "0"}

    log, _ = await _asked(home, folder, odd)
    assert "no event" in _error(log)


@pytest.mark.parametrize("field", ["at", "step", "attempt"])
async def test_neither_does_another_number_that_can_be_none_go_into_the_log(
    home: Path, folder: Path, field: str
) -> None:
    for number in (-1, 10**17, 10**30):

        async def odd(number: int = number) -> AsyncIterator[Told]:
            yield "text_delta", {"text": "x"}, {field: number}
            yield END

        log, _ = await _asked(home, folder, odd)
        assert "no event" in _error(log)


@pytest.mark.parametrize(
    "named", ["a" * 20_000_000, "a" * 101, "../../api/me", "ses far", "", "ses\n"], ids=range(6)
)
async def test_the_name_of_a_session_elsewhere_is_short_and_a_name(named: str) -> None:
    with sink() as server:
        body = json.dumps({"id": named}).encode()
        server.answer = lambda _: (201, {"Content-Type": "application/json"}, body)
        reach = Reach(server.url, "token", 0)
        await reach.open()
        try:
            with pytest.raises(Problem, match="makes no sense|MB at once"):
                await Other(reach).session("", Whereabouts(server.url), "ask", "title")
        finally:
            await reach.close()


async def test_what_a_server_says_went_wrong_is_one_line_of_bounded_length() -> None:
    forged = "No such thing.\nbottega: all is well" + "x" * 100_000
    with sink() as server:
        body = json.dumps({"code": "problem", "detail": forged, "hint": forged}).encode()
        server.answer = lambda _: (400, {"Content-Type": "application/json"}, body)
        reach = Reach(server.url, "token", 0)
        await reach.open()
        try:
            with pytest.raises(Problem) as raised:
                await reach.call("GET", "projects")
        finally:
            await reach.close()
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 10_000


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"projects": [{"id": 7}]}', b"no json"])
async def test_an_answer_of_an_odd_shape_is_told_as_one(body: bytes) -> None:
    with sink() as server:
        server.answer = lambda _: (200, {"Content-Type": "application/json"}, body)
        async with Remote(server.url, "token", patience=0) as remote:
            with pytest.raises(Problem, match="makes no sense"):
                await remote.projects()


@pytest.mark.parametrize("status", [400, 503])
async def test_a_refusal_of_a_stream_that_does_not_end_is_not_read_to_its_end(status: int) -> None:
    async def refused(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=status)
        await response.prepare(request)
        with suppress(ConnectionError):
            while True:
                await response.write(b"x" * 100_000)
        return response

    app = web.Application()
    app.router.add_get("/{any:.*}", refused)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with Remote(f"http://127.0.0.1:{runner.addresses[0][1]}", "token") as remote:
        with pytest.raises(Problem, match="more than 1 MB at once"):
            async for _ in bursts(remote.reach, "ses_1"):
                pass
    await runner.cleanup()


@pytest.mark.parametrize("said", ["\u00b2", "\u0663", "-1", "", "1e9", "9" * 400])
def test_no_wait_that_it_names_is_more_than_a_number(said: str) -> None:
    response = SimpleNamespace(headers={"Retry-After": said})
    assert 0 <= retry_after(response) <= 60  # pyright: ignore[reportArgumentType]


async def test_others_have_their_turns_while_a_large_answer_is_read() -> None:
    body = b'{"input":{"a":[' + b"1," * 300 + b'1],"b":"' + b'\\\\\\"' * 3_500_000 + b'"}}'

    class Told(Reach):
        async def call(self, *given: Any, **how: Any) -> bytes:
            return body

    async def asked() -> None:
        assert await Other(Told("http://127.0.0.1:1", "")).arguments("ask_1")

    assert await longest_wait_beside(asyncio.create_task(asked())) < 0.3
