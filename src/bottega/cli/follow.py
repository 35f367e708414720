"""An exchange, shown to its end: events go to the screen, asks to the person, signals stop it."""

import asyncio
from typing import NamedTuple

from bottega.cli.asking.desk import Desk
from bottega.cli.asking.reception import Reception
from bottega.cli.logs import Lines
from bottega.cli.screen.live import FRAME
from bottega.cli.screen.plain import Screen
from bottega.cli.signals import Stop, stoppable
from bottega.events import facts
from bottega.studio.answering import Answering
from bottega.studio.anywhere import AnySession


class Followed(NamedTuple):
    end: facts.ExchangeResponse | None
    """None: it waits for an answer, or its prompt was taken back."""
    stop: Stop


async def follow(
    answer: Answering, session: AnySession, screen: Screen, desk: Desk | None = None
) -> Followed:
    """Show every event. With a `desk` somebody is there to be asked; a second Ctrl-C no longer waits for the end."""
    reception = Reception(session, desk) if desk else None
    stages = Lines()
    end: facts.ExchangeResponse | None = None
    with stoppable(answer, lambda: bool(reception and reception.waits)) as stop:
        moving = asyncio.create_task(_move(screen))
        try:
            async for event in answer:
                stages.note(event)
                screen.show(event)
                if reception:
                    reception.see(event)
                if isinstance(event.data, facts.ExchangeResponse):
                    end = event.data
        except asyncio.CancelledError:
            if not stop.at_once:
                raise
        finally:
            moving.cancel()
            if reception:
                await reception.close()
            screen.close()
    return Followed(end, stop)


async def _move(screen: Screen) -> None:
    while True:
        await asyncio.sleep(FRAME)
        screen.tick()
