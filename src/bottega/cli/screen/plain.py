"""An exchange without a terminal that can draw: the text as it is, and a line for each thing that happens.

`hold=True` gives out only the text of the last answer, once it is known to be the last: what a program that captures
the output wants. `hold="value"` gives it out only if it is the value that was asked for. Otherwise text is given out as
it comes.
"""

import time
from collections.abc import Callable
from typing import Literal, Protocol

from bottega.cli.screen import notes, tools
from bottega.cli.screen.calls import todos
from bottega.cli.screen.calls.under_way import Look, UnderWay
from bottega.cli.screen.clean import Cleaner, clean, one_line
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import plain_text, tool_uses

Rows = Callable[[int], list[list[Part]]]
"""Lines for a screen of this width."""


class Screen(Protocol):
    """What shows an exchange to a person."""

    def show(self, event: Event) -> None: ...

    def tick(self) -> None: ...

    def close(self) -> None: ...


class Canvas(Screen, Protocol):
    """A screen on which somebody can be asked."""

    def put(self, kind: str, lines: list[str]) -> None:
        """Lines of somebody else, for good."""
        ...

    def ask(self, keys: Rows | None) -> None:
        """What a person may press now; None: they are not asked any more."""
        ...

    def pause(self) -> None:
        """Somebody else has the screen until `resume`."""
        ...

    def resume(self) -> None: ...


class Plain:
    def __init__(
        self,
        text: Terminal,
        notes_to: Terminal | None,
        errors_to: Terminal,
        *,
        hold: bool | Literal["value"] = False,
        footer: bool = False,
        look: Look | None = None,
        fill: notes.Fill | None = None,
    ) -> None:
        self._text = text
        self._notes = notes_to
        self._errors = errors_to
        self._painter = Painter(colour=text.colour, plain=not text.moves)
        self._hold = hold
        self._footer = footer
        self._cleaner = Cleaner()
        self._at_start = True
        """The cursor stands at the start of a line."""
        self._written = False
        self._answered = False
        self._calls = UnderWay(time.monotonic, look)
        self._model = ""
        self._failed = False
        self._fill = fill
        self._held = 0
        self._thought: list[str] = []

    def show(self, event: Event) -> None:
        match event.data:
            case facts.ReasoningDelta() as piece:
                self._thought.append(piece.text)
            case facts.TextDelta() as piece if not self._hold:
                self._end_thought()
                self._say(self._cleaner.feed(piece.text))
            case facts.MessageStart() as start:
                self._model, self._answered = start.model, False
            case facts.AssistantMessage() as answer:
                self._whole(answer)
            case facts.ErrorMessage() as error:
                self._failed = True
                self._break()
                self._errors.write(f"bottega: {' '.join(notes.problem(error))}".strip() + "\n")
            case facts.ConversationRetrying() as retrying:
                self._break()
                # Told even where notes are not wanted: a silent wait looks like a hang.
                told = tools.plain(notes.retry(retrying, retrying.delay_ms / 1000))
                self._errors.write(f"{told}\n")
            case facts.StreamReset():
                self._answered, self._thought = False, []
                self.note("↺ The answer broke off and starts again.")
            case facts.PromptCancelled():
                self.note(notes.TAKEN_BACK)
            case facts.ExchangeResponse() as end:
                self._end(end)
            case _:
                self._work(event.data)

    def tick(self) -> None:
        """Nothing moves here."""

    def close(self) -> None:
        self._say(self._cleaner.end())
        self._break()

    def put(self, kind: str, lines: list[str]) -> None:
        for line in lines:
            self._break()
            self._text.lines([line])

    def ask(self, keys: Rows | None) -> None:
        """Once, as lines: nothing can be taken away here."""
        width = self._text.width
        for parts in keys(width) if keys else ():
            self.put("keys", self._painter.parts(parts, width))

    def pause(self) -> None:
        self._break()

    def resume(self) -> None:
        """Nothing was hidden."""

    def note(self, line: str) -> None:
        """A line beside the answer."""
        if self._notes is None:
            return
        self._break()
        self._notes.write(f"{line}\n")

    def _say(self, text: str) -> None:
        if not text:
            return
        if not self._answered and self._written:
            self._break()
            text = f"\n{text}"
        self._text.write(text)
        self._answered = self._written = True
        self._at_start = text.endswith("\n")

    def _break(self) -> None:
        if not self._at_start:
            self._text.write("\n")
            self._at_start = True

    def _end_thought(self) -> None:
        thought, self._thought = "".join(self._thought), []
        width = self._notes.width if self._notes else 80
        if said := notes.thought(thought, "✻ Thought: ", width):
            self.note(said)

    def _whole(self, answer: facts.AssistantMessage) -> None:
        self._end_thought()
        self._held = notes.held(answer)
        self._say(self._cleaner.end())
        if not self._hold and not self._answered:
            self._say(clean(plain_text(answer.content)))
        for notice in answer.notices:
            self.note(f"note: {clean(notice)}")
        self._calls.plan(tool_uses(answer.content))

    def _work(self, fact: object) -> None:
        rows: list[list[Part]] = []
        if isinstance(fact, facts.ToolResultFact):
            rows = self._calls.end(fact, self._notes.width if self._notes else 80)
        elif isinstance(fact, facts.TodosChanged):
            rows = todos.drawn(fact.todos)
        elif isinstance(fact, facts.Compaction):
            rows = [notes.compacted(fact)]
        else:
            self._calls.take(fact)
        for row in rows:
            self.note(tools.plain(row))

    def _end(self, end: facts.ExchangeResponse) -> None:
        if self._hold and (end.success or self._hold != "value"):
            self._say(clean(end.final_response))
        self.close()
        if told := "" if self._failed else notes.ending(end):
            self.note(told)
        if changed := self._calls.summary():
            self.note(changed)
        if self._footer:
            full = self._fill(self._model, self._held) if self._fill and self._held else None
            self.note(one_line(notes.footer(end, self._model, full)))
