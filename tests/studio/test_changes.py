"""What stands beside the conversation about the work itself: the plan, ticked off, and changes with their way back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.studio.conftest import Visit, send, violations

Starts = Callable[..., Visit]
SAY = [{"do": "say", "text": "Done."}]


def call(name: str, **given: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": given}


def todos(*states: str) -> dict[str, Any]:
    names = ("Read the parser", "Mend the parser")
    return call(
        "todo_write",
        todos=[
            {"content": name, "status": state, "priority": "high"}
            for name, state in zip(names, states, strict=True)
        ],
    )


@pytest.fixture
def unasked(home: Path) -> None:
    """Sessions may write without asking."""
    home.mkdir()
    (home / "config.toml").write_text('mode = "allow"\nagent = "coder"\n')


async def _choose(page: Page, name: str) -> None:
    await page.get_by_role("tab", name=name, exact=True).click()


@pytest.mark.usefixtures("unasked")
async def test_the_plan_is_ticked_off_while_the_agent_works(visit: Starts, tmp_path: Path) -> None:
    gate = {"do": "gate", "path": str(tmp_path / "go")}
    page = await visit(
        [todos("in_progress", "pending")], [gate, todos("completed", "completed")], SAY
    ).page()
    await _choose(page, "Plan")
    await send(page, "mend it")
    plan = page.get_by_role("tabpanel", name="Plan")
    await expect(plan.get_by_text("0 of 2 done")).to_be_visible()
    await expect(plan.get_by_role("listitem").first).to_have_attribute("aria-current", "step")
    (tmp_path / "go").touch()
    await expect(plan.get_by_text("2 of 2 done")).to_be_visible()
    await expect(plan.get_by_role("listitem").first).to_have_text("Done:Read the parser")
    assert await violations(page) == []


@pytest.mark.usefixtures("unasked")
async def test_a_change_is_reverted_and_brought_back_and_never_over_what_somebody_did_since(
    visit: Starts, folder: Path
) -> None:
    notes = folder / "notes.txt"
    page = await visit(
        [call("write_file", file_path="notes.txt", content="by the agent\n")], SAY
    ).page()
    await _choose(page, "Changes")
    await send(page, "write")
    panel = page.get_by_role("tabpanel", name="Changes")
    await panel.get_by_role("button", name="Changed notes.txt").click()
    await expect(panel.get_by_text("by the agent")).to_be_visible()
    assert await violations(page) == []

    await panel.get_by_role("button", name="Revert notes.txt").click()
    await expect(panel.get_by_text("Reverted", exact=True)).to_be_visible()
    assert notes.read_text() == "hello world\n"
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_text("The changes are back.")).to_be_visible()
    assert notes.read_text() == "by the agent\n"

    notes.write_text("by somebody else\n")
    await panel.get_by_role("button", name="Revert notes.txt").click()
    await expect(panel.get_by_role("alert")).to_contain_text("was edited since")
    assert notes.read_text() == "by somebody else\n"
    await panel.get_by_role("button", name="Revert anyway").click()
    await expect(panel.get_by_text("Reverted", exact=True)).to_be_visible()
    assert notes.read_text() == "hello world\n"


@pytest.mark.usefixtures("unasked")
async def test_all_is_reverted_after_a_question_and_a_change_opens_its_file(
    visit: Starts, folder: Path
) -> None:
    writes = [
        call("write_file", file_path=name, content="new\n") for name in ("notes.txt", "more.txt")
    ]
    page = await visit(writes, SAY).page()
    await send(page, "write")
    await page.keyboard.press("Alt+Shift+Digit2")
    panel = page.get_by_role("tabpanel", name="Changes")
    await panel.get_by_role("button", name="Open more.txt").click()
    await expect(page.get_by_role("textbox", name="Content of more.txt")).to_contain_text("new")
    await _choose(page, "Changes")
    await panel.get_by_role("button", name="Revert all").click()
    asked = page.get_by_role("dialog", name="Revert 2 files?")
    await asked.get_by_role("button", name="Revert all").click()
    await expect(panel.get_by_text("Reverted", exact=True)).to_have_count(2)
    assert (folder / "notes.txt").read_text() == "hello world\n"
    assert not (folder / "more.txt").exists()
