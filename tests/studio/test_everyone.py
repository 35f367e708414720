"""For everyone: by keyboard alone, in the dark, on a phone; and nothing that axe-core has to say about any of it."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import expect

from tests.studio.conftest import Visit, send, violations

WORK: list[list[dict[str, Any]]] = [
    [
        {"do": "think", "text": "What is there to do?"},
        {"do": "say", "text": "I will **write** a file."},
        {"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": "one\n"}},
    ],
    [
        {
            "do": "say",
            "text": "## Done\n\n`a.txt` is there.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n"
            "```python\nprint('hello')\n```\n\n[a link](https://example.org)",
        }
    ],
]
WAYS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}},
    "dark phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}


@pytest.mark.parametrize("way", WAYS)
async def test_a_piece_of_work_is_readable_by_everyone(
    visit: Callable[..., Visit], way: str
) -> None:
    page = await visit(*WORK).page("/", **WAYS[way])
    await expect(page.get_by_role("textbox", name="Prompt")).to_be_visible()
    assert await violations(page) == []
    await send(page, "write a file")
    await expect(page.locator("[data-ask][data-ready]")).to_be_visible()
    assert await violations(page) == []
    overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(overflow) == 0
    await page.get_by_role("button", name="Allow once").click()
    await expect(page.get_by_role("heading", name="Done", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    assert await violations(page) == []
    assert await page.evaluate(overflow) == 0


async def test_all_of_it_is_done_by_the_keyboard(visit: Callable[..., Visit]) -> None:
    page = await visit(*WORK).page()
    await expect(page.get_by_role("textbox", name="Prompt")).to_be_focused()
    await page.keyboard.type("write a file")
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-ask][data-ready]")).to_be_focused()
    await page.keyboard.press("1")
    await expect(page.get_by_role("heading", name="Done", exact=True)).to_be_visible()
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.type("new")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.keyboard.press("Alt+n")
    await expect(page.get_by_role("textbox", name="Prompt")).to_be_visible()
    await expect(page.get_by_role("log")).to_have_count(0)
