"""A page as plain text, by its tags alone: for pages in which the reader finds no main text.

It looks at each character a fixed number of times, whatever the page is made of.
"""

import re
from contextlib import suppress
from html import unescape
from urllib.parse import urljoin

_SILENT = ("script", "style", "noscript", "template", "svg", "head", "iframe", "title")
_BREAKING = frozenset(
    {
        *("p", "div", "br", "li", "ul", "ol", "tr", "table", "section", "article", "header"),
        *("footer", "nav", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "dd", "dt"),
    }
)
_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9-]{0,30})")
_HREF = re.compile(r"""\shref\s{0,9}=\s{0,9}["']?([^"'\s>]{1,2000})""", re.I)
_BLANKS = re.compile(r"[^\S\n]+")
_GAPS = re.compile(r"\n{3,}")
_TITLE = re.compile(r"<title\b", re.I)
_LONGEST_TAG = 20_000


def title(page: str) -> str:
    """What the page calls itself."""
    found = _TITLE.search(page[:200_000])
    if found is None:
        return ""
    start = page.find(">", found.end()) + 1
    end = page.find("</", start)
    return " ".join(unescape(page[start:end][:1000]).split())[:300] if 0 < start < end else ""


def stripped(page: str, url: str, most: int) -> str:
    """The visible text with its links, at most `most` characters."""
    out: list[str] = []
    links: list[str] = []
    at = length = 0
    while at < len(page) and length < 2 * most:
        start = page.find("<", at)
        start = len(page) if start < 0 else start
        words = _plain(page[at:start])
        at, said = _tag(page, start, url, links)
        out += (words, said)
        length += len(words) + len(said)
    lines = (_BLANKS.sub(" ", line).strip() for line in "".join(out).split("\n"))
    return _GAPS.sub("\n\n", "\n".join(lines)).strip()[:most]


def _plain(words: str) -> str:
    try:
        return unescape(words)
    except ValueError:  # a number too long to be read
        return words


def _tag(page: str, start: int, url: str, links: list[str]) -> tuple[int, str]:
    """Where to go on after the tag at `start`, and what stands for it."""
    if page.startswith("<!--", start):
        return _after(page, "-->", start + 4), ""
    found = _NAME.match(page, start + 1)
    if found is None and page[start + 1 : start + 2] not in ("!", "?"):
        return start + 1, page[start : start + 1]
    end = page.find(">", start, start + _LONGEST_TAG) + 1
    if not end:
        return start + 1, "<"
    name = found[1].lower() if found else ""
    if name in _SILENT and page[start + 1] != "/" and page[end - 2] != "/":
        return _after(page, f"</{name}", end), " "
    if name == "a":
        return end, _link(page[start:end], url, links)
    return end, "\n" if name in _BREAKING else ""


def _after(page: str, mark: str, start: int) -> int:
    """The end of the tag that closes; the end of the page where nothing does."""
    found = re.compile(re.escape(mark), re.I).search(page, start)
    if found is None:
        return len(page)
    if mark == "-->":
        return found.end()
    end = page.find(">", found.end())
    return len(page) if end < 0 else end + 1


def _link(tag: str, url: str, links: list[str]) -> str:
    """What stands for a tag of a link: its target, once it ends. `links` holds the one that is open."""
    if not tag.startswith("</"):
        links[:] = [found[1] for found in [_HREF.search(tag)] if found]
    elif links and not links[0].startswith(("#", "javascript:")):
        with suppress(ValueError):
            return f" ({urljoin(url, unescape(links.pop()))})"
    return ""
