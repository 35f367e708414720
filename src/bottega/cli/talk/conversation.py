"""The turns of a conversation: read a line, run it as a prompt or obey it as a command, until the person leaves."""

import asyncio
from pathlib import Path

import msgspec

from bottega.cli.logs import Stages
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import ago
from bottega.cli.screen.live import FRAME, Live
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.plain import Plain, Screen
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part
from bottega.cli.screen.transcript import drawn, last_exchanges
from bottega.cli.signals import stoppable
from bottega.cli.talk import slash
from bottega.cli.talk.typed import Reader
from bottega.errors import Problem
from bottega.events.codec import decode
from bottega.runtime import Chosen
from bottega.sessions.session import SessionRow, now
from bottega.sessions.told import transcript
from bottega.studio import Answer, Session, Studio

RECALLED = 3
"""Exchanges that are shown when a session is gone on with."""
LISTED = 10


class Wish(msgspec.Struct):
    """What the next session begins with."""

    model: str
    agent: str
    folder: Path


class Conversation:
    def __init__(self, studio: Studio, reader: Reader, terminal: Terminal, wish: Wish) -> None:
        self._studio = studio
        self._reader = reader
        self._terminal = terminal
        self._painter = Painter(colour=terminal.colour, plain=not terminal.moves)
        self._wish = wish
        self.session: Session | None = None

    def open(self) -> None:
        """Say who answers, and why, and where."""
        chosen = self._studio.runtime.choose(self._wish.model)
        self._studio.runtime.model(chosen.model)
        self._wish.model = chosen.model
        self._say([(one_line(chosen.model), "bold"), (_why(chosen), "")])
        self._say([(f"{_short(self._wish.folder)} · /help lists the commands", "dim")])

    async def resume(self, session_id: str) -> None:
        """Go on with a session: show its last exchanges, and whether the last answer was cut short."""
        self.session = await self._studio.resume(session_id)
        row = self.session.row
        rows = await self._studio.runtime.log.tail(row.n, limit=80)
        events = [decode(index, body) for index, body in rows]
        self._wish = Wish(row.model, row.agent, Path(row.folder))
        items = last_exchanges(transcript.transcript(events), RECALLED)
        self._say([(one_line(row.title) or "(no title)", "bold"), (f" · {row.model}", "")])
        self._say([(f"{_short(Path(row.folder))} · begun {ago(row.created_at, now())}", "dim")])
        self._lines(["", *drawn(items, self._painter, self._terminal.width)] if items else [])
        if row.status != "idle":
            self._say([("Another program works in this session; what you say waits.", "accent")])

    async def go_on(self) -> None:
        """Take turns until the person leaves."""
        while True:
            if self._terminal.moves:
                self._terminal.write("\n")
            line = await self._reader.read()
            if line is None:
                return
            if not line.strip():
                continue
            command = slash.parse(line)
            try:
                if command is None:
                    if not await self._prompt(line):
                        return
                elif not await self._obey(command):
                    return
            except Problem as problem:
                self._fail(problem)

    async def _prompt(self, text: str) -> bool:
        """Run one prompt; False if the person wants to leave at once."""
        if self.session is None:
            wish = self._wish
            self.session = await self._studio.start(
                model=wish.model, agent=wish.agent, folder=wish.folder
            )
        answer = self.session.prompt(text)
        screen = self._screen()
        with stoppable(answer) as stop:
            moving = asyncio.create_task(_move(screen))
            try:
                await _show(answer, screen)
            except asyncio.CancelledError:
                if not stop.twice:
                    raise
                return False
            finally:
                moving.cancel()
                screen.close()
        return not stop.leaves

    def _screen(self) -> Screen:
        if self._terminal.moves:
            self._terminal.write("\n")
            return Live(self._terminal)
        return Plain(self._terminal, self._terminal, self._terminal, footer=True)

    async def _obey(self, command: slash.Slash) -> bool:
        match command.name:
            case "exit":
                return False
            case "help":
                self._lines(slash.overview().split("\n"))
            case "model":
                await self.choose(command.argument)
            case "new":
                self.session = None
                self._say([("A new session begins with your next prompt.", "")])
            case "sessions":
                await self._sessions(command.argument)
            case _:
                self._say([(slash.unknown(command.typed), "")])
        return True

    def farewell(self) -> None:
        self._say([("Go on with: bottega chat --continue", "dim")])

    async def choose(self, name: str) -> None:
        """Have another model answer from now on, or say which one does."""
        if not name:
            self._say(
                [(self._wish.model, "bold"), (" answers. `bottega models` lists who else can.", "")]
            )
            return
        self._studio.runtime.model(name)
        if self.session:
            await self.session.change_model(name)
        self._wish.model = name
        self._say([(one_line(name), "bold"), (" answers from now on.", "")])

    async def _sessions(self, which: str) -> None:
        rows = await self._studio.sessions(LISTED)
        if not which:
            self._lines(self._listed(rows) or ["There are no sessions yet."])
        elif which.isdigit() and 1 <= int(which) <= len(rows):
            await self.resume(rows[int(which) - 1].id)
        else:
            await self.resume(which)

    def _listed(self, rows: list[SessionRow]) -> list[str]:
        here = self.session.id if self.session else ""
        lines: list[str] = []
        for place, row in enumerate(rows, 1):
            mark = "›" if row.id == here else " "
            when = ago(row.updated_at, now())
            room = max(10, self._terminal.width - len(when) - 9)
            title = one_line(row.title or "(no title)", room)
            parts: list[Part] = [
                (f"{mark}{place:>3}  ", "accent"),
                (title, ""),
                (f"  {when}", "dim"),
            ]
            lines += self._painter.parts(parts, self._terminal.width)
        return lines

    def _fail(self, problem: Problem) -> None:
        self._say([(problem.message, "red"), (f" {problem.hint}" if problem.hint else "", "")])

    def _say(self, parts: list[Part]) -> None:
        self._lines(self._painter.parts(parts, self._terminal.width))

    def _lines(self, lines: list[str]) -> None:
        self._terminal.write("".join(f"{line}\n" for line in lines))


async def _show(answer: Answer, screen: Screen) -> None:
    stages = Stages()
    async for event in answer:
        stages.note(event)
        screen.show(event)


async def _move(screen: Screen) -> None:
    while True:
        await asyncio.sleep(FRAME)
        screen.tick()


def _why(chosen: Chosen) -> str:
    if chosen.model != "guide":
        return "" if chosen.why in ("asked for", "set in the flag") else f" — {chosen.why}."
    if chosen.why != "no key is configured":
        return " — the built-in guide answers."
    return (
        " — no key is configured, so the built-in guide answers."
        " Add a model with `bottega keys set openai`, or use one of Ollama's: --model ollama/NAME."
    )


def _short(folder: Path) -> str:
    try:
        return str("~" / folder.absolute().relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(folder.absolute())
