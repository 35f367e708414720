"""What people do to sessions over any of the server's ways in: begin one, say something, answer an ask.

HTTP, simple clients and the socket all come through here, so that each of them admits, attributes and refuses alike.
"""

import asyncio
import uuid
from typing import Any, Literal

import msgspec

from bottega.accounts.people import Person
from bottega.agents.output import checked
from bottega.approvals.mode import Mode
from bottega.errors import Conflict, NotFound
from bottega.projects.projects import Project
from bottega.server.house import House
from bottega.server.simple import Simple, piece_of
from bottega.sessions import plans
from bottega.sessions.asks import Ask, Reply
from bottega.sessions.inbox import Admission, Prompt, Speaker
from bottega.sessions.session import Also
from bottega.studio.session import Session


def speaker(person: Person) -> Speaker:
    return Speaker(person.n, person.id)


def project_of(house: House, person: Person, project_id: str = "") -> Project:
    """The project of that id, if it is this person's; without one, the first that is."""
    if project_id:
        return house.projects.owned(project_id, person.n)
    own = house.projects.of(person.n)
    if not own:
        raise NotFound(
            "You have no project.",
            hint="Somebody at that machine adds one: `bottega projects add`.",
        )
    return own[0]


async def place_for(
    house: House, person: Person, project_id: str, container: str
) -> tuple[Project, str]:
    """Where a session of that person works; refuses what is not theirs."""
    project = project_of(house, person, project_id)
    return project, await asyncio.to_thread(house.folders.container, project, container)


async def begin(  # noqa: PLR0913 - each is a word of its own
    house: House,
    person: Person,
    *,
    project_id: str = "",
    container: str = "",
    agent: str = "",
    model: str = "",
    mode: Mode | Literal[""] = "",
    title: str = "",
    first: str = "",
    also: Also | None = None,
) -> Session:
    """A new session in a folder of the person's project.

    `first` is the id of the prompt that it is begun for, if it is: sent again, it leads to the same session. `also` is
    stored with it, or neither is.
    """
    project, inside = await place_for(house, person, project_id, container)
    named = f"ses_{uuid.uuid5(uuid.NAMESPACE_OID, f'{person.id}/{first}').hex}" if first else ""
    return await house.studio.start(
        model=model,
        agent=agent,
        project=project,
        container=inside,
        title=title.strip(),
        mode=mode,
        owner=person.n,
        session_id=named,
        also=also,
    )


async def say(
    house: House, session: Session, person: Person, prompt: Prompt, mode: Mode | Literal[""] = ""
) -> Admission:
    """Admit a prompt of this person's; it runs whoever follows."""
    if prompt.schema is not None:
        doer = house.studio.runtime.agent(prompt.agent or session.row.agent, person.n)
        schema = await asyncio.to_thread(checked, prompt.schema, doer)
        prompt = msgspec.structs.replace(prompt, schema=schema)
    return await session.admit(prompt, mode, speaker(person))


async def answer(
    house: House,
    ask: Ask,
    person: Person,
    reply: Reply,
    *,
    shown: str,
    mode: Mode = "ask",
) -> str:
    """Answer an ask; what waited for it goes on. Returns the id of the exchange that does.

    `shown` is the hash of what the person saw. A plan that is accepted is carried out in the mode.
    """
    runtime = house.studio.runtime
    row = runtime.sessions.numbered(ask.session)
    runtime.folders.project_of(row)
    if reply.note or reply.input:  # a bare word is always heard: it may end what fills the disk
        await runtime.per_person.admit(row.owner, reply.note, reply.input)
    reply = msgspec.structs.replace(reply, person=person.id)
    message_id = ask.message_id
    if ask.kind == "plan" and reply.word == "accept":
        if shown != ask.asked.hash or ask.reply:
            raise Conflict("This is no longer the plan that waits.", hint="Look at it again.")
        message_id = await plans.accept(
            runtime.asks,
            row,
            mode,
            reply.note,
            "server",
            agent=runtime.doer(row.agent, row.owner),
            speaker=speaker(person),
            plan=ask.id,
        )
    else:
        await runtime.asks.answer(ask.id, reply, shown=shown)
    house.studio.opened.attend(row)
    return message_id


def simply(house: House, session: Session, prompt: Prompt) -> Simple:
    """What becomes of this prompt, in simple words."""
    runtime = house.studio.runtime

    def arguments(ask_id: str) -> dict[str, Any] | None:
        ask = runtime.asks.exactly(ask_id)
        return ask.input if ask else None

    doer = runtime.agent(prompt.agent or session.row.agent, session.row.owner)
    return Simple(session.id, prompt.message_id, piece=piece_of(doer.type), arguments=arguments)
