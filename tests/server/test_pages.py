"""The plain pages: in words, without anything from elsewhere, and in a real browser where there is one."""

import http.server
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from bottega.accounts.people import Person
from bottega.server.pages import write
from tests.server.serving import Serving

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
browsing = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")


async def text_of(serving: Serving, path: str, token: str = "") -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        aiohttp.ClientSession(serving.address) as session,
        session.get(path, headers=headers) as answer,
    ):
        return answer.status, await answer.text()


async def test_who_is_not_signed_in_is_told_how(shared: Serving) -> None:
    status, page = await text_of(shared, "/")
    assert status == 200
    assert "bottega people link" in page
    assert "bottega attach" in page
    assert "signed in as" not in page


async def test_who_is_signed_in_is_called_by_name(shared: Serving) -> None:
    _, page = await text_of(shared, "/", shared.token("Eva Lin"))
    assert "signed in as <strong>Eva Lin</strong>" in page


async def test_every_route_is_told_in_words(shared: Serving) -> None:
    async with aiohttp.ClientSession(shared.address) as session:
        async with session.get("/api/openapi.json") as answer:
            document = await answer.json()
        async with session.get("/reference") as answer:
            page = await answer.text()
    assert len(document["paths"]) > 4
    for path in document["paths"]:
        assert f"<code>{path}</code>" in page


@pytest.mark.parametrize("path", ["/", "/sign-in", "/reference", "/page.css", "/page.js"])
async def test_no_page_takes_anything_from_elsewhere(shared: Serving, path: str) -> None:
    status, page = await text_of(shared, path)
    assert status == 200
    found = re.findall(r"""(?:src|href)="([^"]*)"|url\(|@import|https?://[^"\s<]+""", page)
    assert [where for where in found if where and not where.startswith(("/", "#"))] == []
    assert not re.search(r"<script(?! src=)|<style|\sstyle=|\son\w+=|javascript:", page)


def test_names_and_texts_are_shown_not_run() -> None:
    attack = """<script>alert(1)</script>"><img src=x onerror=alert(1)>'"""
    person = Person(2, "per_x", attack, 0, 0)
    document = {"paths": {attack: {"get": {"description": attack, "tags": [attack]}}}}
    for page in (write.home("", attack, person), write.reference("", document)):
        assert "<img" not in page
        assert "<script>" not in page
        assert page.count("<script ") == 1


def visited(address: str, profile: Path, *flags: str) -> str:
    """The page that a browser ends at, as it stands there then."""
    assert CHROMIUM
    seen = subprocess.run(
        [
            *(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *(f"--user-data-dir={profile}", "--virtual-time-budget=4000", "--dump-dom"),
            *(*flags, address),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return seen.stdout


@pytest.fixture
def elsewhere(shared: Serving) -> Iterator[str]:
    """A page of another origin of the same site, so that the browser sends it the cookie: the hardest case."""
    evil = PAGE.replace("ADDRESS", shared.address).encode()

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(evil)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil) as server:
        running = threading.Thread(target=server.serve_forever)
        running.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        running.join()


PAGE = """<!doctype html><body><iframe name=f></iframe><iframe src=ADDRESS/ id=framed></iframe>
<form method=post action=ADDRESS/api/sign-out target=f></form>
<form method=post action=ADDRESS/api/sign-in target=f enctype=text/plain><input name='{"link":"x"}'></form>
<p id=out></p><script>
const out = [];
const tries = [
  ["read", () => fetch("ADDRESS/api/passes", {credentials: "include"}).then(r => r.text())],
  ["post", () => fetch("ADDRESS/api/sign-out", {method: "POST", credentials: "include"}).then(r => r.text())],
  ["blind", () => fetch("ADDRESS/api/sign-out", {method: "POST", mode: "no-cors", credentials: "include"})
     .then(r => { if (r.type !== "opaque") throw 0; throw "opaque"; })],
  ["beacon", () => { navigator.sendBeacon("ADDRESS/api/sign-out"); return Promise.reject("sent"); }],
  ["socket", () => new Promise((good, bad) => {
     const s = new WebSocket("ADDRESS/ws/x".replace("http", "ws"));
     s.onopen = good; s.onerror = () => bad("refused"); })],
  ["script", () => new Promise((good, bad) => {
     const s = document.createElement("script"); s.src = "ADDRESS/page.js"; s.onload = good;
     s.onerror = () => bad("refused"); document.body.append(s); })],
];
for (const form of document.forms) form.submit();
(async () => {
  for (const [name, attempt] of tries) {
    try { await attempt(); out.push(name + ":WORKED"); } catch (e) { out.push(name + ":refused"); }
  }
  document.querySelector("#out").textContent = out.join(" ");
})();
</script>"""


@browsing
async def test_a_browser_is_signed_in_by_a_link_and_another_origin_can_do_nothing_with_that(
    shared: Serving, elsewhere: str, tmp_path: Path
) -> None:
    profile = tmp_path / "profile"
    link = f"{shared.address}/sign-in#{shared.link}"
    assert "signed in as <strong>host</strong>" in visited(link, profile)
    attacked = visited(elsewhere, profile)
    said = re.search(r'id="out">([^<]*)<', attacked)
    assert said
    assert said[1].split() == [
        f"{name}:refused" for name in ("read", "post", "blind", "beacon", "socket", "script")
    ]
    assert "signed in as <strong>host</strong>" in visited(f"{shared.address}/", profile)
    async with shared.client() as client:
        passes = (await client.get("/api/passes"))["passes"]
    assert [each["kind"] for each in passes if each["kind"] == "login"] == ["login"]
    used = visited(link, tmp_path / "another")
    assert "This link no longer works" in used
    assert "<code>bottega people link</code> prints a new one" in used
    assert shared.link not in used
    assert "signed in as" in visited(link, profile), "who is signed in already goes on"
