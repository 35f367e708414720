"""The logs of a session here and of the one that answers there, as bytes."""

from collections.abc import Iterable

from bottega import Studio
from bottega.events.event import Event
from bottega.studio.session import Session
from bottega.workers.far.taking import LEFT
from tests.server.serving import Serving

OWN = ("prompt_queued", "user_message", "remote_started", "conversation_retrying", *LEFT)
"""What each log tells by itself."""


async def log_here(session: Session) -> list[bytes]:
    rows = await session._opened.runtime.log.page(session.row.n, 0, 10_000)  # pyright: ignore[reportPrivateUsage]
    return [bytes(body) for _, body in rows]


async def log_there(server: Serving, session_id: str) -> list[bytes]:
    async with Studio(server.home, runs=False) as studio:
        return await log_here(studio.find(session_id))


def there(events: Iterable[Event]) -> str:
    """The session that answered."""
    return next(event.data.session_id for event in events if event.type == "remote_started")


def carried(bodies: Iterable[bytes], *without: str) -> list[bytes]:
    """What both logs hold, to the byte."""
    begins = tuple(f'{{"type":"{each}"'.encode() for each in (*OWN, *without))
    return [body for body in bodies if not body.startswith(begins)]
