"""Settings in the studio: keys, rules, instructions, the look, and who may change what."""

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.async_api import Page, expect

from tests.cli.vendor import Answer, Vendor
from tests.cli.vendor import serving as vendor_serving
from tests.studio.conftest import Visit, violations

Start = Callable[..., Visit]


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Vendor]:
    """A provider that takes no key until it is told to."""
    with vendor_serving() as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.url)
        found.answer = Answer(401, json.dumps({"error": {"message": "Incorrect API key"}}))
        yield found


async def test_a_wrong_key_is_told_and_a_right_one_is_kept(visit: Start, vendor: Vendor) -> None:
    page = await visit([{"do": "say", "text": "hello"}]).page("/settings/keys")
    await page.get_by_label("Key", exact=True).fill("sk-proj-0123456789abcdef0123456789")
    await page.get_by_label("Provider").select_option("openai")
    keep = page.get_by_role("button", name="Test and keep")
    await keep.click()
    await expect(page.get_by_role("button", name="Keep it all the same")).to_be_visible()
    await expect(page.get_by_role("button", name="Test openai")).to_have_count(0)
    assert await violations(page) == []
    vendor.answer = Answer(200, json.dumps({"data": [{"id": "gpt-x"}]}))
    await keep.click()
    await expect(page.get_by_text("The key of openai is kept.")).to_be_visible()
    await page.get_by_role("button", name="Test openai").click()
    await expect(page.get_by_text("It works: 1 model on offer.").last).to_be_visible()
    # What was typed is nowhere in the page any more.
    assert "0123456789abcdef" not in await page.content()
    await page.get_by_role("button", name="Delete openai").click()
    window = page.get_by_role("dialog", name="Delete the key of openai?")
    await window.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.get_by_text("No key is set.")).to_be_visible()


async def test_rules_are_added_moved_deleted_and_refused_when_senseless(visit: Start) -> None:
    page = await visit([{"do": "say", "text": "hello"}]).page("/settings/rules")
    await add(page, "Deny it", "", "A path", "*.env")
    await add(page, "Allow it", "bash_exec", "A command", "git status")
    rows = page.get_by_role("listitem").filter(has=page.get_by_role("button", name="Move rule"))
    await expect(rows).to_have_count(2)
    await page.get_by_role("button", name="Move rule 2 up").click()
    await expect(rows.first).to_contain_text("git status")
    await page.get_by_role("button", name="Add a rule").click()
    form = page.get_by_role("dialog", name="Add a rule")
    await form.get_by_role("button", name="Save").click()
    await expect(form.get_by_role("alert")).to_contain_text("names a tool, path, command or url")
    assert await violations(page) == []
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Delete rule 2").click()
    await expect(rows).to_have_count(1)
    await page.get_by_role("button", name="Undo").click()
    await expect(rows).to_have_count(2)
    await page.reload()
    await expect(rows).to_have_count(2)
    await expect(rows.first).to_contain_text("git status")


async def add(page: Page, verdict: str, tool: str, about: str, pattern: str) -> None:
    await page.get_by_role("button", name="Add a rule").click()
    form = page.get_by_role("dialog", name="Add a rule")
    await form.get_by_label("Then").select_option(verdict)
    await form.get_by_label("Tool").fill(tool)
    await form.get_by_label("About").select_option(about)
    await form.get_by_label(about.rsplit(maxsplit=1)[-1].capitalize(), exact=True).fill(pattern)
    await form.get_by_role("button", name="Save").click()
    await expect(form).to_have_count(0)


async def test_a_setting_says_where_it_comes_from_and_what_is_wrong_with_it(visit: Start) -> None:
    page = await visit([{"do": "say", "text": "hello"}]).page("/settings/limits")
    field = page.get_by_label("US dollars in that time")
    await field.fill("-3")
    await field.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("window_usd")
    await expect(field).to_have_attribute("aria-invalid", "true")
    await field.fill("7")
    await field.press("Enter")
    await expect(page.get_by_text("Your config file")).to_be_visible()
    await page.reload()
    await expect(field).to_have_value("7")
    await page.get_by_role("button", name="Back to the default (20)").click()
    await expect(field).to_have_value("20")
    # What the environment says cannot be changed here.
    await page.goto(page.url.replace("limits", "models"))
    await expect(page.get_by_label("Model of new sessions")).to_be_disabled()
    await expect(page.get_by_text("BOTTEGA_MODEL")).to_be_visible()


async def test_the_theme_is_kept_and_follows_the_system_until_one_is_chosen(visit: Start) -> None:
    page = await visit([{"do": "say", "text": "hello"}]).page("/settings/appearance")
    root = page.locator("html")
    await page.emulate_media(color_scheme="dark")
    await expect(root).to_have_attribute("data-theme", "dark")
    await page.get_by_label("Theme").select_option("light")
    await expect(root).to_have_attribute("data-theme", "light")
    await page.get_by_label("Size of letters").select_option("large")
    await page.reload()
    await expect(root).to_have_attribute("data-theme", "light")
    await expect(root).to_have_attribute("data-size", "large")
    ground = await page.locator('meta[name="theme-color"]').get_attribute("content")
    assert ground == "#faf8f5"


async def test_an_agent_is_written_checked_and_deleted(visit: Start) -> None:
    page = await visit([{"do": "say", "text": "hello"}]).page("/settings/agents")
    await page.get_by_role("button", name="Copy assistant").click()
    form = page.get_by_role("dialog", name="New agent")
    text = form.get_by_label("The agent as TOML")
    await expect(text).to_have_value(re.compile("IterativeAgent"))
    whole = await text.input_value()
    await text.fill(whole.replace("IterativeAgent", "NoSuchAgent"))
    await form.get_by_role("button", name="Save").click()
    await expect(form.get_by_role("alert")).to_contain_text("It cannot be used like this.")
    await text.fill(whole)
    await form.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("my-assistant is saved.")).to_be_visible()
    await page.get_by_role("button", name="Edit my-assistant").click()
    form = page.get_by_role("dialog", name="Agent my-assistant")
    await form.get_by_role("button", name="Delete").click()
    await form.get_by_role("button", name="Really delete it").click()
    await expect(page.get_by_role("button", name="Edit my-assistant")).to_have_count(0)


async def test_every_page_of_the_settings_can_be_used_by_everybody(visit: Start) -> None:
    there = visit([{"do": "say", "text": "hello"}])
    page = await there.page("/settings")
    await page.get_by_role("navigation", name="Settings").wait_for()
    links = page.get_by_role("navigation", name="Settings").get_by_role("link")
    names = await links.all_inner_texts()
    assert len(names) >= 11
    for n, name in enumerate(names):
        await page.emulate_media(color_scheme="dark" if n % 2 else "light")
        await links.get_by_text(name, exact=True).click()
        await expect(page.get_by_role("heading", level=2, name=name, exact=True)).to_be_visible()
        await expect(page.get_by_role("status").get_by_text("Loading")).to_have_count(0)
        assert await violations(page) == [], name


async def test_what_is_the_hosts_alone_says_so_to_everybody_else(visit: Start) -> None:
    there = visit([{"do": "say", "text": "hello"}])
    page = await there.page("/")
    # The page of the person before would go to its own beginning: this one is no page of the studio.
    await page.goto(f"{there.serving.address}/healthz")
    await there.sign_in(page.context, "guest")
    await page.goto(f"{there.serving.address}/settings/keys")
    await expect(page.get_by_text("Only the host sees and changes this.")).to_be_visible()
    parts = page.get_by_role("navigation", name="Settings")
    await expect(parts.get_by_role("link", name="Appearance")).to_be_visible()
    await expect(parts.get_by_role("link", name="Keys")).to_have_count(0)
