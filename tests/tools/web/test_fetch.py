"""One fetch, against servers that answer well, badly, slowly, endlessly, or with lies."""

import asyncio
import gzip
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from bottega.errors import Misconfigured
from bottega.tools.web.connector import Untrusted
from bottega.tools.web.fetch import Fetched, Fetcher, FetchFailed
from bottega.workspaces.network.guard import Guard, Unreachable
from bottega.workspaces.network.url import BadUrl
from bottega.workspaces.network.way import WayOut, upstream
from tests.descriptors import descriptors, given_back
from tests.providers import certificates, loopback
from tests.workspaces.network.places import Names, Speaks, http, leading_to, saying, speaking


async def fetched(
    speaks: Speaks, *, total: float = 5, most: int = 100_000, path: str = "/"
) -> Fetched:
    async with speaking(speaks) as port:
        fetcher = Fetcher(WayOut(Guard(private=[f"127.0.0.1:{port}"])), total=total, most=most)
        return await fetcher.fetch(f"http://127.0.0.1:{port}{path}")


async def test_the_body_and_what_the_server_says_of_it() -> None:
    found = await fetched(saying(http(b"hello", content_type='Text/Plain; Charset="UTF-8"; x=y')))
    assert (found.status, found.body, found.whole, found.notes) == (200, b"hello", True, ())
    assert (found.media_type, found.charset) == ("text/plain", "utf-8")


async def test_nothing_of_the_studio_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")

    async def listens(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(
            http(b"", "302 Moved", location="/again", set_cookie="a=b")
            if len(heard) < 3
            else http(b".")
        )

    async with speaking(listens) as port:
        fetcher = Fetcher(WayOut(Guard(private=[f"127.0.0.1:{port}"])))
        for _ in range(2):
            await fetcher.fetch(f"http://127.0.0.1:{port}/a?b=c#d")
    lines = [sorted(each.decode().strip().split("\r\n")[1:]) for each in heard]
    names = {line.partition(":")[0] for each in lines for line in each}
    assert names <= {"Host", "Accept", "Accept-Encoding", "User-Agent", "Connection"}
    assert heard[0].startswith(b"GET /a?b=c HTTP/1.1\r\n")
    assert b"User-Agent: bottega\r\n" in heard[0]


async def test_the_path_is_sent_as_it_was_checked() -> None:
    heard: list[bytes] = []

    async def listens(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n"))
        writer.write(http(b"."))

    await fetched(listens, path="/a/../%2e%2e/ü%20[x]?q=a+b&c=%zz")
    assert heard == [b"GET /a/../%2e%2e/%C3%BC%20[x]?q=a+b&c=%25zz HTTP/1.1\r\n"]


class TestRedirects:
    async def test_five_are_followed_and_the_end_is_told(self) -> None:
        async def steps(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
            writer.write(leading_to(f"{path}x") if len(path) < 6 else http(path.encode()))

        found = await fetched(steps)
        assert (found.body, found.url.path) == (b"/xxxxx", "/xxxxx")

    @pytest.mark.parametrize("location", ["/", "/a", "?b"])
    async def test_a_circle_ends(self, location: str) -> None:
        with pytest.raises(FetchFailed, match="more than 5 redirects"):
            await fetched(saying(leading_to(location)))

    async def test_a_redirect_without_a_place_is_an_answer(self) -> None:
        found = await fetched(saying(http(b"where?", "302 Found")))
        assert (found.status, found.body) == (302, b"where?")

    @pytest.mark.parametrize("status", [300, 304, 305, 306])
    async def test_what_is_no_redirect_is_not_followed(self, status: int) -> None:
        found = await fetched(saying(leading_to("/x", status)))
        assert found.status == status

    async def test_going_on_without_encryption_is_told(self, tmp_path: Path) -> None:
        async with (
            speaking(saying(http(b"open"))) as port,
            secured(
                tmp_path, loopback.Reply([], 302, {"Location": f"http://127.0.0.1:{port}/"})
            ) as (url, authority),
        ):
            opened = [f"127.0.0.1:{port}", url.partition("://")[2]]
            fetcher = Fetcher(WayOut(Guard(private=opened)), ca_file=str(authority))
            found = await fetcher.fetch(url)
        assert found.body == b"open"
        assert found.notes == (f"{url}/ leads on to 127.0.0.1:{port} without encryption.",)


@asynccontextmanager
async def secured(folder: Path, reply: loopback.Reply) -> AsyncIterator[tuple[str, Path]]:
    authority, tls = certificates.make(folder)
    async with loopback.serving(reply, tls=tls) as server:
        yield server.url, authority


class TestTls:
    async def test_a_host_is_believed_by_an_authority_that_was_given(self, tmp_path: Path) -> None:
        async with secured(tmp_path, loopback.Reply([b"yes"])) as (url, authority):
            port = url.rpartition(":")[2]
            names = Names()
            names.set("provider.test", ["127.0.0.1"])
            way = WayOut(Guard(resolver=names, private=[f"provider.test:{port}"]))
            found = await Fetcher(way, ca_file=str(authority)).fetch(
                f"https://provider.test:{port}/"
            )
            assert found.body == b"yes"
            with pytest.raises(Untrusted, match="has no valid certificate: self-signed"):
                await Fetcher(way).fetch(f"https://provider.test:{port}/")

    async def test_a_certificate_for_another_name_is_not_believed(self, tmp_path: Path) -> None:
        async with secured(tmp_path, loopback.Reply([b"no"])) as (url, authority):
            port = url.rpartition(":")[2]
            names = Names()
            names.set("other.test", ["127.0.0.1"])
            way = WayOut(Guard(resolver=names, private=[f"other.test:{port}", f"127.0.0.2:{port}"]))
            with pytest.raises(Untrusted, match="Hostname mismatch"):
                await Fetcher(way, ca_file=str(authority)).fetch(f"https://other.test:{port}/")

    async def test_a_server_that_speaks_no_tls_is_told(self) -> None:
        async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(10)
            writer.write(http(b"plain"))

        async with speaking(plain) as port:
            way = WayOut(Guard(private=[f"127.0.0.1:{port}"]))
            with pytest.raises(Unreachable, match="did not begin to speak TLS"):
                await Fetcher(way).fetch(f"https://127.0.0.1:{port}/")

    async def test_a_file_of_certificates_that_is_none_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "empty").touch()
        with pytest.raises(Misconfigured, match="file of certificates"):
            await Fetcher(ca_file=str(tmp_path / "empty")).fetch("https://8.8.8.8/")

    async def test_tls_goes_through_a_proxy_of_the_house(self, tmp_path: Path) -> None:
        async with secured(tmp_path, loopback.Reply([b"yes"])) as (url, authority):
            port = int(url.rpartition(":")[2])
            async with loopback.proxying(port) as proxy:
                names = Names()
                names.set("provider.test", ["93.184.216.34"])
                way = WayOut(Guard(resolver=names), upstream=upstream(proxy.url))
                found = await Fetcher(way, ca_file=str(authority)).fetch("https://provider.test/")
        assert found.body == b"yes"
        assert proxy.requests == ["CONNECT 93.184.216.34:443 HTTP/1.1"]


class TestBodies:
    @pytest.mark.parametrize(
        ("encoding", "pack"),
        [
            ("gzip", gzip.compress),
            ("X-GZIP", gzip.compress),
            ("deflate", zlib.compress),
            ("deflate", lambda body: zlib.compress(body, wbits=-15)),
            ("identity", bytes),
        ],
    )
    async def test_a_packed_body_is_unpacked(self, encoding: str, pack: "type[bytes]") -> None:
        body = b"hello " * 1000
        found = await fetched(saying(http(pack(body), content_encoding=encoding)))
        assert (found.body, found.whole) == (body, True)

    @pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress", "nonsense"])
    async def test_a_packing_that_was_not_asked_for_is_told(self, encoding: str) -> None:
        with pytest.raises(FetchFailed, match="packed as"):
            await fetched(saying(http(b"x", content_encoding=encoding)))

    async def test_a_huge_body_in_a_small_packet_is_cut(self) -> None:
        bomb = gzip.compress(b"\0" * 50_000_000)
        assert len(bomb) < 50_000
        tracemalloc.start()
        found = await fetched(saying(http(bomb, content_encoding="gzip")), most=1_048_576)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(found.body) == 1_048_576
        assert found.notes == ("Only its first 1 MB were read.",)
        assert peak < 10_000_000

    async def test_an_endless_body_is_cut(self) -> None:
        async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                writer.write(b"x" * 65536)
                await writer.drain()

        found = await fetched(endless)
        assert len(found.body) == 100_000
        assert not found.whole

    @pytest.mark.parametrize("wrapping", ["gzip", "garbage"])
    async def test_an_endless_packet_of_nothing_is_cut(self, wrapping: str) -> None:
        async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
            if wrapping == "garbage":  # after the packet's end
                writer.write(gzip.compress(b"all"))
            else:
                writer.write(gzip.compress(b"")[:10])
            while True:  # an empty block that is not the last
                writer.write(b"\x00\x00\x00\xff\xff" * 10_000)
                await writer.drain()

        found = await fetched(endless)
        whole = wrapping == "garbage"
        assert (found.body, found.whole) == (b"all" if whole else b"", whole)
        assert found.notes == (() if whole else ("Only its first 0.0953674 MB were read.",))

    async def test_a_body_that_breaks_off_is_given_as_far_as_it_came(self) -> None:
        found = await fetched(saying(http(b"half", content_length="10")))
        assert (found.body, found.notes) == (b"half", ("It broke off before its end.",))

    @pytest.mark.parametrize(
        ("answer", "whole"),
        [
            (http(b"longer", content_length="4"), b"long"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n", b"ok"),
        ],
    )
    async def test_a_body_that_is_not_as_long_as_it_says_is_cut_or_refused(
        self, answer: bytes, whole: bytes
    ) -> None:
        """Which of both depends on whether the lie came in the same packet as the head."""
        with suppress(FetchFailed):
            assert whole.startswith((await fetched(saying(answer))).body)

    @pytest.mark.parametrize(
        "body",
        [b"not gzip at all", gzip.compress(b"x" * 9000, mtime=0)[:-20] + b"?" * 20],
        ids=["no gzip", "broken off"],
    )
    async def test_a_broken_packet_is_given_as_far_as_it_goes(self, body: bytes) -> None:
        found = await fetched(saying(http(body, content_encoding="gzip")))
        assert found.notes == ("It could not be unpacked to its end.",)

    async def test_a_server_that_drips_is_given_up_with_what_it_gave(self) -> None:
        async def drips(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                writer.write(b".")
                await asyncio.sleep(0.01)

        started = time.monotonic()
        found = await fetched(drips, total=0.3)
        assert time.monotonic() - started < 2
        assert found.body.startswith(b".")
        assert found.notes == ("It was still coming when the time was up; this is what had come.",)


class TestBadServers:
    async def test_a_server_that_drips_its_head_is_given_up(self) -> None:
        async def drips(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nX: ")
            while True:
                writer.write(b".")
                await asyncio.sleep(0.01)

        with pytest.raises(FetchFailed, match=r"did not answer within 0\.2 s"):
            await fetched(drips, total=0.2)

    async def test_all_hops_share_one_time(self) -> None:
        async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(0.1)
            writer.write(leading_to("/x"))

        with pytest.raises(FetchFailed, match="did not answer within"):
            await fetched(slow, total=0.25)

    @pytest.mark.parametrize(
        "answer",
        [
            b"",
            b"SSH-2.0-OpenSSH\r\n",
            b"HTTP/1.1 200 OK\r\nA: " + b"x" * 100_000 + b"\r\n\r\n",
            b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 10_000 + b"\r\n",
            b"HTTP/1.1 abc OK\r\n\r\n",
            b"HTTP/9.9 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nab",
            b"\x00" * 1000,
        ],
    )
    async def test_what_is_no_http_is_a_clear_problem(self, answer: bytes) -> None:
        with pytest.raises(FetchFailed, match="gave no clear HTTP answer") as raised:
            await fetched(saying(answer))
        assert len(str(raised.value)) < 200

    async def test_a_closed_port_and_an_unknown_name_are_told(self) -> None:
        async with speaking(saying(b"")) as port:
            pass
        fetcher = Fetcher(WayOut(Guard(resolver=Names(), private=[f"127.0.0.1:{port}"])))
        with pytest.raises(Unreachable, match="connection refused"):
            await fetcher.fetch(f"http://127.0.0.1:{port}/")
        with pytest.raises(Unreachable, match="cannot be found"):
            await fetcher.fetch("http://unknown.example/")
        with pytest.raises(BadUrl):
            await fetcher.fetch("unknown.example")


async def test_a_hundred_fetches_leave_no_connection(tmp_path: Path) -> None:
    async with secured(tmp_path, loopback.Reply([b"yes"])) as (url, authority):
        place = url.partition("://")[2]
        fetcher = Fetcher(WayOut(Guard(private=[place])), ca_file=str(authority))
        await fetcher.fetch(url)
        before, tasks = descriptors(), len(asyncio.all_tasks())
        for _ in range(4):
            await asyncio.gather(*(fetcher.fetch(url) for _ in range(25)))
        await given_back(before)
        async with asyncio.timeout(30):
            while len(asyncio.all_tasks()) > tasks:  # noqa: ASYNC110
                await asyncio.sleep(0)


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_cancelled_fetch_lets_go_at_once(scheme: str) -> None:
    reached, left = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(10)
        reached.set()
        await reader.read()
        left.set()

    async with speaking(silent) as port:
        fetcher = Fetcher(WayOut(Guard(private=[f"127.0.0.1:{port}"])))
        task = asyncio.create_task(fetcher.fetch(f"{scheme}://127.0.0.1:{port}/"))
        await asyncio.wait_for(reached.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(left.wait(), 5)


def test_nothing_heavy_is_loaded_for_a_fetcher_that_fetches_nothing() -> None:
    import subprocess
    import sys

    program = (
        "import sys; from bottega.tools.builtin import builtin_registry; builtin_registry();"
        "print([name for name in ('aiohttp', 'trafilatura', 'lxml', 'yarl') if name in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
