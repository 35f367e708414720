"""`bottega run`: one prompt, without a person at the keyboard."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from bottega.cli import start
from bottega.cli.logs import Stages
from bottega.cli.screen.notes import problem
from bottega.cli.screen.plain import Plain, Screen
from bottega.cli.screen.terminal import Terminal, leave
from bottega.cli.signals import stoppable
from bottega.errors import BadUsage
from bottega.events import facts
from bottega.events.codec import line
from bottega.events.event import Event
from bottega.studio import Answer, Session, Studio

LIMIT = 3


@click.command("run")
@click.argument("prompt", required=False)
@start.agent_options
@click.option("-s", "--session", help="Go on with this session instead of a new one.")
@click.option("--json", "as_json", is_flag=True, help="Print every event, one JSON object a line.")
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Print text as it comes, also what is said between tools.  [default: on a terminal]",
)
@click.option("--limits", help="How far it may go: default (50 model calls) or strict (8).")
@click.option("--effort", help="How hard the model thinks: none, minimal, low, medium, high, max.")
@click.option("--temperature", type=float, help="How freely the model chooses words.")
@click.option("--max-output", type=click.IntRange(1), help="The most tokens of one answer.")
def command(
    prompt: str | None,
    folder: Path | None,
    session: str | None,
    as_json: bool,
    stream: bool | None,
    **flags: Any,
) -> int:
    """Run one prompt to its end and print the answer.

    PROMPT is what to do; `-`, or nothing at all, reads it from standard input. Only the final answer goes to standard
    output. Ctrl-C, or a kill, stops the exchange properly: what was said so far is stored.

    Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a limit was reached, 130 stopped by Ctrl-C, 143 by a kill.
    """
    text = _read() if prompt in (None, "-") else str(prompt)
    if not text.strip():
        raise BadUsage("The prompt is empty.", hint="Say what the agent should do.")
    studio = start.studio_of(flags, start.place(folder, session))
    return start.run(_run(studio, Wish(text, session, folder, as_json, stream)))


class _Lines:
    """Every event as a JSON line. A reader that leaves is not missed: the exchange goes on."""

    def __init__(self, session_id: str, errors: Terminal) -> None:
        self._session_id = session_id
        self._errors = errors
        self._gone = False

    def show(self, event: Event) -> None:
        if isinstance(event.data, facts.ErrorMessage):
            self._errors.write(f"bottega: {' '.join(problem(event.data))}".strip() + "\n")
        if self._gone:
            return
        try:
            sys.stdout.buffer.write(line(self._session_id, event) + b"\n")
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            self._gone = True
            leave(sys.stdout)

    def tick(self) -> None:
        """Nothing moves here."""

    def close(self) -> None:
        """Every line was flushed."""


class Wish(msgspec.Struct, frozen=True):
    text: str
    session: str | None
    folder: Path | None
    as_json: bool
    stream: bool | None


def _screen(studio: Studio, session: Session, wish: Wish) -> Screen:
    environment = studio.settings.environment
    out, err = Terminal(sys.stdout, environment), Terminal(sys.stderr, environment)
    if wish.as_json:
        return _Lines(session.id, err)
    held = not (out.is_tty if wish.stream is None else wish.stream)
    return Plain(out, err if err.is_tty else None, err, hold=held)


async def _run(studio: Studio, wish: Wish) -> int:
    async with studio:
        session = await _session(studio, wish)
        chosen = studio.settings.source("model") == "flag"
        answer = session.prompt(wish.text, model=studio.settings.values.model if chosen else "")
        screen = _screen(studio, session, wish)
        with stoppable(answer) as stop:
            try:
                end = await _shown(answer, screen)
            except asyncio.CancelledError:
                if not stop.twice:
                    raise
                return stop.code
            finally:
                screen.close()
        if stop.by is not None and (end is None or not end.success):
            return stop.code
        return _code(end)


async def _session(studio: Studio, wish: Wish) -> Session:
    if wish.session:
        return await studio.resume(wish.session)
    return await studio.start(folder=wish.folder or Path())


async def _shown(answer: Answer, screen: Screen) -> facts.ExchangeResponse | None:
    """Show every event; return the end."""
    end: facts.ExchangeResponse | None = None
    stages = Stages()
    async for event in answer:
        stages.note(event)
        screen.show(event)
        if isinstance(event.data, facts.ExchangeResponse):
            end = event.data
    return end


def _code(end: facts.ExchangeResponse | None) -> int:
    """The exit code of an exchange that came to this end; None: its prompt was taken back."""
    if end is None or end.stop_reason == "cancelled":
        return 130
    if end.success:
        return 0
    return LIMIT if end.stop_reason in ("limit", "max_tokens") else 1


def _read() -> str:
    if sys.stdin.isatty():
        raise BadUsage(
            "There is no prompt.", hint='Write it after the command: bottega run "list the files".'
        )
    return sys.stdin.buffer.read().decode("utf-8", "replace")
