"""The composer, in a real browser: what is written is sent once, whole, and never lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.studio.conftest import Visit, send

Starts = Callable[..., Visit]


def say(text: str) -> dict[str, Any]:
    return {"do": "say", "text": text}


def gate(path: Path) -> dict[str, Any]:
    return {"do": "gate", "path": str(path)}


@pytest.mark.requirement("A01")
@pytest.mark.requirement("N01")
async def test_a_prompt_is_trimmed_and_an_empty_one_is_not_sent(visit: Starts) -> None:
    page = await visit([say("Hello to you.")]).page()
    await send(page, "   \n ")
    assert "/sessions/" not in page.url
    await send(page, "  greet me \n")
    await expect(page.get_by_text("Hello to you.")).to_be_visible()
    await expect(page.get_by_text("greet me", exact=True)).to_be_visible()


async def test_escape_stops_what_runs(visit: Starts, tmp_path: Path) -> None:
    page = await visit([say("Begun."), gate(tmp_path / "go"), say("Never said.")]).page()
    await send(page, "work")
    await expect(page.get_by_text("Begun.")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    await expect(page.get_by_text("Never said.")).to_be_hidden()
