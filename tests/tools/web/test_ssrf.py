"""No way out leads back in: every form of an address, every redirect, every name, 0 hits.

A canary listens on every address of this machine. The same URLs through a naive client show that
it would have been found.
"""

import asyncio
import http.client
import re
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from bottega.workspaces.network.guard import Guard
from bottega.workspaces.network.url import BadUrl, parse
from tests.tools.web.ways import every_way
from tests.workspaces.network.forms import LEADING_IN, LOOPBACK, urls
from tests.workspaces.network.places import Names, canary, leading_to, saying, speaking
from tests.workspaces.network.places import http as http_answer


async def naively(url: str) -> None:
    """Fetch as most programs do: whatever the library makes of it, redirects followed."""

    def fetch() -> None:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with suppress(OSError, ValueError, http.client.HTTPException):
            opener.open(url, timeout=0.5).close()

    await asyncio.to_thread(fetch)


def hits_nothing(answer: str) -> bool:
    return "canary" not in answer


@pytest.mark.requirement("T37")
async def test_no_form_of_an_address_reaches_this_machine_by_any_way(tmp_path: Path) -> None:
    async with canary() as bird, every_way(Guard(resolver=Names()), tmp_path) as ways:
        forms = urls(bird.port)
        assert len(set(forms)) >= 400
        for url in forms:
            for way, ask in ways.items():
                if way == "plain" and ("\n" in url or "\r" in url or " " in url):
                    continue  # such a request is no request
                answer = await ask(url)
                assert hits_nothing(answer), (way, url)
                refused = (
                    "bad_url:", "address_refused:", "HTTP/1.1 403", "HTTP/1.1 400",
                    "unreachable: The name", "HTTP/1.1 502 The name",
                )  # fmt: skip
                assert answer.startswith(refused), (way, url, answer)
        assert bird.hits == []
        await asyncio.gather(*(naively(f"http://{host}:{bird.port}/") for host in LOOPBACK))
        print(f"{len(set(forms))} forms by {len(ways)} ways: 0 hits; naively {len(bird.hits)} hits")
        assert len(bird.hits) > 40


@pytest.mark.requirement("T37")
async def test_no_name_reaches_this_machine_or_its_network_by_any_way(tmp_path: Path) -> None:
    """Names that lead in, alone or among public addresses; names such as 127.0.0.1.nip.example."""
    names = Names()
    hosts: list[str] = []
    for number, address in enumerate(LEADING_IN):
        for kind, answer in {
            "only": [address],
            "first": [address, "93.184.216.34"],
            "last": ["93.184.216.34", "2606:4700:4700::1111", address],
        }.items():
            hosts.append(f"{kind}-{number}.nip.example")
            names.set(hosts[-1], answer)
    async with canary() as bird, every_way(Guard(resolver=names), tmp_path) as ways:
        for host in hosts:
            for way, ask in ways.items():
                answer = await ask(f"http://{host}:{bird.port}/")
                assert "may not be reached" in answer, (way, host)
        assert bird.hits == []
    assert len(names.asked) == len(hosts) * len(ways)


@pytest.mark.requirement("T37")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_leads_in(status: int, tmp_path: Path) -> None:
    names = Names()
    names.set("rebinds.example", ["127.0.0.1"])
    async with canary() as bird:
        p = bird.port
        locations = [
            *(f"http://127.0.0.1:{p}/", f"http://localhost:{p}/", f"//127.0.0.1:{p}/", f"http://[::1]:{p}/"),
            *(f"http://rebinds.example:{p}/", f"http://0x7f.1:{p}/", f"http://[::ffff:127.0.0.1]:{p}/"),
            *(f"https://127.0.0.1:{p}/", f"http://169.254.169.254:{p}/", f"http://0:{p}/", f"//\\127.0.0.1:{p}/"),
            *(f"ftp://127.0.0.1:{p}/", f"gopher://127.0.0.1:{p}/x", "file:///etc/passwd", "data:text/html,canary"),
            *("javascript:canary", f"http://a@127.0.0.1:{p}/", f"dict://127.0.0.1:{p}/", f"http:127.0.0.1:{p}"),
            *(f"\thttp://127.0.0.1:{p}/", f"http://127.0.0.1:{p}/\x00", "http://[", f"http:///127.0.0.1:{p}/"),
        ]  # fmt: skip
        for location in locations:
            async with speaking(saying(leading_to(location, status))) as door:
                guard = Guard(resolver=names, private=[f"127.0.0.1:{door}"])
                async with every_way(guard, tmp_path) as ways:
                    fetched = await ways["web_fetch"](f"http://127.0.0.1:{door}/")
                    # Some of these are read as paths of the door itself, which leads on for ever.
                    assert re.search("leads on (to what may not be|and on)|no clear HTTP", fetched)
                    # The proxy follows nothing: it hands the redirect to its client, who asks anew.
                    passed = await ways["plain"](f"http://127.0.0.1:{door}/")
                    assert passed.startswith(f"HTTP/1.1 {status}") or "refused this" in passed
        assert bird.hits == []
        async with speaking(saying(leading_to(f"http://127.0.0.1:{p}/", status))) as door:
            await naively(f"http://127.0.0.1:{door}/")
        assert bird.hits == ["127.0.0.1"]


@pytest.mark.requirement("T37")
async def test_the_last_of_several_redirects_is_checked_like_the_first(tmp_path: Path) -> None:
    async with canary() as bird:
        location = f"http://127.0.0.1:{bird.port}/"
        async with (
            speaking(saying(leading_to(location))) as third,
            speaking(saying(leading_to(f"http://127.0.0.1:{third}/"))) as second,
            speaking(saying(leading_to(f"http://127.0.0.1:{second}/"))) as first,
        ):
            opened = [f"127.0.0.1:{port}" for port in (first, second, third)]
            async with every_way(Guard(private=opened), tmp_path) as ways:
                fetched = await ways["web_fetch"](f"http://127.0.0.1:{first}/")
        assert fetched.startswith("address_refused: ")
        assert f"http://127.0.0.1:{third}/ leads on" in fetched
        assert bird.hits == []


@pytest.mark.requirement("T37")
async def test_a_name_that_changes_between_two_hops_is_looked_up_and_checked_again(
    tmp_path: Path,
) -> None:
    """Time to live 0: the same name leads to the open door first, and to the canary next."""
    async with canary() as bird:
        names = Names()
        async with speaking(saying(leading_to(f"http://flip.example:{bird.port}/"))) as door:
            guard = Guard(resolver=names, private=[f"flip.example:{door}"])
            async with every_way(guard, tmp_path) as ways:
                for way in ("web_fetch", "plain", "tunnel"):
                    names.set("flip.example", ["127.0.0.1"], ["127.0.0.1"])
                    answer = (
                        await ways[way](f"http://flip.example:{door}/")
                        if way == "web_fetch"
                        else ""
                    )
                    answer += await ways[way](f"http://flip.example:{bird.port}/")
                    assert "may not be reached" in answer
        assert bird.hits == []


@pytest.mark.requirement("T37")
@pytest.mark.parametrize("way", ["web_fetch", "tunnel", "plain"])
async def test_what_was_checked_is_what_is_connected_to(way: str, tmp_path: Path) -> None:
    """The name leads to an open server when it is checked, and to the canary ever after."""
    names = Names()
    names.set("flip.example", ["127.0.0.77"], ["127.0.0.1"])
    async with (
        speaking(saying(http_answer(b"mine")), "127.0.0.77") as port,
        speaking(saying(http_answer(b"canary")), port=port),
        every_way(Guard(resolver=names, private=[f"flip.example:{port}"]), tmp_path) as ways,
    ):
        answer = await ways[way](f"http://flip.example:{port}/")
    assert names.asked == ["flip.example"]
    assert "canary" not in answer
    assert "mine" in answer


async def test_a_page_that_refreshes_itself_elsewhere_is_not_followed(tmp_path: Path) -> None:
    async with canary() as bird:
        page = f'<meta http-equiv="refresh" content="0;url=http://127.0.0.1:{bird.port}/">stay here'
        head = f"HTTP/1.1 200 OK\r\nRefresh: 0; url=http://127.0.0.1:{bird.port}/\r\n"
        whole = f"{head}Content-Type: text/html\r\nConnection: close\r\n\r\n{page}".encode()
        async with (
            speaking(saying(whole)) as door,
            every_way(Guard(private=[f"127.0.0.1:{door}"]), tmp_path) as ways,
        ):
            assert "stay here" in await ways["web_fetch"](f"http://127.0.0.1:{door}/")
        assert bird.hits == []


async def test_the_studio_itself_cannot_be_asked(tmp_path: Path) -> None:
    async with canary() as bird:
        own = [("0.0.0.0", bird.port)]
        opened = [f"127.0.0.1:{bird.port}", f"[::1]:{bird.port}", "10.0.0.0/8", "192.0.0.0/8"]
        async with every_way(Guard(private=opened, own=lambda: own), tmp_path) as ways:
            for host in ("127.0.0.1", "[::1]"):
                for ask in ways.values():
                    assert "the studio itself listens there" in await ask(
                        f"http://{host}:{bird.port}/"
                    )
        assert bird.hits == []


def test_every_form_is_refused_for_what_it_is_and_never_by_a_crash() -> None:
    for url in urls(8080):
        with suppress(BadUrl):
            parse(url)
