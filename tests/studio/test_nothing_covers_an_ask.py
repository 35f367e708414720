"""Severity: high. What a model says is painted over no ask: what a person reads is what they allow.

A formula can put opaque boxes anywhere, and marks that are piled on a letter run over the lines beside it. Each is said
right before a call, in the same answer, and the card of the call has to look as it does where nothing was said.
"""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.studio.conftest import Visit
from tests.studio.test_tabs import begin

BOX = r"\kern-3em\colorbox{#FAF8F5}{\texttt{git status}\kern40em}"
ROWS = r"\\[0.5em] ".join([BOX] * 9)
LAPPED = rf"\mathrlap{{\smash{{\begin{{array}}{{l}}\phantom{{x}}\\ \phantom{{x}}\\ {ROWS}\end{{array}}}}}}"
PILED = "a" + "\u0329\u0316\u0323\u0331" * 60
SAID = {
    "an inline formula": f"Look: ${LAPPED}$",
    "a formula in a list, in a quotation": f"> - Look: ${LAPPED}$",
    "a formula in a table": f"| a |\n|---|\n| ${LAPPED}$ |",
    "a formula on its own": f"$$\n{LAPPED}\n$$",
    "a lowered box": r"$\smash{\raisebox{-9em}{\colorbox{red}{\kern30em\rule{0pt}{8em}}}}$",
    "a sign of no size": r"$\llap{\rule[-12em]{1em}{8em}}\rlap{\rule[-12em]{30em}{8em}}$",
    "marks on letters": f"{PILED} " * 20,
    "marks in a heading": f"# {PILED * 4}",
    "marks in code": f"```\n{PILED * 4}\n```",
}
FEW = {what: SAID[what] for what in ("an inline formula", "marks on letters")}
CALL = {"do": "call", "name": "bash_exec", "input": {"command": "echo one; echo two"}}

FOREIGN = """card => {
  const {left, top, right, bottom} = card.getBoundingClientRect();
  const found = [];
  for (let y = top + 4; y < bottom - 4; y += 4)
    for (let x = left + 4; x < right - 4; x += 12) {
      const there = document.elementFromPoint(x, y);
      if (!card.contains(there)) found.push([Math.round(x), Math.round(y), there?.outerHTML.slice(0, 80)]);
    }
  return found;
}"""
"""Points of a card where something else is."""
ALONE = """card => {
  for (const part of document.querySelectorAll('[role=log] *'))
    if (!part.contains(card) && !card.contains(part)) part.style.visibility = 'hidden';
}"""


async def uncovered(page: Page, what: str) -> None:
    """The only card of the page lies above everything, and looks as if it were alone."""
    card = page.locator("[data-ask][data-ready]")
    await expect(card).to_be_focused()
    await page.evaluate("document.fonts.ready")
    await card.scroll_into_view_if_needed()
    assert await card.evaluate(FOREIGN) == [], what
    seen = await card.screenshot()
    await card.evaluate(ALONE)
    assert await card.screenshot() == seen, what


async def drawn(page: Page, text: str) -> None:
    if "$" in text:
        await expect(page.locator(".katex").first).to_be_attached()


@pytest.mark.parametrize(
    ("mode", "call", "said"),
    [("ask", CALL, SAID), ("plan", None, FEW)],
    ids=["call", "plan"],
)
async def test_nothing_that_is_said_covers_what_is_decided_on(
    visit: Callable[..., Visit], mode: str, call: dict[str, Any] | None, said: dict[str, str]
) -> None:
    turns = [[{"do": "say", "text": text}, *([call] if call else [])] for text in said.values()]
    there = visit(*turns)
    page = await there.page()
    async with there.serving.client() as client:
        for what, text in said.items():
            session = await begin(client, what, "Begin.", mode=mode)
            await page.goto(f"{there.serving.address}/sessions/{session}")
            await drawn(page, text)
            await uncovered(page, what)
