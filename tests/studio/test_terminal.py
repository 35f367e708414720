"""The terminal beside the conversation: a real shell that stays while pages come and go."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.async_api import Locator, Page, expect

from tests.studio.conftest import Visit, violations

Starts = Callable[..., Visit]


async def _begun(page: Page) -> Locator:
    """A new terminal's screen, with its prompt on it."""
    await page.get_by_role("tab", name="Terminal", exact=True).click()
    await page.get_by_role("button", name="New terminal", exact=True).click()
    screen = page.locator(".xterm-rows")
    await expect(screen).to_contain_text("$")
    return screen


async def test_a_shell_echoes_is_resized_and_is_there_again_after_a_reload(
    visit: Starts, folder: Path
) -> None:
    page = await visit().page()
    screen = await _begun(page)
    await page.keyboard.type("echo $((6*7)) > made.txt; echo got-$((6*7)); stty size\n")
    await expect(screen).to_contain_text("got-42")
    assert (folder / "made.txt").read_text() == "42\n"
    before = await _columns(screen)
    edge = page.get_by_role("separator", name="Beside the conversation")
    for _ in range(10):
        await edge.press("ArrowLeft")
    await page.get_by_role("textbox", name="Terminal Shell 1").focus()
    await page.keyboard.type("clear; stty size\n")
    await expect(screen).not_to_contain_text("got-42")
    assert await _columns(screen) > before

    await page.keyboard.type("kept=here\n")
    await page.reload()
    await expect(screen).to_contain_text("kept=here")
    await page.get_by_role("textbox", name="Terminal Shell 1").focus()
    await page.keyboard.type("echo still-$kept\n")
    await expect(screen).to_contain_text("still-here")
    assert await violations(page) == []
    await page.keyboard.press("Control+Shift+X")
    await expect(page.get_by_role("tab", name="Shell 1")).to_be_focused()


async def test_what_is_typed_before_a_terminal_is_there_goes_into_it_and_nowhere_else(
    visit: Starts,
) -> None:
    page = await visit().page()
    await page.get_by_role("tab", name="Terminal", exact=True).click()
    await page.get_by_role("button", name="New terminal", exact=True).click()
    await page.keyboard.type("echo this-is-$((6*7))\n")  # with an i, which is a key of the page
    await expect(page.locator(".xterm-rows")).to_contain_text("this-is-42")
    await expect(page.get_by_role("textbox", name="Prompt")).to_have_value("")
    await expect(page.get_by_role("log")).to_have_count(0)


async def _columns(screen: Locator) -> int:
    """What `stty size` said last."""
    size = re.compile(r"(\d+) (\d+)")
    await expect(screen).to_contain_text(size)
    said = size.findall(await screen.inner_text())
    return int(said[-1][1])


async def test_a_shell_that_ends_says_how_and_one_that_the_server_took_along_says_so(
    visit: Starts,
) -> None:
    visited = visit()
    page = await visited.page()
    screen = await _begun(page)
    await page.keyboard.type("exit 3\n")
    await expect(page.get_by_text("Ended with exit code 3")).to_be_visible()
    await page.get_by_role("button", name="New terminal").last.click()
    await expect(page.get_by_role("tab", name="Shell 2")).to_be_visible()
    await expect(screen).to_contain_text("$")
    await page.keyboard.type("echo seen\n")
    await expect(screen).to_contain_text(re.compile("seen.*seen", re.DOTALL))
    visited.serving.kill()
    await expect(page.get_by_text("What you type is not sent")).to_be_visible()
    visited.serving.start()
    await expect(page.get_by_text("it ended with the server")).to_be_visible()
    await expect(screen).to_contain_text("seen")
