"""Exports for reading: true to what was said, and harmless whatever was said."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from markdown_it import MarkdownIt

from bottega.errors import BadUsage
from bottega.events import facts as f
from bottega.events.event import Event
from bottega.messages.block import Image, Reasoning, Source, Sources, Text, ToolUse
from bottega.sessions.attach import Attachments
from bottega.sessions.exports.export import FORMATS, Format, export
from bottega.sessions.exports.markdown import closed, fenced
from bottega.sessions.session import SessionRow, Sessions
from bottega.sessions.told.views import ChatMessage
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from tests.events.logs import answer, call, end, log, prompt, ran
from tests.golden.test_golden import LOGS, read
from tests.processes import run
from tests.sessions import stored

WORK = [
    *prompt("Look at **this**\nand <b>that</b>"),
    f.MessageStart("m"),
    f.TextDelta("let"),
    answer(
        Reasoning("I wonder."),
        Text("Here is code:\n\n```python\nprint('<hi>')\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
        call("c1"),
    ),
    *ran("c1", "line one\n```\nfenced\n```\n</pre><script>alert(1)</script>"),
    f.FileReady("out/a.txt"),
    answer(Text("Done."), Sources((Source("A page", "https://example.org/a?b=1&c=2"),))),
    end("Done."),
    *prompt("more"),
    f.MessageStart("m"),
    f.TextDelta("half an ans"),
    f.ErrorMessage("The provider failed.", "server_error", hint="Try later."),
    end("", success=False, stop_reason="cancelled"),
]

NASTY = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![tracker](https://evil.example/pixel.png)",
    "[click](javascript:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "<a href='javascript:alert(1)'>x</a>",
    "[![nested](https://evil.example/a.png)](https://evil.example)",
    "<style>body{background:url(https://evil.example)}</style>",
    "<iframe src=https://evil.example></iframe>",
    '"><svg onload=alert(1)>',
    "</div></article></main></body></html><script>alert(1)</script>",
    "`</code><script>alert(1)</script>`",
    "<!-- comment --!><script>alert(1)</script>",
    "[x]: https://evil.example 'a\" onmouseover=alert(1)'\n\n[x]",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x00",
]


class Tags(HTMLParser):
    """Every tag and attribute of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def attributes(self) -> Iterator[tuple[str, str | None]]:
        for _, attributes in self.tags:
            yield from attributes.items()


async def exported(
    database: Database, session: SessionRow, form: Format, events: list[Event]
) -> str:
    await Sessions(database).rename(session.id, "A <title> & *more*")
    row = await stored.write(database, session, events)
    return b"".join(export(database, Blobs(database.home.blobs), row, form)).decode()


def check_harmless(page: str) -> Tags:
    """Nothing in the page runs, loads or leaves on its own."""
    tags = Tags(page)
    assert {tag for tag, _ in tags.tags} <= {
        *("html", "head", "meta", "title", "style", "body", "main", "header", "footer", "article"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "span", "b", "strong", "em", "s", "del"),
        *("details", "summary", "pre", "code", "a", "ul", "ol", "li", "blockquote", "hr", "br"),
        *("table", "thead", "tbody", "tr", "th", "td", "time"),
    }
    for name, value in tags.attributes():
        assert not name.startswith("on"), name
        assert name not in ("src", "style", "srcset", "background"), name
        if name == "href":
            assert re.match(r"(https?|mailto):", value or ""), value
    policies = [a["content"] for _, a in tags.tags if a.get("http-equiv")]
    assert len(policies) == 1
    assert str(policies[0]).startswith("default-src 'none'; style-src 'unsafe-inline'")
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert style
    assert "url(" not in style
    assert "@import" not in style
    return tags


async def test_a_chat_export_has_one_line_for_each_message(
    database: Database, session: SessionRow
) -> None:
    lines = (await exported(database, session, "chat", log(*WORK))).splitlines()
    messages = [msgspec.json.decode(line, type=ChatMessage) for line in lines]
    assert [(m.role, m.content) for m in messages] == [
        ("user", "Look at **this**\nand <b>that</b>"),
        ("assistant", "Done."),
        ("user", "more"),
        ("assistant", "half an ans"),
    ]


async def test_markdown_reads_well_and_renders_as_it_was_meant(
    database: Database, session: SessionRow
) -> None:
    text = await exported(database, session, "md", log(*WORK))
    assert text.startswith("# A \\<title\\> & \\*more\\*\n")
    assert "\n## You\n\n> Look at **this**\n> and <b>that</b>\n" in text
    assert "<summary>read_file c1 · done</summary>" in text
    assert "half an ans\n\n*(broken off)*" in text
    assert "> **Error:** The provider failed. Try later." in text
    assert "> **Stopped.**" in text
    assert "- [A page](<https://example.org/a?b=1&c=2>)" in text
    tokens = MarkdownIt("commonmark").parse(text)
    fences = [token.content for token in tokens if token.type == "fence"]
    assert "print('<hi>')\n" in fences
    assert "line one\n```\nfenced\n```\n</pre><script>alert(1)</script>\n" in fences
    headings = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]
    assert headings[1:] == ["You", "Agent", "You", "Agent"]


@pytest.mark.parametrize(
    "text", ["", "plain", "```", "a ```` b", "~~~\n```", "ends with newline\n", "`" * 50]
)
def test_a_fence_is_longer_than_any_inside(text: str) -> None:
    (token,) = MarkdownIt("commonmark").parse(fenced(text))
    assert token.type == "fence"
    assert token.content.rstrip("\n") == text.rstrip("\n")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("no fence", ""),
        ("```\nopen", "\n```"),
        ("```\nclosed\n```", ""),
        ("~~~~ text\nopen\n```\n~~~", "\n~~~~"),
        ("````\n```\nstill open", "\n````"),
        ("``` not a fence `x`", ""),
        ("```\n``` no end", "\n```"),
    ],
)
def test_a_fence_that_was_left_open_is_closed(text: str, end: str) -> None:
    assert closed(text) == text + end
    tokens = MarkdownIt("commonmark").parse(closed(text) + "\n\n# after")
    assert tokens[-3].type == "heading_open"


async def test_a_page_shows_everything(database: Database, session: SessionRow) -> None:
    page = await exported(database, session, "html", log(*WORK))
    tags = check_harmless(page)
    text = "".join(tags.texts)
    assert "A <title> & *more*" in text
    for words in (
        "and <b>that</b>",
        "print('<hi>')",
        "I wonder.",
        "</pre><script>alert(1)</script>",
        "Done.",
        "half an ans",
        "(broken off)",
        "The provider failed. Try later.",
        "Stopped.",
        "out/a.txt",
    ):
        assert words in text, words
    assert (
        "a",
        {"href": "https://example.org/a?b=1&c=2", "rel": "noopener noreferrer nofollow"},
    ) in tags.tags
    assert "prefers-color-scheme: dark" in page


@pytest.mark.parametrize("nasty", NASTY)
async def test_nothing_in_a_page_can_run_or_load(
    database: Database, session: SessionRow, nasty: str
) -> None:
    facts: list[Any] = [
        *prompt(nasty),
        answer(
            Reasoning(nasty),
            Text(nasty),
            ToolUse("c1", nasty, {nasty: [nasty]}),
            ToolUse("c2", "t", malformed=nasty),
            Image("image/png", data="AAAA", name=nasty),
            Sources((Source(nasty, nasty), Source("x", "javascript:alert(1)"))),
        ),
        *ran("c1", nasty),
        f.ErrorMessage(nasty, "x", hint=nasty),
        f.ApprovalRequired("a", "question", question=nasty),
        f.FileReady(nasty),
    ]
    await Sessions(database).rename(session.id, nasty)
    row = await stored.write(database, session, log(*facts))
    page = b"".join(export(database, Blobs(database.home.blobs), row, "html")).decode()
    check_harmless(page)
    assert "\x1b" not in page
    assert "\x00" not in page


def test_pictures_become_links() -> None:
    from bottega.sessions.exports.page import rendered

    assert rendered("![a cat](https://example.org/cat.png)") == (
        '<p><a href="https://example.org/cat.png" rel="noopener noreferrer nofollow">a cat</a></p>\n'
    )


@pytest.mark.parametrize("form", ["md", "html", "chat"])
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
async def test_every_golden_log_can_be_exported(
    database: Database, session: SessionRow, form: Format, path: Path
) -> None:
    text = await exported(database, session, form, read(path))
    if form == "html":
        check_harmless(text)


@pytest.mark.parametrize("form", ["md", "html"])
async def test_what_an_imported_log_may_hold_is_shown_as_far_as_it_goes(
    database: Database, session: SessionRow, form: Format
) -> None:
    odd = [
        f.UserMessage((Text("go"),)),
        answer(
            Image("image/png", data="AAAA", name="cat.png"),
            ToolUse("c1", "t"),
            ToolUse("c2", "t", {"n": 1}),
            ToolUse("c3", "t", malformed='{"half'),
            Sources((Source("No address"),)),
        ),
    ]
    events = [msgspec.structs.replace(event, at=10**30) for event in log(*odd)]
    text = await exported(database, session, form, events)
    for words in ("cat.png", "not run", "No address", "half"):
        assert words in text, words


async def test_an_empty_session_can_be_exported(database: Database, session: SessionRow) -> None:
    blobs = Blobs(database.home.blobs)
    sizes = [len(b"".join(export(database, blobs, session, form))) for form in FORMATS]
    assert [size > 0 for size in sizes] == [True, False, True, True]


@pytest.mark.parametrize("format_", ["md", "html"])
async def test_a_compaction_is_told_with_what_it_dropped_and_its_summary(
    database: Database, session: SessionRow, format_: Format
) -> None:
    made = f.Compaction(
        3, "They *began*.", verbatim=True, before=9000, after=300, dropped={"messages": 4}
    )
    told = log(*prompt("go"), answer(Text("so")), made, f.CompactionUndone(4), f.SessionReset())
    text = await exported(database, session, format_, told)
    assert "Compacted: 9,000 → 300 tokens. 4 answers left" in text
    assert "began" in text
    assert "A compaction was undone" in text
    assert "Reset: the model sees nothing" in text


@pytest.mark.parametrize("form", ["md", "html"])
async def test_where_the_log_of_a_task_is_that_was_handed_on_is_told(
    database: Database, session: SessionRow, form: Format
) -> None:
    handed = [answer(call("c1")), f.ChildStarted("c1", "ses_child", "explore", "Look.")]
    events = log(*prompt("go"), f.MessageStart("m"), *handed, *ran("c1", "Found."), end("Found."))
    text = await exported(database, session, form, events)
    assert "Its log is a session of its own, ses_child, which is not in this export." in text


def test_another_format_is_refused(database: Database, session: SessionRow) -> None:
    with pytest.raises(BadUsage, match="pdf") as refused:
        export(database, Blobs(database.home.blobs), session, "pdf")  # type: ignore[arg-type]
    assert "jsonl" in refused.value.hint


async def test_an_export_ends_where_the_session_was_when_it_began(
    database: Database, session: SessionRow
) -> None:
    row = await stored.write(database, session, log(*prompt("first")))
    pieces = export(database, Blobs(database.home.blobs), row)
    next(pieces)
    await stored.write(database, session, log(*prompt("later")))
    assert len(list(pieces)) == 2


async def test_the_folder_and_other_sessions_blobs_are_in_no_export(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    other = await Sessions(database).create(model="m", agent="a", folder="/")
    await Attachments(database, blobs).keep(other.n, b"theirs")
    for form in FORMATS:
        text = await exported(database, session, form, log(*prompt("hi")))
        assert "/nowhere" not in text
        assert "dGhlaXJz" not in text


def test_an_export_of_lines_imports_nothing_heavy() -> None:
    code = """
        import sys
        import bottega.sessions.exports.export, bottega.sessions.exports.bring_in
        print([name for name in ("markdown_it", "nh3", "aiohttp") if name in sys.modules])
        """
    assert run(code).stdout.strip() == "[]"
