"""Clients that know neither tabs nor indexes: they send words, and get their exchange in simple words.

Their tab is implicit: it lives as long as the socket, and goes on with its session for as long as they stay in the same
project and container. Nothing of it is stored but the session itself, whose id every word carries.
"""

from weakref import WeakKeyDictionary

from bottega.ids import fresh_message
from bottega.messages.block import Text
from bottega.server import speaking
from bottega.server.house import House
from bottega.server.hub import frames
from bottega.server.hub.following import follow_simply
from bottega.server.hub.socket import Socket
from bottega.sessions.inbox import Prompt
from bottega.sessions.session import SessionRow
from bottega.studio.session import Session


class Simply:
    def __init__(self, house: House) -> None:
        self._house = house
        self._implicit: WeakKeyDictionary[Socket, SessionRow] = WeakKeyDictionary()

    async def prompt(self, socket: Socket, frame: frames.Simple) -> None:
        """Run it in the implicit tab, and tell what comes of it."""
        await self._house.seen(socket.person)
        session = await self._session(socket, frame)
        self._implicit[socket] = session.row
        message_id = frame.message_id.lower() or fresh_message()
        agent = frame.agent_id or ""
        prompt = Prompt(message_id, (Text(frame.message),), agent=agent, attended=True)
        mode = frame.edit_mode or ""
        admission = await speaking.say(self._house, session, socket.person, prompt, mode)
        simple = speaking.simply(self._house, session, prompt)
        log = self._house.studio.runtime.log
        following = follow_simply(socket, session.row, admission.index - 1, log, simple)
        await socket.follow(message_id, following)

    async def _session(self, socket: Socket, frame: frames.Simple) -> Session:
        """The one that is named, else the implicit tab's, else a new one."""
        person, studio = socket.person, self._house.studio
        if frame.session_id:
            return studio.owned(frame.session_id, person.n)
        container = frame.container_id or ""
        project, inside = await speaking.place_for(self._house, person, frame.project_id, container)
        row = self._implicit.get(socket)
        if row and (row.project, row.container) == (project.n, inside):
            return studio.owned(row.id, person.n)
        return await speaking.begin(
            self._house,
            person,
            project_id=frame.project_id,
            container=container,
            agent=frame.agent_id or "",
            mode=frame.edit_mode or "",
            first=frame.message_id.lower(),
        )
