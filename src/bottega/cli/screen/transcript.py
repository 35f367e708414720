"""What was said, drawn as it looked when it was said."""

from collections.abc import Iterable, Sequence

from bottega.cli.screen import notes
from bottega.cli.screen.calls import handed
from bottega.cli.screen.calls.lines import finished
from bottega.cli.screen.calls.outcome import Outcome, outcome
from bottega.cli.screen.calls.phrase import Phrase, phrase
from bottega.cli.screen.clean import clean, one_line
from bottega.cli.screen.layout import Item, laid_out
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.tools import Part
from bottega.messages.block import Media, Text
from bottega.sessions.told import transcript as said
from bottega.sessions.told.views import said as words


def drawn(items: Iterable[said.Item], painter: Painter, width: int) -> list[str]:
    """The lines of a transcript."""
    shown: list[Item] = []
    for item in items:
        shown += _item(item, painter, width)
    return laid_out("", shown)[0]


def last_exchanges(items: Sequence[said.Item], number: int) -> list[said.Item]:
    """The last so many prompts, and all that followed each."""
    places = [place for place, item in enumerate(items) if _begins(item)]
    return list(items[places[-number] :]) if len(places) > number else list(items)


_ASIDE = ("approval_", "compaction", "session_")
"""What is told in passing."""


def _begins(item: said.Item) -> bool:
    return isinstance(item, said.Prompt) and not item.steer


def _item(item: said.Item, painter: Painter, width: int) -> list[Item]:  # noqa: PLR0911
    match item:
        case said.Prompt():
            text = clean(words(item.content)).replace("\n", "\n  ")
            parts = [("› ", "prompt"), (text, "bold")]
            return [Item("prompt", painter.parts(parts, width))]
        case said.Answer():
            lines = painter.markdown(clean(item.text), width)
            broken = [("… (broken off)", "dim")] if item.partial else []
            return [Item("text", lines + (painter.parts(broken, width) if broken else []))]
        case said.Thought():
            told = notes.thought(item.text, "✻ Thought: ", width)
            return [Item("thought", painter.parts([(told, "dim italic")], width))] if told else []
        case said.Use():
            rows = [_use(item, width)]
            if item.child:
                text = _text(item.output)
                rows.append(handed.where(item.child, text, item.usage, item.cost))
            return [Item("tool", [line for row in rows for line in painter.parts(row, width)])]
        case said.Attached():
            name = item.media.name or item.media.media_type
            return [Item("note", painter.parts([(f"[{one_line(name)}]", "dim")], width))]
        case said.Cited():
            lines = [f"  [{n}] {s.title} {s.url}" for n, s in enumerate(item.sources.sources, 1)]
            return [Item("note", painter.parts([(clean("\n".join(lines)), "dim")], width))]
        case said.Notice():
            style = "red" if item.topic == "error_message" else "dim"
            text = clean(f"{item.text} {item.hint}").strip()
            kind = "note" if item.topic.startswith(_ASIDE) else "error"
            return [Item(kind, painter.parts([(text, style)], width))]
        case said.End():
            return _end(item, painter, width)


def _use(use: said.Use, width: int) -> list[Part]:
    words = phrase(use.name, use.input)
    if not words.about and use.written:
        words = Phrase(words.verb, one_line(use.written))
    if use.state in ("done", "failed"):
        end = outcome(_text(use.output), use.state == "failed")
    else:
        told = "its outcome is unknown" if use.state == "unknown" else use.state
        end = Outcome("failed", told)
    return finished(words, end, use.duration_ms, width)


def _text(output: "Iterable[Text | Media]") -> str:
    return "".join(
        part.text if isinstance(part, Text) else f"[{part.media_type}]" for part in output
    )


def _end(item: said.End, painter: Painter, width: int) -> list[Item]:
    items: list[Item] = []
    if told := notes.ending(item.response):
        items.append(Item("ending", painter.parts([("■ ", "accent"), (told, "")], width)))
    footer = notes.footer(item.response, "")
    return [*items, Item("footer", painter.parts([(footer, "dim")], width))]
