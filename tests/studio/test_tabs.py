"""Tabs of the page: sessions side by side, each with its state, and all of them back after a reload."""

import re
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.async_api import Locator, Page, expect

from tests.server.serving import Client
from tests.studio.conftest import Visit, violations

Start = Callable[..., Visit]


async def begin(client: Client, title: str, prompt: str = "", **more: str) -> str:
    """A session with this title, in which something is asked."""
    made = await client.post("/api/sessions", {"title": title, **more})
    if prompt:
        await ask(client, made["id"], prompt)
    return made["id"]


async def ask(client: Client, session: str, prompt: str) -> None:
    body = {"message_id": str(uuid4()), "content": prompt}
    await client.post(f"/api/sessions/{session}/prompts", body)


def tab(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("tablist", name="Open sessions").get_by_role("tab", name=name)


async def open_all(page: Page, *titles: str) -> None:
    for title in titles:
        await page.get_by_role("link", name=title).click()
        await expect(tab(page, title)).to_have_attribute("aria-selected", "true")


async def ordered(page: Page, *names: str) -> None:
    """The tabs stand in this order."""
    await expect(tab(page, re.compile(""))).to_have_text([re.compile(f"{name}$") for name in names])


@pytest.mark.requirement("S13")
async def test_two_tabs_work_at_once_and_each_says_how_it_stands(
    visit: Start, tmp_path: Path, scripted: Callable[..., str]
) -> None:
    gate = tmp_path / "go"
    waits = {"do": "gate", "path": str(gate)}
    good = scripted([waits, {"do": "say", "text": "made"}], name="good")
    bad = scripted([waits, {"do": "fail", "code": "overloaded", "message": "no"}], name="bad")
    there = visit([{"do": "say", "text": "-"}])
    async with there.serving.client() as client:
        one = await begin(client, "Build it", model=good)
        two = await begin(client, "Break it", model=bad)
        page = await there.page()
        await open_all(page, "Build it", "Break it")
        await page.get_by_role("button", name="New session").click()
        await ask(client, one, "build")
        await ask(client, two, "break")
        await expect(tab(page, "Working Build it")).to_be_visible()
        await expect(tab(page, "Working Break it")).to_be_visible()
        gate.touch()
        await expect(tab(page, "Done Build it")).to_be_visible()
        await expect(tab(page, "Failed Break it")).to_be_visible()
    # Whoever looks has seen it: the sign goes, and stays away.
    await tab(page, "Done Build it").click()
    await expect(tab(page, "Done Build it")).to_have_count(0)
    await page.reload()
    await expect(tab(page, "Failed Break it")).to_be_visible()
    await expect(tab(page, re.compile("^Build it"))).to_have_attribute("aria-selected", "true")


@pytest.mark.requirement("S19")
async def test_tabs_come_back_after_a_reload_in_their_order(visit: Start) -> None:
    there = visit([{"do": "say", "text": "hello"}])
    async with there.serving.client() as client:
        for title in ("First", "Second", "Third"):
            await begin(client, title)
    page = await there.page()
    await open_all(page, "First", "Second", "Third")
    await tab(page, "Third").press("Control+Shift+ArrowLeft")
    await expect(page.get_by_role("status").get_by_text("Moved to place 2 of 3.")).to_be_attached()
    await expect(tab(page, "Third")).to_be_focused()
    await tab(page, "First").drag_to(tab(page, "Second"))
    await ordered(page, "Third", "Second", "First")
    await page.reload()
    await expect(tab(page, "Third")).to_be_visible()
    await ordered(page, "Third", "Second", "First")


async def test_tabs_are_used_by_keys_alone_and_a_closed_one_is_taken_back(visit: Start) -> None:
    there = visit([{"do": "say", "text": "hello"}])
    async with there.serving.client() as client:
        for title in ("First", "Second", "Third"):
            await begin(client, title)
    page = await there.page()
    await open_all(page, "First", "Second", "Third")
    await page.keyboard.press("Alt+1")
    await expect(tab(page, "First")).to_have_attribute("aria-selected", "true")
    await page.keyboard.press("Control+Shift+BracketRight")
    await expect(tab(page, "Second")).to_have_attribute("aria-selected", "true")
    await tab(page, "Second").press("ArrowLeft")
    await expect(tab(page, "First")).to_be_focused()
    await page.keyboard.press("ArrowRight")
    await expect(tab(page, "Second")).to_be_focused()
    await page.keyboard.press("Delete")
    await expect(tab(page, re.compile(""))).to_have_count(2)
    await page.get_by_role("button", name="Undo").click()
    await expect(tab(page, "Second")).to_be_visible()
    await ordered(page, "First", "Second", "Third")
    assert await violations(page) == []
    await tab(page, "Third").click(button="middle")
    await expect(tab(page, "Third")).to_have_count(0)
    await page.keyboard.press("Alt+n")
    await expect(tab(page, "New session")).to_have_attribute("aria-selected", "true")


async def test_on_a_narrow_page_a_menu_leads_from_tab_to_tab(visit: Start) -> None:
    there = visit([{"do": "say", "text": "hello"}])
    async with there.serving.client() as client:
        await begin(client, "First")
        await begin(client, "Second")
    page = await there.page(viewport={"width": 390, "height": 844})
    for title in ("First", "Second"):
        await page.get_by_role("button", name="Show the sessions").click()
        await page.get_by_role("link", name=title).click()
        await expect(page.get_by_role("button", name=f"All tabs New {title}")).to_be_visible()
    await page.get_by_role("button", name="All tabs").click()
    await page.get_by_role("menuitemradio", name="First").click()
    await expect(page.get_by_role("button", name="All tabs New First")).to_be_visible()
    box = await page.get_by_role("button", name="All tabs").bounding_box()
    assert box
    assert box["height"] >= 44
    assert await violations(page) == []
