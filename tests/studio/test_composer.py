"""The composer, in a real browser: what is written is sent once, whole, and never lost."""

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.studio.conftest import Visit, send, violations

Starts = Callable[..., Visit]


def say(text: str) -> dict[str, Any]:
    return {"do": "say", "text": text}


def gate(path: Path) -> dict[str, Any]:
    return {"do": "gate", "path": str(path)}


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Prompt")


async def paste(page: Page, script: str) -> None:
    """Paste into the prompt what a script puts into `transfer`."""
    await box(page).focus()
    await page.evaluate(
        f"""async () => {{
            const transfer = new DataTransfer();
            {script}
            const event = new ClipboardEvent("paste",
                {{clipboardData: transfer, bubbles: true, cancelable: true}});
            document.activeElement.dispatchEvent(event);
        }}"""
    )


async def paste_noise(page: Page, width: int, height: int) -> None:
    """Paste a picture that no format makes small."""
    await paste(
        page,
        f"""
        const canvas = new OffscreenCanvas({width}, {height}), brush = canvas.getContext("2d");
        const image = brush.createImageData({width}, {height});
        let seed = 7;
        for (let n = 0; n < image.data.length; n++)
            image.data[n] = n % 4 === 3 ? 255 : (seed = (seed * 16807) % 2147483647) & 255;
        brush.putImageData(image, 0, 0);
        const blob = await canvas.convertToBlob({{type: "image/png"}});
        transfer.items.add(new File([blob], "noise.png", {{type: "image/png"}}));
        """,
    )


@pytest.mark.requirement("A01")
@pytest.mark.requirement("N01")
async def test_a_prompt_is_trimmed_and_an_empty_one_is_not_sent(visit: Starts) -> None:
    page = await visit([say("Hello to you.")]).page()
    await send(page, "   \n ")
    await expect(page.get_by_role("button", name="Send")).to_be_disabled()
    assert "/sessions/" not in page.url
    async with page.expect_request("**/prompts") as sent:
        await send(page, "  greet me \n")
    body = (await sent.value).post_data_json
    assert body
    assert body["content"] == "greet me"
    await expect(page.get_by_text("Hello to you.")).to_be_visible()
    await expect(box(page)).to_have_value("")


@pytest.mark.requirement("N01")
async def test_while_it_runs_prompts_are_queued_changed_moved_and_taken_back(
    visit: Starts, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    rules = [{"when": "first", "turns": [[say("Begun."), gate(go)]]}]
    page = await visit([say("One.")], [say("Two.")], [say("Three.")], rules=rules).page()
    await send(page, "the first")
    await expect(page.get_by_text("Begun.")).to_be_visible()
    for text in ("second", "third", "fourth"):
        await send(page, text)
    queue = page.get_by_role("region", name="Prompts that wait")
    rows = queue.get_by_role("listitem")
    await expect(rows).to_have_text(["second", "third", "fourth"])
    await rows.nth(2).get_by_role("button", name="Run earlier").click()
    await expect(rows).to_have_text(["second", "fourth", "third"])
    await rows.nth(0).get_by_role("button", name="Remove").click()
    await expect(rows).to_have_text(["fourth", "third"])
    await rows.nth(0).get_by_role("button", name="Edit").click()
    edited = page.get_by_role("textbox", name="Edit the prompt")
    await edited.fill("fourth, but better")
    await edited.press("Enter")
    await expect(rows).to_have_text(["fourth, but better", "third"])
    assert await violations(page) == []
    await page.reload()
    await expect(rows).to_have_text(["fourth, but better", "third"])
    go.touch()
    await expect(queue).to_be_hidden()
    said = page.get_by_text("fourth, but better").or_(page.get_by_text("third", exact=True))
    await expect(said).to_have_text(["fourth, but better", "third"])


async def test_a_steer_is_said_into_what_runs(visit: Starts, tmp_path: Path) -> None:
    go = tmp_path / "go"
    page = await visit([say("Begun."), gate(go)], [say("Turned.")]).page()
    await send(page, "work")
    await expect(page.get_by_text("Begun.")).to_be_visible()
    await box(page).fill("turn left")
    await box(page).press("Control+Enter")
    await expect(page.get_by_text("Steers")).to_be_visible()
    go.touch()
    await expect(page.get_by_text("Turned.")).to_be_visible()
    await expect(page.get_by_text("turn left")).to_be_visible()
    await expect(page.get_by_text("Steers")).to_be_hidden()


async def test_escape_closes_a_list_first_and_then_stops_what_runs(
    visit: Starts, tmp_path: Path
) -> None:
    page = await visit([say("Begun."), gate(tmp_path / "go"), say("Never said.")]).page()
    await send(page, "work")
    await expect(page.get_by_text("Begun.")).to_be_visible()
    stop = page.get_by_role("region", name="Composer").get_by_role("button", name="Stop")
    await box(page).press_sequentially("/")
    await expect(page.get_by_role("listbox", name="Commands")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("listbox")).to_be_hidden()
    await expect(stop).to_be_visible()
    await page.get_by_role("main").focus()
    await page.keyboard.press("Escape")
    await expect(stop).to_be_hidden()
    await expect(box(page)).to_have_value("/")
    await expect(page.get_by_text("Never said.")).to_be_hidden()


async def test_drafts_survive_a_reload_each_in_its_own_session(visit: Starts) -> None:
    page = await visit([say("Hello.")]).page()
    await send(page, "begin")
    await expect(page.get_by_text("Hello.")).to_be_visible()
    await box(page).fill("half a thought")
    await page.reload()
    await expect(box(page)).to_have_value("half a thought")
    await box(page).fill("/new")
    await box(page).press("Enter")
    await expect(page).not_to_have_url(re.compile("/sessions/"))
    await expect(box(page)).to_have_value("")


async def test_a_file_is_mentioned_and_a_command_is_done_by_keyboard_alone(
    visit: Starts, folder: Path
) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "parser.py").write_text("pass\n")
    page = await visit([say("Read it.")]).page()
    await expect(box(page)).to_be_focused()
    await page.keyboard.type("explain @pars")
    await expect(page.get_by_role("option", name="parser.py")).to_be_visible()
    assert await violations(page) == []
    await page.keyboard.press("Tab")
    await expect(box(page)).to_have_value("explain @src/parser.py ")
    await page.keyboard.press("Shift+Tab")
    await expect(page.get_by_role("button", name="Mode: Allow")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Read it.")).to_be_visible()
    await page.keyboard.type("/mode plan")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Mode: Plan")).to_be_visible()
    await page.keyboard.type("/rename The parser")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Renamed to The parser.")).to_be_visible()
    await page.keyboard.press("ArrowUp")
    await expect(box(page)).to_have_value("explain @src/parser.py")


async def test_pasted_images_are_made_to_fit_and_sent(visit: Starts) -> None:
    here = visit([say("A picture.")])
    page = await here.page()
    # 10 MB.
    await paste_noise(page, 2400, 1600)
    await expect(page.get_by_text("noise.png was scaled to")).to_be_visible()
    await expect(page.get_by_role("button", name="Open noise.png")).to_be_visible()
    async with page.expect_request("**/prompts") as sent:
        await send(page, "what is it?")
    await expect(page.get_by_text("A picture.")).to_be_visible()
    body = (await sent.value).post_data_json
    assert body
    assert body["content"][0] == {"type": "text", "text": "what is it?"}
    assert body["content"][1]["media_type"] == "image/jpeg"
    assert base64.b64decode(body["content"][1]["data"])[:2] == b"\xff\xd8"
    await expect(page.get_by_role("list", name="Attached")).to_be_hidden()


async def test_five_megabytes_are_saved_in_the_project_and_mentioned(
    visit: Starts, folder: Path
) -> None:
    page = await visit([say("I read what I need.")]).page()
    await paste(page, 'transfer.setData("text/plain", "0123456789\\n".repeat(454_546));')
    dialog = page.get_by_role("dialog", name="This is too large to send")
    await expect(dialog).to_contain_text("5.0 MB")
    assert await violations(page) == []
    await dialog.get_by_role("textbox").fill("notes.txt")
    await dialog.get_by_role("button", name="Save and mention it").click()
    await expect(dialog).to_contain_text("There is a file of that name already")
    await dialog.get_by_role("textbox").fill("numbers.txt")
    await dialog.get_by_role("textbox").press("Enter")
    await expect(box(page)).to_have_value("@numbers.txt ")
    assert (folder / "numbers.txt").stat().st_size == 5_000_006
    assert (folder / "notes.txt").read_text() == "hello world\n"
    await box(page).press("Enter")
    await expect(page.get_by_text("I read what I need.")).to_be_visible()


@pytest.mark.requirement("N02")
async def test_a_prompt_to_a_server_that_is_gone_is_sent_when_it_is_back(visit: Starts) -> None:
    here = visit([say("Hello.")], [say("Back again.")])
    page = await here.page()
    await send(page, "begin")
    await expect(page.get_by_text("Hello.")).to_be_visible()
    here.serving.kill()
    await send(page, "are you there?")
    said = page.get_by_role("log").get_by_text("are you there?")
    await expect(said).to_be_visible()
    await expect(page.get_by_text("Not sent yet")).to_be_visible()
    await box(page).fill("I can still type")
    here.serving.start()
    # A page that was left alone tries to connect every few seconds.
    await expect(page.get_by_text("Back again.")).to_be_visible(timeout=20_000)
    await expect(page.get_by_text("Not sent yet")).to_be_hidden()
    await expect(said).to_have_count(1)
    await expect(box(page)).to_have_value("I can still type")


async def test_on_a_phone_the_pickers_stand_behind_one_button(visit: Starts) -> None:
    page = await visit([say("Hello.")]).page(viewport={"width": 390, "height": 844})
    await expect(page.get_by_role("button", name="Agent:")).to_be_hidden()
    await page.get_by_role("button", name="More", exact=True).click()
    await page.get_by_role("button", name="Agent:").click()
    assert await violations(page) == []
    await page.get_by_role("option", name="Coder").click()
    await expect(page.get_by_role("option")).to_have_count(0)
    await send(page, "hi")
    await expect(page.get_by_text("Hello.")).to_be_visible()
    await page.get_by_role("button", name="More", exact=True).click()
    await expect(page.get_by_role("button", name="Agent: Coder")).to_be_visible()


async def test_a_prompt_that_waits_keeps_its_picture_while_its_words_are_changed_and_sent_by_another_key(
    visit: Starts, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    here = visit([say("Begun."), gate(go)], [say("A picture.")])
    page = await here.page("/settings/appearance")
    await page.get_by_label("Sending a prompt").select_option("breaks")
    await page.goto(here.serving.address)
    await box(page).press_sequentially("work")
    await box(page).press("Enter")
    await box(page).press_sequentially("well")
    await box(page).press("Control+Enter")
    log = page.get_by_role("log")
    await expect(log).to_contain_text("Begun.")
    # Large enough to be kept beside the log.
    await paste_noise(page, 200, 200)
    await expect(page.get_by_role("button", name="Open noise.png")).to_be_visible()
    await box(page).fill("what is it?")
    async with page.expect_request("**/prompts") as sent:
        await box(page).press("Control+Enter")
    body = (await sent.value).post_data_json
    assert body
    queue = page.get_by_role("region", name="Prompts that wait")
    await queue.get_by_role("button", name="Edit").click()
    edited = page.get_by_role("textbox", name="Edit the prompt")
    await edited.fill("what is that?")
    await expect(queue.get_by_role("button", name="Remove noise.png")).to_be_visible()
    assert await violations(page, "[aria-label='Prompts that wait']") == []
    async with page.expect_request(lambda request: request.method == "PATCH") as saved:
        await edited.press("Control+Enter")
    change = (await saved.value).post_data_json
    assert change
    assert change["content"] == [{"type": "text", "text": "what is that?"}, body["content"][1]]
    await expect(edited).to_have_count(0)
    await expect(queue.get_by_role("listitem")).to_contain_text("what is that?")
    go.touch()
    await expect(log).to_contain_text("A picture.")
    await expect(log.get_by_role("img", name="noise.png")).to_be_visible()
    await expect(log.get_by_text("work\nwell")).to_be_visible()
