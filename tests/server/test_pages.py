"""The plain pages: in words, without anything from elsewhere, and in a real browser where there is one."""

import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue

import aiohttp
import pytest

from bottega.accounts.people import Person
from bottega.server.pages import write
from tests.server.serving import Serving

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
STUDIO = '<div id="root">'
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


async def test_an_address_at_which_nothing_is_says_so_to_people_and_to_programs(
    shared: Serving,
) -> None:
    known = {"Authorization": f"Bearer {shared.token()}"}
    async with aiohttp.ClientSession(shared.address, headers=known) as session:
        for path, accept, kind in (
            ("/nothing/here", "text/html,*/*", "text/html"),
            ("/nothing/here", "*/*", "application/problem+json"),
            ("/api/nothing", "text/html,*/*", "application/problem+json"),
        ):
            async with session.get(path, headers={"Accept": accept}) as answer:
                assert (answer.status, answer.content_type) == (404, kind), path
                assert ('<a href="/">' in await answer.text()) is (kind == "text/html")


@pytest.mark.parametrize("path", ["/", "/sessions/ses_1", "/settings", "/settings/keys"])
async def test_who_is_signed_in_has_the_studio_at_each_of_its_addresses(
    shared: Serving, path: str
) -> None:
    status, page = await text_of(shared, path, shared.token("Eva Lin"))
    assert status == 200
    assert STUDIO in page
    assert STUDIO not in (await text_of(shared, path))[1]


async def test_a_file_of_the_studio_is_kept_by_its_name_and_no_other_file_is_given(
    shared: Serving,
) -> None:
    _, page = await text_of(shared, "/", shared.token())
    (script,) = re.findall(r'src="\./(assets/[^"]+\.js)"', page)
    async with aiohttp.ClientSession(shared.address) as session:
        async with session.get(f"/{script}") as answer:
            assert answer.status == 200
            assert answer.content_type == "text/javascript"
            assert "immutable" in answer.headers["Cache-Control"]
        for path in (
            "assets/..%2f..%2fwrite.py",
            "assets/none.js",
            "made-of",
            "write.py",
            "x.html",
        ):
            async with session.get(f"/{path}") as answer:
                assert answer.status == 404, path


async def test_a_base_path_is_written_into_the_page(home: Path, folder: Path) -> None:
    with Serving(home, folder, "--base-path", "/shop") as serving:
        headers = {"Authorization": f"Bearer {serving.token()}"}
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.get(f"{serving.address}/") as answer,
        ):
            page = await answer.text()
    assert '<base href="/shop/" />' in page


def test_a_source_tree_without_pages_says_how_they_are_built() -> None:
    page = write.unbuilt("", Person(2, "per_x", "Eva Lin", 0, 0))
    assert "signed in as <strong>Eva Lin</strong>" in page
    assert "make run" in page


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
    for page in (write.unbuilt("", person), write.reference("", document)):
        assert "<img" not in page
        assert "<script>" not in page
        assert page.count("<script ") == 1


def browser(address: str, profile: Path, *flags: str) -> list[str]:
    assert CHROMIUM
    return [
        *(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *(f"--user-data-dir={profile}", *flags, address),
    ]


def visited(address: str, profile: Path) -> str:
    """The page that a browser ends at, as it stands there once all that it asked for is answered."""
    seen = subprocess.run(
        browser(address, profile, "--virtual-time-budget=4000", "--dump-dom"),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return seen.stdout


class Elsewhere:
    """A page of another origin of the same site, so that the browser sends it the cookie: the hardest case."""

    def __init__(self, victim: str) -> None:
        self.told: Queue[str] = Queue()
        told, page = self.told, PAGE.replace("ADDRESS", victim).encode()

        class Evil(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(page)

            def do_POST(self) -> None:
                told.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Evil)
        self._running = threading.Thread(target=self._server.serve_forever)
        self._running.start()

    def tried(self, profile: Path) -> list[str]:
        """What came of all that the page tries, in its own words."""
        address = f"http://127.0.0.1:{self._server.server_port}/"
        with subprocess.Popen(
            browser(address, profile), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            try:
                return self.told.get(timeout=120).split()
            finally:
                running.terminate()

    def close(self) -> None:
        self._server.shutdown()
        self._running.join()
        self._server.server_close()


PAGE = """<!doctype html><body><iframe name=f></iframe><iframe src=ADDRESS/ id=framed></iframe>
<form method=post action=ADDRESS/api/sign-out target=f></form>
<form method=post action=ADDRESS/api/sign-in target=f enctype=text/plain><input name='{"link":"x"}'></form>
<script>
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
  await fetch("/", {method: "POST", body: out.join(" ")});
})();
</script>"""


def fresh_link(serving: Serving) -> str:
    """One that lasts as long as a busy machine may take."""
    made = subprocess.run(
        [
            *(sys.executable, "-m", "bottega", "--home", str(serving.home)),
            *("people", "link", "--minutes", "10"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return made.stdout.strip()


@browsing
async def test_a_browser_is_signed_in_by_a_link_and_another_origin_can_do_nothing_with_that(
    shared: Serving, tmp_path: Path
) -> None:
    profile = tmp_path / "profile"
    link = fresh_link(shared)
    assert STUDIO in visited(link, profile)
    elsewhere = Elsewhere(shared.address)
    try:
        tried = elsewhere.tried(profile)
    finally:
        elsewhere.close()
    names = ("read", "post", "blind", "beacon", "socket", "script")
    assert tried == [f"{name}:refused" for name in names]
    async with shared.client() as client:
        passes = (await client.get("/api/passes"))["passes"]
    assert [each["kind"] for each in passes if each["kind"] == "login"] == ["login"]
    assert STUDIO in visited(link, profile), "who is signed in already goes on"
    used = visited(link, tmp_path / "another")
    assert "This link no longer works" in used
    assert "<code>bottega people link</code> prints a new one" in used
    assert link.partition("#")[2] not in used
