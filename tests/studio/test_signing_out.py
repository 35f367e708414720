"""One person after another at one browser: what the studio kept for the first is not shown to the second."""

from collections.abc import Callable

from playwright.async_api import Page, expect

from tests.studio.conftest import Visit, send

SAY = {"do": "say", "text": "Heard."}
SECRET = "my password is hosts-secret-7431"


async def _signed_in(page: Page, visit: Visit, name: str) -> None:
    link = visit.serving.link_for(name)
    await page.goto(f"{visit.serving.address}/sign-in#{link}")
    await page.wait_for_url(f"{visit.serving.address}/")
    await page.get_by_role("textbox", name="Prompt").wait_for()


async def test_the_next_person_at_a_browser_sees_nothing_of_the_one_before(
    visit: Callable[..., Visit],
) -> None:
    studio = visit([SAY])
    context = await studio.browser.new_context(service_workers="block")
    try:
        page, beside = await context.new_page(), await context.new_page()
        await _signed_in(page, studio, "host")
        await send(page, SECRET)
        await expect(page.get_by_text("Heard.").first).to_be_visible()
        await beside.goto(page.url)
        await expect(beside.get_by_text("Heard.").first).to_be_visible()
        await page.get_by_role("textbox", name="Prompt").fill("half a word")
        assert "hosts-secret" in await page.evaluate("JSON.stringify(localStorage)")

        await page.get_by_role("button", name="host", exact=True).click()
        await page.get_by_role("menuitem", name="Sign out").click()
        for each in (page, beside):
            await expect(each.get_by_text("bottega people link")).to_be_visible()
            assert (
                await each.evaluate("Object.keys(localStorage).concat(Object.keys(sessionStorage))")
                == []
            )

        studio.serving.token("guest")
        await _signed_in(page, studio, "guest")
        box = page.get_by_role("textbox", name="Prompt")
        await box.press("ArrowUp")
        await expect(box).to_have_value("")
    finally:
        await context.close()


async def test_a_link_for_somebody_else_asks_before_it_replaces_who_is_signed_in(
    visit: Callable[..., Visit],
) -> None:
    studio = visit([SAY])
    context = await studio.browser.new_context(service_workers="block")
    try:
        page = await context.new_page()
        await _signed_in(page, studio, "host")
        studio.serving.token("guest")
        link = studio.serving.link_for("guest")
        await page.goto(f"{studio.serving.address}/sign-in#{link}")
        button = page.get_by_role("button", name="Sign in")
        await expect(button).to_be_visible()
        await expect(page.get_by_role("status")).to_contain_text("'guest'")
        await button.click()
        await page.wait_for_url(f"{studio.serving.address}/")
        await expect(page.get_by_role("button", name="guest", exact=True)).to_be_visible()
    finally:
        await context.close()
