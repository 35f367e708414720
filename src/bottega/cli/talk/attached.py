"""A conversation with a session of a server: what others say in it is shown as it comes, like what is said here.

A lost connection is told in a line, and so is its return; nothing is missed in between.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

from bottega.approvals.mode import Mode
from bottega.cli.screen.clean import clean, one_line
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part
from bottega.cli.talk.conversation import Conversation
from bottega.cli.talk.turn import Turns
from bottega.cli.talk.typed import Interrupted, Reader
from bottega.cli.talk.who import Wish
from bottega.client import Remote, RemoteSession
from bottega.errors import NotFound, Problem
from bottega.events import facts
from bottega.sessions.told.views import said
from bottega.studio.answering import Answering
from bottega.studio.anywhere import AnySession

LINES = {"lost": "Connection lost, trying again…", "back": "Connected again."}


class News(NamedTuple):
    """Something that comes while a person may be typing."""

    line: str = ""
    exchange: str = ""
    """The id of an exchange that somebody else began."""


class Attached(Conversation):
    def __init__(self, remote: Remote, reader: Reader, terminal: Terminal, folder: Path) -> None:
        turns = Turns(terminal, steers=True)
        super().__init__(remote, reader, terminal, Wish("", "", folder), turns)
        self._remote = remote
        self._news: asyncio.Queue[News] = asyncio.Queue()
        self._reading: asyncio.Task[str | None] | None = None
        self._shown: set[str] = set()
        """The exchanges that were said, or shown, here."""

    def connection(self, word: Literal["lost", "back"]) -> None:
        """Tell what became of the connection, wherever the screen is now."""
        if self.turns.canvas:
            line = [("· ", "accent"), (LINES[word], "dim")]
            self.turns.canvas.put("note", self._painter.parts(line, self._terminal.width))
        else:
            self._news.put_nowait(News(line=LINES[word]))

    async def begin(self, name: str, *, new: bool) -> bool:
        """Go on with the session of that name, or the newest; or begin one. False if the person left."""
        rows = [] if name or new else await self._remote.sessions(1)
        if name or rows:
            return await self.resume(name or rows[0].id)
        try:
            self.session = await self._remote.start(folder=self._wish.folder)
        except NotFound:
            self.session = await self._remote.start()
            told = "This folder is in no project of the server (`bottega projects add` makes one of it)."
            self._say([(told, "accent")])
        row = self.session.row
        self._wish = Wish(row.model, row.agent, Path(row.folder), self.session.mode)
        self._say([(one_line(row.model or row.agent), "bold"), (" answers.", "")])
        self._say([(f"{self._at(Path(row.folder))} · /help lists the commands", "dim")])
        return True

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """While this lasts, what others say in the session is heard."""
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def _watch(self) -> None:
        """Follow whichever session is the conversation's."""
        while True:
            session = self.session
            if not isinstance(session, RemoteSession):
                await asyncio.sleep(0.1)
                continue
            following = asyncio.create_task(self._hear(session))
            while not following.done() and self.session is session:
                await asyncio.wait({following}, timeout=0.2)
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following

    async def _hear(self, session: RemoteSession) -> None:
        try:
            async for event in session.follow(session.row.last_index):
                begun = isinstance(event.data, facts.UserMessage) and not event.data.steer
                if begun and event.message_id not in self._shown:
                    self._news.put_nowait(News(exchange=event.message_id))
        except Problem as problem:
            self._news.put_nowait(News(line=str(problem)))
            await asyncio.Event().wait()
        self._news.put_nowait(News(line="This session was deleted."))
        self.session = None

    async def _read(self) -> str | None:
        """The next thing said; what comes meanwhile is shown, and what was typed so far is kept."""
        while True:
            if self._reading is None:
                if self._terminal.moves:
                    self._terminal.write("\n")
                self._reader.mode = self.mode
                self._reading = asyncio.create_task(self._reader.read())
            coming = asyncio.create_task(self._news.get())
            await asyncio.wait({self._reading, coming}, return_when=asyncio.FIRST_COMPLETED)
            if self._reading.done():
                if coming.done():
                    self._news.put_nowait(coming.result())
                coming.cancel()
                reading, self._reading = self._reading, None
                return reading.result()
            if self._reader.interrupt():
                with suppress(Interrupted):
                    await self._reading
                self._reading = None
            if not await self._tell(coming.result()):
                return None

    async def _tell(self, news: News) -> bool:
        """Show it; False if the person left meanwhile."""
        if news.line:
            self._say([("· ", "accent"), (news.line, "dim")])
        if not news.exchange or news.exchange in self._shown or self.session is None:
            return True
        self._shown.add(news.exchange)
        answer = self._session.exchange(news.exchange, wait=self.turns.asks)
        return await self._watched(self._session, answer)

    async def _watched(self, session: AnySession, answer: Answering) -> bool:
        return await self.turns.follow(session, answer, prompt=self._prompted)

    def _prompted(self, message: facts.UserMessage) -> list[str]:
        words = clean(said(message.content)).replace("\n", "\n  ")
        return self._painter.parts([("› ", "prompt"), (words, "bold")], self._terminal.width)

    @property
    def _session(self) -> RemoteSession:
        assert isinstance(self.session, RemoteSession)
        return self.session

    def _follows_on(self, session: AnySession) -> bool:
        """Whatever runs, and whoever began it, is shown as it goes on."""
        assert isinstance(session, RemoteSession)
        self._shown.update(session.under_way[:1])
        return True

    async def _prompt(self, text: str) -> bool:
        if self.session is None:
            self.session = await self._remote.start(
                model=self._wish.model, agent=self._wish.agent, folder=self._wish.folder
            )
        answer = self.session.prompt(text, wait=self.turns.asks)
        self._shown.add(answer.message_id)
        return await self.turns.follow(self.session, answer)

    def farewell(self) -> None:
        if self.session:
            told = f"The session goes on. Come back with: bottega attach {self.session.id[-8:]}"
            self._say([(told, "dim")])

    async def _found(self, session_id: str) -> RemoteSession:
        return await self._remote.resume(await self._remote.named(session_id))

    @property
    def mode(self) -> Mode:
        return self.session.mode if self.session else self._wish.mode

    def _held(self) -> list[Part]:
        return [("This agent does no more than its own mode allows.", "")]

    async def choose(self, name: str) -> None:
        if not name:
            self._say([(one_line(self._wish.model), "bold"), (" answers.", "")])
            return
        if self.session:
            await self.session.change_model(name)
        self._wish.model = name
        self._say([(one_line(name), "bold"), (" answers from now on.", "")])

    async def choose_agent(self, name: str, *, all_: bool = False) -> None:
        if all_:
            found = await self._remote.agents()
            widest = max((len(each.slug) for each in found), default=0)
            for each in found:
                told = one_line(each.description, max(20, self._terminal.width - widest - 6))
                self._say([(f"  {each.slug.ljust(widest)}  ", "bold"), (told, "")])
            return
        if not name:
            self._say(
                [(one_line(self._wish.agent), "bold"), (" works. /agents lists who can.", "")]
            )
            return
        if self.session:
            await self.session.change_agent(name)
            self._wish.model = self.session.row.model
        self._wish.agent = name
        self._say([(one_line(name), "bold"), (" works from now on.", "")])
