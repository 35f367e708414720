"""Asks: all that waits for me, in every session, and the answers."""

from typing import Annotated

from fastapi import APIRouter, Query

from bottega.server import speaking
from bottega.server.problems import responses
from bottega.server.shapes.talk.ask import Answered, AskList, AskShape, NewAnswer
from bottega.server.who import Asked, OwnAsk, Signed
from bottega.sessions.asked import page
from bottega.sessions.asks import Reply

router = APIRouter(prefix="/asks", tags=["asks"])


@router.get("")
async def list_asks(
    house: Asked,
    person: Signed,
    after: Annotated[int, Query(ge=0, le=2**53 - 1, description="The last page's `next`.")] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
    session_id: Annotated[str, Query(max_length=100, description="Of this session alone.")] = "",
) -> AskList:
    """What waits for an answer of yours, the oldest first; what a child asks is asked in the session at the top."""
    database = house.studio.runtime.database
    return AskList.of(await page(database, person.n, after, limit, session_id))


@router.get("/{ask_id}", responses=responses(404))
async def show_ask(house: Asked, ask: OwnAsk) -> AskShape:
    """With all that has to be seen to decide on it."""
    return AskShape.of(ask, house.studio.runtime.sessions.numbered(ask.session))


@router.post("/{ask_id}", responses=responses(404, 409, 507))
async def answer_ask(house: Asked, person: Signed, ask: OwnAsk, said: NewAnswer) -> Answered:
    """The first answer counts. Its hash must be that of what is asked: what was shown is what is decided on."""
    reply = Reply(said.word, said.note, said.input, said.grant)
    message_id = await speaking.answer(house, ask, person, reply, shown=said.hash, mode=said.mode)
    return Answered(id=ask.id, word=said.word, message_id=message_id)
