"""The demo: a session that shows what an agent does, before there is any key."""

import asyncio
import uuid
from pathlib import Path

from fastapi import APIRouter

from bottega.accounts.people import Person
from bottega.errors import Refused, StorageFailed
from bottega.messages.block import Text
from bottega.projects import demo
from bottega.providers.demo import PROMPT
from bottega.providers.vendors import DEMO
from bottega.server import speaking
from bottega.server.house import House
from bottega.server.problems import responses
from bottega.server.shapes.session import SessionShape
from bottega.server.who import Asked, Signed
from bottega.sessions.inbox import Prompt
from bottega.sessions.session import SessionRow

router = APIRouter(prefix="/demo", tags=["sessions"])

AGENT = "coder"
TITLE = "Demo: mend a failing test"


@router.post("", status_code=201, responses=responses(503, 507))
async def begin_demo(house: Asked, person: Signed) -> SessionShape:
    """A session that runs already, in a folder made for it. Its model is a script; tools, asks and files are real.

    While one goes on, it is that one. The folder of an earlier one is thrown away.
    """
    if not person.is_host and not house.projects.of(person.n):
        raise Refused(
            "You have no project, so nothing may be run for you here.",
            hint="Somebody at that machine adds one: `bottega projects add`.",
        )
    async with house.demo.hold(person.n):
        row = house.studio.runtime.sessions.under_way(person.n, DEMO) or await _begun(house, person)
    return SessionShape.of(row, house.projects.of(person.n))


async def _begun(house: House, person: Person) -> SessionRow:
    runtime = house.studio.runtime
    home = runtime.settings.home
    for earlier in house.projects.of(person.n):
        if demo.is_demo(home, earlier.folder):
            await house.studio.opened.remove(earlier)
            await asyncio.to_thread(demo.throw_away, home, earlier.folder)
    folder = await asyncio.to_thread(_made, home)
    project = await house.projects.add(folder, person.n, demo.NAME)
    session = await speaking.begin(
        house,
        person,
        project_id=project.id,
        agent=AGENT,
        model=DEMO,
        mode="ask",
        title=TITLE,
    )
    prompt = Prompt(str(uuid.uuid4()), (Text(PROMPT),), attended=True)
    await speaking.say(house, session, person, prompt)
    return runtime.sessions.get(session.id)


def _made(home: Path) -> Path:
    try:
        return demo.make(home)
    except OSError as error:
        raise StorageFailed(
            f"The demo's folder cannot be made beside {str(home)!r}: {error.strerror}.",
            hint="Make room there, or give Bottega another home.",
        ) from error
