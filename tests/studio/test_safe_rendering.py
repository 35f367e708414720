"""Whatever a model says, a tool prints or a file is called: in a browser nothing of it runs, and nothing is fetched.

The payloads are the ones that `web/src/prose/safe.test.tsx` looks at element by element. Here they go the whole way:
through the provider, the log, the socket and the page, while it streams and when it is opened again.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.studio.conftest import Visit
from tests.studio.test_tabs import ask, begin

PAYLOADS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("payloads.json").read_text("utf-8")
)
MESSAGES = 8
LONGEST = 8_000
"""Characters of one: what megabytes cost is looked at elsewhere."""
LONG = 60_000
"""Milliseconds: two hundred pictures, formulas and diagrams are drawn on a machine that does other things too."""

WATCH = """
window.ran = [];
window.run = (...words) => { ran.push(words); };
for (const name of ['alert', 'confirm', 'prompt', 'open']) window[name] = (...words) => { ran.push([name, ...words]); };
document.addEventListener('securitypolicyviolation', event => {
  ran.push([event.violatedDirective, event.blockedURI, event.sourceFile]);
});
"""
"""Whatever runs is noted, and what only the page's policy kept from happening too: that is the last wall."""

MARKUP = """() => {
  const bad = `script:not([src]), iframe, object, embed, form, audio, video, frame, portal, meta[http-equiv],
    link[rel~=prefetch], base:not([href="/"])`;
  const found = [...document.querySelectorAll(bad)];
  for (const node of document.querySelectorAll('#root *')) {
    for (const {name, value} of node.attributes) {
      const leads = /^(.*href|src|srcset|action|formaction|data|poster|ping|style)$/.test(name);
      if (name.startsWith('on')) found.push(node);
      if (leads && /^\\s*(javascript|vbscript|data:text)|url\\(/i.test(value)) found.push(node);
    }
  }
  for (const link of document.querySelectorAll('#root a[href]')) {
    const away = new URL(link.href).origin !== location.origin;
    if (away && (link.target !== '_blank' || link.rel !== 'noopener noreferrer')) found.push(link);
  }
  return found.map(node => node.outerHTML.slice(0, 200));
}"""


def whole(payload: dict[str, Any]) -> str:
    return (payload["text"] * payload.get("times", 1))[:LONGEST]


def is_open(text: str) -> bool:
    """Does it swallow what stands behind it in the same text?"""
    return any(
        re.search(opens, text, re.I) and not re.search(closes, text, re.I)
        for opens, closes in [
            (r"<!--", r"-->"),
            (r"<(script|style|pre|textarea)\b", r"</(script|style|pre|textarea)"),
            (r"<\?", r"\?>"),
            (r"<!\[CDATA", r"\]\]>"),
            (r"<![A-Z]", r">"),
        ]
    )


def messages() -> list[str]:
    """All payloads in some messages; one that swallows what follows stands at an end."""
    closed = [each for each in PAYLOADS if not is_open(whole(each))]
    opened = [each for each in PAYLOADS if is_open(whole(each))]
    count = max(MESSAGES, len(opened))
    batches = [closed[n::count] + opened[n : n + 1] for n in range(count)]
    return [
        "\n\n".join(f"payload {each['name']}\n\n{whole(each)}" for each in batch)
        for batch in batches
    ]


async def over(page: Page) -> None:
    """The last words are there. Asked in the page, because its text is too long to be told when it fails."""
    await page.wait_for_function(
        "() => document.querySelector('[role=log]')?.innerText.includes('That was all of it.')",
        timeout=LONG,
    )


async def unfolded(page: Page) -> None:
    """Every card of a call is opened, and everything in it."""
    log = page.get_by_role("log")
    await press_all(log.locator("[data-tool] [aria-expanded=false]"))
    await press_all(log.get_by_role("button", name=re.compile(r"^Show (all|\d)")))


async def press_all(buttons: Locator) -> None:
    while await buttons.count():
        await buttons.first.click()


async def drawn(page: Page) -> None:
    """Everything that is drawn later is drawn."""
    await expect(page.get_by_text("Drawing the diagram")).to_have_count(0, timeout=LONG)
    await expect(page.locator(".katex").first).to_be_attached(timeout=LONG)
    await page.evaluate("() => new Promise(done => requestIdleCallback(done, {timeout: 2000}))")


async def quiet(page: Page, address: str) -> None:
    """Nothing ran, nothing is there that could, and the page is where it was."""
    assert await page.evaluate("ran") == []
    assert await page.evaluate(MARKUP) == []
    assert page.url.startswith(address)
    assert len(page.context.pages) == 1
    assert len(page.frames) == 1


async def watched(visit: Visit, path: str) -> Page:
    page = await visit.page("/", viewport={"width": 1280, "height": 800})
    await page.context.add_init_script(WATCH)
    page.on("dialog", lambda dialog: visit.problems.append(f"dialog: {dialog.message}"))
    await page.goto(visit.serving.address + path)
    return page


@pytest.mark.requirement("A03")
async def test_two_hundred_payloads_as_words_and_as_output_do_nothing(
    visit: Callable[..., Visit], folder: Path
) -> None:
    assert len(PAYLOADS) >= 200
    said = messages()
    for n, text in enumerate(said):
        (folder / f"out-{n}.txt").write_bytes(text.encode("utf-8", "surrogatepass"))
    turns = [
        [
            {"do": "say", "text": text, "pieces": 40},
            {"do": "call", "name": "bash_exec", "input": {"command": f"cat out-{n}.txt"}},
        ]
        for n, text in enumerate(said)
    ]
    there = visit(*turns, [{"do": "say", "text": "That was all of it."}])
    async with there.serving.client() as client:
        session = await begin(client, "Payloads", mode="allow")
        page = await watched(there, f"/sessions/{session}")
        await ask(client, session, "Say it all.")
        await over(page)
    await drawn(page)
    shown = await page.get_by_role("log").inner_text()
    assert len(set(re.findall(r"payload \w+ \d+", shown))) > len(PAYLOADS) * 0.9
    await quiet(page, f"{there.serving.address}/sessions/{session}")
    await unfolded(page)
    await drawn(page)
    await quiet(page, f"{there.serving.address}/sessions/{session}")
    await page.reload()
    await over(page)
    await quiet(page, f"{there.serving.address}/sessions/{session}")
    await page.evaluate("run('the watch sees what runs')")
    assert len(await page.evaluate("ran")) == 1


async def test_payloads_as_names_of_files_do_nothing(
    visit: Callable[..., Visit], folder: Path
) -> None:
    names = [name for name in map(whole, PAYLOADS) if is_name(name)]
    assert len(names) >= 60
    for name in names:
        (folder / name).write_text("content\n", "utf-8")
    reads = [
        {"do": "call", "name": "read_file", "input": {"file_path": name}} for name in names[::6]
    ]
    there = visit(reads, [{"do": "say", "text": "That was all of it."}])
    async with there.serving.client() as client:
        session = await begin(client, "Names", mode="allow")
        page = await watched(there, f"/sessions/{session}")
        await ask(client, session, "Read them.")
        await over(page)
    await page.get_by_role("tab", name="Files").click()
    await expect(page.get_by_role("treeitem").nth(len(names) - 1)).to_be_attached(timeout=LONG)
    await unfolded(page)
    await quiet(page, f"{there.serving.address}/sessions/{session}")
    box = page.get_by_role("textbox", name="Prompt")
    await box.press_sequentially("@img")
    await expect(page.get_by_role("listbox").get_by_role("option").first).to_be_visible()
    await quiet(page, f"{there.serving.address}/sessions/{session}")


def is_name(text: str) -> bool:
    fits = 0 < len(text.encode("utf-8", "replace")) <= 200
    return fits and "/" not in text and "\0" not in text and text.isprintable()
