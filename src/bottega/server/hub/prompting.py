"""What clients say in their tabs: prompts, cancels and answers. Each is authorised for the thing that it names."""

from bottega.accounts.people import Person
from bottega.errors import Conflict, NotFound
from bottega.messages.block import Text
from bottega.server import speaking
from bottega.server.house import House
from bottega.server.hub import frames, told
from bottega.server.hub.socket import Socket
from bottega.server.hub.tabbing import Tabbing
from bottega.sessions.asks import Ask, Reply
from bottega.sessions.inbox import Prompt
from bottega.studio.session import Session


class Prompting:
    def __init__(self, house: House, tabbing: Tabbing) -> None:
        self._house = house
        self._tabbing = tabbing

    async def prompt(self, socket: Socket, frame: frames.Prompt) -> None:
        session = self._tabbing.session_of(socket.person, frame.tab_id)
        await self._works_there(socket.person, session, frame)
        await self._house.seen(socket.person)
        prompt = Prompt(
            frame.message_id.lower(),
            (Text(frame.text),),
            frame.model,
            frame.agent,
            steer=frame.steer,
            attended=True,
        )
        admission = await speaking.say(self._house, session, socket.person, prompt, frame.mode)
        await socket.answer(
            frame,
            told.Accepted(
                tab_id=frame.tab_id,
                session_id=session.id,
                message_id=prompt.message_id,
                index=admission.index,
                repeated=admission.repeated,
            ),
        )

    async def cancel(self, socket: Socket, frame: frames.Cancel) -> None:
        session = self._tabbing.session_of(socket.person, frame.tab_id)
        found = await session.cancel(frame.message_id.lower())
        await socket.answer(
            frame, told.Cancelled(tab_id=frame.tab_id, message_id=frame.message_id, found=found)
        )

    async def answer(self, socket: Socket, frame: frames.Answer) -> None:
        session = self._tabbing.session_of(socket.person, frame.tab_id)
        ask = self._ask(session, frame.ask_id)
        reply = Reply(frame.word, frame.note, frame.input, frame.grant)
        message_id = await speaking.answer(
            self._house, ask, socket.person, reply, shown=frame.hash, mode=frame.mode
        )
        await socket.answer(
            frame,
            told.Answered(tab_id=frame.tab_id, ask_id=ask.id, message_id=message_id),
        )

    def _ask(self, session: Session, ask_id: str) -> Ask:
        """The ask of exactly that id in this session; another session's is not found."""
        ask = self._house.studio.runtime.asks.exactly(ask_id)
        if ask is None or ask.session != session.row.n:
            raise NotFound(
                f"There is no ask {ask_id!r} here.", hint="GET /api/asks lists what waits for you."
            )
        return ask

    async def _works_there(self, person: Person, session: Session, frame: frames.Prompt) -> None:
        """Where the prompt names a project, it must be theirs, and the one that the session works in."""
        if not frame.project_id and not frame.container:
            return
        project, inside = await speaking.place_for(
            self._house, person, frame.project_id, frame.container
        )
        if (project.n, inside) != (session.row.project, session.row.container):
            raise Conflict(
                "The session of this tab works in another folder.",
                hint="Open a new tab for another project or container.",
            )
