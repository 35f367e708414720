"""The turns of a conversation: read a line, run it as a prompt or obey it as a command, until the person leaves."""

from pathlib import Path

import msgspec

from bottega.approvals.mode import Mode, checked_mode
from bottega.cli.asking import pending, place, plan
from bottega.cli.follow import follow
from bottega.cli.looking import differences
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import ago
from bottega.cli.screen.live import Live
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.plain import Canvas, Plain
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part
from bottega.cli.screen.transcript import drawn, last_exchanges
from bottega.cli.talk import listing, slash
from bottega.cli.talk.typed import Reader
from bottega.errors import Problem
from bottega.events.codec import decode
from bottega.runtime import Chosen
from bottega.sessions.session import now
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
    mode: Mode = "ask"


class Conversation:
    def __init__(self, studio: Studio, reader: Reader, terminal: Terminal, wish: Wish) -> None:
        self._studio = studio
        self._reader = reader
        self._terminal = terminal
        self._painter = Painter(colour=terminal.colour, plain=not terminal.moves)
        self._wish = wish
        self._asks = place.is_there(terminal)
        """Somebody is there who can be asked."""
        self.session: Session | None = None
        self.code = 0
        """What the program ends with."""

    def open(self) -> None:
        """Say who answers, and why, and where."""
        chosen = self._studio.runtime.choose(self._wish.model)
        self._studio.runtime.model(chosen.model)
        self._wish.model = chosen.model
        self._say([(one_line(chosen.model), "bold"), (_why(chosen), "")])
        self._say([(f"{_short(self._wish.folder)} · /help lists the commands", "dim")])

    async def resume(self, session_id: str, mode: Mode | None = None) -> bool:
        """Go on with a session: show its last exchanges, then what still waits in it; False if the person left."""
        parked = self._studio.runtime.sessions.get(session_id).status == "waiting"
        self.session = await self._studio.resume(session_id)
        if mode:
            await self.session.change_mode(mode)
        row = self.session.row
        under_way = self.session.resume(wait=self._asks)
        asked = any(ask.kind != "plan" for ask in self.session.asks())
        goes_on = under_way if parked or asked else None
        self._wish = Wish(row.model, row.agent, Path(row.folder), self.session.mode)
        self._say([(one_line(row.title) or "(no title)", "bold"), (f" · {row.model}", "")])
        self._say([(f"{_short(Path(row.folder))} · begun {ago(row.created_at, now())}", "dim")])
        await self._recall(row.n, goes_on.message_id if goes_on else "")
        if goes_on:
            return await self._follow(goes_on)
        if row.status != "idle":
            self._say([("Another program works in this session; what you say waits.", "accent")])
        return await self._planned()

    async def _recall(self, n: int, without: str) -> None:
        """The last exchanges, but for one that will be shown as it goes on."""
        rows = await self._studio.runtime.log.tail(n, limit=80)
        events = [decode(index, body) for index, body in rows]
        items = transcript.transcript(
            each for each in events if each.message_id != (without or "-")
        )
        shown = drawn(last_exchanges(items, RECALLED), self._painter, self._terminal.width)
        self._lines(["", *shown] if shown else [])

    async def go_on(self) -> None:
        """Take turns until the person leaves."""
        while True:
            if self._terminal.moves:
                self._terminal.write("\n")
            self._reader.mode = self._mode
            line = await self._reader.read()
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

    async def _take(self, line: str) -> bool:
        command = slash.parse(line)
        return await (self._prompt(line) if command is None else self._obey(command))

    async def _prompt(self, text: str) -> bool:
        """Run one prompt; False if the person wants to leave at once."""
        if self.session is None:
            wish = self._wish
            self.session = await self._studio.start(
                model=wish.model, agent=wish.agent, folder=wish.folder, mode=wish.mode
            )
        return await self._follow(self.session.prompt(text, wait=self._asks))

    async def _follow(self, answer: Answer) -> bool:
        assert self.session
        canvas = self._canvas()
        desk = place.desk(canvas, self._terminal) if self._asks else None
        followed = await follow(answer, self.session, canvas, desk)
        if followed.stop.leaves or followed.stop.at_once:
            return False
        waiting = [ask for ask in self.session.asks() if ask.kind != "plan"]
        if followed.end is None and waiting and not self._asks:
            self._lines(pending.told(self.session.row, waiting, self._terminal, self._painter))
            self.code = pending.CODE
            return False
        return await self._planned()

    async def _planned(self) -> bool:
        """Ask what becomes of a plan that was offered, and have it carried out."""
        assert self.session
        offered = [ask for ask in self.session.asks() if ask.kind == "plan"]
        if not offered or not self._asks:
            return True
        self._lines([""])
        still = Plain(self._terminal, self._terminal, self._terminal)
        decision = await plan.decide(place.desk(still, self._terminal), offered[-1])
        if decision.word == "accept":
            answer = await self.session.accept_plan(
                decision.mode, edited=decision.edited, wait=True
            )
            return await self._follow(answer)
        if decision.word == "discard":
            await self.session.discard_plan()
            self._say([("The plan is discarded.", "")])
        return True

    def _canvas(self) -> Canvas:
        look = differences(self._studio.runtime)
        if self._terminal.moves:
            self._terminal.write("\n")
            return Live(self._terminal, look=look)
        return Plain(self._terminal, self._terminal, self._terminal, footer=True, look=look)

    async def _obey(self, command: slash.Slash) -> bool:
        match command.name:
            case "exit":
                return False
            case "help":
                self._lines(slash.overview().split("\n"))
            case "model":
                await self.choose(command.argument)
            case "mode":
                await self._choose_mode(command.argument)
            case "asks":
                return await self._list_asks()
            case "changes":
                self._list_changes()
            case "new":
                self.session = None
                self._say([("A new session begins with your next prompt.", "")])
            case "sessions":
                return await self._sessions(command.argument)
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

    @property
    def _mode(self) -> Mode:
        return self.session.mode if self.session else self._wish.mode

    async def _choose_mode(self, name: str) -> None:
        if name:
            await self._change_mode(checked_mode(name))
        self._say([(f"{self._mode}: ", "bold"), (_MODES[self._mode], "")])

    async def _change_mode(self, mode: str) -> None:
        """From the next prompt on."""
        if not mode or mode == self._mode:
            return
        self._wish.mode = checked_mode(mode)
        if self.session:
            await self.session.change_mode(self._wish.mode)

    async def _list_asks(self) -> bool:
        waiting = self.session.asks() if self.session else []
        if not self.session or not waiting:
            self._say([("Nothing waits for your answer.", "")])
            return True
        if self._asks and (answer := self.session.resume(wait=True)):
            return await self._follow(answer)
        self._rows(listing.asks(waiting, self._terminal.width))
        return await self._planned()

    async def _sessions(self, which: str) -> bool:
        rows = await self._studio.sessions(LISTED)
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
        self._lines([line for row in rows for line in self._painter.parts(row, width)])

    def _lines(self, lines: list[str]) -> None:
        self._terminal.write("".join(f"{line}\n" for line in lines))


_MODES: dict[Mode, str] = {
    "plan": "it looks and plans; nothing is changed, run or fetched.",
    "ask": "it asks before anything that matters.",
    "allow": "it asks for nothing.",
}


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
