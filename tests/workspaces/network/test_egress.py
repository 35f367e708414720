"""A sandbox's way out as real programs use it, many at once, and what is left when it is closed."""

import asyncio
import os
import resource
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bottega.workspaces.network.egress import Egress
from bottega.workspaces.network.guard import Guard
from bottega.workspaces.network.relay import End, Patience, Traffic
from bottega.workspaces.network.way import WayOut
from tests.descriptors import descriptors, given_back
from tests.providers import certificates, loopback
from tests.workspaces.network.exits import Exit, leaving, listener
from tests.workspaces.network.places import Names, http, saying, speaking


def opening(*ports: int) -> Guard:
    return Guard(private=[f"127.0.0.1:{port}" for port in ports])


async def run(*argv: str) -> tuple[int, str, str]:
    """A program, with nothing of ours in its environment."""
    program = await asyncio.create_subprocess_exec(
        *argv,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.defpath},
    )
    out, err = await program.communicate()
    return program.returncode or 0, out.decode(), err.decode()


class TestPrograms:
    async def test_curl_fetches_a_page_through_it(self) -> None:
        async with (
            speaking(saying(http(b"a page"))) as port,
            leaving(opening(port)) as out,
        ):
            code, said, _ = await run("curl", "-sS", "-x", out.url, f"http://127.0.0.1:{port}/")
        assert (code, said) == (0, "a page")

    async def test_curl_speaks_tls_to_the_very_end(self, tmp_path: Path) -> None:
        authority, tls = certificates.make(tmp_path)
        async with loopback.serving(loopback.Reply([b"secret"]), tls=tls) as server:
            port = server.url.rpartition(":")[2]
            names = Names()
            names.set("provider.test", ["127.0.0.1"])
            guard = Guard(resolver=names, private=[f"provider.test:{port}"])
            async with leaving(guard) as out:
                url = f"https://provider.test:{port}/"
                ask = ("curl", "-sS", "-x", out.url, "--cacert", str(authority), url)
                code, said, err = await run(*ask)
        assert (code, said) == (0, "secret"), err
        assert names.asked == ["provider.test"]

    async def test_curl_reads_why_it_was_refused(self) -> None:
        async with leaving(Guard()) as out:
            _, plain, _ = await run("curl", "-sS", "-x", out.url, "http://169.254.169.254/latest/")
            code, _, tunnel = await run("curl", "-sSv", "-x", out.url, "https://10.0.0.1/")
        assert "refused this: 169.254.169.254:80 may not be reached: a metadata address." in plain
        assert code != 0
        assert "10.0.0.1:443 may not be reached: a private address." in tunnel

    async def test_curl_reads_why_though_it_was_sending(self, tmp_path: Path) -> None:
        sent = tmp_path / "sent"
        sent.write_bytes(bytes(5_000_000))
        async with leaving(Guard()) as out:
            url = "http://10.0.0.1/"
            for how in ("-T", "--data-binary"):
                what = str(sent) if how == "-T" else f"@{sent}"
                _, said, _ = await run("curl", "-s", "-H", "Expect:", "-x", out.url, how, what, url)
                assert "10.0.0.1:80 may not be reached: a private address." in said

    async def test_python_tells_why_it_was_refused(self) -> None:
        program = "import urllib.request as r; r.urlopen('https://10.0.0.1/')"
        async with leaving(Guard()) as out:
            _, _, err = await run("env", f"https_proxy={out.url}", sys.executable, "-c", program)
        assert "403 10.0.0.1:443 may not be reached: a private address." in err

    async def test_curl_sends_a_file(self, tmp_path: Path) -> None:
        sent = tmp_path / "sent"
        sent.write_bytes(os.urandom(2_000_000))
        heard: list[bytes] = []

        async def takes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            if b"100-continue" in head:
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            heard.append(await reader.readexactly(2_000_000))
            writer.write(http(b"thanks"))
            await writer.drain()

        async with (
            speaking(takes) as port,
            leaving(opening(port)) as out,
        ):
            url = f"http://127.0.0.1:{port}/"
            _, said, err = await run("curl", "-sS", "-x", out.url, "-T", str(sent), url)
            assert out.egress.traffic.sent == 2_000_000
        assert said == "thanks", err
        assert heard == [sent.read_bytes()]


class TestDoors:
    async def test_closing_twice_is_no_problem(self) -> None:
        close = await Egress(WayOut(Guard())).serve(listener())
        await close()
        await close()

    async def test_one_egress_has_a_door_for_each_sandbox(self) -> None:
        egress = Egress(WayOut(Guard()), most=1)
        first, second = listener(), listener()
        ports = [each.getsockname()[1] for each in (first, second)]
        close_first, close_second = await egress.serve(first), await egress.serve(second)
        held = await Exit(egress, ports[0]).client()  # takes the first door's only place
        refused = await Exit(egress, ports[1]).ask(b"CONNECT 10.0.0.1:1 HTTP/1.1\r\n\r\n")
        assert refused.startswith(b"HTTP/1.1 403 ")
        await close_first()
        assert await held.reader.read() == b""
        held.abort()
        refused = await Exit(egress, ports[1]).ask(b"CONNECT 10.0.0.1:1 HTTP/1.1\r\n\r\n")
        assert refused.startswith(b"HTTP/1.1 403 ")
        await close_second()

    @pytest.mark.parametrize("turns", range(6))
    async def test_a_client_that_comes_just_before_the_end_is_let_go(self, turns: int) -> None:
        """After each number of turns of the loop, also before the client is first attended to."""
        before = descriptors()
        listens = listener()
        with socket.create_connection(listens.getsockname()) as client:
            close = await Egress(WayOut(Guard())).serve(listens)
            for _ in range(turns):
                await asyncio.sleep(0)
            await close()
            client.settimeout(5)
            with suppress(ConnectionResetError):
                assert client.recv(1) == b""
            assert descriptors() == before + 1
        assert descriptors() == before

    async def test_a_unix_socket_will_do(self, tmp_path: Path) -> None:
        path = str(tmp_path / "door")
        listens = socket.socket(socket.AF_UNIX)
        listens.bind(path)
        listens.listen()
        close = await Egress(WayOut(Guard())).serve(listens)
        client = End(*await asyncio.open_unix_connection(path))
        client.writer.write(b"CONNECT 10.0.0.1:1 HTTP/1.1\r\n\r\n")
        assert (await client.reader.read()).startswith(b"HTTP/1.1 403 ")
        client.abort()
        await close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0)


def _still(traffic: Traffic) -> Callable[[], bool]:
    """Whether nothing has flowed for many turns: every buffer on the way is full."""
    seen = [0]

    def holds() -> bool:
        flowed = traffic.sent + traffic.received
        seen.append(flowed)
        return len(seen) > 300 and seen[-300] == flowed

    return holds


class TestMany:
    async def test_two_hundred_clients_are_all_served_a_few_at_a_time(self) -> None:
        now = peak = 0

        async def counts(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal now, peak
            now += 1
            peak = max(peak, now)
            await reader.readuntil(b"\r\n\r\n")
            now -= 1
            writer.write(http(b"yes"))
            await writer.drain()

        async with speaking(counts) as port, leaving(opening(port), most=100) as out:
            request = f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n".encode()
            found = await asyncio.gather(*(out.ask(request) for _ in range(200)))
        assert all(each.endswith(b"yes") for each in found)
        assert 1 < peak <= 100

    async def test_sixty_four_tunnels_are_open_at_once_and_the_next_waits(self) -> None:
        async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while piece := await reader.read(100):
                writer.write(piece)

        async with speaking(echo) as port, leaving(opening(port)) as out:
            place = f"127.0.0.1:{port}"
            tunnels = await asyncio.gather(*(out.tunnel(place) for _ in range(64)))
            for number, each in enumerate(tunnels):
                each.writer.write(b"%d" % number)
            found = [await each.reader.read(9) for each in tunnels]
            assert found == [b"%d" % number for number in range(64)]
            late = asyncio.create_task(out.tunnel(place))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(asyncio.shield(late), 0.05)
            tunnels[0].abort()
            (await asyncio.wait_for(late, 5)).abort()
            for each in tunnels[1:]:
                each.abort()

    async def test_far_too_many_are_told_so(self) -> None:
        async with leaving(Guard(), most=2) as out:
            waiting = [await out.client() for _ in range(4)]
            found = await out.ask(b"")
            assert found.startswith(b"HTTP/1.1 503 2 connections are open, and as many wait.")
            for each in waiting:
                each.abort()

    async def test_nothing_is_left_when_it_is_closed_in_the_middle(self) -> None:
        """Tunnels between ends that speak and never read, and some that were only just asked for."""

        async def floods(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                writer.write(b"x" * 65536)
                await writer.drain()

        async with speaking(floods) as port:
            before = descriptors()
            tasks = len(asyncio.all_tasks())
            loop = asyncio.get_running_loop()
            async with leaving(opening(port)) as out:
                clients = [await out.tunnel(f"127.0.0.1:{port}") for _ in range(10)]
                clients += [await out.client() for _ in range(10)]
                for each in clients[10:15]:
                    each.writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
                for each in clients[:5]:
                    each.writer.write(bytes(20_000_000))
                await until(_still(out.egress.traffic))
                started = loop.time()
            assert loop.time() - started < 2
            for each in clients:
                each.abort()
            await given_back(before)
            await until(lambda: len(asyncio.all_tasks()) <= tasks)

    async def test_hundreds_of_clients_that_vanish_leave_nothing(self) -> None:
        async with speaking(saying(http(b"x" * 100_000))) as port:
            before = descriptors()
            async with leaving(opening(port), Patience(half=0.5)) as out:
                request = f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n".encode()
                for number in range(300):
                    client = await out.client()
                    client.writer.write(request[: number % (len(request) + 1)])
                    if number % 3 == 0:
                        await client.writer.drain()
                    client.abort()
                assert (await out.ask(request)).endswith(b"x")
            await given_back(before)

    async def test_it_goes_on_once_the_system_has_descriptors_again(self) -> None:
        async with speaking(saying(http(b"yes"))) as port, leaving(opening(port)) as out:
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            client = socket.socket()
            resource.setrlimit(resource.RLIMIT_NOFILE, (client.fileno() + 1, hard))
            try:
                client.connect(("127.0.0.1", out.port))
                for _ in range(20):
                    await asyncio.sleep(0)
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            client.close()
            request = f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n".encode()
            assert (await asyncio.wait_for(out.ask(request), 5)).endswith(b"yes")
