"""A session here whose agent is behind an address: its prompts are answered there, and the events are the same."""

from pathlib import Path

import pytest

from bottega import Studio
from bottega.events.event import Event
from bottega.studio.session import Session
from bottega.workers.far.carrying import LEFT
from tests.remote.conftest import Hire
from tests.server.serving import Serving

SAY = {"do": "say", "text": "All is well.", "pieces": 3}
LOOK = {"do": "call", "name": "list_dir", "input": {}}
WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": "1\n"}}


async def bodies_here(session: Session) -> list[bytes]:
    rows = await session._opened.runtime.log.page(session.row.n, 0)
    return [bytes(body) for _, body in rows]


async def bodies_there(server: Serving, session_id: str) -> list[bytes]:
    async with Studio(server.home, runs=False) as studio:
        return await bodies_here(studio.find(session_id))


def started(events: list[Event]) -> str:
    return next(event.data.session_id for event in events if event.type == "remote_started")


@pytest.mark.requirement("N03", "C14")
async def test_an_agent_behind_an_address_answers_in_a_session_here_and_its_facts_are_the_same(
    shared: Serving, here: Path, folder: Path, hire: Hire
) -> None:
    agent = hire(shared, [SAY, LOOK], [SAY])
    async with Studio(here, agents=[agent]) as studio:
        session = await studio.start(agent="afar", folder=folder)
        seen = [event async for event in session.prompt("go")]
        assert seen[-1].type == "exchange_response"
        assert seen[-1].data.final_response == "All is well."
        mine = await bodies_here(session)
    theirs = await bodies_there(shared, started(seen))
    own = ("prompt_queued", "user_message", "remote_started")
    kinds = [f'{{"type":"{each}"'.encode() for each in (*own, *LEFT)]
    carried = [body for body in theirs if not body.startswith(tuple(kinds))]
    assert [body for body in mine if not body.startswith(tuple(kinds))] == carried
    assert len(carried) > 8
