"""Prompts: say something to a session, change or take back what waits, stop what runs."""

from functools import partial

from fastapi import APIRouter

from bottega.errors import NotFound
from bottega.server import speaking
from bottega.server.problems import responses
from bottega.server.shapes.talk.prompt import (
    LISTED,
    Admitted,
    NewPrompt,
    PromptChange,
    PromptList,
    PromptShape,
    Stopped,
    blocks,
    prompt_of,
)
from bottega.server.who import Asked, OwnPrompt, OwnSession, Signed

router = APIRouter(prefix="/sessions/{session_id}/prompts", tags=["prompts"])


@router.post("", status_code=202, responses=responses(404, 409, 507))
async def send_prompt(
    house: Asked, person: Signed, session: OwnSession, said: NewPrompt
) -> Admitted:
    """It runs when its turn comes, whoever follows. The same again is the same prompt; another body is refused."""
    admission = await speaking.say(house, session, person, prompt_of(said), said.mode or "")
    return Admitted(message_id=said.message_id, index=admission.index, repeated=admission.repeated)


@router.get("", responses=responses(404))
async def list_prompts(house: Asked, person: Signed, session: OwnSession) -> PromptList:
    """What runs, then what waits, in the order in which it will run; of long ones the beginning."""
    inbox = house.studio.runtime.inbox
    shown = partial(PromptShape.of, person=person.n, most=LISTED)
    return PromptList(prompts=await inbox.listed(session.row, shown))


@router.get("/{message_id}", responses=responses(404))
async def show_prompt(
    house: Asked, person: Signed, session: OwnSession, message_id: OwnPrompt
) -> PromptShape:
    """One that runs or waits, with all its words."""
    shown = partial(PromptShape.of, person=person.n)
    for found in await house.studio.runtime.inbox.listed(session.row, shown, message_id):
        return found
    raise NotFound(f"The prompt {message_id!r} is over.", hint="The session's events have it.")


@router.patch("/{message_id}", responses=responses(404, 409, 507))
async def change_prompt(
    house: Asked, person: Signed, session: OwnSession, message_id: OwnPrompt, change: PromptChange
) -> PromptList:
    """Say it otherwise, or give it another place, while it waits."""
    if change.content is not None:
        await session.edit(message_id, blocks(change.content))
    if change.place is not None:
        await house.studio.runtime.inbox.place(session.row, message_id, change.place)
    return await list_prompts(house, person, session)


@router.delete("/{message_id}", responses=responses(404))
async def stop_prompt(session: OwnSession, message_id: OwnPrompt) -> Stopped:
    """Take it back if it waits; stop it if it runs."""
    return Stopped(stopped=await session.cancel(message_id))
