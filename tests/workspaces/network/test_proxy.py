"""The proxy of a sandbox, spoken to by hand: what it passes on, what it keeps, and what it refuses."""

import asyncio
import socket
import time
from contextlib import suppress

import pytest

from bottega.workspaces.network.guard import Guard
from bottega.workspaces.network.head import LARGEST, BadHead, read_head
from bottega.workspaces.network.proxy import Contact
from bottega.workspaces.network.relay import Patience
from tests.workspaces.network.exits import leaving
from tests.workspaces.network.places import Names, Speaks, http, saying, speaking


def opening(*ports: int) -> Guard:
    return Guard(private=[f"127.0.0.1:{port}" for port in ports])


def recording(into: list[bytes], answer: bytes, body: int = 0) -> Speaks:
    async def speaks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        into.append(await reader.readuntil(b"\r\n\r\n"))
        if body:
            into.append(await reader.readexactly(body))
        writer.write(answer)
        await writer.drain()
        writer.close()
        into.append(await reader.read())

    return speaks


class TestTunnel:
    async def test_bytes_go_both_ways_and_are_counted(self) -> None:
        async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while piece := await reader.read(1000):
                writer.write(piece.upper())

        async with speaking(echo) as port, leaving(opening(port)) as out:
            client = await out.tunnel(f"127.0.0.1:{port}")
            client.writer.write(b"hello")
            assert await client.reader.readexactly(5) == b"HELLO"
            client.writer.write_eof()
            assert await client.reader.read() == b""
            client.abort()
            assert (out.egress.traffic.sent, out.egress.traffic.received) == (5, 5)
            assert out.contacts == [Contact(f"127.0.0.1:{port}")]

    async def test_what_a_client_sends_at_once_is_not_lost(self) -> None:
        heard: list[bytes] = []
        async with speaking(recording(heard, b"answer")) as port, leaving(opening(port)) as out:
            place = f"127.0.0.1:{port}".encode()
            found = await out.ask(b"CONNECT " + place + b" HTTP/1.1\r\n\r\nearly\r\n\r\n")
        assert found.endswith(b"established\r\n\r\nanswer")
        assert heard[0] == b"early\r\n\r\n"

    async def test_an_end_that_has_finished_speaking_still_hears(self) -> None:
        async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            whole = await reader.read()  # up to the end of what the client says
            writer.write(b"%d bytes" % len(whole))

        async with speaking(late) as port, leaving(opening(port)) as out:
            client = await out.tunnel(f"127.0.0.1:{port}")
            client.writer.write(b"x" * 300_000)
            client.writer.write_eof()
            assert await client.reader.read() == b"300000 bytes"
            client.abort()

    async def test_a_server_that_has_finished_speaking_still_hears(self) -> None:
        heard: list[bytes] = []

        async def early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"bye")
            writer.write_eof()
            heard.append(await reader.read())
            done.set()

        done = asyncio.Event()
        async with speaking(early) as port, leaving(opening(port)) as out:
            client = await out.tunnel(f"127.0.0.1:{port}")
            assert await client.reader.read() == b"bye"
            client.writer.write(b"y" * 300_000)
            client.writer.write_eof()
            await client.close(5)
            await asyncio.wait_for(done.wait(), 5)
        assert heard == [b"y" * 300_000]

    async def test_a_client_that_vanishes_takes_its_connection_along(self) -> None:
        gone = asyncio.Event()

        async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            gone.set()

        async with speaking(wait) as port, leaving(opening(port)) as out:
            client = await out.tunnel(f"127.0.0.1:{port}")
            client.abort()
            await asyncio.wait_for(gone.wait(), 5)

    async def test_a_silent_tunnel_ends(self) -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()

        patience = Patience(idle=0.05, half=0.05)
        async with speaking(silent) as port, leaving(opening(port), patience) as out:
            client = await out.tunnel(f"127.0.0.1:{port}")
            assert await asyncio.wait_for(client.reader.read(), 5) == b""
            client.abort()

    async def test_a_tunnel_in_which_somebody_speaks_does_not_end(self) -> None:
        async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while piece := await reader.read(1000):
                writer.write(piece)

        async with speaking(echo) as port, leaving(opening(port), Patience(idle=0.3)) as out:
            client = await out.tunnel(f"127.0.0.1:{port}")
            started = time.monotonic()
            while time.monotonic() - started < 0.6:
                client.writer.write(b"x")
                assert await client.reader.readexactly(1) == b"x"
                await asyncio.sleep(0.01)
            client.abort()

    async def test_a_server_that_is_cut_off_ends_the_tunnel(self) -> None:
        async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(1)
            writer.transport.abort()

        async with speaking(cut) as port, leaving(opening(port)) as out:
            client = await out.tunnel(f"127.0.0.1:{port}")
            client.writer.write(b"x")
            assert await asyncio.wait_for(client.reader.read(), 5) == b""
            client.abort()


class TestPlain:
    async def test_a_request_reaches_the_server_without_anything_of_the_proxy(self) -> None:
        heard: list[bytes] = []
        answer = http(b"hi", keep_alive="timeout=5", x_seen="yes", proxy_authenticate="Basic")
        async with speaking(recording(heard, answer)) as port, leaving(opening(port)) as out:
            found = await out.ask(
                f"GET http://127.0.0.1:{port}/a?b#c HTTP/1.1\r\nHost: liar.example\r\n"
                "Proxy-Authorization: Basic c2VjcmV0\r\nProxy-Connection: keep-alive\r\n"
                "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 300\r\nUpgrade: h2c\r\n"
                "TE: trailers\r\nAccept: */*\r\nCookie: a=b\r\n\r\n".encode()
            )
            assert out.contacts == [Contact(f"127.0.0.1:{port}")]
        assert heard[0].decode().split("\r\n") == [
            "GET /a?b HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            "Accept: */*",
            "Cookie: a=b",
            "Connection: close",
            "",
            "",
        ]
        head, _, body = found.partition(b"\r\n\r\n")
        assert body == b"hi"
        assert head.decode().split("\r\n") == [
            "HTTP/1.1 200 OK",
            "content-length: 2",
            "x-seen: yes",
            "Connection: close",
        ]

    async def test_a_body_goes_along_and_nothing_that_comes_after_it(self) -> None:
        heard: list[bytes] = []
        async with (
            speaking(recording(heard, http(b"ok"), body=5)) as port,
            leaving(opening(port)) as out,
        ):
            found = await out.ask(
                f"POST http://127.0.0.1:{port}/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
                f"GET http://127.0.0.1:{port}/second HTTP/1.1\r\n\r\n".encode()
            )
        assert found.endswith(b"\r\n\r\nok")
        assert heard[1:] == [b"hello", b""]

    async def test_half_a_body_is_never_taken_for_a_whole_one(self) -> None:
        heard: list[object] = []

        async def server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            try:
                heard.append(await reader.readexactly(10))
            except (asyncio.IncompleteReadError, OSError) as problem:
                heard.append(type(problem))

        async with speaking(server) as port, leaving(opening(port)) as out:
            client = await out.client()
            request = f"POST http://127.0.0.1:{port}/ HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf"
            client.writer.write(request.encode())
            client.writer.write_eof()
            found = await client.reader.read()
            client.abort()
        assert b"502" in found.split(b"\r\n")[0]
        assert heard[0] in (asyncio.IncompleteReadError, ConnectionResetError)

    @pytest.mark.parametrize(
        ("method", "answer", "body"),
        [
            ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", b""),
            ("GET", b"HTTP/1.1 204 None\r\n\r\n", b""),
            ("GET", b"HTTP/1.1 304 Same\r\nContent-Length: 9\r\n\r\n", b""),
            ("GET", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
        ],
    )
    async def test_an_answer_ends_where_it_says_though_the_server_stays(
        self, method: str, answer: bytes, body: bytes
    ) -> None:
        async def stays(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            await reader.read()

        async with speaking(stays) as port, leaving(opening(port)) as out:
            request = f"{method} http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n".encode()
            found = await asyncio.wait_for(out.ask(request), 5)
        assert found.partition(b"\r\n\r\n")[2] == body

    async def test_a_server_may_first_ask_to_go_on(self) -> None:
        async def careful(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            assert b"Expect: 100-continue" in await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            assert await reader.readexactly(3) == b"abc"
            writer.write(http(b"done"))

        async with speaking(careful) as port, leaving(opening(port)) as out:
            client = await out.client()
            client.writer.write(
                f"PUT http://127.0.0.1:{port}/ HTTP/1.1\r\nContent-Length: 3\r\n"
                "Expect: 100-continue\r\n\r\n".encode()
            )
            assert b" 100 " in await client.reader.readuntil(b"\r\n\r\n")
            client.writer.write(b"abc")
            assert (await client.reader.read()).endswith(b"done")
            client.abort()

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            (b"", "it closed the connection"),
            (b"SSH-2.0-x\r\n\r\n", "its first line is no status"),
            (b"HTTP/1.1 200 OK\r\n", "it is not finished"),
            (b"HTTP/1.1 200 OK\r\nA: " + b"x" * LARGEST + b"\r\n\r\n", "longer than"),
            (b"HTTP/1.1 200 OK\r\n folded\r\n\r\n", "no field"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "not clear"),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "two lengths",
            ),
            (b"HTTP/1.1 101 Switching\r\n\r\n", "something else"),
        ],
    )
    async def test_a_server_that_speaks_no_http_is_told_so(self, answer: bytes, why: str) -> None:
        async with speaking(saying(answer)) as port, leaving(opening(port)) as out:
            found = await out.ask(f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n".encode())
        assert found.startswith(b"HTTP/1.1 502 ")
        assert why.encode() in found

    async def test_a_server_that_never_answers_is_given_up(self) -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await asyncio.Event().wait()

        patience = Patience(idle=0.05, half=1)
        async with speaking(silent) as port, leaving(opening(port), patience) as out:
            found = await out.ask(f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n".encode())
        assert b"it did not answer in time" in found

    async def test_a_server_that_breaks_off_leaves_a_short_answer(self) -> None:
        async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal")

        async with speaking(cut) as port, leaving(opening(port)) as out:
            found = await out.ask(f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n".encode())
        assert found.endswith(b"\r\n\r\nhal")


class TestRefused:
    @pytest.mark.parametrize(
        ("request_", "status", "why"),
        [
            (b"CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n", 403, "a loopback address"),
            (b"CONNECT 10.0.0.1:443 HTTP/1.1\r\n\r\n", 403, "a private address"),
            (b"CONNECT 169.254.169.254:80 HTTP/1.1\r\n\r\n", 403, "a metadata address"),
            (b"CONNECT 2130706433:80 HTTP/1.1\r\n\r\n", 403, "unusual spelling"),
            (b"CONNECT inner.example:443 HTTP/1.1\r\n\r\n", 403, "it leads to 10.0.0.9, a private address"),
            (b"CONNECT unknown.example:443 HTTP/1.1\r\n\r\n", 502, "cannot be found"),
            (b"CONNECT example.org:25 HTTP/1.1\r\n\r\n", 403, "for mail"),
            (b"CONNECT example.org HTTP/1.1\r\n\r\n", 403, "no valid port"),
            (b"GET http://localhost/ HTTP/1.1\r\n\r\n", 403, "local network"),
            (b"GET http://user@example.org/ HTTP/1.1\r\n\r\n", 403, "user or a password"),
            (b"GET http://example.org/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411, "tell its length"),
            (b"GET https://example.org/ HTTP/1.1\r\n\r\n", 400, "send CONNECT"),
            (b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", 400, "send CONNECT"),
            (b"GET http://8.8.8.8/ HTTP/2\r\n\r\n", 400, "no request"),
            (b"get http://8.8.8.8/ HTTP/1.1\r\n\r\n", 400, "no request"),
            (b"GET http://\xfc.example/ HTTP/1.1\r\n\r\n", 400, "no request"),
            (b"GET http://8.8.8.8/ HTTP/1.1\r\nA : b\r\n\r\n", 400, "no field"),
            (b"GET http://8.8.8.8/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400, "not clear"),
            (b"GET http://8.8.8.8/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "not clear"),
            (b"GET http://8.8.8.8/ HTTP/1.1\nA: b\n\n\r\n\r\n", 400, "no request"),
            (b"\x16\x03\x01\x02\x00\r\n\r\n", 400, "no request"),
            (b"GET http://8.8.8.8/ HTTP/1.1\r\nA: " + b"x" * LARGEST + b"\r\n\r\n", 431, "longer than"),
        ],
    )  # fmt: skip
    async def test_a_refusal_names_its_reason_in_its_first_line_and_in_its_body(
        self, request_: bytes, status: int, why: str
    ) -> None:
        names = Names()
        names.set("inner.example", ["10.0.0.9"])
        async with leaving(Guard(resolver=names)) as out:
            found = await out.ask(request_)
        head, _, body = found.decode().partition("\r\n\r\n")
        first = head.split("\r\n")[0]
        assert first.startswith(f"HTTP/1.1 {status} ")
        assert why in first
        assert why in body
        assert body.startswith("The studio's proxy refused this: ")

    async def test_whoever_listens_hears_of_what_was_refused(self) -> None:
        async with leaving(Guard()) as out:
            await out.ask(b"CONNECT 10.0.0.1:443 HTTP/1.1\r\n\r\n")
            await out.ask(b"GET http://0x7f.1/ HTTP/1.1\r\n\r\n")
            assert [each.place for each in out.contacts] == ["10.0.0.1:443", "http://0x7f.1/"]
            assert ["private" in out.contacts[0].refused, "unusual" in out.contacts[1].refused] == [
                True,
                True,
            ]

    async def test_a_client_that_sends_all_before_it_reads_reads_why(self) -> None:
        body = bytes(20_000_000)
        head = b"POST http://10.0.0.1/ HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body)

        def ask(port: int) -> bytes:
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(head + body)
                return client.recv(1000)

        async with leaving(Guard()) as out:
            assert (await asyncio.to_thread(ask, out.port)).startswith(b"HTTP/1.1 403 ")

    async def test_a_client_that_says_nothing_is_let_go(self) -> None:
        async with leaving(Guard(), Patience(half=0.05)) as out:
            client = await out.client()
            client.writer.write(b"GET http://exam")
            assert b" 408 " in await asyncio.wait_for(client.reader.read(), 5)
            client.abort()

    async def test_a_client_that_leaves_before_it_asks_leaves_nothing(self) -> None:
        async with leaving(Guard()) as out:
            for piece in (b"", b"GET", b"CONNECT 10.0.0.1:1 HTTP/1.1\r\n\r\n"):
                client = await out.client()
                client.writer.write(piece)
                client.abort()


@pytest.mark.parametrize(
    "line", ["a:" + " " * 60_000 + "\0", "a" * 60_000, ("a" * 256 + ":") * 200, "a: " + "\t " * 30_000]
)  # fmt: skip
async def test_a_hostile_head_costs_no_time(line: str) -> None:
    reader = asyncio.StreamReader(LARGEST)
    reader.feed_data(f"GET / HTTP/1.1\r\n{line}\r\n\r\n".encode())
    started = time.thread_time()
    with suppress(BadHead):
        await read_head(reader)
    assert time.thread_time() - started < 0.1
