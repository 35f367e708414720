"""`bottega events`: the log of a session, every fact and what is folded from it."""

from collections.abc import AsyncIterator

import click
import msgspec

from bottega.cli import start
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.output import flush, json_line
from bottega.cli.screen.page import Page
from bottega.events import fold
from bottega.events.codec import decode, line
from bottega.events.event import Event
from bottega.runtime import Runtime
from bottega.studio import Studio


@click.command("events")
@click.argument("session")
@click.option("--after", type=click.IntRange(0), default=0, help="Only what follows this index.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("-f", "--follow", is_flag=True, help="Go on with what happens from now on.")
def command(session: str, after: int, as_json: bool, follow: bool) -> None:
    """Print everything that happened in a session.

    Each line has the event's index; what is derived from a fact has the fact's index and a number of its own.
    """
    start.run(_events(start.studio_of(), session, after, as_json, follow))


async def _events(studio: Studio, session_id: str, after: int, as_json: bool, follow: bool) -> None:
    async with studio:
        runtime = studio.runtime
        row = runtime.sessions.get(session_id)
        page = Page(studio.settings.environment)
        async for event in _seen(runtime, row.n, after, follow):
            if as_json:
                json_line(line(row.id, event))
            else:
                _print(event, page)
            if follow:
                flush()


async def _seen(runtime: Runtime, n: int, after: int, follow: bool) -> AsyncIterator[Event]:
    """Every event past the cursor; the fold begins where it is empty, so that nothing is derived wrongly."""
    state, log = fold.EMPTY, runtime.log
    cursor = log.fold_start(n, after)
    while rows := await log.page(n, cursor):
        for index, body in rows:
            state, seen = fold.step(state, decode(index, body))
            for event in seen if index > after else ():
                yield event
        cursor = rows[-1][0]
    if not follow:
        return
    async for frame in log.follow(n, cursor):
        for index, body in frame.events:
            state, seen = fold.step(state, decode(index, body))
            for event in seen:
                yield event


def _print(event: Event, page: Page) -> None:
    place = f"{event.index}" if not event.sub else f"{event.index}{event.sub:+d}"
    style = "dim" if event.sub else ""
    said = _told(event)
    room = max(20, page.width - 44) if page.terminal.is_tty else 0
    page.say(
        (f"{place:>8} ", "dim"),
        (f"{event.type:<30} ", style),
        (f"{event.step:>2} " if event.step else "   ", "dim"),
        (one_line(said, room), style),
    )


def _told(event: Event) -> str:
    if isinstance(event.data, msgspec.Raw):
        return bytes(event.data).decode("utf-8", "replace")
    said = msgspec.json.encode(event.data).decode("utf-8", "replace")
    return "" if said == "{}" else said
