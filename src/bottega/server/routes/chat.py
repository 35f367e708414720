"""One request, one answer as a stream of simple events: for clients that know nothing of logs and cursors."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Header, Response

from bottega.accounts.people import Person
from bottega.ids import fresh_message
from bottega.messages.block import Text
from bottega.server import speaking, sse
from bottega.server.house import House
from bottega.server.problems import responses
from bottega.server.shapes.talk.chat import ChatRequest
from bottega.server.simple import Simple
from bottega.server.who import Asked, Calling
from bottega.sessions.feed import Frame
from bottega.sessions.inbox import Prompt
from bottega.studio.session import Session

router = APIRouter(prefix="/chat/agent", tags=["chat"])

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events; `data` is a SimpleEvent, and the last one is `complete`.",
        "content": {sse.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/EventStream"}}},
    }
}


@router.post("/stream", response_class=Response, responses={**_STREAM, **responses(404, 409, 507)})
async def stream_agent(
    house: Asked,
    caller: Calling,
    said: ChatRequest,
    last_event_id: Annotated[str, Header(pattern=r"^[0-9]{0,16}$")] = "",
) -> Response:
    """Say something and follow what comes of it. Whoever goes away stops nothing."""
    person = caller.person
    house.followers.refuse_too_many(person.n)
    session = await _session(house, person, said)
    message_id = said.message_id or fresh_message()
    prompt = Prompt(message_id, (Text(said.message),), agent=said.agent_id or "", attended=True)
    admission = await speaking.say(house, session, person, prompt, said.edit_mode or "")
    simple = speaking.simply(house, session, prompt)
    seen = int(last_event_id or 0)

    def shown(frame: Frame) -> Iterator[bytes]:
        return _messages(simple, frame, seen)

    async def speak(write: sse.Write) -> None:
        log = house.studio.runtime.log
        start = admission.index - 1
        n = session.row.n
        with house.followers.counted(person.n):
            if not await sse.follow(log, n, start, write, shown, lambda: simple.ended):
                await write(_deleted(session.id, message_id))

    signed_in = partial(house.proofs.signed_in, caller.words, caller.kind)
    return sse.Stream(speak, house.closing, signed_in)


async def _session(house: House, person: Person, said: ChatRequest) -> Session:
    if said.session_id:
        return house.studio.owned(said.session_id, person.n)
    return await speaking.begin(
        house,
        person,
        project_id=said.project_id or "",
        container=said.container_id or "",
        agent=said.agent_id or "",
        mode=said.edit_mode or "",
        first=said.message_id or "",
    )


def _messages(simple: Simple, frame: Frame, seen: int) -> Iterator[bytes]:
    for index, body in frame.events:
        told = simple.step(index, body)
        if index > seen:
            for each in told:
                # Of several events of one fact only the last has an id: who comes back has all of them, or none.
                yield sse.message(msgspec.json.encode(each), index=index if each is told[-1] else 0)


def _deleted(session_id: str, message_id: str) -> bytes:
    named = {"session_id": session_id, "message_id": message_id, "index": 0}
    gone = {"type": "error", "error": "The session was deleted.", "code": "not_found", "hint": ""}
    end = {
        "type": "complete",
        "success": False,
        "iterations": 0,
        "final_response": "",
        "completion_reason": "user_stopped",
    }
    return b"".join(sse.message(msgspec.json.encode({**each, **named})) for each in (gone, end))
