"""The conversation, in a real browser: what was said and done, what is going on, and the reader's place in it."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.studio.conftest import Visit, send, violations

Starts = Callable[..., Visit]


def say(text: str, **options: Any) -> dict[str, Any]:
    return {"do": "say", "text": text, **options}


def call(name: str, **given: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": given}


def gate(path: Path) -> dict[str, Any]:
    return {"do": "gate", "path": str(path)}


@pytest.mark.requirement("X19")
@pytest.mark.requirement("X20")
@pytest.mark.requirement("N02")
async def test_it_thinks_from_the_prompt_to_the_end_of_its_exchange_and_never_after(
    visit: Starts, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    page = await visit(
        [gate(first), say("A word."), gate(second), call("list_dir")], [say("All of it.")]
    ).page()
    await send(page, "work")
    now = page.locator("[data-now]")
    await expect(page.get_by_role("log").get_by_text("work", exact=True)).to_be_visible()
    await expect(now).to_contain_text("Thinking…")
    first.touch()
    await expect(page.get_by_text("A word.")).to_be_visible()
    await expect(now).to_contain_text("Thinking…")
    second.touch()
    await expect(page.get_by_text("All of it.")).to_be_visible()
    await expect(now).to_have_count(0)
    await expect(page.get_by_text("tokens", exact=False).first).to_be_visible()
    assert await violations(page, "[role=log]") == []


@pytest.mark.requirement("X12")
@pytest.mark.requirement("X20")
async def test_a_call_is_one_closed_card_that_its_result_fills(visit: Starts, folder: Path) -> None:
    (folder / "notes.txt").write_text("what stands there\n")
    page = await visit([call("read_file", file_path="notes.txt")], [say("Read.")]).page()
    await send(page, "read it")
    await expect(page.get_by_text("Read.", exact=True)).to_be_visible()
    cards = page.locator("[data-tool]")
    await expect(cards).to_have_count(1)
    await expect(page.get_by_text("what stands there")).to_have_count(0)
    await cards.get_by_role("button", expanded=False).click()
    await expect(cards.get_by_text("what stands there")).to_be_visible()
    assert await violations(page, "[role=log]") == []


@pytest.mark.requirement("A02")
async def test_a_failure_says_what_to_do_and_trying_again_does_it(visit: Starts) -> None:
    failing = {
        "do": "fail",
        "code": "overloaded",
        "message": "Too busy.",
        "hint": "Try again soon.",
    }
    page = await visit([failing], [say("It worked.")]).page()
    await send(page, "do it")
    await expect(page.get_by_text("Too busy.", exact=True)).to_be_visible()
    await expect(page.get_by_text("Try again soon.")).to_be_visible()
    await expect(page.locator("[data-now]")).to_have_count(0)
    await page.get_by_role("log").get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("article")).to_have_count(2)


@pytest.mark.requirement("A06")
async def test_a_reload_in_the_middle_of_an_answer_gives_the_same_text(
    visit: Starts, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    page = await visit([say("The beginning "), gate(go), say("and the end.")]).page()
    await send(page, "tell")
    await expect(page.get_by_text("The beginning")).to_be_visible()
    await page.reload()
    await expect(page.get_by_text("The beginning")).to_be_visible()
    await expect(page.locator("[data-now]")).to_contain_text("Thinking…")
    go.touch()
    await expect(page.get_by_text("The beginning and the end.")).to_be_visible()
    await expect(page.locator("[data-now]")).to_have_count(0)
    before = await page.get_by_role("log").inner_text()
    await page.reload()
    await expect(page.get_by_text("The beginning and the end.")).to_be_visible()
    assert await page.get_by_role("log").inner_text() == before


async def test_words_that_are_edited_are_asked_in_a_fork(visit: Starts) -> None:
    page = await visit(rules=[
        {"when": "red", "turns": [[say("Red it is.")]]},
        {"when": "blue", "turns": [[say("Blue it is.")]]},
    ]).page()  # fmt: skip
    await send(page, "paint it red")
    await expect(page.get_by_text("Red it is.")).to_be_visible()
    first = page.url
    await page.get_by_role("button", name="Edit and resend").click()
    await expect(page.get_by_text("Files are not forked")).to_be_visible()
    await page.get_by_role("textbox", name="Your words, changed").fill("paint it blue")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Blue it is.")).to_be_visible()
    assert page.url != first
    await expect(page.get_by_text("Red it is.")).to_have_count(0)
    await page.goto(first)
    await expect(page.get_by_text("Red it is.")).to_be_visible()


LONG = "\n\n".join(f"Paragraph {n} of what is told." for n in range(60))


async def test_the_end_is_followed_until_somebody_reads_further_up(
    visit: Starts, tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    page = await visit(
        [say(LONG), gate(one), say(f"{LONG} Then."), gate(two), say(" And the last.")]
    ).page()
    await send(page, "tell me much")
    await expect(page.get_by_text("Paragraph 59 of")).to_be_in_viewport()
    await page.get_by_role("log").hover()
    await page.mouse.wheel(0, -1500)
    jump = page.get_by_role("button", name="Jump to latest")
    await expect(jump).to_be_visible()
    seen = page.get_by_text("Paragraph 30 of").first
    await seen.scroll_into_view_if_needed()
    before = await seen.bounding_box()
    one.touch()
    await expect(page.get_by_text("Then.")).to_be_attached()
    assert await seen.bounding_box() == before
    await jump.click()
    await expect(page.get_by_text("Then.")).to_be_in_viewport()
    two.touch()
    await expect(page.get_by_text("And the last.")).to_be_in_viewport()
    await expect(page.locator("[data-now]")).to_have_count(0)
    await expect(jump).to_be_hidden()


async def test_a_link_to_an_old_message_leads_there_and_older_pages_do_not_move_the_reader(
    visit: Starts,
) -> None:
    looks = [call("list_dir", path=".") for _ in range(45)]
    visited = visit(rules=[
        {"when": "first", "turns": [looks, [say(LONG)]]},
        {"when": "second", "turns": [looks, [say(LONG)]]},
        {"when": "third", "turns": [[say("The last of all.")]]},
    ])  # fmt: skip
    ids = [str(uuid.uuid4()) for _ in range(3)]
    async with visited.serving.client() as client:
        session = await client.post("/api/sessions", {})
        for message_id, words in zip(ids, ("the first", "the second", "the third"), strict=True):
            prompt = {"message_id": message_id, "content": words}
            await client.post(f"/api/sessions/{session['id']}/prompts", prompt)
    page = await visited.page(f"/sessions/{session['id']}")
    await expect(page.get_by_text("The last of all.")).to_be_in_viewport(timeout=30_000)
    await page.goto(f"{visited.serving.address}/sessions/{session['id']}#m-{ids[0]}")
    await page.reload()
    first = page.get_by_role("log").get_by_text("the first", exact=True)
    await expect(first).to_be_in_viewport()
    await expect(page.locator("article").first.locator("[data-message]").first).to_be_focused()
    await page.keyboard.press("j")
    await expect(page.locator("article").first.locator("[data-message]").nth(1)).to_be_focused()
