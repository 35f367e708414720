"""Whoever sits down at a browser after somebody else reads what they wrote, or works in another's name.
Severity: medium (one browser for several people).

What the studio itself keeps is shown in `web/src/api/kept.test.ts` and, in a real browser, in
`tests/studio/test_signing_out.py`.
"""

import hashlib
from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest

from tests.attacks.two_people import Person, crowded, person_of
from tests.server.serving import Serving

CLEARS = '"cache", "storage"'


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with crowded(tmp_path_factory.mktemp("browser")) as server:
        yield server


@pytest.fixture
async def web(serving: Serving) -> AsyncIterator[aiohttp.ClientSession]:
    jar, own = aiohttp.DummyCookieJar(), {"Origin": serving.address}
    async with aiohttp.ClientSession(serving.address, cookie_jar=jar, headers=own) as session:
        yield session


async def test_signing_out_clears_what_the_browser_keeps(
    serving: Serving, web: aiohttp.ClientSession
) -> None:
    carried = serving.browser(serving.cookie("host"))
    async with web.post("/api/sign-out", headers=carried) as answer:
        assert answer.headers["Clear-Site-Data"] == CLEARS

    carried = serving.browser(serving.cookie("host"))
    async with web.get("/api/passes", headers=carried) as answer:
        (own,) = [each["id"] for each in (await answer.json())["passes"] if each["is_this"]]
    async with web.delete(f"/api/passes/{own}", headers=carried) as answer:
        assert answer.headers["Clear-Site-Data"] == CLEARS
        assert "max-age=0" in answer.headers["Set-Cookie"].lower()


async def test_no_link_replaces_who_is_signed_in_unasked(
    serving: Serving, web: aiohttp.ClientSession
) -> None:
    cookie = {"Cookie": serving.browser(serving.cookie("host"))["Cookie"]}
    link = serving.link_for("greedy")
    async with web.post("/api/sign-in", json={"link": link}, headers=cookie) as answer:
        told = await answer.json()
        assert (answer.status, told["code"]) == (409, "conflict")
        assert "'greedy'" in told["detail"]
        assert "Set-Cookie" not in answer.headers
    meant = {"link": link, "instead": True}
    async with web.post("/api/sign-in", json=meant, headers=cookie) as answer:
        assert (answer.status, (await answer.json())["name"]) == (200, "greedy")
        assert answer.headers["Clear-Site-Data"] == CLEARS

    own = {"link": serving.link_for("host")}
    async with web.post("/api/sign-in", json=own, headers=cookie) as answer:
        assert answer.status == 200, "one's own link need not be asked about"
        assert "Clear-Site-Data" not in answer.headers


@pytest.mark.parametrize(
    ("site", "asks"), [("none", False), ("same-origin", False), ("cross-site", True), ("", True)]
)
async def test_a_link_that_another_page_led_to_waits_for_a_press(
    web: aiohttp.ClientSession, site: str, asks: bool
) -> None:
    said = {"Sec-Fetch-Site": site} if site else {}
    async with web.get("/sign-in", headers=said) as answer:
        assert ('id="sign-in-asked"' in await answer.text()) is asks


async def test_nothing_that_a_person_stored_is_kept_by_the_browser(serving: Serving) -> None:
    async with serving.client(serving.token()) as client:
        host: Person = await person_of(client)
        session = await host.begin()
        words = "a secret of the host " * 10
        await host.ran(f'CALL write_file {{"path": "c.txt", "content": "{words}"}}', session)
        name = hashlib.sha256(words.encode()).hexdigest()
        path = f"/api/sessions/{session}/blobs/{name}"
        async with client.session.get(path) as answer:
            assert answer.status == 200
            assert answer.headers["Cache-Control"] == "no-store"
