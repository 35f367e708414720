"""The turns of a conversation: read a line, run it as a prompt or obey it as a command, until the person leaves.

It does not know where its studio is. What needs more than the studio's common words, such as who can be chosen, is
said by the conversations that are made of it: `AtHome` and `Attached`.
"""

from abc import ABC, abstractmethod
from pathlib import Path

from bottega.approvals.mode import Mode, checked_mode
from bottega.cli.screen import diff
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import ago
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part
from bottega.cli.screen.transcript import drawn, last_exchanges
from bottega.cli.talk import listing, room, slash
from bottega.cli.talk.turn import Turns
from bottega.cli.talk.typed import Reader
from bottega.cli.talk.who import Wish
from bottega.cli.talk.words import MODES, short
from bottega.errors import Problem
from bottega.sessions.session import now
from bottega.sessions.told import transcript
from bottega.studio.answering import Answering
from bottega.studio.anywhere import AnySession, AnyStudio

RECALLED = 3
"""Exchanges that are shown when a session is gone on with."""
LISTED = 10
SHOWN = 60
"""Lines of what a session changed, unless one file is asked for."""


class Conversation(ABC):
    def __init__(
        self, studio: AnyStudio, reader: Reader, terminal: Terminal, wish: Wish, turns: Turns
    ) -> None:
        self._place = studio
        self._reader = reader
        self._terminal = terminal
        self._painter = Painter(colour=terminal.colour, plain=not terminal.moves)
        self._wish = wish
        self.turns = turns
        self.session: AnySession | None = None

    @property
    @abstractmethod
    def mode(self) -> Mode:
        """How much is done unasked."""

    @abstractmethod
    async def choose(self, name: str) -> None:
        """Have another model answer from now on, or say which one does."""

    @abstractmethod
    async def choose_agent(self, name: str, *, all_: bool = False) -> None:
        """Have another agent work from now on, or say which one does, or who can."""

    @abstractmethod
    async def _found(self, session_id: str) -> AnySession:
        """The session of that id, so that it can be gone on with."""

    @abstractmethod
    def _held(self) -> list[Part]:
        """What to say to a mode that the agent does not take part in."""

    async def resume(self, session_id: str, mode: Mode | None = None) -> bool:
        """Go on with a session: show its last exchanges, then what still waits in it; False if the person left."""
        self.session = session = await self._found(session_id)
        if mode:
            await session.change_mode(mode)
        row = session.row
        goes_on = session.resume(wait=self.turns.asks) if self._follows_on(session) else None
        self._wish = Wish(row.model, row.agent, Path(row.folder), session.mode)
        self._say(
            [(one_line(row.title) or "(no title)", "bold"), (f" · {row.model or row.agent}", "")]
        )
        begun = f"begun {ago(row.created_at, now())}"
        self._say([(f"{self._at(Path(row.folder))} · {begun}", "dim")])
        await self._recall(session, goes_on.message_id if goes_on else "")
        if goes_on:
            return await self._watched(session, goes_on)
        if row.status != "idle":
            self._say([("Another program works in this session; what you say waits.", "accent")])
        return await self.turns.planned(session)

    async def _watched(self, session: AnySession, answer: Answering) -> bool:
        """Show an exchange that was begun before; False if the person left."""
        return await self.turns.follow(session, answer)

    def _follows_on(self, session: AnySession) -> bool:
        """Whether what is under way in a session is shown as it goes on."""
        asked = any(ask.kind != "plan" for ask in session.asks())
        return asked or session.row.status == "waiting"

    def _at(self, folder: Path) -> str:
        """Where, and who works there if it is not the usual agent."""
        agent = self._wish.agent
        return short(folder) + ("" if agent == "assistant" else f" · {one_line(agent)}")

    async def _recall(self, session: AnySession, without: str) -> None:
        """The last exchanges, but for one that will be shown as it goes on."""
        items = transcript.transcript(
            each for each in await session.tail() if each.message_id != (without or "-")
        )
        shown = drawn(last_exchanges(items, RECALLED), self._painter, self._terminal.width)
        self._lines(["", *shown] if shown else [])

    async def go_on(self) -> None:
        """Take turns until the person leaves."""
        while True:
            line = await self._read()
            if line is None:
                return
            if not line.strip():
                continue
            try:
                await self._change_mode(self._reader.mode)
                if not await self._take(line):
                    return
            except Problem as problem:
                self._fail(problem)

    async def _read(self) -> str | None:
        """The next thing said; None when the person leaves."""
        if self._terminal.moves:
            self._terminal.write("\n")
        self._reader.mode = self.mode
        return await self._reader.read()

    async def _take(self, line: str) -> bool:
        command = slash.parse(line)
        return await (self._prompt(line) if command is None else self._obey(command))

    async def _prompt(self, text: str) -> bool:
        """Run one prompt; False if the person wants to leave at once."""
        if self.session is None:
            wish = self._wish
            self.session = await self._place.start(
                model=wish.model, agent=wish.agent, folder=wish.folder, mode=wish.mode
            )
        answer = self.session.prompt(text, wait=self.turns.asks)
        return await self.turns.follow(self.session, answer)

    async def _obey(self, command: slash.Slash) -> bool:
        match command.name:
            case "exit":
                return False
            case "help":
                self._lines(slash.overview(self._terminal.width).split("\n"))
            case "model" | "agent" | "agents" | "mode":
                await self._choose(command)
            case "asks":
                return await self._list_asks()
            case "changes":
                await self._changes(command.argument)
            case "context" | "compact" | "reset" | "clear":
                await self._make_room(command)
            case "new":
                self.session = None
                self._say([("A new session begins with your next prompt.", "")])
            case "sessions":
                return await self._sessions(command.argument)
            case _:
                self._say([(slash.unknown(command.typed), "")])
        return True

    async def _choose(self, command: slash.Slash) -> None:
        """Who answers, who works, and how much unasked."""
        if command.name == "model":
            await self.choose(command.argument)
        elif command.name == "mode":
            await self._choose_mode(command.argument)
        else:
            await self.choose_agent(command.argument, all_=command.name == "agents")

    async def _make_room(self, command: slash.Slash) -> None:
        """What is done about the session's context."""
        if command.name == "context":
            plain = not self._terminal.moves
            rows = await room.context(self.session, self._terminal.width, plain=plain)
        elif command.name == "compact":
            if self.session and self._terminal.moves and not command.argument:
                self._say([("Summing up…", "dim")])
            rows = await room.compact(self.session, command.argument)
        elif command.name == "reset":
            rows = await room.reset(self.session)
        else:
            rows = await room.clear(self.session, command.argument)
        self._rows(rows)

    async def _changes(self, path: str) -> None:
        """Show what the session changed in its folder, or in one file."""
        worked = await self.session.changes() if self.session else None
        works = [each for each in worked.works if each.path == path or not path] if worked else []
        if not worked or not works:
            self._say([("This session has changed no files." if not path else "It has not.", "")])
            return
        files = diff.parse("".join([await worked.diff(work) for work in works]))
        rows, left = diff.drawn(files, self._terminal.width, 0 if path else SHOWN)
        more = diff.left_off(left) + [(" · /changes PATH shows one file", "dim")]
        self._rows([*rows, more] if left else rows)

    async def _choose_mode(self, name: str) -> None:
        if name:
            await self._change_mode(checked_mode(name))
        self._say([(f"{self.mode}: ", "bold"), (MODES[self.mode], "")])

    async def _change_mode(self, mode: str) -> None:
        """From the next prompt on."""
        if not mode or mode == self.mode:
            return
        self._wish.mode = checked_mode(mode)
        if self.session:
            await self.session.change_mode(self._wish.mode)
        if self.mode != mode:
            self._say(self._held())

    async def _list_asks(self) -> bool:
        waiting = self.session.asks() if self.session else []
        if not self.session or not waiting:
            self._say([("Nothing waits for your answer.", "")])
            return True
        if self.turns.asks and (answer := self.session.resume(wait=True)):
            return await self.turns.follow(self.session, answer)
        self._rows(listing.asks(waiting, self._terminal.width))
        return await self.turns.planned(self.session)

    async def _sessions(self, which: str) -> bool:
        rows = await self._place.sessions(LISTED)
        if not which:
            here = self.session.id if self.session else ""
            self._rows(listing.sessions(rows, here, self._terminal.width))
            self._lines([] if rows else ["There are no sessions yet."])
            return True
        numbered = which.isdigit() and 1 <= int(which) <= len(rows)
        return await self.resume(rows[int(which) - 1].id if numbered else which)

    def _fail(self, problem: Problem) -> None:
        self._say([(problem.message, "red"), (f" {problem.hint}" if problem.hint else "", "")])

    def _say(self, parts: list[Part]) -> None:
        self._rows([parts])

    def _rows(self, rows: list[list[Part]]) -> None:
        width = self._terminal.width
        self._lines([line for row in rows for line in self._painter.parts(row, width) or [""]])

    def _lines(self, lines: list[str]) -> None:
        self._terminal.lines(lines)
