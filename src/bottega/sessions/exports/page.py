"""A session as one page that needs nothing else: no script, no picture, no request, in light and in dark.

Nothing that a model or a tool wrote is trusted: text is escaped; Markdown is rendered without HTML, with pictures
turned into links, and cleaned afterwards; and the page's own policy forbids to load anything.
"""

from collections.abc import Iterator
from html import escape
from typing import Any, cast

import msgspec
import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML

from bottega.messages.block import Sources
from bottega.sessions.exports.style import STYLE
from bottega.sessions.exports.wording import (
    clean,
    ending,
    handed_on,
    moment,
    output,
    state,
    target,
    told,
    topic,
)
from bottega.sessions.session import SessionRow
from bottega.sessions.told.transcript import (
    Answer,
    Attached,
    Cited,
    End,
    Item,
    Notice,
    Prompt,
    Thought,
    Use,
)
from bottega.sessions.told.views import said

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "hr", "p", "pre", "s", "strong"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "ul"),
    *("table", "tbody", "td", "th", "thead", "tr"),
}
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_SCHEMES = {"http", "https", "mailto"}


def page(session: SessionRow, items: list[Item]) -> Iterator[bytes]:
    """The whole page, a piece for each item."""
    title = escape(clean(session.title) or "Session")
    by = " · ".join(filter(None, [session.agent, session.model, moment(session.created_at)]))
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<header><h1>{title}</h1><p>{escape(clean(by))}</p></header>\n"
    ).encode()
    for item in items:
        yield _drawn(item).encode()
    yield b"</main>\n<footer>Exported from Bottega</footer>\n</body>\n</html>\n"


def rendered(text: str) -> str:
    """Markdown as HTML that can do nothing but be read."""
    return _cleaned(_markdown.render(clean(text)))


def _cleaned(html: str) -> str:
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=_only_whole_links,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )


def _only_whole_links(_: str, attribute: str, value: str) -> str | None:
    """A link that is relative to the page leads nowhere that its writer meant."""
    whole = value.split(":", 1)[0].lower() in _SCHEMES
    return value if whole or attribute != "href" else None


def _picture_as_link(_: RendererHTML, tokens: Any, place: int, __: Any, ___: Any) -> str:
    token = tokens[place]
    href = cast(str, token.attrs.get("src", ""))
    return f'<a href="{escape(href)}">{escape(token.content or href)}</a>'


_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_markdown.add_render_rule("image", _picture_as_link)


def _drawn(item: Item) -> str:  # noqa: PLR0911
    match item:
        case Prompt():
            who = "You, meanwhile" if item.steer else "You"
            words = escape(clean(said(item.content)))
            return f'<article class="you">{_by(who, item)}<div>{words}</div></article>\n'
        case Answer():
            rest = '<p class="faint">(broken off)</p>' if item.partial else ""
            return f'<article class="agent">{rendered(item.text)}{rest}</article>\n'
        case Thought():
            return _folded("thought", "<b>Thought</b>", f"<div>{rendered(item.text)}</div>")
        case Use():
            return _folded(f"use {item.state}", _headline(item), "".join(_used(item)))
        case Attached():
            name = escape(clean(item.media.name or item.media.media_type))
            return f'<article class="agent"><p class="faint">[{name}]</p></article>\n'
        case Cited():
            return f'<article class="agent">{_cited(item.sources)}</article>\n'
        case Notice():
            words = f"<strong>{topic(item)}.</strong> {escape(told(item))}"
            more = f"<div>{rendered(item.detail)}</div>" if item.detail else ""
            folded = _folded("thought", "<b>Summary</b>", more) if more else ""
            return f'<p class="notice {escape(item.topic)}">{words}</p>\n{folded}'
        case End():
            return f'<p class="notice">{stopped}</p>\n' if (stopped := ending(item)) else ""


def _by(who: str, item: Item) -> str:
    return f"<h2>{who} <time>{moment(item.at)}</time></h2>"


def _folded(kind: str, headline: str, inside: str) -> str:
    return f'<details class="{kind}"><summary>{headline}</summary>{inside}</details>\n'


def _headline(use: Use) -> str:
    on = f" <code>{escape(found)}</code>" if (found := target(use)) else ""
    return f"<b>{escape(clean(use.name))}</b>{on} <span>{escape(state(use))}</span>"


def _used(use: Use) -> Iterator[str]:
    if use.child:
        yield f'<p class="faint">{escape(handed_on(use))}</p>'
    if use.written:
        yield f"<pre>{escape(clean(use.written))}</pre>"
    elif use.input:
        asked = msgspec.json.format(msgspec.json.encode(use.input)).decode()
        yield f"<pre>{escape(clean(asked))}</pre>"
    if printed := output(use):
        yield f"<pre>{escape(printed)}</pre>"


def _cited(sources: Sources) -> str:
    lines = "".join(
        f'<li><a href="{escape(source.url)}">{escape(clean(source.title))}</a></li>'
        for source in sources.sources
    )
    return f'<p class="faint">Sources</p>{_cleaned(f"<ul>{lines}</ul>")}'
