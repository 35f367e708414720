"""What a body is, and what comes of it."""

import pytest

from bottega.messages.block import Text
from bottega.providers.http.attempt import kind_of
from bottega.providers.http.connect import Transport
from bottega.providers.http.transport import HttpProvider
from bottega.providers.provider import Failed, Finished, Request, Started, Target, TextPiece
from tests.providers.loopback import CUT, JSON, Gate, Reply, serving, squeezed
from tests.providers.plain import REQUEST, Caller, Plain, answer, line, text_of

PAGE = b"<!doctype html><title>Sign in</title>"


async def test_an_answer_in_one_piece_gives_the_same_events(transport: Transport) -> None:
    async with serving(Reply([b'{"text": "Hel', b'lo", "end": "done"}'], headers=JSON)) as server:
        events = await Caller(transport, server.url).ask()
    assert events == [
        Started("plain-1"),
        TextPiece("Hello"),
        Finished((Text("Hello"),), "end_turn", provider_stop="done"),
    ]


@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream", "text/plain"])
async def test_an_error_body_with_status_200_is_a_failure(
    transport: Transport, content_type: str
) -> None:
    body = b'{"error": {"message": "No credit.", "code": "no_credit"}}'
    async with serving(Reply([body], headers={"Content-Type": content_type})) as server:
        events = await Caller(transport, server.url).ask()
    assert events == [Failed("No credit.", "no_credit")]


@pytest.mark.parametrize("content_type", ["text/html", "text/event-stream", "text/plain"])
async def test_a_web_page_is_no_answer(transport: Transport, content_type: str) -> None:
    async with serving(Reply([PAGE], headers={"Content-Type": content_type})) as server:
        failed = await Caller(transport, server.url).fail()
    assert failed.code == "not_sse"
    assert server.url in failed.message
    assert "200" in failed.message
    assert "plain" in failed.hint
    assert "title" not in failed.message
    assert len(server.requests) == 1


@pytest.mark.parametrize("content_type", ["text/event-stream; charset=utf-8", "text/plain", ""])
async def test_a_stream_is_read_whatever_it_is_called(
    transport: Transport, content_type: str
) -> None:
    async with serving(Reply(answer("Hello"), headers={"Content-Type": content_type})) as server:
        assert text_of(await Caller(transport, server.url).ask()) == "Hello"


async def test_a_compressed_stream_is_read(transport: Transport) -> None:
    packed = squeezed(*answer("Hel", "lo"))
    headers = {"Content-Type": "text/event-stream", "Content-Encoding": "gzip"}
    async with serving(Reply([packed[:20], packed[20:]], headers=headers)) as server:
        assert text_of(await Caller(transport, server.url).ask()) == "Hello"


async def test_a_broken_compression_is_cut_off(transport: Transport) -> None:
    headers = {"Content-Type": "text/event-stream", "Content-Encoding": "gzip"}
    async with serving(Reply([b"no gzip at all"], headers=headers)) as server:
        failed = await Caller(transport, server.url, attempts=1).fail()
    assert failed.code == "cut_off"


@pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n"])
async def test_every_line_end_is_read_wherever_the_body_is_cut(
    transport: Transport, end: bytes
) -> None:
    body = b"".join(answer("Hel", "lo")).replace(b"\n", end)
    gate = Gate()
    gate.opened.set()
    steps = [part for n in range(len(body)) for part in (body[n : n + 1], gate)]
    async with serving(Reply(steps)) as server:
        assert text_of(await Caller(transport, server.url).ask()) == "Hello"


async def test_an_empty_body_is_cut_off(transport: Transport) -> None:
    async with serving(Reply([])) as server:
        failed = await Caller(transport, server.url, attempts=1).fail()
    assert failed.code == "cut_off"


async def test_an_error_page_is_explained_by_the_protocol(transport: Transport) -> None:
    async with serving(Reply([b"not ", b"here"], 404, {"Content-Type": "text/plain"})) as server:
        failed = await Caller(transport, server.url).fail()
    assert failed.message == "status 404: not here"


async def test_a_huge_error_body_is_not_read_whole(transport: Transport) -> None:
    async with serving(Reply([b"x" * 1_000_000] * 20, 400)) as server:
        failed = await Caller(transport, server.url).fail()
    assert failed.message.startswith("status 400: xxx")
    assert len(failed.message) < 2_000_000


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_key_follows_a_redirect(transport: Transport, status: int) -> None:
    async with serving(Reply(answer("no"))) as other:
        headers = {"Location": f"{other.url}/elsewhere"}
        async with serving(Reply([], status, headers)) as server:
            failed = await Caller(transport, server.url, key="sk-canary-123").fail()
        assert other.requests == []
    assert other.url in failed.message
    assert str(status) in failed.message


async def test_what_follows_the_end_is_ignored(transport: Transport) -> None:
    async with serving(Reply([*answer("Hello"), line(text="more"), line(end="again")])) as server:
        assert text_of(await Caller(transport, server.url).ask()) == "Hello"


@pytest.mark.parametrize(
    ("content_type", "first", "kind"),
    [
        ("text/event-stream", b"data: {}", "stream"),
        ("text/event-stream", b"", "stream"),
        ("text/event-stream", b"da", "stream"),
        ("text/event-stream", b"\xef\xbb\xbfdata: {}", "stream"),
        ("text/event-stream", b' {"error": 1}', "whole"),
        ("application/json", b"data: {}", "stream"),
        ("application/json", b"null", "whole"),
        ("application/json", b" ", "whole"),
        ("text/html", b"data: {}", "stream"),
        ("text/html", b"Sorry", "page"),
        ("text/html", b"\n <html>", "page"),
        ("", b": ping", "stream"),
        ("", b"[1]", "whole"),
        ("", b"", "stream"),
        ("", b"Sorry", "page"),
    ],
)
def test_the_first_bytes_say_what_a_body_is(content_type: str, first: bytes, kind: str) -> None:
    assert kind_of(content_type, first) == kind


async def test_an_endless_event_is_given_up(transport: Transport) -> None:
    async with serving(Reply([b"data: ", *[b"x" * 4_000_000] * 10])) as server:
        failed = await Caller(transport, server.url).fail()
    assert failed.code == "provider_error"
    assert "more at once than any answer holds" in failed.message


async def test_an_endless_answer_in_one_piece_is_given_up(transport: Transport) -> None:
    async with serving(Reply([b'{"text": "', *[b"x" * 8_000_000] * 10], headers=JSON)) as server:
        failed = await Caller(transport, server.url).fail()
    assert "more at once than any answer holds" in failed.message


async def test_an_error_whose_body_breaks_off_is_still_explained(transport: Transport) -> None:
    async with serving(Reply([b"no", CUT], 404)) as server:
        failed = await Caller(transport, server.url).fail()
    assert failed.message.startswith("status 404")


class Mute(Plain):
    """A protocol with a mistake: its decoder never ends."""

    def decoder(self, request: Request) -> "Mute":
        return self

    def step(self, name: str, data: bytes) -> tuple[()]:
        return ()

    whole = step

    def end(self) -> tuple[()]:
        return ()


async def test_a_protocol_that_forgets_the_end_does_not_hang(transport: Transport) -> None:
    async with serving(Reply(answer("Hello"))) as server:
        provider = HttpProvider(Mute(), Target("mute", server.url, max_attempts=1), transport)
        events = [event async for event in provider.stream(REQUEST)]
    assert [type(event) for event in events] == [Failed]


async def test_an_outage_is_nothing_to_pay_for(transport: Transport) -> None:
    async with serving(Reply([CUT])) as server:
        failed = await Caller(transport, server.url).fail()
    assert (failed.code, failed.unanswered) == ("cut_off", False)


async def test_an_answer_that_broke_off_may_have_to_be_paid(transport: Transport) -> None:
    async with serving(Reply([b": wait\n\n", CUT])) as server:
        failed = await Caller(transport, server.url).fail()
    assert (failed.code, failed.unanswered) == ("cut_off", True)
