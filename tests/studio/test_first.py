"""The first two minutes, in a real browser: the guide answers, a key is tested, the demo asks."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from playwright.async_api import Page, expect

from bottega.providers.vendors import VENDORS
from tests.cli.vendor import Answer
from tests.cli.vendor import serving as vendor_serving
from tests.studio.conftest import Visit, violations

Starts = Callable[..., Visit]
USUAL = VENDORS["openai"].default_model


async def looked_at(page: Page) -> None:
    """All that the first page asks for is there."""
    await expect(page.get_by_text("reads files")).to_be_visible()
    await expect(page.get_by_text("not running on this machine")).to_be_visible()


async def test_before_any_key_the_guide_says_what_it_is_and_answers(
    visit: Starts, folder: Path
) -> None:
    (folder / "Makefile").write_text("test:\n\techo fine\n")
    (folder / "main.py").write_text("print('hello')\n")
    page = await visit().page()
    await looked_at(page)
    await expect(page.get_by_text("It is a set of rules, not a model")).to_be_visible()
    await expect(page.get_by_role("region", name="Where it works")).to_contain_text("3 files")
    assert await violations(page) == []
    await page.get_by_role("button", name=re.compile("^Run the tests")).click()
    box = page.get_by_role("textbox", name="Prompt")
    await expect(box).to_have_value("Run the tests with `make test`. If something fails, find out"
        " why and mend the cause; if all is well, name the part that they cover least.")  # fmt: skip
    await box.fill("")
    await page.get_by_role("button", name="Ask the guide").click()
    said = page.get_by_role("log")
    await expect(said.get_by_text("What can you do?", exact=True)).to_be_visible()
    await expect(said).to_contain_text("guide")
    await expect(page.get_by_role("button", name="Stop")).to_be_hidden()


async def test_a_wrong_key_is_refused_with_its_reason_and_a_right_one_answers_with_its_price(
    visit: Starts, home: Path
) -> None:
    home.mkdir()
    with vendor_serving() as vendor:
        (home / "config.toml").write_text(f'[providers.openai]\nbase_url = "{vendor.url}"\n')
        vendor.answer = Answer(401, json.dumps({"error": {"message": "Incorrect API key."}}))
        page = await visit().page()
        field = page.get_by_label("Paste a key")
        await field.fill("sk-proj-wrong")
        await expect(page.get_by_text("Looks like a key of OpenAI.")).to_be_visible()
        await field.press("Enter")
        refused = page.get_by_role("alert").filter(has_text="OpenAI does not take this key.")
        await expect(refused).to_be_visible()
        assert await violations(page) == []
        assert not (home / "keys.json").exists()
        vendor.answer = Answer(200, json.dumps({"data": [{"id": USUAL}]}))
        await field.fill("sk-proj-right")
        await page.get_by_role("button", name="Test it with OpenAI").click()
        await expect(page.get_by_text("OpenAI takes the key and offers 1 model.")).to_be_visible()
        price = page.get_by_text(f"New sessions use openai/{USUAL}: $")
        await expect(price).to_contain_text("a million tokens")
        assert await violations(page) == []
        await page.get_by_role("button", name="Begin").click()
        await expect(page.get_by_role("heading", name="Ready when you are")).to_be_visible()
        await expect(page.get_by_label("Paste a key")).to_be_hidden()
    assert "sk-proj-right" not in (home / "keys.json").read_text()


async def test_the_demo_plans_asks_changes_a_file_and_says_what_it_is(visit: Starts) -> None:
    page = await visit().page()
    await page.get_by_role("button", name="See the demo").click()
    await expect(page.get_by_role("tab", name="Demo")).to_be_visible()
    for command in ("Run this command?", "receipt.sh", "Run this command?"):
        card = page.locator("[data-ask][data-ready]", has_text=command)
        await expect(card).to_be_visible()
        ask = await card.get_attribute("data-ask")
        await card.get_by_role("button", name="Allow once").press("Enter")
        # The next card is another one: this one is gone before it is looked for.
        await expect(page.locator(f'[data-ask="{ask}"]')).to_have_count(0)
    await expect(page.get_by_text("The test passes.")).to_be_visible()
    await expect(page.get_by_text("no model was asked")).to_be_visible()
    await expect(page.get_by_text("4 of 4 done").first).to_be_visible()


async def test_the_first_page_fits_a_phone(visit: Starts) -> None:
    page = await visit().page(viewport={"width": 390, "height": 844})
    await looked_at(page)
    assert await page.evaluate("document.documentElement.scrollWidth") == 390
    await page.get_by_label("Paste a key").fill("sk-ant-x")
    button = page.get_by_role("button", name="Test it with Anthropic")
    await expect(button).to_be_visible()
    box = await button.bounding_box()
    assert box
    assert box["height"] >= 44
    assert await violations(page) == []
