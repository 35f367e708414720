"""A session as Markdown that reads well as it is and rendered: prompts quoted, tool uses folded away."""

import html
import re
from collections.abc import Iterator

import msgspec

from bottega.messages.block import Sources
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

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")
_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)(.*)")


def document(session: SessionRow, items: list[Item]) -> Iterator[bytes]:
    """The whole document, a piece for each item."""
    title = _escaped(session.title or "Session")
    by = " · ".join(filter(None, [moment(session.created_at), session.agent, session.model]))
    yield f"# {title}\n\n{_escaped(by)}\n".encode()
    heading = ""
    for item in items:
        text = _drawn(item)
        if not text:
            continue
        wanted = "You" if isinstance(item, Prompt) else "Agent"
        if wanted != heading or isinstance(item, Prompt):
            heading = wanted
            yield f"\n## {heading}\n".encode()
        yield f"\n{text}\n".encode()


def fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any inside it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def closed(text: str) -> str:
    """The text with a code block that it left open closed, so that it cannot swallow what follows."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.fullmatch(line)
        if found and not fence:
            if "`" not in found[2] or found[1][0] == "~":
                fence = found[1]
        elif found and found[1].startswith(fence) and not found[2].strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(clean(text).split()))


def _folded(summary: str, inside: str) -> str:
    return f"<details>\n<summary>{html.escape(summary)}</summary>\n\n{inside}\n\n</details>"


def _drawn(item: Item) -> str:  # noqa: PLR0911
    match item:
        case Prompt():
            return quoted(closed(clean(said(item.content))))
        case Answer():
            return closed(clean(item.text)) + ("\n\n*(broken off)*" if item.partial else "")
        case Thought():
            return _folded("Thought", quoted(closed(clean(item.text))))
        case Use():
            named = " ".join(filter(None, [item.name, target(item)]))
            return _folded(f"{named} · {state(item)}", "\n\n".join(_used(item)))
        case Attached():
            return f"\\[{_escaped(item.media.name or item.media.media_type)}\\]"
        case Cited():
            return _cited(item.sources)
        case Notice():
            noted = quoted(f"**{topic(item)}:** {closed(told(item))}")
            more = _folded("Summary", closed(clean(item.detail))) if item.detail else ""
            return "\n\n".join(filter(None, [noted, more]))
        case End():
            return quoted(f"**{stopped}**") if (stopped := ending(item)) else ""


def _used(use: Use) -> Iterator[str]:
    if use.child:
        yield handed_on(use)
    if use.written:
        yield fenced(clean(use.written))
    elif use.input:
        yield fenced(msgspec.json.format(msgspec.json.encode(use.input)).decode(), "json")
    if printed := output(use):
        yield fenced(printed, "text")


def _cited(sources: Sources) -> str:
    lines = [
        f"- [{_escaped(source.title)}](<{_address(source.url)}>)"
        if source.url
        else f"- {_escaped(source.title)}"
        for source in sources.sources
    ]
    return "\n".join(["Sources:", "", *lines])


def _address(url: str) -> str:
    return "".join(clean(url).split()).replace("<", "%3C").replace(">", "%3E")
