"""Clients that know neither tabs nor indexes: they send words, and get their exchange in simple words.

Their tab is implicit: it lives as long as the socket, and goes on with its session for as long as they stay in the same
project and container. Nothing of it is stored but the session itself, whose id every word carries.
"""

from collections.abc import Awaitable, Callable
from weakref import WeakKeyDictionary

from bottega.accounts.people import Person
from bottega.ids import fresh_message
from bottega.messages.block import Text
from bottega.server.hub import frames
from bottega.server.hub.following import follow_simply
from bottega.server.hub.socket import Socket
from bottega.server.hub.tabbing import Tabbing
from bottega.server.simple import Simple, piece_of
from bottega.sessions.inbox import Prompt
from bottega.sessions.session import SessionRow
from bottega.studio import Studio
from bottega.studio.session import Session


class Simply:
    def __init__(
        self, studio: Studio, tabbing: Tabbing, seen: Callable[[Person], Awaitable[None]]
    ) -> None:
        self._studio = studio
        self._tabbing = tabbing
        self._seen = seen
        self._implicit: WeakKeyDictionary[Socket, SessionRow] = WeakKeyDictionary()

    async def prompt(self, socket: Socket, frame: frames.Simple) -> None:
        """Run it in the implicit tab, and tell what comes of it."""
        await self._seen(socket.person)
        session = await self._session(socket, frame)
        self._implicit[socket] = session.row
        if frame.edit_mode:
            await session.change_mode(frame.edit_mode)
        message_id = frame.message_id or fresh_message()
        agent = frame.agent_id or ""
        admission = await session.admit(
            Prompt(message_id, (Text(frame.message),), agent=agent, attended=True)
        )
        runtime = self._studio.runtime
        simple = Simple(
            session.id, message_id, piece=piece_of(runtime.agent(agent or session.row.agent).type)
        )
        following = follow_simply(socket, session.row, admission.index - 1, runtime.log, simple)
        await socket.follow(message_id, following)

    async def _session(self, socket: Socket, frame: frames.Simple) -> Session:
        """The one that is named, else the implicit tab's, else a new one."""
        if frame.session_id:
            return self._studio.owned(frame.session_id, socket.person.n)
        folder = await self._tabbing.folder(
            socket.person, frame.project_id, frame.container_id or ""
        )
        row = self._implicit.get(socket)
        if row and row.folder == folder:
            return self._studio.owned(row.id, socket.person.n)
        return await self._studio.start(
            agent=frame.agent_id or "",
            folder=folder,
            mode=frame.edit_mode or "",
            owner=socket.person.n,
        )
