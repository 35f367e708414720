"""The calls of an exchange: which are planned, wait, run, and what came of each.

A call is told once for good, when its result is there; `lines` are what is drawn of the others meanwhile.
"""

from collections.abc import Callable, Iterable

from bottega.cli.screen import diff
from bottega.cli.screen.calls import handed, lines
from bottega.cli.screen.calls.outcome import Outcome, outcome
from bottega.cli.screen.calls.phrase import Phrase, phrase
from bottega.cli.screen.calls.tail import Tail
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import count
from bottega.cli.screen.tools import Part
from bottega.events import facts
from bottega.events.fold import result_text
from bottega.messages.block import ToolUse

Look = Callable[[facts.FileChange], str]
"""The unified diff of a change that was made; empty if it cannot be had."""

MOST = 24
"""Lines of a diff under a call that nobody was asked about."""


class Call:
    def __init__(self, name: str, phrase: Phrase) -> None:
        self.name = name
        self.phrase = phrase
        self.tail = Tail()
        self.began: float | None = None
        self.asked: set[str] = set()
        """Asks about it that are open."""
        self.waited = False
        """It has waited for a person: the time that it took is not its own."""
        self.seen = False
        """A person has seen what it changes."""
        self.writes: tuple[facts.FileChange, ...] = ()
        self.child = ""
        """The session to which it handed its task."""


class UnderWay:
    def __init__(self, clock: Callable[[], float], look: Look | None = None) -> None:
        self._clock = clock
        self._look = look
        self._calls: dict[str, Call] = {}
        self.changed: dict[str, None] = {}
        """Paths that the exchange has changed so far."""

    def __bool__(self) -> bool:
        return bool(self._calls)

    def plan(self, uses: Iterable[ToolUse]) -> None:
        for use in uses:
            self._calls[use.id] = Call(use.name, phrase(use.name, use.input))

    def take(self, fact: object) -> None:
        """Mind a fact, if it concerns a call that is not over."""
        match fact:
            case facts.ApprovalRequired():
                self._ask(fact)
            case facts.ApprovalResolved():
                self._resolve(fact)
            case facts.ToolIntent():
                self._begin(fact)
            case facts.ChildStarted():
                if call := self._calls.get(fact.tool_id):
                    call.child = fact.session_id
            case facts.ToolOutputDelta():
                if call := self._calls.get(fact.tool_id):
                    call.tail.feed(fact.text)
            case _:
                pass

    def end(self, result: facts.ToolResultFact, width: int) -> list[list[Part]]:
        """What stays of a call: its line, what it changed or the last of what it printed."""
        fresh = Call(result.name, phrase(result.name, {}))
        call = self._calls.pop(result.tool_id, fresh)
        end = outcome(result_text(result), result.is_error)
        if call.child:
            return self._handed_on(call, result, end, width)
        amount: list[Part] = []
        below: list[list[Part]] = []
        if end.mark == "done":
            amount, below = self._change(call, width)
        self._remember(call, result, end)
        tail = call.tail if call.tail.total else Tail(end.printed)
        below += lines.output(tail, _most(end), width)
        below += _written(result, width)
        return [lines.finished(call.phrase, end, self._took(call, result), width, amount), *below]

    def _handed_on(
        self, call: Call, result: facts.ToolResultFact, end: Outcome, width: int
    ) -> list[list[Part]]:
        text = result_text(result)
        first = lines.finished(call.phrase, end, self._took(call, result), width)
        where = handed.where(call.child, text, result.usage, result.cost)
        return [first, *handed.answer(text, width), where]

    def lines(self, spin: str, width: int) -> list[list[Part]]:
        """What is drawn now of those that are not over."""
        drawn: list[list[Part]] = []
        for call in self._calls.values():
            if call.asked:
                drawn.append(lines.waiting(call.phrase, width))
                drawn += lines.output(call.tail, lines.LIVE, width) if call.child else []
            elif call.began is None:
                drawn.append(lines.planned(call.phrase, width))
            else:
                waited = self._clock() - call.began
                drawn.append(lines.running(spin, call.phrase, waited, width))
                drawn += lines.output(call.tail, lines.LIVE, width)
        return drawn

    def forget(self) -> None:
        self._calls = {}

    def summary(self) -> str:
        """`3 files changed · bottega changes`, if any were."""
        if not self.changed:
            return ""
        return f"{count(len(self.changed), 'file')} changed · bottega changes"

    def _ask(self, asked: facts.ApprovalRequired) -> None:
        # What a child asks is about a call of its own: here, the call waits that it works for.
        tool_id = asked.detail.get("child", {}).get("call", asked.tool_id)
        if call := self._calls.get(tool_id):
            call.asked.add(asked.approval_id)
            call.waited = True

    def _resolve(self, resolved: facts.ApprovalResolved) -> None:
        for call in self._calls.values():
            if call.child and resolved.approval_id in call.asked:
                call.asked.discard(resolved.approval_id)
                return
        if call := self._calls.get(resolved.tool_id):
            call.asked.discard(resolved.approval_id)
            # One that was covered by another answer has a note that says so: nobody looked at it.
            call.seen = resolved.answer in ("allow_once", "allow_all") and not resolved.note
            if resolved.input is not None:
                call.phrase = phrase(call.name, resolved.input)

    def _begin(self, intent: facts.ToolIntent) -> None:
        call = self._calls.setdefault(intent.tool_id, Call(intent.name, phrase(intent.name, {})))
        call.began, call.writes = self._clock(), intent.writes

    def _change(self, call: Call, width: int) -> tuple[list[Part], list[list[Part]]]:
        """How much an edit changed; and the change itself, unless somebody has just seen it."""
        if not call.writes or self._look is None:
            return [], []
        files = diff.parse("".join(self._look(change) for change in call.writes))
        if not files:
            return [], []
        if call.seen:
            return diff.amount(files), []
        shown, left = diff.drawn(files, width - 4, MOST)
        more = [diff.left_off(left)] if left else []
        return diff.amount(files), [[("  │ ", "dim"), *row] for row in [*shown, *more]]

    def _took(self, call: Call, result: facts.ToolResultFact) -> int:
        """Milliseconds; of a call that waited for a person, only those in which it ran."""
        if not call.waited:
            return result.duration_ms
        return 0 if call.began is None else round((self._clock() - call.began) * 1000)

    def _remember(self, call: Call, result: facts.ToolResultFact, end: Outcome) -> None:
        made = call.writes if end.mark == "done" else ()
        for change in (*made, *result.writes):
            self.changed[change.path] = None


def _most(end: Outcome) -> int:
    return lines.KEPT if end.mark == "done" else lines.KEPT_OF_FAILURE


def _written(result: facts.ToolResultFact, width: int) -> list[list[Part]]:
    """The files that a command was found to have changed."""
    if not result.writes:
        return []
    named = ", ".join(change.path for change in result.writes)
    return [[("  changed ", "dim"), (one_line(named, max(20, width - 11)), "dim")]]
