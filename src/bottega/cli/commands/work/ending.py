"""An exchange without a conversation around it: shown to its end, which becomes the exit code."""

import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from bottega.cli.asking import pending, place
from bottega.cli.follow import follow
from bottega.cli.screen.calls.under_way import Look
from bottega.cli.screen.notes import problem
from bottega.cli.screen.output import flush, json_line
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.plain import Plain
from bottega.cli.screen.terminal import Terminal, leave
from bottega.events import facts
from bottega.events.codec import line
from bottega.events.event import Event
from bottega.studio.answering import Answering
from bottega.studio.anywhere import AnySession

LIMIT = 3


class Output(msgspec.Struct, frozen=True):
    """How it is printed."""

    as_json: bool
    stream: bool | None = None
    value: bool = False
    """The answer is a JSON value: that alone is printed, if there is one."""

    @property
    def asks(self) -> bool:
        """Somebody is there to answer: at a terminal, and not where a program reads."""
        return not self.as_json and place.is_there()

    @property
    def flags(self) -> dict[str, Any]:
        """Settings that follow from it: where nobody answers, nobody has to wait for that."""
        return {} if self.asks else {"patience": 0.0}


async def shown_to_the_end(  # noqa: PLR0913 - each is a word of its own
    environment: Mapping[str, str],
    session: AnySession,
    answer: Answering,
    output: Output,
    look: Look | None = None,
    *,
    after: int = 0,
    at: str = "",
) -> int:
    """The exit code of the exchange, once it is over or waits for an answer that nobody here can give.

    As JSON only events past the index `after` are printed: those before were printed by somebody else. `at` is the
    address of the server that it runs in, if that is elsewhere.
    """
    out, err = Terminal(sys.stdout, environment), Terminal(sys.stderr, environment)
    if output.as_json:
        followed = await follow(answer, session, _Lines(session.id, err, after))
    else:
        held = not (out.is_tty if output.stream is None else output.stream)
        notes = err if err.is_tty else None
        screen = Plain(out, notes, err, hold="value" if output.value else held, look=look)
        desk = place.desk(screen, out) if output.asks else None
        followed = await follow(answer, session, screen, desk)
    end, stop = followed
    if stop.by is not None and (end is None or not end.success):
        return stop.code
    if waiting := session.asks():
        painter = Painter(colour=err.colour, plain=not err.moves)
        err.lines(pending.told(session.row, waiting, err, painter, at))
        if end is None:
            return pending.CODE
    return _code(end)


class _Lines:
    """Every event as a JSON line. A reader that leaves is not missed: the exchange goes on."""

    def __init__(self, session_id: str, errors: Terminal, after: int) -> None:
        self._session_id = session_id
        self._errors = errors
        self._after = after
        self._gone = False

    def show(self, event: Event) -> None:
        if event.index <= self._after:
            return
        if isinstance(event.data, facts.ErrorMessage):
            self._errors.write(f"bottega: {' '.join(problem(event.data))}".strip() + "\n")
        if self._gone:
            return
        try:
            json_line(line(self._session_id, event))
            flush()
        except BrokenPipeError:
            self._gone = True
            leave(sys.stdout)

    def tick(self) -> None:
        """Nothing moves here."""

    def close(self) -> None:
        """Every line was flushed."""


def _code(end: facts.ExchangeResponse | None) -> int:
    """The exit code of an exchange that came to this end; None: its prompt was taken back."""
    if end is None or end.stop_reason == "cancelled":
        return 130
    if end.success:
        return 0
    return LIMIT if end.stop_reason in ("limit", "max_tokens") else 1
