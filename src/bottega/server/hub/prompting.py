"""What clients say in their tabs: prompts, cancels and answers. Each is authorised for the thing that it names."""

from collections.abc import Awaitable, Callable

from bottega.accounts.people import Person
from bottega.errors import Conflict, NotFound
from bottega.messages.block import Text
from bottega.server.hub import frames, told
from bottega.server.hub.socket import Socket
from bottega.server.hub.tabbing import Tabbing
from bottega.sessions.asks import Ask
from bottega.sessions.inbox import Prompt
from bottega.studio import Studio
from bottega.studio.session import Session

Seen = Callable[[Person], Awaitable[None]]


class Prompting:
    def __init__(self, studio: Studio, tabbing: Tabbing, seen: Seen) -> None:
        self._studio = studio
        self._tabbing = tabbing
        self._seen = seen

    async def prompt(self, socket: Socket, frame: frames.Prompt) -> None:
        session = self._tabbing.session_of(socket.person, frame.tab_id)
        await self._works_there(socket.person, session, frame)
        await self._seen(socket.person)
        if frame.mode:
            await session.change_mode(frame.mode)
        admission = await session.admit(
            Prompt(
                frame.message_id,
                (Text(frame.text),),
                frame.model,
                frame.agent,
                steer=frame.steer,
                attended=True,
            )
        )
        await socket.answer(
            frame,
            told.Accepted(
                tab_id=frame.tab_id,
                session_id=session.id,
                message_id=frame.message_id,
                index=admission.index,
                repeated=admission.repeated,
            ),
        )

    async def cancel(self, socket: Socket, frame: frames.Cancel) -> None:
        session = self._tabbing.session_of(socket.person, frame.tab_id)
        found = await session.cancel(frame.message_id)
        await socket.answer(
            frame, told.Cancelled(tab_id=frame.tab_id, message_id=frame.message_id, found=found)
        )

    async def answer(self, socket: Socket, frame: frames.Answer) -> None:
        session = self._tabbing.session_of(socket.person, frame.tab_id)
        await session.answer(
            self._ask(session, frame.ask_id),
            frame.word,
            note=frame.note,
            input=frame.input,
            grant=frame.grant,
            shown=frame.hash,
        )
        await socket.answer(frame, told.Answered(tab_id=frame.tab_id, ask_id=frame.ask_id))

    def _ask(self, session: Session, ask_id: str) -> Ask:
        """The ask of exactly that id in this session; another session's is not found."""
        ask = self._studio.runtime.asks.exactly(ask_id)
        if ask is None or ask.session != session.row.n:
            raise NotFound(f"There is no ask {ask_id!r} here.")
        return ask

    async def _works_there(self, person: Person, session: Session, frame: frames.Prompt) -> None:
        """Where the prompt names a project, it must be theirs, and the one that the session works in."""
        if not frame.project_id and not frame.container:
            return
        folder = await self._tabbing.folder(person, frame.project_id, frame.container)
        if folder != session.row.folder:
            raise Conflict(
                "The session of this tab works in another folder.",
                hint="Open a new tab for another project or container.",
            )
