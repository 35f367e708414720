"""Nothing that one needs is cut, and the way on is one key: choices and pictures on a phone, finds, settings."""

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.async_api import expect

from tests.studio.conftest import Visit, send, violations
from tests.studio.test_tabs import begin, tab

Starts = Callable[..., Visit]
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
LONG = "The one that says at length what it would do, so that it needs more than a line of a phone"


def call(name: str, **given: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": given}


async def test_long_choices_and_a_picture_of_the_project_fit_a_phone(
    visit: Starts, folder: Path
) -> None:
    (folder / "charts").mkdir()
    (folder / "charts" / "a b.png").write_bytes(base64.b64decode(DOT))
    said = "See ![growth](charts/a%20b.png), ![gone](charts/none.png) and ![out](../x.png)."
    page = await visit(
        [call("ask_user", question="Which?", choices=[LONG, "Two"])], [{"do": "say", "text": said}]
    ).page(viewport={"width": 390, "height": 844})
    await send(page, "ask me")
    card = page.locator("[data-ask][data-ready]")
    choice = card.get_by_role("button", name=LONG)
    await expect(choice).to_be_visible()
    box, around = await choice.bounding_box(), await card.bounding_box()
    assert box
    assert around
    assert box["x"] + box["width"] < around["x"] + around["width"]
    await choice.click()
    log = page.get_by_role("log")
    picture = log.get_by_role("img", name="growth")
    await expect(picture).to_have_js_property("naturalWidth", 1)
    await expect(picture).to_have_attribute("src", re.compile("^blob:"))
    await expect(log.get_by_text("The image could not be shown")).to_have_count(2)
    assert await violations(page, "[role=log]") == []


async def test_what_only_the_server_finds_is_opened_by_enter_and_escape_leaves_the_settings(
    visit: Starts,
) -> None:
    there = visit([{"do": "say", "text": "The engine is mended."}])
    async with there.serving.client() as client:
        session = await begin(client, "Older", "mend")
    page = await there.page()
    await expect(page.get_by_role("textbox", name="Prompt")).to_be_focused()
    # Typed at once, while the box of the palette is still loaded.
    await page.keyboard.press("Control+k")
    await page.keyboard.type("engine")
    hit = page.get_by_role("option", name="Older The engine is mended.")
    await expect(hit).to_have_attribute("aria-selected", "true")
    await expect(page.get_by_text("Nothing fits.")).to_have_count(0)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(f"/sessions/{session}#event-"))
    await expect(tab(page, "Older")).to_have_attribute("aria-selected", "true")

    await page.keyboard.press("Control+,")
    parts = page.get_by_role("navigation", name="Settings")
    await expect(parts.get_by_role("link", name="Keys")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page).to_have_url(re.compile(f"/sessions/{session}$"))
    await page.keyboard.press("Control+,")
    await expect(parts).to_be_visible()
    await page.keyboard.press("Alt+w")
    await expect(tab(page, "Older")).to_have_attribute("aria-selected", "true")
