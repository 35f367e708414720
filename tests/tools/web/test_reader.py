"""Pages made readable: the main text, or all of it, in bounded time whatever the page is made of."""

import asyncio
import os
import time

import pytest

from bottega.fairness import acting_for
from bottega.tools.web.page import NICE
from bottega.tools.web.page import readable as main_text
from bottega.tools.web.reader import AT_ONCE, readable
from bottega.tools.web.strip import stripped, title
from tests.processes import children

ARTICLE = """<html><head><title> An article &amp; more </title></head><body>
<nav><a href="/home">Home</a></nav>
<article><h1>The article</h1>
<p>It tells of <b>many things</b> with <a href="/next?a=b">a link</a>, long enough to be the main text of it.</p>
<p>A second paragraph says more about the same things, so that nobody doubts what matters on this page.</p>
<ul><li>one</li><li>two</li></ul>
<pre><code>def f():
    return 1
</code></pre></article>
<script>alert("never shown")</script><footer>Imprint</footer></body></html>"""


async def test_the_main_text_comes_as_markdown_with_its_links() -> None:
    found = await readable(ARTICLE, "https://example.org/a/", 50_000)
    assert found.title == "An article & more"
    assert "# The article" in found.content
    assert "**many things**" in found.content
    assert "[a link](https://example.org/next?a=b)" in found.content
    assert "return 1" in found.content
    assert "never shown" not in found.content
    assert "Imprint" not in found.content


def test_the_program_finds_the_same_when_it_is_asked_directly() -> None:
    assert main_text(ARTICLE, "https://example.org/a/").startswith("# The article")
    assert main_text("", "https://example.org/") == ""


async def test_a_page_without_a_main_text_is_shown_whole() -> None:
    links = "".join(f'<li><a href="/{n}">Part {n}</a></li>' for n in range(40))
    found = await readable(f"<body><ul>{links}</ul></body>", "https://example.org/x/", 50_000)
    assert "Part 0" in found.content
    assert "Part 39" in found.content


async def test_no_more_is_given_than_was_asked_for() -> None:
    long = "<article>" + "<p>Many words in a paragraph of the article.</p>" * 2000 + "</article>"
    assert 500 <= len((await readable(long, "https://example.org/", 1000)).content) <= 1000


async def test_a_reader_that_takes_too_long_is_ended_and_the_page_stripped() -> None:
    page = "<title>T</title><p>Hello <b>there</b>"
    before = children()  # of other tests
    found = await readable(page, "https://example.org/", 1000, patience=0.01)
    assert (found.title, found.content) == ("T", "Hello there")
    assert children() <= before


async def test_a_cancelled_reading_leaves_no_program() -> None:
    before = children()
    task = asyncio.create_task(readable("<p>x" * 300_000, "https://example.org/", 1000))
    async with asyncio.timeout(30):
        while children() <= before:  # noqa: ASYNC110
            await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children() <= before


async def test_few_pages_of_one_person_are_read_at_once_and_those_of_others_meanwhile() -> None:
    before = children()
    slow = "<p>x" * 300_000
    with acting_for(1):
        tasks = [
            asyncio.create_task(readable(slow, "https://example.org/", 1000)) for _ in range(6)
        ]
    most = 0
    async with asyncio.timeout(30):
        while most < AT_ONCE:
            await asyncio.sleep(0.01)
            most = max(most, len(children() - before))
    with acting_for(2):
        found = await readable(ARTICLE, "https://example.org/a/", 50_000)
    assert found.content.startswith("# The article")
    running = children() - before
    assert 0 < len(running) <= AT_ONCE
    assert all(os.getpriority(os.PRIO_PROCESS, pid) >= NICE for pid in running)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert children() <= before


class TestStripped:
    @pytest.mark.parametrize(
        ("page", "found"),
        [
            ("<p>one</p><p>two", "one\n\ntwo"),
            ("a<br>b", "a\nb"),
            ("x <b>y</b>  z\t.", "x y z ."),
            ("a &lt;b&gt; &amp; &#65;", "a <b> & A"),
            ("a<script>x<b>y</script >b", "a b"),
            ("a<STYLE>x</Style>b", "a b"),
            ("a<!-- <p>no</p> -->b", "ab"),
            ("a<!-- never ends", "a"),
            ("a<script>never ends", "a"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("a<b", "a<b"),
            ("<!doctype html><?xml?>x", "x"),
            ('<a href="/p?q=1&amp;r=2">go</a>', "go (https://example.org/p?q=1&r=2)"),
            ("<a href='#top'>up</a> <a href=javascript:x>no</a> <a>none</a>", "up no none"),
            ("<svg/>after", "after"),
            (f"&#{'9' * 5000};", f"&#{'9' * 5000};"),
            ("", ""),
        ],
    )
    def test_tags_go_and_words_stay(self, page: str, found: str) -> None:
        assert stripped(page, "https://example.org/a", 50_000) == found

    def test_it_is_cut(self) -> None:
        assert len(stripped("word " * 1000, "https://example.org/", 100)) == 100

    @pytest.mark.parametrize(
        ("page", "found"),
        [
            ("<title>A &amp; B</title>", "A & B"),
            ("<TITLE lang=en>\n A\n B </TITLE>", "A B"),
            ("<title>", ""),
            ("<title", ""),
            ("no title", ""),
            ("<title>" + "x" * 5000 + "</title>", "x" * 300),
        ],
    )
    def test_a_title_is_one_short_line(self, page: str, found: str) -> None:
        assert title(page) == found

    @pytest.mark.parametrize(
        "piece",
        [
            *("<", "<a", "<a ", "<a href=", "<a href='x'>", "<b>", "</a>", "<!--", "<!", "<script", "<script>"),
            *("&", "&#", "&#1", "&lt", "<title", "<title>", "\n", " ", " \n", "<p>", "</", "<a\t", "<svg", "href="),
        ],
    )  # fmt: skip
    def test_a_hostile_page_costs_time_in_proportion(self, piece: str) -> None:
        small, large = (piece * (size // len(piece)) for size in (30_000, 300_000))
        assert _time(large) < 30 * _time(small) + 0.3


def _time(page: str) -> float:
    started = time.thread_time()
    stripped(page, "https://example.org/", 50_000)
    title(page)
    return time.thread_time() - started
