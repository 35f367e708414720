"""Asks, in a real browser: what will run is shown whole, one key decides, and the first answer counts."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.studio.conftest import Visit, send, violations

Starts = Callable[..., Visit]


def say(text: str) -> dict[str, Any]:
    return {"do": "say", "text": text}


def call(name: str, **given: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": given}


RUN = call("bash_exec", command="echo from-the-shell > made.txt")


async def asked(page: Page, title: str) -> None:
    """The card is there, has the focus, and takes keys."""
    card = page.locator("[data-ask][data-ready]", has_text=title)
    await expect(card).to_be_focused()


@pytest.mark.requirement("T44")
async def test_a_command_runs_once_it_is_allowed_with_one_key(visit: Starts, folder: Path) -> None:
    page = await visit([RUN], [say("It is made.")]).page()
    await send(page, "make it")
    await asked(page, "Run this command?")
    card = page.locator("[data-ask]")
    await expect(card).to_contain_text("echo from-the-shell > made.txt")
    await expect(card).to_contain_text("ask mode asks before commands")
    assert not (folder / "made.txt").exists()
    assert await violations(page, "[role=log]") == []
    await page.keyboard.press("1")
    await expect(page.get_by_text("It is made.")).to_be_visible()
    await expect(page.get_by_text("Allowed once by you")).to_be_visible()
    assert (folder / "made.txt").read_text() == "from-the-shell\n"
    await page.get_by_role("button", name="Run").click()
    await expect(page.get_by_text("exit code 0")).to_be_visible()


@pytest.mark.requirement("T44")
async def test_what_is_allowed_for_the_session_is_not_asked_again(visit: Starts) -> None:
    page = await visit([RUN], [RUN], [say("Twice.")]).page()
    await send(page, "make it twice")
    await asked(page, "Run this command?")
    await page.keyboard.press("2")
    await page.get_by_role("button", name="Everything that bash_exec does").click()
    await expect(page.get_by_text("Twice.", exact=True)).to_be_visible()
    await expect(page.get_by_text("Allowed from now on by you")).to_be_visible()
    await expect(page.locator("[data-ask]")).to_have_count(0)


@pytest.mark.requirement("T44")
async def test_stop_ends_the_exchange_and_nothing_runs(visit: Starts, folder: Path) -> None:
    page = await visit([RUN], [say("Never said.")]).page()
    await send(page, "make it")
    await asked(page, "Run this command?")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("log").get_by_text("Stopped", exact=True)).to_be_visible()
    await expect(page.locator("[data-now]")).to_have_count(0)
    await expect(page.get_by_text("Never said.")).to_have_count(0)
    assert not (folder / "made.txt").exists()


async def test_a_denial_tells_the_agent_why(visit: Starts, folder: Path) -> None:
    page = await visit([RUN], [say("Understood.")]).page()
    await send(page, "make it")
    await asked(page, "Run this command?")
    await page.keyboard.press("3")
    await page.get_by_role("textbox", name="A word to the agent").fill("not in this folder")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Understood.")).to_be_visible()
    await expect(page.get_by_text("Denied by you: not in this folder")).to_be_visible()
    assert not (folder / "made.txt").exists()


async def test_arguments_are_changed_before_they_run(visit: Starts, folder: Path) -> None:
    page = await visit([RUN], [say("As you like.")]).page()
    await send(page, "make it")
    await asked(page, "Run this command?")
    await page.keyboard.press("e")
    await page.get_by_role("textbox", name="The command to run instead").fill(
        "echo otherwise > made.txt"
    )
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_text("As you like.")).to_be_visible()
    assert (folder / "made.txt").read_text() == "otherwise\n"
    await expect(page.get_by_role("button", name="Run")).to_contain_text("echo otherwise")


async def test_a_write_is_shown_as_a_difference_before_it_is_made(
    visit: Starts, folder: Path
) -> None:
    (folder / "notes.txt").write_text("one\ntwo\n")
    patch = {"old_text": "two\n", "new_text": "three\nfour\n"}
    read = call("read_file", file_path="notes.txt")
    edit = call("patch_file", file_path="notes.txt", patches=[patch])
    page = await visit([read], [edit], [say("Changed.")]).page()
    await send(page, "change it")
    await asked(page, "Make this change?")
    card = page.locator("[data-ask]")
    for word in ("two", "three", "four"):
        await expect(card).to_contain_text(word)
    await page.keyboard.press("1")
    await expect(page.get_by_text("Changed.")).to_be_visible()
    line = page.get_by_role("button", name="Edit notes.txt")
    await expect(line).to_contain_text("+2")
    await expect(line).to_contain_text("−1")
    assert (folder / "notes.txt").read_text() == "one\nthree\nfour\n"


async def test_a_question_is_answered_by_a_number_or_in_words(visit: Starts) -> None:
    which = call("ask_user", question="Which colour?", choices=["red", "blue"])
    why = call("ask_user", question="And why?")
    page = await visit([which], [why], [say("Thank you.")]).page()
    await send(page, "ask me")
    await asked(page, "Which colour?")
    await page.keyboard.press("2")
    await expect(page.get_by_text("Answered by you: blue")).to_be_visible()
    field = page.get_by_role("textbox", name="Your own words")
    await expect(field).to_be_focused()
    await field.fill("it is calm")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Thank you.")).to_be_visible()
    await expect(page.get_by_text("Answered by you: it is calm")).to_be_visible()


async def test_two_windows_answer_and_the_late_one_is_told(visit: Starts) -> None:
    visited = visit([RUN], [say("Done so.")])
    one = await visited.page()
    await send(one, "make it")
    await asked(one, "Run this command?")
    other = await visited.page(one.url.removeprefix(visited.serving.address))
    await expect(other.get_by_role("button", name="Allow once")).to_be_enabled()
    # The late window has not heard yet: nothing reaches it until it has pressed.
    await other.context.set_offline(True)
    await one.keyboard.press("1")
    await expect(one.get_by_text("Done so.")).to_be_visible()
    await other.get_by_role("button", name="Allow once").click()
    await other.context.set_offline(False)
    await expect(other.get_by_text("Somebody was faster. Allowed once")).to_be_visible(
        timeout=20_000
    )
    await expect(other.get_by_text("Allowed once by you")).to_be_visible()
    await expect(other.get_by_text("Done so.")).to_be_visible()


async def planned(visited: Visit) -> Page:
    """A page that asks whether to carry out a plan."""
    async with visited.serving.client() as client:
        session = await client.post("/api/sessions", {"mode": "plan"})
        prompt = {"message_id": str(uuid.uuid4()), "content": "plan it"}
        await client.post(f"/api/sessions/{session['id']}/prompts", prompt)
    page = await visited.page(f"/sessions/{session['id']}")
    await asked(page, "Carry out this plan?")
    return page


async def test_a_plan_waits_past_its_exchange_and_is_carried_out_when_it_is_accepted(
    visit: Starts,
) -> None:
    visited = visit([say("1. Look. 2. Write.")], [say("Carried out.")])
    page = await planned(visited)
    await expect(page.locator("[data-now]")).to_have_count(0)
    await page.reload()
    await asked(page, "Carry out this plan?")
    await page.keyboard.press("1")
    await expect(page.get_by_text("Carried out.")).to_be_visible()
    await expect(page.get_by_text("Plan accepted by you")).to_be_visible()
    await expect(page.locator("[data-ask]")).to_have_count(0)


async def test_a_plan_that_was_changed_is_carried_out_as_freely_as_one_likes(
    visit: Starts, folder: Path
) -> None:
    visited = visit([say("1. Look. 2. Write.")], [RUN], [say("Carried out.")])
    page = await planned(visited)
    await page.keyboard.press("4")
    await page.get_by_role("textbox", name="The plan, as you want it").fill("1. Write only.")
    await page.get_by_role("button", name="Accept as changed, allowing all").click()
    log = page.get_by_role("log")
    await expect(log).to_contain_text("Carried out.")
    await expect(log).to_contain_text("1. Write only.")
    await expect(page.get_by_role("button", name="Mode: Allow")).to_be_visible()
    assert (folder / "made.txt").read_text() == "from-the-shell\n", "nobody was asked"
