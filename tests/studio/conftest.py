"""Journeys: a real Chromium, a real server, a scripted model. They wait for what is on the screen, never for time."""

import json
import shutil
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, ExitStack
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from tests.server.serving import Serving

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
HERE = Path(__file__).parent
BUILT = HERE.parents[1] / "src/bottega/server/pages/built/index.html"

expect.set_options(
    timeout=30_000
)  # a busy machine is slow, and whoever waits for the screen loses nothing


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One loop for all journeys of a process, because they share one browser."""
    for item in items:
        is_journey = isinstance(item, pytest.Function) and iscoroutinefunction(item.obj)
        if HERE in item.path.parents and is_journey:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            if not CHROMIUM:
                item.add_marker(pytest.mark.skip(reason="chromium is not installed"))
            elif not BUILT.is_file():
                item.add_marker(pytest.mark.skip(reason="the pages are not built (make pages)"))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM,
            # What changed is painted whole: painted in part, round corners are a shade off.
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--force-color-profile=srgb",
                "--disable-partial-raster",
            ],
        )
        yield browser
        await browser.close()


class Visit:
    """Somebody in front of the studio: a server, and pages that are signed in at it."""

    def __init__(self, serving: Serving, browser: Browser) -> None:
        self.serving = serving
        self.browser = browser
        self.problems: list[str] = []
        self.foreign: list[str] = []
        """Requests that went anywhere but to the server."""
        self._contexts: list[BrowserContext] = []

    async def page(self, path: str = "/", **options: Any) -> Page:
        """A new browser window (1280 × 800 unless told) of the host's."""
        options.setdefault("viewport", {"width": 1280, "height": 800})
        options.setdefault("reduced_motion", "reduce")
        # What a page is built of is asked for anew each time, so that a journey sees every request.
        options.setdefault("service_workers", "block")
        context = await self.browser.new_context(**options)
        self._contexts.append(context)
        await self.sign_in(context)
        page = await context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self._watch(request.url))
        await page.goto(self.serving.address + path)
        return page

    async def sign_in(self, context: BrowserContext, name: str = "host") -> None:
        """As if that person had opened a sign-in link in this browser."""
        headers = self.serving.browser(self.serving.cookie(name))
        cookie, _, words = headers["Cookie"].partition("=")
        await context.add_cookies([
            {"name": cookie, "value": words, "url": self.serving.address}
        ])  # fmt: skip
        key = headers["X-Bottega-Page"]
        await context.add_init_script(f"localStorage.setItem('bottega-page:', '{key}')")

    def _watch(self, address: str) -> None:
        if not address.startswith((self.serving.address, "data:", "blob:")):
            self.foreign.append(address)

    async def close(self) -> None:
        for context in self._contexts:
            await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(
    home: Path, folder: Path, browser: Browser, scripted: Callable[..., str]
) -> AsyncGenerator[Callable[..., Visit]]:
    """`visit(*turns)`: a server whose model plays these turns. Whatever went wrong in a page fails the test."""
    made: list[Visit] = []
    with ExitStack() as stack:

        def start(
            *turns: list[dict[str, Any]], flags: tuple[str, ...] = (), **options: Any
        ) -> Visit:
            environment = {"BOTTEGA_MODEL": scripted(*turns, **options)} if turns or options else {}
            serving: AbstractContextManager[Serving] = Serving(
                home, folder, *flags, environment=environment
            )
            made.append(Visit(stack.enter_context(serving), browser))
            return made[-1]

        yield start
        for each in made:
            await each.close()
    assert [problem for each in made for problem in each.problems] == []
    assert [address for each in made for address in each.foreign] == []


async def send(page: Page, text: str) -> None:
    """Type a prompt, and send it."""
    box = page.get_by_role("textbox", name="Prompt")
    await box.fill(text)
    await box.press("Enter")


AXE = HERE.parents[1] / "web/node_modules/axe-core/axe.min.js"


async def violations(page: Page, within: str = "html") -> list[str]:
    """What axe-core finds in the page as it is now, or in the part of it that a selector names."""
    # Through the protocol, past the page's own policy, which lets no such script in.
    session = await page.context.new_cdp_session(page)
    script = AXE.read_text("utf-8")
    await session.send("Runtime.evaluate", {"expression": script})
    found = await session.send(
        "Runtime.evaluate",
        {
            "expression": f"axe.run({json.dumps(within)})",
            "awaitPromise": True,
            "returnByValue": True,
        },
    )
    await session.detach()
    told: list[dict[str, Any]] = found["result"]["value"]["violations"]
    return [
        f"{each['id']}: {node['target']} {json.dumps(node['any'][0]['message'] if node['any'] else '')}"
        for each in told
        for node in each["nodes"]
    ]


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    place = tmp_path / "shots"
    place.mkdir()
    return place
