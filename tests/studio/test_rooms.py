"""The list of sessions, what waits for somebody, the palette, and a page whose server is gone."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.async_api import Locator, Page, expect

from tests.studio.conftest import Visit, violations
from tests.studio.test_tabs import ask, begin

Start = Callable[..., Visit]


def link(page: Page, name: str) -> Locator:
    return page.get_by_role("link", name=name)


async def more(page: Page, title: str, item: str) -> None:
    await link(page, title).hover()
    await page.get_by_role("button", name=f"More for {title}").click()
    await page.get_by_role("menuitem", name=item).click()


async def test_a_session_is_renamed_pinned_archived_and_taken_back(visit: Start) -> None:
    there = visit([{"do": "say", "text": "hello"}])
    async with there.serving.client() as client:
        await begin(client, "Draft")
        await begin(client, "Other")
    page = await there.page()
    await link(page, "Draft").focus()
    await page.keyboard.press("F2")
    await page.keyboard.type("Notes")
    await page.keyboard.press("Enter")
    await expect(link(page, "Notes")).to_be_visible()
    await more(page, "Notes", "Pin")
    pinned = page.get_by_role("region", name="Pinned")
    await expect(pinned.get_by_role("link", name="Notes")).to_be_visible()
    await more(page, "Other", "Archive")
    await expect(link(page, "Other")).to_have_count(0)
    await page.get_by_role("button", name="Archive", exact=True).click()
    await expect(link(page, "Other")).to_be_visible()
    assert await violations(page) == []
    await more(page, "Other", "Take out of the archive")
    await expect(page.get_by_text("Nothing is archived.")).to_be_visible()
    await page.get_by_role("button", name="Back to all sessions").click()
    await expect(link(page, "Other")).to_be_visible()
    await page.reload()
    await expect(pinned.get_by_role("link", name="Notes")).to_be_visible()


async def test_what_runs_is_stopped_before_it_is_deleted(visit: Start, tmp_path: Path) -> None:
    there = visit([{"do": "gate", "path": str(tmp_path / "never")}])
    async with there.serving.client() as client:
        await begin(client, "Long work", "go")
    page = await there.page()
    await more(page, "Working Long work".removeprefix("Working "), "Delete")
    window = page.get_by_role("dialog", name="Delete this session?")
    await window.get_by_role("button", name="Delete", exact=True).click()
    await expect(window.get_by_text("Something runs in this session.")).to_be_visible()
    assert await violations(page) == []
    await window.get_by_role("button", name="Stop it and delete").click()
    await expect(page.get_by_text("Deleted “Long work”.")).to_be_visible()
    await expect(page.get_by_text("No sessions yet.")).to_be_visible()


async def test_what_was_said_is_found_and_leads_to_its_place(visit: Start) -> None:
    there = visit([{"do": "say", "text": "The lighthouse keeper wrote it down."}])
    async with there.serving.client() as client:
        session = await begin(client, "Story", "tell")
    page = await there.page()
    await page.get_by_role("searchbox", name="Search sessions").fill("lighthouse")
    hit = page.get_by_role("region", name="What was said").get_by_role("button", name="lighthouse")
    await expect(hit.locator("mark")).to_have_text("lighthouse")
    assert await violations(page) == []
    await hit.click()
    await expect(page).to_have_url(re.compile(rf"/sessions/{session}#event-\d+$"))
    await expect(page.get_by_role("tab", name="Story")).to_have_attribute("aria-selected", "true")


async def test_what_waits_in_any_session_is_listed_and_leads_to_its_tab(visit: Start) -> None:
    call = {"do": "call", "name": "bash_exec", "input": {"command": "make test"}}
    there = visit([call], [{"do": "say", "text": "done"}])
    async with there.serving.client() as client:
        await begin(client, "Idle one")
        waits = await begin(client, "Needs a word")
        page = await there.page()
        await link(page, "Idle one").click()
        await ask(client, waits, "go")
        waiting = page.get_by_role("region", name="Waiting for you 1")
        await expect(waiting.get_by_text("make test")).to_be_visible()
        await expect(page).to_have_title(re.compile(r"^\(1\) Idle one"))
        assert (
            await page.locator('link[rel="icon"]').get_attribute("href")
        ) == "./icon-waiting.svg"
        assert await violations(page) == []
        await waiting.get_by_role("button", name="Needs a word").click()
        selected = page.get_by_role("tab", name="Waiting for you Needs a word")
        await expect(selected).to_have_attribute("aria-selected", "true")
        found = (await client.get("/api/asks"))["asks"][0]
        await client.post(f"/api/asks/{found['id']}", {"word": "deny", "hash": found["hash"]})
        await expect(waiting).to_have_count(0)
        await expect(page).to_have_title(re.compile(r"^Needs a word"))


async def test_the_palette_finds_everything_by_keys(visit: Start, folder: Path) -> None:
    (folder / "parser.py").write_text("x = 1\n")
    there = visit([{"do": "say", "text": "hello"}])
    async with there.serving.client() as client:
        await begin(client, "Mend the engine")
    page = await there.page()
    await expect(link(page, "Mend the engine")).to_be_visible()
    await page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Find anything")
    await expect(box).to_be_focused()
    assert await violations(page) == []
    await page.keyboard.type("parser")
    await expect(page.get_by_role("option", name="parser.py")).to_be_visible()
    await box.fill("engine")
    await expect(page.get_by_role("option", name="Mend the engine")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("tab", name="Mend the engine")).to_be_visible()
    await page.keyboard.press("Control+k")
    await box.fill("rules")
    await expect(page.get_by_role("option").first).to_contain_text("Rules")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Rules")).to_be_visible()
    await page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard keys")
    await expect(keys.get_by_text("Next tab")).to_be_visible()
    assert await violations(page) == []
    await page.keyboard.press("Escape")
    await expect(keys).to_have_count(0)


async def test_many_sessions_are_shown_a_page_at_a_time(visit: Start) -> None:
    there = visit([{"do": "say", "text": "hello"}])
    async with there.serving.client() as client:
        for n in range(130):
            await client.post("/api/sessions", {"title": f"Session {n:03}"})
    page = await there.page()
    await expect(link(page, "Session 129")).to_be_visible()
    assert await page.get_by_role("link", name="Session").count() == 60
    # The end of the list is seen, and more comes by itself.
    await link(page, "Session 070").scroll_into_view_if_needed()
    await expect(page.get_by_role("link", name="Session")).to_have_count(130)
    await expect(page.get_by_role("button", name="Load more")).to_have_count(0)


async def test_a_page_whose_server_is_gone_is_there_all_the_same(visit: Start) -> None:
    there = visit([{"do": "say", "text": "hello"}])
    page = await there.page(service_workers="allow")
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})")
    await page.reload()
    await expect(page.get_by_role("button", name="host")).to_be_visible()
    kept = await page.evaluate(
        "caches.open('bottega-1').then(c => c.keys()).then(all => all.map(r => new URL(r.url).pathname))"
    )
    assert kept
    assert not [path for path in kept if path.startswith("/api")]
    there.serving.kill()
    await page.reload()
    await expect(page.get_by_text("The server does not answer.")).to_be_visible()
    there.serving.start()
    await expect(page.get_by_text("The server does not answer.")).to_have_count(0)
    await expect(page.get_by_role("button", name="host")).to_be_visible()
