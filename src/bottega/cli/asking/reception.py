"""Whatever waits for a person in one session, put before them one after the other, while the exchange goes on.

Each ask is shown once and answered at most once. If somebody else answers first, it vanishes, with a line that says so.
"""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Protocol

from bottega.cli.asking.choice import Choice
from bottega.cli.asking.desk import Desk
from bottega.cli.asking.more import More
from bottega.cli.asking.question import Question
from bottega.cli.asking.shown import summary
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.tools import Part
from bottega.errors import Conflict, Problem
from bottega.events import facts
from bottega.events.event import Event
from bottega.sessions.asks import TOLD, Ask, Reply
from bottega.studio.anywhere import AnySession

_GOOD = ("allow_once", "allow_all", "edit", "answer", "raise", "continue")


class _Deciding(Protocol):
    async def reply(self) -> Reply: ...


class Reception:
    def __init__(self, session: AnySession, desk: Desk) -> None:
        self._session = session
        self._desk = desk
        self._waiting: list[str] = []
        self._known: set[str] = set()
        self._current = ""
        self._answering = ""
        """The ask that is being answered from here; who was first is not known yet."""
        self._resolved: dict[str, facts.ApprovalResolved] = {}
        self._at_work: asyncio.Task[None] | None = None
        self._deciding: asyncio.Task[Reply] | None = None

    def see(self, event: Event) -> None:
        """Mind an event of the exchange."""
        if isinstance(event.data, facts.ApprovalRequired):
            self.expect([event.data.approval_id])
        elif isinstance(event.data, facts.ApprovalResolved):
            self._settled(event.data)

    def expect(self, asks: Iterable[str]) -> None:
        """These wait; those that were seen before do not wait twice."""
        fresh = [each for each in asks if each not in self._known]
        self._known.update(fresh)
        self._waiting += fresh
        if self._waiting and (self._at_work is None or self._at_work.done()):
            self._at_work = asyncio.create_task(self._work())

    @property
    def waits(self) -> bool:
        """Somebody is being asked."""
        return bool(self._current)

    async def close(self) -> None:
        """Nobody is asked any more."""
        if self._at_work:
            self._at_work.cancel()
            with suppress(asyncio.CancelledError):
                await self._at_work

    async def _work(self) -> None:
        while self._waiting:
            found = {ask.id: ask for ask in self._session.asks()}
            self._waiting = [each for each in self._waiting if each in found]
            if not self._waiting:
                return
            ask = found[self._waiting[0]]
            if ask.kind in ("tool", "question", "limit", "resume"):
                await self._one(ask)
            elif ask.kind != "plan":  # which is asked about when the exchange is over
                told = "waits for the program that offered this tool"
                said = f"  {summary(ask, 60)}: {told}."
                self._desk.say("note", [(said, "dim")])
            self._waiting = [each for each in self._waiting if each != ask.id]

    async def _one(self, ask: Ask) -> None:
        deciding = self._question(ask)
        self._current = ask.id
        try:
            while ask.id not in self._resolved:
                self._deciding = asyncio.create_task(deciding.reply())
                await asyncio.wait({self._deciding})
                if self._deciding.cancelled():
                    return
                if await self._answered(ask, self._deciding.result()):
                    return
        finally:
            self._current = ""
            if self._deciding and not self._deciding.done():
                self._deciding.cancel()
                await asyncio.wait({self._deciding})

    def _question(self, ask: Ask) -> _Deciding:
        if ask.kind == "question":
            return Choice(self._desk, ask)
        if ask.kind in ("limit", "resume"):
            return More(self._desk, ask)
        return Question(self._desk, ask, self._session.row.folder, lambda: len(self._waiting) - 1)

    async def _answered(self, ask: Ask, reply: Reply) -> bool:
        """Give the answer; False if it was refused and has to be given again."""
        self._answering = ask.id
        try:
            await self._session.answer(
                ask,
                reply.word,
                note=reply.note,
                input=reply.input,
                grant=reply.grant,
                shown=ask.asked.hash,
            )
        except Conflict:
            if earlier := self._resolved.get(ask.id):
                self._tell(earlier, mine=False)
            else:
                self._known.discard(ask.id)  # told when the other answer comes along
            return True
        except Problem as problem:
            self._desk.say("note", [(f"  {problem}", "red")])
            return False
        finally:
            self._answering = ""
        self._tell_words(reply.word, reply.note, reply.grant, mine=True)
        self._resolved.setdefault(ask.id, facts.ApprovalResolved(ask.id, reply.word))
        return True

    def _settled(self, resolved: facts.ApprovalResolved) -> None:
        """Somebody answered: from here, or from elsewhere."""
        seen = resolved.approval_id in self._resolved
        self._resolved[resolved.approval_id] = resolved
        if seen or resolved.approval_id == self._answering:
            return
        if resolved.approval_id == self._current and self._deciding:
            self._deciding.cancel()
            self._tell(resolved, mine=False)
        elif resolved.approval_id not in self._known:
            self._tell(resolved, mine=False)

    def _tell(self, resolved: facts.ApprovalResolved, *, mine: bool) -> None:
        self._tell_words(resolved.answer, resolved.note, resolved.grant, mine=mine)

    def _tell_words(self, word: str, note: str, grant: str, *, mine: bool) -> None:
        said = TOLD.get(word, word)
        extra = ": ".join(filter(None, (one_line(grant), one_line(note))))
        sign: Part = ("✓ ", "tool.done") if word in _GOOD else ("⊘ ", "tool.denied")
        where = "" if mine or word == "closed" else " by another program"
        text = f"{said}{where}" + (f": {extra}" if extra else ".")
        self._desk.say("answer", [sign, (text, "dim")])
