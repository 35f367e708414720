"""A page that is loaded again, hidden or cut off, or whose server is killed, goes on to the last pixel."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.studio.conftest import Visit, send

WORDS = " ".join(f"word{n}" for n in range(120))
ANSWER = (
    f"## A long answer\n\n{WORDS}\n\n- one\n- two\n\n```python\nprint('the end')\n```\n\nlast words"
)
SLOW = [{"do": "say", "text": ANSWER, "pace_ms": 12}]
HIDE = """hidden => {
  Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden});
  Object.defineProperty(document, 'visibilityState', {configurable: true, get: () => hidden ? 'hidden' : 'visible'});
  document.dispatchEvent(new Event('visibilitychange'));
}"""


async def begun(visit: Visit) -> Page:
    """A page whose answer is being written."""
    page = await visit.page()
    await send(page, "Say something long.")
    await expect(page.get_by_role("log")).to_contain_text("word10")
    return page


async def over(page: Page) -> None:
    await expect(page.get_by_role("log")).to_contain_text("last words", timeout=20_000)
    await expect(page.get_by_role("button", name="Stop")).to_have_count(0)


async def seen(page: Page) -> bytes:
    """The end of the conversation as it is painted."""
    await page.mouse.move(5, 5)
    log = page.get_by_role("log")
    # The colours of code come a moment after its words.
    await expect(log.locator(".tok-string").first).to_be_visible()
    await log.evaluate("node => { node.scrollTop = node.scrollHeight; }")
    await expect(page.get_by_text("last words")).to_be_visible()
    return await log.screenshot(animations="disabled", caret="hide")


async def same_as_fresh(visit: Visit, page: Page) -> None:
    """What a page has come through with is what one that was opened just now shows."""
    await over(page)
    fresh = await visit.page(page.url.removeprefix(visit.serving.address))
    await over(fresh)
    for each in (page, fresh):
        await each.get_by_role("textbox", name="Prompt").blur()
    words = [await each.get_by_role("log").inner_text() for each in (page, fresh)]
    assert words[0] == words[1]
    assert words[0].count("word60 ") == 1
    assert await seen(page) == await seen(fresh)


async def test_a_reload_in_the_middle_of_an_answer_loses_nothing(
    visit: Callable[..., Visit],
) -> None:
    here = visit(SLOW)
    page = await begun(here)
    await page.reload()
    await same_as_fresh(here, page)


async def test_a_page_that_was_hidden_has_what_it_missed(visit: Callable[..., Visit]) -> None:
    here = visit(SLOW)
    page = await begun(here)
    await page.evaluate(HIDE, True)
    # Another window, which is looked at, tells when all was said.
    await over(await here.page(page.url.removeprefix(here.serving.address)))
    assert "last words" not in await page.get_by_role("log").inner_text(), "nothing is sent to it"
    await page.evaluate(HIDE, False)
    await same_as_fresh(here, page)


async def test_a_page_without_a_network_says_so_and_catches_up(visit: Callable[..., Visit]) -> None:
    here = visit(SLOW)
    page = await begun(here)
    line = await page.context.new_cdp_session(page)
    cut = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    await line.send("Network.enable")
    await line.send("Network.emulateNetworkConditions", cut)
    await page.evaluate("dispatchEvent(new Event('offline'))")
    await expect(page.get_by_text("The server does not answer")).to_be_visible(timeout=20_000)
    await line.send("Network.emulateNetworkConditions", {**cut, "offline": False})
    await page.evaluate("dispatchEvent(new Event('online'))")
    await expect(page.get_by_text("The server does not answer")).to_have_count(0)
    await same_as_fresh(here, page)


async def test_a_server_that_is_killed_in_mid_stream_costs_a_page_nothing(
    visit: Callable[..., Visit],
) -> None:
    here = visit(SLOW)
    page = await begun(here)
    here.serving.kill()
    await expect(page.get_by_text("The server does not answer")).to_be_visible()
    await expect(page.get_by_role("log")).to_contain_text("word10")
    here.serving.start()
    await expect(page.get_by_text("The server does not answer")).to_have_count(0)
    await same_as_fresh(here, page)


async def test_what_was_said_while_the_server_was_gone_is_said_when_it_is_back(
    visit: Callable[..., Visit], folder: Path
) -> None:
    here = visit([{"do": "say", "text": "first answer"}], [{"do": "say", "text": "second answer"}])
    page = await here.page()
    await send(page, "one")
    await expect(page.get_by_role("log")).to_contain_text("first answer")
    here.serving.kill()
    await expect(page.get_by_text("The server does not answer")).to_be_visible()
    await send(page, "two")
    await expect(page.get_by_role("log")).to_contain_text("two")
    here.serving.start()
    await expect(page.get_by_role("log")).to_contain_text("second answer", timeout=20_000)
    assert (await page.get_by_role("log").inner_text()).count("two") == 1


@pytest.mark.requirement("A06")
async def test_after_an_answer_the_page_agrees_with_the_stored_session(
    visit: Callable[..., Visit],
) -> None:
    here = visit([{"do": "say", "text": "the answer"}])
    page = await here.page()
    await send(page, "the question")
    await expect(page.get_by_role("log")).to_contain_text("the answer")
    async with here.serving.client() as client:
        (session,) = (await client.get("/api/sessions"))["sessions"]
    row = page.get_by_role("complementary", name="Sessions")
    await expect(row).to_contain_text(session["title"])
