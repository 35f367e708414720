"""What clients do with tabs: open, restore, show, hide and close them; only ever with those of their own person."""

from bottega.accounts.people import Person
from bottega.errors import BadUsage, Conflict
from bottega.server import speaking
from bottega.server.house import House
from bottega.server.hub import frames, told
from bottega.server.hub.cast import Casts
from bottega.server.hub.following import follow
from bottega.server.hub.freeing import Freeing
from bottega.server.hub.join import Joins
from bottega.server.hub.socket import Socket
from bottega.sessions.session import SessionRow
from bottega.sessions.tabs import Tabs, unknown
from bottega.share import Share
from bottega.studio.session import Session

LISTED_PER_FRAME = 10
"""Listing so many tabs counts as much as one frame more; each tab that is shown counts as one."""


class Tabbing:
    def __init__(self, house: House) -> None:
        self._house = house
        self._studio = studio = house.studio
        self._log = studio.runtime.log
        joins = Joins(self._log)
        self._ways = (joins, Casts(joins))
        self.tabs = Tabs(studio.runtime.database)
        self.freeing = Freeing(studio, self.tabs)
        self._restoring = Share(lambda: 1)

    def session_of(self, person: Person, tab_id: str) -> Session:
        """The session that this person's tab shows; another's tab is not found."""
        row = self.tabs.session_of(person.n, tab_id)
        if row is None:
            raise unknown(tab_id)
        return Session(self._studio.opened, row)

    async def new(self, socket: Socket, frame: frames.NewTab) -> None:
        """A tab on a new session, or on one that exists. The same frame again finds what it made."""
        session = await self._opened(socket.person, frame)
        if frame.session_id not in ("", session.id):
            raise Conflict(
                f"The tab {frame.tab_id!r} shows another session.",
                hint="Give each tab an id of its own.",
            )
        last = self._reached(session.row, frame.after)
        await socket.unfollow(frame.tab_id)
        await socket.answer(
            frame,
            told.SessionCreated(tab_id=frame.tab_id, session_id=session.id, last_index=last),
        )
        await self._follow(socket, frame.tab_id, session.row, frame.after)

    async def restore(self, socket: Socket, frame: frames.Restore) -> None:
        """List the tabs that are named, or all there are; each that is named goes on from its cursor."""
        named = {seen.tab_id: seen.last_seen for seen in frame.tabs}
        async with self._restoring.hold(socket.person.n):
            rows = await self.tabs.shown(socket.person.n, named)
        socket.charge(len(named) + len(rows) / LISTED_PER_FRAME)
        for tab_id in rows.keys() & named.keys():
            if (
                named[tab_id] > rows[tab_id].last_index
            ):  # what was just read may be older than what was sent
                self._reached(rows[tab_id], named[tab_id])
            await socket.unfollow(tab_id)
        shown = [_listed(tab_id, row) for tab_id, row in rows.items()]
        gone = [tab_id for tab_id in named if tab_id not in rows]
        await socket.answer(frame, told.Tabs(tabs=shown, gone=gone))
        for tab_id in rows.keys() & named.keys():
            await self._follow(socket, tab_id, rows[tab_id], named[tab_id])

    async def visible(self, socket: Socket, frame: frames.Visible) -> None:
        row = self.session_of(socket.person, frame.tab_id).row
        last = self._reached(row, frame.last_seen)
        await socket.unfollow(frame.tab_id)
        await socket.answer(
            frame, told.Visible(tab_id=frame.tab_id, session_id=row.id, last_index=last)
        )
        await self._follow(socket, frame.tab_id, row, frame.last_seen)

    async def hidden(self, socket: Socket, frame: frames.Hidden) -> None:
        self.session_of(socket.person, frame.tab_id)
        await socket.unfollow(frame.tab_id)
        await socket.answer(frame, told.Hidden(tab_id=frame.tab_id))

    async def close(self, socket: Socket, frame: frames.CloseTab) -> None:
        session = self.session_of(socket.person, frame.tab_id)
        _, last = await self.tabs.close(socket.person.n, frame.tab_id)
        await socket.unfollow(frame.tab_id)
        if last:
            self.freeing.begin(session)
        await socket.answer(
            frame, told.TabClosed(tab_id=frame.tab_id, session_id=session.id, last=last)
        )

    async def _opened(self, person: Person, frame: frames.NewTab) -> Session:
        if row := self.tabs.session_of(person.n, frame.tab_id):
            return Session(self._studio.opened, row)
        if frame.session_id:
            session = self._studio.owned(frame.session_id, person.n)
            await self.tabs.open(person.n, frame.tab_id, session.row.n)
            return session
        try:
            return await speaking.begin(
                self._house,
                person,
                project_id=frame.project_id,
                container=frame.container,
                agent=frame.agent,
                model=frame.model,
                mode=frame.mode,
                also=self.tabs.opening(person.n, frame.tab_id),
            )
        except Conflict:  # another socket of theirs opened the same tab at this moment
            return self.session_of(person, frame.tab_id)

    def _reached(self, row: SessionRow, cursor: int) -> int:
        """Where the log ends; refuse a cursor beyond it, from which something would be missed."""
        last = self._log.feed(row.n).last_index
        if cursor > max(last, row.last_index):
            raise BadUsage(
                f"The log of {row.id} ends at {max(last, row.last_index)}, before {cursor}.",
                hint="Give the last index that you have seen; 0 for none.",
            )
        return max(last, row.last_index)

    async def _follow(self, socket: Socket, tab_id: str, row: SessionRow, cursor: int) -> None:
        following = follow(socket, tab_id, row, cursor, self._log, self._ways)
        await socket.follow(tab_id, following, row.n)


def _listed(tab_id: str, row: SessionRow) -> told.OpenTab:
    return told.OpenTab(
        tab_id=tab_id,
        session_id=row.id,
        last_index=row.last_index,
        title=row.title,
        status=row.shown,
    )
