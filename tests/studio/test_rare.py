"""What is rarely seen, in a real browser: a limit, a run broken off, ten megabytes, a task handed on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.async_api import expect

from tests.studio.conftest import Visit, send, violations

Starts = Callable[..., Visit]


def say(text: str) -> dict[str, Any]:
    return {"do": "say", "text": text}


def call(name: str, **given: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": given}


def looks(count: int) -> list[list[dict[str, Any]]]:
    """As many answers that only call a tool, each another way."""
    return [[call("glob", pattern=f"*.{n}")] for n in range(count)]


def settings(home: Path, *lines: str) -> None:
    home.mkdir()
    (home / "config.toml").write_text("\n".join(('mode = "allow"', 'agent = "coder"', *lines)))


async def test_a_limit_and_a_run_that_was_broken_off_each_ask_what_it_would_cost_to_go_on(
    visit: Starts, home: Path, tmp_path: Path
) -> None:
    settings(home, 'limits = "strict"', 'on_crash = "park"')
    go = tmp_path / "go"
    broken = [say("Half an answer. "), {"do": "gate", "path": str(go)}, say("And the rest.")]
    rules = [
        {"when": "go far", "turns": [*looks(8), [say("Far enough.")]]},
        {"when": "too far", "turns": [*looks(8), [say("Never said.")]]},
        {"when": "break off", "turns": [broken]},
    ]
    here = visit(rules=rules)
    page = await here.page()
    log = page.get_by_role("log")
    card = page.locator("[data-ask][data-ready]")

    await send(page, "go far")
    await expect(card).to_contain_text("8 model calls")
    assert await violations(page, "[role=log]") == []
    await card.get_by_role("button", name="Go on, up to 16").click()
    await expect(log).to_contain_text("Far enough.")

    await send(page, "too far")
    await expect(card).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(log.get_by_text("Stopped", exact=True)).to_be_visible()
    await expect(log).not_to_contain_text("Never said.")

    await send(page, "break off")
    await expect(log).to_contain_text("Half an answer.")
    here.serving.kill()
    await expect(page.get_by_text("The server does not answer")).to_be_visible()
    here.serving.start()
    await page.evaluate("dispatchEvent(new Event('online'))")
    await expect(card).to_contain_text("It was broken off. Go on?")
    await expect(card).to_contain_text("tokens again")
    assert await violations(page, "[role=log]") == []
    go.touch()
    await card.get_by_role("button", name="Go on").click()
    await expect(log).to_contain_text("Half an answer. And the rest.")
    await expect(page.locator("[data-ask]")).to_have_count(0)


async def test_ten_megabytes_and_a_change_that_is_kept_elsewhere_leave_the_page_light(
    visit: Starts, home: Path, folder: Path
) -> None:
    settings(home)
    lines = [f"line {n} of a long file" for n in range(9_000)]
    (folder / "long.txt").write_text("\n".join(lines))
    lines[4_500] = "the only line that is another now"
    page = await visit(
        [call("bash_exec", command="seq 1 1400000")],
        [call("write_file", file_path="long.txt", content="\n".join(lines))],
        [say("Printed and written.")],
    ).page()
    await send(page, "print and write")
    log = page.get_by_role("log")
    await expect(log).to_contain_text("Printed and written.")
    await expect(page.get_by_role("button", name="Mode: Allow")).to_be_visible()

    await log.get_by_role("button", name="Run").click()
    await expect(log).to_contain_text("1400000")
    assert len(await log.inner_html()) < 100_000, "a card shows the end, and not ten megabytes"
    await log.get_by_role("button", name="Open whole output").click()
    whole = page.get_by_role("dialog", name="Whole output")
    more = whole.get_by_role("button", name="Load more (256 kB of 10 MB)")
    await more.click()
    await expect(whole.get_by_role("button", name="Load more (512 kB of 10 MB)")).to_be_visible()
    await expect(whole.get_by_text("44518", exact=True)).to_be_attached()  # cut between two pieces
    async with page.expect_download() as downloading:
        await whole.get_by_role("link", name="Download").click()
    kept = await (await downloading.value).path()
    assert kept.read_bytes().endswith(b"\n1399999\n1400000\n")
    assert kept.stat().st_size == 10_088_896
    await page.keyboard.press("Escape")
    await expect(whole).to_have_count(0)
    await send(page, "/mode plan")
    await expect(page.get_by_role("button", name="Mode: Plan")).to_be_visible()

    await log.get_by_role("button", name="Write long.txt").click()
    await expect(log).to_contain_text("the only line that is another now")
    await expect(log).to_contain_text("line 4500 of a long file")
    await expect(log).not_to_contain_text("line 4000 of a long file")
    assert await violations(page, "[role=log]") == []


async def test_a_task_that_was_handed_on_shows_what_is_done_for_it_and_is_stopped_from_its_card(
    visit: Starts, home: Path, tmp_path: Path
) -> None:
    settings(home)
    first, second = tmp_path / "first", tmp_path / "second"
    child = [
        [{"do": "gate", "path": str(first)}, call("glob", pattern="*.txt")],
        [say("Half of it is found."), {"do": "gate", "path": str(second)}],
    ]
    rules = [
        {"when": "find the notes", "turns": child},
        {
            "when": "hand it on",
            "turns": [
                [call("delegate", agent="coder", task="find the notes")],
                [say("It was stopped.")],
            ],
        },
    ]
    page = await visit(rules=rules).page()
    await send(page, "hand it on")
    log = page.get_by_role("log")
    now = log.locator("[data-child-now]")
    await expect(now).to_contain_text("Thinking")
    first.touch()
    await expect(now).to_contain_text("Half of it is found.")
    card = log.locator("[data-tool=delegate]")
    await card.get_by_role("button", expanded=False).click()
    assert await violations(page, "[role=log]") == []
    await card.get_by_role("button", name="Stop it").click()
    await expect(log).to_contain_text("It was stopped.")
    await expect(now).to_have_count(0)
