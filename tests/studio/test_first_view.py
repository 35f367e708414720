"""The studio opens: signed in, with the right policy, and not more of a script than it needs."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bottega.server.pages.studio import POLICY
from tests.studio.conftest import BUILT, Visit

MOST = 250_000
"""Bytes of JavaScript, as they travel, that the first view may need."""


def needed(name: str, manifest: dict[str, dict[str, list[str]]], found: set[str]) -> set[str]:
    if name not in found:
        found.add(name)
        for each in manifest[name].get("imports", []):
            needed(each, manifest, found)
    return found


def test_the_first_view_needs_little_javascript() -> None:
    if not BUILT.is_file():
        pytest.skip("the pages are not built (make pages)")
    manifest = json.loads((BUILT.parent / ".vite/manifest.json").read_text("utf-8"))
    files = {manifest[name]["file"] for name in needed("index.html", manifest, set())}
    travels = {name: len(gzip.compress((BUILT.parent / name).read_bytes())) for name in files}
    assert 0 < sum(travels.values()) <= MOST, travels


def test_the_page_has_no_script_of_its_own_and_nothing_from_elsewhere() -> None:
    if not BUILT.is_file():
        pytest.skip("the pages are not built (make pages)")
    page = BUILT.read_text("utf-8")
    assert not re.search(r"<script(?![^>]* src=)|\son\w+=|https?:", page)
    assert "unsafe-eval" not in POLICY
    assert "script-src 'self';" in POLICY


async def test_a_page_shows_the_studio_to_whoever_is_signed_in(
    visit: Callable[..., Visit], folder: Path
) -> None:
    page = await visit([{"do": "say", "text": "hello"}]).page()
    await page.get_by_role("main", name="Conversation").wait_for()
    assert await page.title() == "Bottega"
