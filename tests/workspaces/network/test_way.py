"""The way out connects to what was checked and to nothing else, directly or through a proxy."""

import asyncio
import socket

import pytest

from bottega.errors import Misconfigured
from bottega.workspaces.network.guard import AddressRefused, Guard, Unreachable
from bottega.workspaces.network.url import Place
from bottega.workspaces.network.way import Upstream, WayOut, upstream
from tests.workspaces.network.places import Names, http, saying, speaking


async def first_words(opened: socket.socket) -> bytes:
    loop = asyncio.get_running_loop()
    with opened:
        await loop.sock_sendall(opened, b"GET / HTTP/1.1\r\n\r\n")
        found = b""
        while piece := await loop.sock_recv(opened, 65536):
            found += piece
        return found


async def test_a_name_that_changes_its_mind_after_the_check_changes_nothing() -> None:
    """The answer to the second look-up is another server at the same port: it is never asked for."""
    async with (
        speaking(saying(b"checked")) as port,
        speaking(saying(b"rebound"), "127.0.0.2", port),
    ):
        names = Names()
        names.set("flip.example", ["127.0.0.1"], ["127.0.0.2"])
        way = WayOut(Guard(resolver=names, private=[f"flip.example:{port}"]))
        assert await first_words(await way.reach(Place("flip.example", port))) == b"checked"
        assert names.asked == ["flip.example"]
        # Had it been looked up a second time, it would have been the other one.
        assert await first_words(await way.reach(Place("flip.example", port))) == b"rebound"


async def test_an_address_that_does_not_answer_leaves_the_next_one() -> None:
    async with speaking(saying(b"here"), "127.0.0.3") as port:
        names = Names()
        names.set("two.example", ["127.0.0.2", "127.0.0.3"])
        way = WayOut(Guard(resolver=names, private=[f"two.example:{port}"]))
        assert await first_words(await way.reach(Place("two.example", port))) == b"here"


async def test_a_closed_port_says_so() -> None:
    async with speaking(saying(b"")) as port:
        pass
    way = WayOut(Guard(private=[f"127.0.0.1:{port}"]))
    with pytest.raises(Unreachable, match="could not be reached: .*refused"):
        await way.reach(Place("127.0.0.1", port))


async def test_a_place_that_never_answers_is_given_up() -> None:
    with socket.socket() as full:  # its queue is full: the kernel drops what comes
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        place = Place("127.0.0.1", full.getsockname()[1])
        waiting = []
        for _ in range(3):
            waiting.append(socket.socket())
            waiting[-1].setblocking(False)
            waiting[-1].connect_ex(full.getsockname())
        way = WayOut(Guard(private=[str(place)]), connect=0.1)
        with pytest.raises(Unreachable, match=r"did not answer within 0\.1 s"):
            await way.reach(place)
        for each in waiting:
            each.close()


class TestUpstream:
    async def test_a_proxy_of_the_house_is_asked_for_the_checked_address(self) -> None:
        heard: list[bytes] = []

        async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heard.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 Yes\r\nX: y\r\n\r\nand on")
            heard.append(await reader.readuntil(b"\r\n\r\n"))

        async with speaking(proxy) as port:
            names = Names()
            names.set("name.example", ["93.184.216.34"])
            through = upstream(f"http://me:se%3Acret@127.0.0.1:{port}")
            way = WayOut(Guard(resolver=names), upstream=through)
            assert await first_words(await way.reach(Place("name.example", 443))) == b"and on"
        assert heard[0].splitlines() == [
            b"CONNECT 93.184.216.34:443 HTTP/1.1",
            b"Host: 93.184.216.34:443",
            b"Proxy-Authorization: Basic bWU6c2U6Y3JldA==",
            b"",
        ]
        assert heard[1] == b"GET / HTTP/1.1\r\n\r\n"

    async def test_where_only_the_proxy_looks_names_up_it_gets_the_name(self) -> None:
        heard: list[bytes] = []

        async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heard.append(await reader.readline())
            writer.write(b"HTTP/1.1 200 Yes\r\n\r\n")

        async with speaking(proxy) as port:
            names = Names()
            through = upstream(f"127.0.0.1:{port}", names=True)
            way = WayOut(Guard(resolver=names), upstream=through)
            (await way.reach(Place("name.example", 443))).close()
            for host in ("127.0.0.1", "10.0.0.1", "localhost", "metadata.google.internal"):
                with pytest.raises(AddressRefused):
                    await way.reach(Place(host, 443))
        assert heard == [b"CONNECT name.example:443 HTTP/1.1\r\n"]
        assert names.asked == []

    async def test_what_a_person_has_opened_needs_no_proxy(self) -> None:
        async with speaking(saying(b"direct")) as port:
            way = WayOut(
                Guard(private=[f"127.0.0.1:{port}"]), upstream=Upstream(Place("127.0.0.1", 1))
            )
            assert await first_words(await way.reach(Place("127.0.0.1", port))) == b"direct"

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            (http(b"", "403 No"), "the proxy answered 403"),
            (http(b"", "407 Who"), "the proxy answered 407"),
            (b"", "gave no clear answer"),
            (b"SSH-2.0\r\n\r\n", "gave no clear answer"),
            (b"HTTP/1.1 200\r\n" + b"a: b\r\n" * 5000, "gave no clear answer"),
            (b"HTTP/1.1\r\n\r\n", "gave no clear answer"),
        ],
    )
    async def test_a_proxy_that_refuses_is_told_without_its_password(
        self, answer: bytes, why: str
    ) -> None:
        async with speaking(saying(answer)) as port:
            through = upstream(f"http://me:secret@127.0.0.1:{port}")
            with pytest.raises(Unreachable, match=why) as raised:
                await WayOut(Guard(), upstream=through).reach(Place("8.8.8.8", 443))
        assert "secret" not in str(raised.value)

    async def test_a_proxy_that_is_not_there_is_named(self) -> None:
        async with speaking(saying(b"")) as port:
            pass
        through = upstream(f"http://127.0.0.1:{port}")
        with pytest.raises(Unreachable, match=f"The proxy 127.0.0.1:{port} cannot be reached"):
            await WayOut(Guard(), upstream=through).reach(Place("8.8.8.8", 443))

    @pytest.mark.parametrize(
        "url", ["https://proxy:1", "socks5://proxy:1", "http://", "http://p:99999", "a b", "http://[::1"]
    )  # fmt: skip
    def test_an_address_that_is_no_proxy_is_refused_without_being_shown(self, url: str) -> None:
        with pytest.raises(Misconfigured) as raised:
            upstream(url)
        assert "proxy:1" not in str(raised.value)

    def test_a_proxy_without_a_port_listens_on_80(self) -> None:
        assert upstream("http://proxy.example").place == Place("proxy.example", 80)

    async def test_a_proxy_whose_name_nobody_knows_is_named(self) -> None:
        with pytest.raises(
            Unreachable, match="The proxy proxy.invalid:80 cannot be reached: its name"
        ):
            await WayOut(Guard(), upstream=upstream("proxy.invalid")).reach(Place("8.8.8.8", 443))
