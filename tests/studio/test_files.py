"""Files beside the conversation: looked through, edited, and never written over somebody else's work unseen."""

from collections.abc import Callable
from pathlib import Path

from playwright.async_api import Locator, Page, Route, expect

from tests.studio.conftest import Visit, violations

Starts = Callable[..., Visit]


async def _opened(page: Page, name: str) -> Locator:
    """The editor of a file of the project's own folder."""
    await page.get_by_role("tab", name="Files", exact=True).click()
    await page.get_by_role("treeitem", name=name).click()
    editor = page.get_by_role("textbox", name=f"Content of {name}")
    await expect(editor).to_be_visible()
    return editor


async def _typed(editor: Locator, text: str) -> None:
    await editor.click()
    await editor.press("Control+Home")
    await editor.press_sequentially(text)


async def test_a_save_over_somebody_elses_change_is_a_question_and_both_answers_work(
    visit: Starts, folder: Path
) -> None:
    notes = folder / "notes.txt"
    page = await visit().page()
    editor = await _opened(page, "notes.txt")
    await _typed(editor, "mine ")
    notes.write_text("theirs\n")
    await editor.press("Control+s")
    asked = page.get_by_role("region", name="Somebody else changed this file")
    await expect(asked.get_by_role("cell", name="removed: theirs")).to_be_visible()
    assert notes.read_text() == "theirs\n"
    assert await violations(page) == []
    await asked.get_by_role("button", name="Overwrite with mine").click()
    await expect(asked).to_be_hidden()
    assert notes.read_text() == "mine hello world\n"

    await _typed(editor, "again ")
    notes.write_text("theirs, too\n")
    await editor.press("Control+s")
    await asked.get_by_role("button", name="Take theirs").click()
    await expect(editor).to_contain_text("theirs, too")
    await page.get_by_role("button", name="Undo").click()
    await expect(editor).to_contain_text("again mine hello world")
    assert notes.read_text() == "theirs, too\n"


async def test_edits_that_are_not_saved_come_back_after_a_reload(
    visit: Starts, folder: Path
) -> None:
    page = await visit().page()
    editor = await _opened(page, "notes.txt")
    await _typed(editor, "kept ")
    await expect(page.get_by_role("treeitem", name="notes.txt, not saved")).to_be_visible()
    await page.reload()
    await expect(editor).to_contain_text("kept hello world")
    await page.get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_role("treeitem", name="notes.txt", exact=True)).to_be_visible()
    assert (folder / "notes.txt").read_text() == "kept hello world\n"


async def test_line_ends_of_a_file_stay_as_they_are(visit: Starts, folder: Path) -> None:
    (folder / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    page = await visit().page()
    editor = await _opened(page, "crlf.txt")
    await _typed(editor, "0\n")
    await editor.press("Control+s")
    await expect(page.get_by_role("button", name="Save", exact=True)).to_be_hidden()
    assert (folder / "crlf.txt").read_bytes() == b"0\r\none\r\ntwo\r\n"


async def test_a_file_that_changes_on_disk_is_shown_anew(visit: Starts, folder: Path) -> None:
    page = await visit().page()
    editor = await _opened(page, "notes.txt")
    (folder / "notes.txt").write_text("written meanwhile\n")
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await expect(editor).to_contain_text("written meanwhile")
    await expect(page.get_by_text("It changed on disk and is shown anew.")).to_be_visible()


async def test_a_folder_that_is_too_large_to_list_says_so(visit: Starts) -> None:
    page = await visit().page()

    async def cut(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, json={**await answer.json(), "whole": False})

    await page.route("**/api/projects/*/files?*", cut)
    await page.get_by_role("tab", name="Files", exact=True).click()
    await expect(page.get_by_role("treeitem", name="notes.txt")).to_be_visible()
    await expect(page.get_by_text("The folder has even more")).to_be_visible()


async def test_files_are_made_renamed_and_deleted_by_keys_alone(
    visit: Starts, folder: Path
) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "main.py").write_text("print('hello')\n")
    page = await visit().page()
    await page.get_by_role("tab", name="Plan", exact=True).focus()
    for name in ("Changes", "Files"):
        await page.keyboard.press("ArrowRight")
        await expect(page.get_by_role("tab", name=name, exact=True)).to_be_focused()
    row = page.get_by_role("treeitem", name="src")
    await row.focus()
    await row.press("ArrowRight")
    await expect(page.get_by_role("treeitem", name="main.py")).to_be_visible()
    await page.keyboard.press("ArrowDown")
    await expect(page.get_by_role("treeitem", name="main.py")).to_be_focused()
    await page.keyboard.press("F2")
    path = page.get_by_role("textbox", name="Path")
    await path.fill("src/start.py")
    await path.press("Enter")
    moved = page.get_by_role("treeitem", name="start.py")
    await expect(moved).to_be_visible()
    assert (folder / "src" / "start.py").read_text() == "print('hello')\n"
    await moved.press("Delete")
    await page.get_by_role("button", name="Delete").press("Enter")
    await expect(moved).to_be_hidden()
    assert not (folder / "src" / "start.py").exists()
    await page.get_by_role("combobox", name="Find a file").fill("nts")
    await expect(page.get_by_role("option", name="notes.txt")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Content of notes.txt")).to_be_visible()
    assert await violations(page) == []
