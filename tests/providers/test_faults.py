"""Every way a network fails is one clear sentence with a next step, and says no secret."""

import asyncio
import base64
import html
import json
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import quote

import pytest

from bottega.providers.http.connect import Timeouts, Transport
from bottega.providers.http.faults import hide
from bottega.providers.provider import Failed, StreamEvent, Target
from tests.providers.loopback import CUT, HANG, Reply, meeting, serving
from tests.providers.plain import Caller, answer, line

KEY = "sk-canary-0123456789abcdef"
PASSWORD = "pass-canary-42"


@pytest.mark.requirement("A42")
async def test_a_refused_connection_names_the_address(transport: Transport) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    failed = await Caller(transport, f"http://127.0.0.1:{port}", attempts=1).fail()
    assert failed.message == f"http://127.0.0.1:{port} cannot be reached: nothing listens there."
    assert failed.code == "unreachable"
    assert failed.retryable
    assert "'plain'" in failed.hint


@pytest.mark.requirement("A42")
async def test_a_name_that_does_not_exist_is_said(transport: Transport) -> None:
    failed = await Caller(transport, "https://no-such-host.invalid/v1", attempts=1).fail()
    assert failed.message == "The name 'no-such-host.invalid' could not be looked up."
    assert failed.code == "unreachable"


async def test_a_plain_server_behind_https_is_recognised(transport: Transport) -> None:
    async with serving(Reply(answer("no"))) as server:
        url = server.url.replace("http://", "https://")
        failed = await Caller(transport, url).fail()
    assert failed.code == "unreachable"
    assert "http://" in failed.hint
    assert not failed.retryable


async def test_a_server_that_does_not_speak_http_is_recognised(transport: Transport) -> None:
    async with _speaking(b"SSH-2.0-OpenSSH_9.6\r\n") as url:
        failed = await Caller(transport, url).fail()
    assert failed.message == f"What {url} answered is not HTTP."


async def test_a_connection_that_never_stands_is_given_up(transport: Transport) -> None:
    async with _speaking(b"") as plain:
        url = plain.replace("http://", "https://")
        timeouts = Timeouts(connect=0.05)
        failed = await Caller(transport, url, attempts=1, timeouts=timeouts).fail()
    assert failed.message == f"No connection to {url} in 0.05 seconds."
    assert failed.retryable


async def test_a_server_that_does_not_take_the_request_is_given_up(transport: Transport) -> None:
    async with _speaking(b"", reads=False) as url:
        timeouts = Timeouts(connect=0.1, idle=0.05, slowest_upload=1e12)
        caller = Caller(transport, url, attempts=1, timeouts=timeouts)
        end = (await caller.ask(system="x" * 30_000_000))[-1]
    assert isinstance(end, Failed)
    assert (end.code, end.retryable) == ("timeout", True)
    assert "sent nothing for 0.05 seconds" in end.message


@pytest.mark.parametrize(
    "url",
    ["ftp://host.test", "no address", "http://", "http://[::1", "http://a:b:c", "", "file:///"],
)
async def test_a_senseless_address_is_a_failure(transport: Transport, url: str) -> None:
    failed = await Caller(transport, url).fail()
    assert failed.code == "unreachable"
    assert "'plain'" in failed.hint


@pytest.mark.parametrize("key", ["sk-can\nary", "sk-can\rary", "sk-can\0ary", "sk-canary\x7f"])
async def test_a_key_with_a_line_break_is_refused_without_showing_it(
    transport: Transport, key: str
) -> None:
    async with serving(Reply(answer("no"))) as server:
        failed = await Caller(transport, server.url, key=key).fail()
    assert failed.code == "bad_key"
    assert failed.hint == "Set it again: bottega keys set plain"
    assert "ary" not in repr(failed)
    assert server.requests == []


@pytest.mark.requirement("A42")
async def test_no_secret_is_in_any_event_or_log(
    transport: Transport, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    events: list[StreamEvent] = []
    echo = f"You sent {KEY} and {PASSWORD}, that is wrong.".encode()
    replies = [
        Reply([echo], 401),
        Reply([echo], 503),
        Reply([line(error={"message": echo.decode(), "code": "bad_key"})]),
        Reply([line(text="a"), CUT]),
        Reply([b"data: no json " + echo + b"\n\n"]),
        Reply([b"<html>" + echo]),
        Reply([], 302, {"Location": f"http://x:{PASSWORD}@host.test/{KEY}"}),
        Reply([CUT]),
        Reply([HANG]),
    ]
    for reply in replies:
        async with serving(reply) as server:
            url = server.url.replace("://", f"://ann:{PASSWORD}@")
            caller = Caller(
                transport,
                url,
                key=KEY,
                headers={"X-Extra": PASSWORD},
                attempts=2,
                timeouts=Timeouts(idle=0.05),
            )
            events += await caller.ask()
    for url in (f"http://a:{PASSWORD}@127.0.0.1:1", f"ftp://{PASSWORD}@h", f"http://:{PASSWORD}@"):
        events += await Caller(transport, url, key=KEY, attempts=1).ask()
    said = repr(events) + caplog.text
    assert len(events) >= 12
    assert KEY not in said
    assert PASSWORD not in said


def test_a_target_does_not_show_its_key() -> None:
    target = Target("plain", f"http://ann:{PASSWORD}@host.test/v1", KEY, {"X": KEY})
    assert KEY not in repr(target)
    assert PASSWORD not in repr(target)


def test_short_words_are_not_taken_for_secrets() -> None:
    failed = Failed("An answer.", "cut_off", hint="Try again.")
    assert hide(failed, {"", "a", "An"}) == failed


@pytest.mark.parametrize(
    "spell",
    [
        str.upper,
        str.lower,
        lambda key: quote(key, safe=""),
        lambda key: quote(key, safe="").lower(),
        lambda key: json.dumps(key)[1:-1],
        html.escape,
        lambda key: base64.b64encode(key.encode()).decode(),
    ],
    ids=[
        "capitals",
        "small letters",
        "in an address",
        "there in small letters",
        "JSON",
        "HTML",
        "base64",
    ],
)
def test_a_key_is_hidden_however_it_is_repeated(spell: Callable[[str], str]) -> None:
    key = 'Zq9/x"Wm+4<T&r=Lp'
    failed = hide(Failed(f"Unknown: {spell(key)}!", "bad_key", hint=f"Not {spell(key)}"), {key})
    assert failed.message.rstrip("=!") == "Unknown: [hidden]"
    assert failed.hint.rstrip("=") == "Not [hidden]"


@asynccontextmanager
async def _speaking(greeting: bytes, reads: bool = True) -> AsyncIterator[str]:
    """A server that says this, whatever it hears or does not even take, and stays."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not reads:
            writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(greeting)

    async with meeting(serve) as port:
        yield f"http://127.0.0.1:{port}"
