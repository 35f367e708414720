"""The studio in a real Chromium: how long its main thread is held up, and how soon a key is on the screen.

Tasks are those of the page's main thread, out of Chromium's own trace, in CPU time; what a key takes is what its Event
Timing says: from the key to the next frame that is painted.
"""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, Page, async_playwright

from bottega.events import facts
from bottega.events.event import Event
from bottega.events.facts import NAMES
from bottega.messages.block import Text, ToolUse
from bottega.studio import Studio
from served import Server, serving
from stopwatch import Figures, main
from workshop import pen_of

EVENTS = 10_000
PROSE = (
    "## What was found\n\nThe parser reads **one token** at a time, and `peek()` looks at the next.\n\n"
    "- it is called from three places\n- two of them are tests\n\n"
    "```python\ndef peek(self) -> Token:\n    return self.tokens[self.at]\n```\n\n"
    "| file | lines |\n| --- | ---: |\n| parser.py | 412 |\n| lexer.py | 120 |\n"
)
TIMING = """
globalThis.keys = [];
new PerformanceObserver(list => {
  for (const each of list.getEntries()) if (each.name === 'keydown') keys.push(each.duration);
}).observe({type: 'event', durationThreshold: 16, buffered: true});
"""


async def studio(url: str, quick: bool) -> Figures:
    async with (
        serving(url, "paced-6000-200", "burst-10", filled=long_session) as server,
        browsing() as browser,
    ):
        return {
            **await opening(server, browser, rounds=2 if quick else 5),
            **await typing(server, browser, keys=60 if quick else 200),
        }


async def opening(server: Server, browser: Browser, rounds: int) -> Figures:
    """A session of 10,000 events: until its end is on the screen, and scrolled up through its pages."""
    shown: list[float] = []
    opened: list[float] = []
    scrolled: list[float] = []
    for _ in range(rounds):
        page = await visit(server, browser)
        await page.goto(f"{server.address}/")
        row = page.get_by_role("complementary", name="Sessions").get_by_text("long").first
        await row.wait_for()
        await page.wait_for_load_state("networkidle")
        await browser.start_tracing(page=page, categories=["toplevel", "blink.user_timing"])
        begin = asyncio.get_running_loop().time()
        await row.click()
        await page.get_by_text("the last words of all").wait_for()
        shown.append((asyncio.get_running_loop().time() - begin) * 1e3)
        opened.append(longest(await browser.stop_tracing()))
        await browser.start_tracing(page=page, categories=["toplevel", "blink.user_timing"])
        await scroll(page, 60)
        scrolled.append(longest(await browser.stop_tracing()))
        await page.context.close()
    return {
        "studio.shown": median(shown),
        "studio.open.task": median(opened),
        "studio.scroll.task": median(scrolled),
    }


async def scroll(page: Page, times: int) -> None:
    log = page.get_by_role("log")
    box = await log.bounding_box()
    assert box
    await page.mouse.move(box["x"] + 200, box["y"] + 200)
    for _ in range(times):
        await page.mouse.wheel(0, -600)
        await page.evaluate("() => new Promise(requestAnimationFrame)")


async def typing(server: Server, browser: Browser, keys: int) -> Figures:
    """Keys into the composer while an answer comes with 200 events a second."""
    page = await visit(server, browser)
    await page.add_init_script(TIMING)
    await page.goto(f"{server.address}/")
    box = page.get_by_role("textbox", name="Prompt")
    await box.fill("go on")
    await box.press("Enter")
    await page.get_by_role("log").get_by_text("token").first.wait_for()
    for n in range(keys):
        await box.press("abcdefghij"[n % 10])
        await asyncio.sleep(0.03)
    took: list[float] = await page.evaluate("keys")
    await page.context.close()
    # A key that took less than a frame is not told of.
    told = [*took, *[16.0] * (keys - len(took))]
    return {"studio.key.p50": median(told), "studio.key.p95": quantiles(told, n=20)[18]}


def longest(trace: bytes) -> float:
    """CPU milliseconds of the longest task of the page's main thread."""
    events: list[dict[str, Any]] = json.loads(trace)["traceEvents"]
    mains = {
        (each["pid"], each["tid"])
        for each in events
        if each.get("name") == "thread_name" and each["args"]["name"] == "CrRendererMain"
    }
    tasks = [
        each.get("tdur", each.get("dur", 0)) / 1e3
        for each in events
        if each.get("name") == "ThreadControllerImpl::RunTask"
        and (each["pid"], each["tid"]) in mains
    ]
    return max(tasks, default=0.0)


@asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        await browser.close()


async def visit(server: Server, browser: Browser) -> Page:
    """A window that is signed in by a cookie, as a browser is."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    name = f"bottega-{urlsplit(server.address).port}"
    await context.add_cookies([{"name": name, "value": server.login, "url": server.address}])
    kept = f"localStorage.setItem('bottega-page:', '{server.page_key}')"
    await context.add_init_script(kept)
    return await context.new_page()


async def long_session(home: Path, folder: Path) -> None:
    """As somebody's week with it would be: some 525 exchanges of 19 events."""
    async with Studio(home) as studio:
        session = await studio.start(model="guide", folder=folder, title="long")
        log: list[Event] = []
        n = 0
        while len(log) < EVENTS - 21:
            log += exchange(n, PROSE)
            n += 1
        log += exchange(n, "the last words of all")
        async with pen_of(studio, session) as pen:
            await pen.record(*log)
        await studio.start(model="paced-6000-200/mock-1", folder=folder, title="stream")
        (home / "config.toml").write_text(
            'model = "paced-6000-200/mock-1"\n' + (home / "config.toml").read_text()
        )


def exchange(n: int, words: str) -> list[Event]:
    """A question, three steps of which two read and write, and the end."""
    name = f"00000000-0000-4000-8000-{n:012d}"
    said = (Text(f"question {n}: where is the parser called?"),)
    told: list[tuple[Any, int]] = [(facts.PromptQueued(said), 0), (facts.UserMessage(said), 0)]
    for step in (1, 2):
        calls = [f"call_{n}_{step}_{k}" for k in range(2)]
        uses = tuple(ToolUse(each, "read_file", {"file_path": f"src/{each}.py"}) for each in calls)
        told.append((facts.MessageStart("mock-1", "mock"), step))
        told.append((facts.AssistantMessage((Text("Let me look."), *uses), "tool_use"), step))
        for each in calls:
            told.append((facts.ToolIntent(each, "read_file", "0" * 64), step))
            told.append((facts.ToolResultFact(each, "read_file", (Text("line\n" * 40),)), step))
        told.append((facts.TodosChanged((facts.TodoItem("read"), facts.TodoItem("write"))), step))
    told.append((facts.MessageStart("mock-1", "mock"), 3))
    told.append((facts.AssistantMessage((Text(words),), "end_turn"), 3))
    told.append((facts.ExchangeResponse(True, "no_more_actions", "end_turn", 3), 3))
    return [Event(NAMES[type(each)], 1760000000000, each, name, step=step) for each, step in told]


if __name__ == "__main__":
    main(studio=studio)
