"""An exchange on a terminal as it happens: finished things go up into the scrollback, unfinished ones are drawn again.

How often it draws depends on how long drawing takes, so it never costs more than a small share of the time, however
long the answer is.
"""

import time
from collections.abc import Callable
from typing import Any, ClassVar

from rich.panel import Panel
from rich.text import Text as RichText

from bottega.cli.screen import notes
from bottega.cli.screen.blocks import Block, Splitter
from bottega.cli.screen.calls import todos
from bottega.cli.screen.calls.under_way import Look, UnderWay
from bottega.cli.screen.clean import Cleaner, clean, one_line
from bottega.cli.screen.figures import duration
from bottega.cli.screen.layout import Item, laid_out
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.plain import Rows
from bottega.cli.screen.region import Region
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import Sources, plain_text, tool_uses

FRAME = 1 / 15
"""Seconds between two draws, at least."""
SHARE = 4
"""After a draw, at least so many times its own duration is left to others."""

_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Live:
    def __init__(
        self,
        terminal: Terminal,
        clock: Callable[[], float] = time.monotonic,
        look: Look | None = None,
        fill: notes.Fill | None = None,
    ) -> None:
        self._terminal = terminal
        self._clock = clock
        self._region = Region(terminal)
        self._painter = Painter(colour=terminal.colour)
        self._final: list[Item] = []
        """Done, but not drawn yet."""
        self._above = ""
        self._next_draw = 0.0
        self._began = clock()
        self._status = "Waiting for its turn"
        self._model = ""
        self._answered = False
        """Something of this answer was streamed."""
        self._splitter = Splitter()
        self._cleaner = Cleaner()
        self._thought: list[str] = []
        self._thought_began = 0.0
        self._calls = UnderWay(clock, look)
        self._keys: Rows | None = None
        """The last lines while a person is asked: what they may press."""
        self._paused = False
        self._retry: tuple[facts.ConversationRetrying, float] | None = None
        self._failed = False
        self._fill = fill
        self._held = 0
        """Tokens of the context, as the provider last counted them."""
        terminal.command("\x1b[?25l")

    def show(self, event: Event) -> None:
        """Take the next event of the exchange; it is drawn soon."""
        rule = self._RULES.get(type(event.data))
        if rule is not None:
            rule(self, event.data)
        elif event.type == "tool_use_content_block_start":
            self._end_text()
            self._status = f"Preparing {one_line(event.data.name, 40)}"
        else:
            self._calls.take(event.data)
        if self._clock() >= self._next_draw:
            self.draw()

    def tick(self) -> None:
        """Move what moves by itself."""
        if self._clock() >= self._next_draw:
            self.draw()

    def put(self, kind: str, lines: list[str]) -> None:
        """Something for good, between what the exchange shows."""
        self._final.append(Item(kind, lines))
        self.draw()

    def ask(self, keys: Rows | None) -> None:
        """Say at the end of the screen what may be pressed; None: nobody is asked any more."""
        self._keys = keys
        self.draw()

    def pause(self) -> None:
        """Leave the screen to somebody else: what happens meanwhile is drawn afterwards."""
        self._region.draw(laid_out(self._above, self._final)[0], [])
        self._final, self._above = [], laid_out(self._above, self._final)[1]
        self._paused = True
        self._terminal.command("\x1b[?25h")

    def resume(self) -> None:
        if self._paused:
            self._paused = False
            self._region = Region(self._terminal)
            self._terminal.command("\x1b[?25l")
            self.draw()

    def close(self) -> None:
        """Draw what is left and give the cursor back."""
        self.resume()
        self._end_text()
        self._status, self._keys = "", None
        self._calls.forget()
        self._retry = None
        self.draw()
        self._terminal.command("\x1b[?25h")

    def draw(self) -> None:
        if self._paused:
            return
        began = self._clock()
        width = self._terminal.width
        final, above = laid_out(self._above, self._final)
        changing, _ = laid_out(above, self._changing(width))
        self._region.draw(final, changing)
        self._final, self._above = [], above
        self._next_draw = began + max(FRAME, SHARE * (self._clock() - began))

    def _changing(self, width: int) -> list[Item]:
        tail = self._splitter.tail
        items = [self._block(tail, width)] if tail.source.strip() else []
        if self._thought:
            items.append(Item("thought", self._thinking(width)))
        if self._calls:
            drawn = self._calls.lines(self._spin(), width)
            items.append(Item("tool", [self._row(parts, width) for parts in drawn]))
        if self._keys:
            rows = [self._row(parts, width) for parts in self._keys(width)]
            return [*items, Item("keys", rows)]
        status = self._status_line(width)
        return [*items, Item("status", status)] if status else items

    def _block(self, block: Block, width: int) -> Item:
        return Item("text", self._painter.markdown(block.markdown, width), block.joins)

    def _thinking(self, width: int) -> list[str]:
        """The last words of the thought, on two lines at most."""
        text = " ".join("".join(self._thought[-200:]).split())
        room = 2 * (width - 4)
        shown = text if len(text) <= room else f"…{text[-room:]}"
        return self._painter.parts([(shown, "dim italic")], width)[:2]

    def _row(self, parts: list[Part], width: int) -> str:
        """One line on one row: what changes must not wrap."""
        return next(iter(self._painter.parts(parts, width)), "")

    def _status_line(self, width: int) -> list[str]:
        if self._retry:
            retrying, until = self._retry
            return self._painter.parts(notes.retry(retrying, until - self._clock()), width)
        if not self._status:
            return []
        waited = int(self._clock() - self._began)
        after = f" {waited} s" if waited else ""
        said = f"{self._status}…{after}   Ctrl-C stops"
        return self._painter.parts([(f"{self._spin()} ", "accent"), (said, "dim")], width)

    def _spin(self) -> str:
        return _SPINNER[int(self._clock() * 10) % len(_SPINNER)]

    def _put(self, kind: str, parts: list[Part]) -> None:
        self._final.append(Item(kind, self._painter.parts(parts, self._terminal.width)))

    def _rows(self, kind: str, rows: list[list[Part]]) -> None:
        width = self._terminal.width
        self._final.append(
            Item(kind, [line for row in rows for line in self._painter.parts(row, width)])
        )

    def _write(self, text: str) -> None:
        width = self._terminal.width
        self._final += [
            self._block(b, width) for b in self._splitter.feed(text) if b.source.strip()
        ]

    def _end_text(self) -> None:
        """The text, or the thought, is over: it becomes final."""
        self._write(self._cleaner.end())
        last = self._splitter.end()
        if last.source.strip():
            self._final.append(self._block(last, self._terminal.width))
        self._end_thought()

    def _end_thought(self) -> None:
        thought, self._thought = "".join(self._thought), []
        spent = self._clock() - self._thought_began
        lead = f"✻ Thought for {duration(spent * 1000)}: " if spent >= 1 else "✻ Thought: "
        if said := notes.thought(thought, lead, self._terminal.width):
            self._put("thought", [(said, "dim italic")])

    def _on_start(self, start: facts.MessageStart) -> None:
        self._model = start.model
        self._answered = False
        self._retry = None
        self._status = "Thinking"

    def _on_text(self, piece: facts.TextDelta) -> None:
        if self._thought:
            self._end_thought()
        self._answered = True
        self._retry = None
        self._status = "Writing"
        self._write(self._cleaner.feed(piece.text))

    def _on_thought(self, piece: facts.ReasoningDelta) -> None:
        if not self._thought:
            self._thought_began = self._clock()
        self._thought.append(piece.text)
        self._retry = None
        self._status = "Thinking"

    def _on_answer(self, answer: facts.AssistantMessage) -> None:
        text = plain_text(answer.content)
        if text and not self._answered:
            self._write(clean(text))
        self._end_text()
        for source in _sources(answer):
            self._put("note", [(f"  {one_line(source)}", "dim")])
        for notice in answer.notices:
            self._put("note", [(f"Note: {clean(notice)}", "dim")])
        self._held = notes.held(answer)
        self._calls.plan(tool_uses(answer.content))
        self._status = "Working" if self._calls else ""

    def _on_result(self, result: facts.ToolResultFact) -> None:
        self._rows("tool", self._calls.end(result, self._terminal.width))

    def _on_todos(self, changed: facts.TodosChanged) -> None:
        self._rows("todos", todos.drawn(changed.todos))

    def _on_compaction(self, made: facts.Compaction) -> None:
        self._end_text()
        self._put("note", notes.compacted(made))

    def _on_retry(self, retrying: facts.ConversationRetrying) -> None:
        self._retry = (retrying, self._clock() + retrying.delay_ms / 1000)

    def _on_reset(self, _: facts.StreamReset) -> None:
        self._end_text()
        self._answered = False
        said = "The answer broke off and starts again; what stands above is void."
        self._put("note", [("↺ ", "accent"), (said, "dim")])

    def _on_error(self, error: facts.ErrorMessage) -> None:
        self._end_text()
        self._failed = True
        message, hint = notes.problem(error)
        body = RichText(message)
        if hint:
            body.append(f"\n{hint}", "dim")
        panel = Panel(body, border_style="red", expand=False, padding=(0, 1))
        self._final.append(Item("error", self._painter.lines(panel, self._terminal.width)))

    def _on_cancel(self, _: facts.CancelRequested) -> None:
        self._status = "Stopping"

    def _on_taken_back(self, _: facts.PromptCancelled) -> None:
        self._status = ""
        self._put("ending", [("■ ", "accent"), (notes.TAKEN_BACK, "")])

    def _on_interruption(self, _: facts.Interrupted) -> None:
        self._end_text()
        self._put("note", [("The program that ran this ended; it goes on from the log.", "dim")])

    def _on_end(self, end: facts.ExchangeResponse) -> None:
        self._end_text()
        self._status = ""
        self._calls.forget()
        self._retry = None
        told = "" if self._failed else notes.ending(end)
        if told:
            self._put("ending", [("■ ", "accent"), (told, "")])
        if changed := self._calls.summary():
            self._put("footer", [(changed, "accent")])
        full = self._fill(self._model, self._held) if self._fill and self._held else None
        self._put("footer", [(notes.footer(end, self._model, full), "dim")])
        self._next_draw = 0.0

    _RULES: ClassVar[dict[Any, Callable[[Any, Any], None]]] = {
        facts.MessageStart: _on_start,
        facts.TextDelta: _on_text,
        facts.ReasoningDelta: _on_thought,
        facts.AssistantMessage: _on_answer,
        facts.ToolResultFact: _on_result,
        facts.TodosChanged: _on_todos,
        facts.Compaction: _on_compaction,
        facts.ConversationRetrying: _on_retry,
        facts.StreamReset: _on_reset,
        facts.ErrorMessage: _on_error,
        facts.CancelRequested: _on_cancel,
        facts.PromptCancelled: _on_taken_back,
        facts.Interrupted: _on_interruption,
        facts.ExchangeResponse: _on_end,
    }


def _sources(answer: facts.AssistantMessage) -> list[str]:
    found = [s for block in answer.content if isinstance(block, Sources) for s in block.sources]
    return [f"[{place}] {s.title} {s.url}" for place, s in enumerate(found, 1)]
