"""The real protocols over a real connection: what the transport adds to them, and that it takes nothing away."""

import re
from email.utils import formatdate
from time import time

import pytest

from bottega.messages.block import Text, ToolUse
from bottega.messages.message import Usage, user
from bottega.providers.connect import Transport
from bottega.providers.provider import (
    CallPiece,
    Failed,
    Finished,
    Request,
    Retrying,
    Started,
    StreamEvent,
    Target,
    TextPiece,
)
from bottega.providers.transport import HttpProvider
from bottega.providers.wires import wire
from tests.providers.loopback import JSON, Reply, serving
from tests.providers.recordings import KINDS, RECORDINGS, needs_recordings, play

KEY = "sk-canary-0123456789abcdef"

CHUNK = 'data: {"id":"c","object":"chat.completion.chunk","model":"gpt-x","choices":[%s]%s}\n\n'


def chunk(delta: str, finish: str = "null", usage: str = "") -> bytes:
    choice = f'{{"index":0,"delta":{delta},"finish_reason":{finish}}}'
    return (CHUNK % (choice, usage)).encode()


ANSWER = [
    chunk('{"role":"assistant","content":""}'),
    chunk('{"content":"Let me "}'),
    chunk('{"content":"look."}'),
    chunk(
        '{"tool_calls":[{"index":0,"id":"call_1","type":"function",'
        '"function":{"name":"read","arguments":""}}]}'
    ),
    chunk('{"tool_calls":[{"index":0,"function":{"arguments":"{\\"path\\":"}}]}'),
    chunk('{"tool_calls":[{"index":0,"function":{"arguments":"\\"a.txt\\"}"}}]}'),
    chunk("{}", '"tool_calls"'),
    (CHUNK % ("", ',"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}')).encode(),
    b"data: [DONE]\n\n",
]


class Waits(list[float]):
    async def sleep(self, seconds: float) -> None:
        self.append(seconds)


async def ask(
    transport: Transport, url: str, waits: Waits | None = None, attempts: int = 10
) -> list[StreamEvent]:
    provider = HttpProvider(
        wire("openai-chat"),
        Target("lab", f"{url}/v1", KEY, {}, attempts),
        transport,
        sleep=(Waits() if waits is None else waits).sleep,
        random=lambda: 1.0,
    )
    return [event async for event in provider.stream(Request("gpt-x", (user("Read a.txt"),)))]


@pytest.mark.requirement("A40", "A41")
async def test_text_calls_and_usage_arrive_as_they_are_streamed(transport: Transport) -> None:
    async with serving(Reply(ANSWER)) as server:
        events = await ask(transport, server.url)
    (seen,) = server.requests
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert b'"stream":true' in seen.body
    assert isinstance(events[0], Started)
    assert [e.text for e in events if isinstance(e, TextPiece)] == ["Let me ", "look."]
    assert "".join(e.partial_json for e in events if isinstance(e, CallPiece)) == '{"path":"a.txt"}'
    end = events[-1]
    assert isinstance(end, Finished)
    assert end.content == (
        Text("Let me look.", origin=end.content[0].origin),
        ToolUse("call_1", "read", {"path": "a.txt"}, origin=end.content[1].origin),
    )
    assert (end.stop_reason, end.usage) == ("tool_use", Usage(9, 5))


@pytest.mark.requirement("A42")
@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (401, f'{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}', "bad_key"),
        (404, '{"error":{"message":"No such model","code":"model_not_found"}}', "unknown_model"),
        (400, '{"error":{"message":"Bad","type":"invalid_request_error"}}', "bad_request"),
        (429, '{"error":{"message":"Pay","code":"insufficient_quota"}}', "no_credit"),
    ],
)
async def test_a_refusal_is_one_clear_sentence(
    transport: Transport, status: int, body: str, code: str
) -> None:
    async with serving(Reply([body.encode()], status, JSON)) as server:
        (failed,) = await ask(transport, server.url)
    assert isinstance(failed, Failed)
    assert (failed.code, failed.status) == (code, status)
    assert failed.hint
    assert KEY not in repr(failed)


@pytest.mark.requirement("C7")
async def test_a_date_to_come_back_at_is_waited_for(transport: Transport) -> None:
    now = int(time())
    headers = {
        "Retry-After": formatdate(now + 12, usegmt=True),
        "Date": formatdate(now, usegmt=True),
    }
    waits = Waits()
    async with serving(Reply([b"{}"], 429, headers), Reply(ANSWER)) as server:
        events = await ask(transport, server.url, waits)
    assert isinstance(events[0], Retrying)
    assert waits == [12.0]
    assert isinstance(events[-1], Finished)


async def test_an_error_with_status_200_is_a_failure(transport: Transport) -> None:
    body = b'{"error":{"message":"The model is overloaded.","type":"overloaded_error"}}'
    waits = Waits()
    async with serving(Reply([body], headers=JSON), Reply(ANSWER)) as server:
        events = await ask(transport, server.url, waits)
    assert isinstance(events[0], Retrying)
    assert isinstance(events[-1], Finished)


@needs_recordings
@pytest.mark.requirement("A41")
@pytest.mark.parametrize("kind", KINDS)
async def test_the_transport_takes_nothing_away_from_any_recorded_answer(
    transport: Transport, kind: str
) -> None:
    """Over HTTP each recording gives the events that its decoder gives alone."""
    for recording in (each for each in RECORDINGS if each.kind == kind and each.status == 200):
        body = recording.body.encode("utf-8", "surrogatepass")
        alone = play(kind, body, request=recording.wire_request)
        third = len(body) // 3 + 1
        steps = [body[:third], body[third : 2 * third], body[2 * third :]]
        async with serving(Reply([step for step in steps if step])) as server:
            provider = HttpProvider(
                wire(kind),
                Target("lab", server.url, KEY, {}, 1),
                transport,  # type: ignore[arg-type]
            )
            found = [event async for event in provider.stream(recording.wire_request)]
        if isinstance(alone[-1], Failed):
            assert isinstance(found[-1], Failed), recording.name
            assert found[-1].code == alone[-1].code, recording.name
        else:
            assert without_own_ids(found) == without_own_ids(alone), recording.name


def without_own_ids(events: list[StreamEvent]) -> str:
    """Ids that a provider left out are made up, each time anew."""
    return re.sub("call_[0-9a-f]{32}", "call", repr(events))
