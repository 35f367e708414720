"""The calls of one answer: find → validate → judge → ask → lock → intent → run → bound → result.

A call that edits files is worked out under its locks, and again after an answer: what is made is exactly what was
shown, or it is asked for anew. Nothing that was not allowed, by mode, rule, grant or answer, gets as far as an intent.
Edits that git would run, or take settings from, are asked about whatever allows them otherwise.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeVar

import msgspec

from bottega.approvals import urls
from bottega.approvals.binding import Binding, digest
from bottega.approvals.grant import Grant
from bottega.approvals.matching import Gate
from bottega.approvals.mode import Mode
from bottega.approvals.rule import hidden
from bottega.approvals.shell.read import Reading, read
from bottega.approvals.subject import Subject
from bottega.approvals.touch import NOTHING, Touch
from bottega.approvals.verdict import Verdict, judge
from bottega.errors import Conflict, Fenced, Problem, StorageFailed, TooMany
from bottega.events import facts
from bottega.failpoint import failpoint
from bottega.messages.block import ToolUse
from bottega.sessions.asks import Reply
from bottega.tools.call import bounded_outcome, failed, found, perform, wrong
from bottega.tools.schedule import Claim, run_all
from bottega.tools.tool import Fault, Outcome, Tool, failure, success, to_json
from bottega.tools.validate import is_large
from bottega.workers.acting.context import CallContext
from bottega.workers.acting.linked import Linked, linked
from bottega.workers.acting.question import asked, by_child, fingerprint
from bottega.workers.acting.scene import Scene
from bottega.workers.acting.shield import to_its_end, whatever_comes
from bottega.workers.acting.watching import Watching
from bottega.workspaces import own_code
from bottega.workspaces.changes.apply import apply
from bottega.workspaces.confine import Root
from bottega.workspaces.edit import Change
from bottega.workspaces.git.accepting import meant_by
from bottega.workspaces.git.proposed import danger, refuse_repository

T = TypeVar("T")

MOST_CALLS = 128
"""How many calls of one answer are carried out; the model is told that the others were not."""
_SHORT = 2_000
"""Characters of a command that is judged within a few milliseconds."""
_BATCH = 64
"""Refused calls whose results are stored at once."""


class Ready(msgspec.Struct):
    """A call that may be judged: its tool is there and its arguments are right; or what the model is told instead."""

    use: ToolUse
    tool: Tool | None = None
    arguments: dict[str, Any] = {}
    touch: Touch = NOTHING
    refusal: Outcome | None = None
    approval_id: str = ""
    edited: bool = False
    """The arguments are a person's own."""
    reading: Reading | None = None
    """Of its command, which is read once, however often the call is judged."""
    linked: Linked | None = None
    """Files that rules deny to its tool, and that may have other names."""
    begun: bool = False
    placed: asyncio.Event = msgspec.field(default_factory=asyncio.Event)
    """Its ask is open, or it needs none: what comes later may be asked about."""

    @property
    def claim(self) -> Claim:
        return Claim(self.tool.effects, self.touch) if self.tool else Claim()


def ready(use: ToolUse, tool: Tool | Outcome, arguments: dict[str, Any], root: Root) -> Ready:
    if isinstance(tool, Outcome):
        return Ready(use, refusal=tool)
    try:
        touch = tool.touched(arguments, root)
        reading = read(touch.command) if touch.command else None
        return Ready(use, tool, arguments, touch, reading=reading)
    except Exception as problem:
        return Ready(use, refusal=failed(problem))


class Calls:
    def __init__(self, exchange: Scene, root: Root, mode: Mode) -> None:
        self._exchange = exchange
        self._hands = exchange.hands
        self._root = root
        self._mode: Mode = mode
        self._calls: list[Ready] = []
        self._rules = self._hands.rules(root)
        self._grants = self._granted()

    def _granted(self) -> tuple[Grant, ...]:
        """What the person allowed for this session, but not of tools that are defined otherwise by now."""
        registry = self._exchange.plan.registry
        return tuple(
            each.grant
            for each in self._hands.asks.grants(self._exchange.asking.n)
            if each.fingerprint == fingerprint(registry.find(each.grant.tool))
        )

    async def run(self, uses: Sequence[ToolUse]) -> list[facts.ToolResultFact]:
        results = await self._run_some(uses[:MOST_CALLS])
        for first in range(MOST_CALLS, len(uses), _BATCH):
            some = uses[first : first + _BATCH]
            results += await asyncio.gather(*(self._refuse(use, len(uses)) for use in some))
        return results

    async def _refuse(self, use: ToolUse, count: int) -> facts.ToolResultFact:
        told = f"Not run: one answer has at most {MOST_CALLS} calls, and this one had {count:,}."
        outcome = failure(f"{told} Make the others in later answers.", "TOO_MANY_CALLS")
        return await self._exchange.answer(use, outcome)

    async def _run_some(self, uses: Sequence[ToolUse]) -> list[facts.ToolResultFact]:
        registry = self._exchange.plan.registry
        calls: list[Ready] = []
        for use in uses:

            def checked(use: ToolUse = use) -> Ready:
                return ready(use, found(use, registry), use.input, self._root)

            calls.append(await _off_the_loop(checked, long=_is_long(use.input)))
        self._calls = [await self._completed(call) for call in calls]
        return await run_all(
            [(each, each.claim) for each in self._calls],
            self._one,
            self._exchange.plan.agent.at_once,
        )

    async def _completed(self, call: Ready) -> Ready:
        """The call with what it touches beyond its arguments: the network of its shell, other names of its files."""
        touch = call.touch
        if touch.shell and touch.command:
            shells = self._hands.shells.list(self._root.path, self._exchange.session.owner)
            if any(each.shell.id == touch.shell and each.network for each in shells):
                call.touch = msgspec.structs.replace(touch, network=True)
        call.linked = linked(self._root, self._rules, call.use.name)
        if call.linked and (touch.reads or touch.writes):
            await asyncio.to_thread(_name_links, call, call.linked)
        return call

    async def _one(self, call: Ready) -> facts.ToolResultFact:
        call.begun = True
        try:
            return await self._exchange.asking.at_work(self._answered(call))
        finally:
            call.placed.set()

    async def _answered(self, call: Ready) -> facts.ToolResultFact:
        began = time.monotonic()
        hide = hidden(self._rules, call.use.name)
        context = CallContext(
            self._exchange,
            self._root,
            call.use,
            call.tool,
            hide,
            call.linked,
            lambda url: self._refused_redirect(call, url),
        )
        try:
            outcome = call.refusal or await self._decided(call, context)
        except TooMany as problem:  # of what waits for an answer
            outcome = failed(problem)
        return await self._exchange.answer(call.use, outcome, context.noted(began))

    async def _decided(self, call: Ready, context: CallContext) -> Outcome:
        """Get the call past the gate, and run it."""
        approved = ""
        while True:
            tool = call.tool
            assert tool is not None
            trusted, exposed = await self._trusted(call), await self._exposed()
            judged = partial(self._judged, call, trusted, exposed)
            verdict = await _judged_aside(call, judged)
            if verdict.decision in ("deny", "blocked"):
                return _refused(verdict)
            context.judged = call.touch
            async with self._hands.locked(self._root, _locked(call)):
                try:
                    change = await tool.plan(call.arguments, context) if tool.plan else None
                    danger = await self._danger(change)
                except Exception as problem:
                    return failed(problem)
                judged = partial(self._judged, call, trusted, exposed, danger=danger)
                bound = self._bound(call, change, danger)
                meant = call.edited or bound == approved
                verdict = verdict if meant else await _judged_aside(call, judged)
                if meant or verdict.decision == "allow":
                    call.placed.set()
                    make = partial(self._apply, meant=meant, danger=danger)
                    return await self._carried_out(call, context, change, bound, make)
            try:
                reply = await self._asked(call, verdict, judged, change, bound)
            except Conflict:  # it was granted with another answer, at the last moment
                self._grants = self._granted()
                continue
            if reply.word == "deny":
                return denied(reply.note)
            if reply.word == "edit":
                call = await self._edited(call, reply)
                if call.refusal:
                    return call.refusal
            elif reply.word in ("allow_once", "allow_all"):
                approved = bound
            else:
                return denied("It was not answered.")

    async def _trusted(self, call: Ready) -> bool:
        """Whether allow mode may let this run: it waits for the sandbox's self-test."""
        assert call.tool is not None
        if self._mode != "allow" or "execute" not in call.tool.effects:
            return True
        return not await self._hands.sandboxes.trusted()

    async def _exposed(self) -> str:
        """Why nothing may run unasked in this folder, if it may not."""
        if self._mode != "allow":
            return ""
        return await asyncio.to_thread(own_code.exposed, self._root.path)

    async def _danger(self, change: Change | None) -> str:
        """Why a person has to decide on these edits, if one has to."""
        if change is None:
            return ""
        return await asyncio.to_thread(danger, self._root, _paths(change))

    def _judged(
        self,
        call: Ready,
        trusted: bool,
        exposed: str = "",
        mode: Mode | None = None,
        danger: str = "",
    ) -> Verdict:
        tool = call.tool
        assert tool is not None
        kind = self._hands.sandboxes.kind
        subject = Subject(
            tool.name, tool.effects, tool.known, call.touch, kind, danger, call.reading
        )
        gate = Gate(mode or self._mode, self._rules, self._grants, trusted, exposed)
        return judge(subject, gate)

    def _refused_redirect(self, call: Ready, url: str) -> str:
        """Why the call may not be sent on to that address: each is judged as the first one was.

        Where a person was asked about the first, others at the same site are what they meant, unless a rule says no.
        """
        there = msgspec.structs.replace(call, touch=Touch(url=url, network=True))
        verdict = self._judged(there, True)
        if verdict.decision != "ask":
            return "" if verdict.decision == "allow" else verdict.reason
        was_asked = self._judged(call, True).decision == "ask"
        ruled = self._judged(there, True, mode="allow").decision != "allow"
        meant = was_asked and not ruled and urls.is_same_site(call.touch.url, url)
        return "" if meant else verdict.reason

    def _bound(self, call: Ready, change: Change | None, danger: str) -> str:
        exchange = self._exchange
        return digest(
            Binding(
                tool=call.use.name,
                arguments=call.arguments,
                call_id=f"{exchange.message_id}/{exchange.step}/{call.use.id}",
                session_id=exchange.session.id,
                folder=self._root.path,
                profile=f"{self._hands.sandboxes.profile}{fingerprint(call.tool)}{danger}",
                network=call.touch.network,
                writes=_hashes(change),
            )
        )

    async def _asked(
        self,
        call: Ready,
        verdict: Verdict,
        judged: Callable[[], Verdict],
        change: Change | None,
        bound: str,
    ) -> Reply:
        assert call.tool is not None
        profile = self._hands.sandboxes.profile
        mark = fingerprint(call.tool)
        question = await asyncio.to_thread(
            asked, call.use, call.touch, verdict, change, bound, profile, mark
        )
        question = by_child(question, self._exchange)

        async def is_allowed() -> bool:
            return (await _judged_aside(call, judged)).decision == "allow"

        await self._in_turn(call)
        answered = await self._exchange.asking.ask(
            question,
            call.arguments,
            is_allowed,
            on_open=call.placed.set,
        )
        call.approval_id = answered.id
        assert answered.reply is not None
        if answered.reply.word == "allow_all":
            self._grants = self._granted()
            await self._exchange.asking.look_again()
        return answered.reply

    async def _in_turn(self, call: Ready) -> None:
        """People are asked in the model's order, whichever call was worked out first."""
        for earlier in self._calls:
            if earlier.placed is call.placed:
                return
            if earlier.begun:
                await earlier.placed.wait()

    async def _edited(self, call: Ready, reply: Reply) -> Ready:
        """The call as the person changed it."""
        tool, arguments = call.tool, reply.input or {}
        assert tool is not None

        def checked() -> Ready:
            return ready(call.use, wrong(tool, arguments) or tool, arguments, self._root)

        changed = await _off_the_loop(checked, long=_is_long(arguments))
        if changed.refusal:
            return changed
        changed = await self._completed(changed)
        changed.approval_id, changed.edited, changed.placed = call.approval_id, True, call.placed
        return changed

    async def _carried_out(
        self,
        call: Ready,
        context: CallContext,
        change: Change | None,
        bound: str,
        make: Callable[[Change], None],
    ) -> Outcome:
        """Say what is about to happen, durably, and do it."""
        tool = call.tool
        assert tool is not None
        writes = await self._exchange.kept(change) if change else ()
        intent = facts.ToolIntent(
            call.use.id,
            call.use.name,
            bound,
            tuple(sorted(tool.effects)),
            writes,
            call.arguments if call.edited else None,
            call.approval_id,
        )
        await self._exchange.intend(intent)
        failpoint("tool.after_intent")
        if change is not None:
            outcome = await self._made(change, context, make)
        else:
            outcome = await self._run(call, tool, context)
        failpoint("tool.after_effect")
        if call.edited:
            outcome = _told(outcome, call.arguments)
        return await bounded_outcome(outcome, context.keep)

    async def _made(
        self, change: Change, context: CallContext, make: Callable[[Change], None]
    ) -> Outcome:
        """Make the edits to their end, whatever happens to this task: half of them would be nobody's wish."""
        try:
            await to_its_end(asyncio.to_thread(make, change))
        except (Fenced, StorageFailed):
            raise
        except Exception as problem:
            return failed(problem)
        finally:
            self._hands.cache.drop(self._root.path, [edit.path for edit in change.edits])
        for write in _hashes(change):
            context.saw(write.path, write.after)
        return success(change.result)

    def _apply(self, change: Change, *, meant: bool, danger: str) -> None:
        """Make the edits. What a person `meant` no guard undoes; if there is a `danger`, they were told of it.

        Others may write at the same time, so that is looked at again once the files are there.
        """
        root, fence, paths = self._root, self._exchange.fence, _paths(change)
        check = None if danger else partial(refuse_repository, root, paths)
        accepting = self._hands.sandboxes.accepting
        with accepting(root, paths, meant_by(change)) if meant else nullcontext():
            apply(root, change, fence, check)

    async def _run(self, call: Ready, tool: Tool, context: CallContext) -> Outcome:
        share = self._hands.looking.hold(self._exchange.session.owner)
        if "execute" not in tool.effects:
            async with nullcontext() if tool.waits else share:
                return await perform(tool, call.arguments, context, self._hands.cache)
        watching = Watching(self._hands, self._root, f"{self._exchange.session.id}-{call.use.id}")
        try:
            async with share:
                await watching.begin()
        except Exception as problem:
            return failed(problem)
        try:
            outcome = await perform(tool, call.arguments, context)
        finally:
            self._hands.cache.drop(self._root.path)
            changed = await whatever_comes(watching.end(self._exchange.store))
            context.wrote(changed.writes)
        return _warned(outcome, changed.warning)


async def _judged_aside(call: Ready, judged: Callable[[], Verdict]) -> Verdict:
    """The verdict; a long command is compared with all rules and grants in a thread."""
    return await _off_the_loop(judged, long=len(call.touch.command) > _SHORT)


async def _off_the_loop(work: Callable[[], T], *, long: bool) -> T:
    return await asyncio.to_thread(work) if long else work()


def _is_long(arguments: dict[str, Any]) -> bool:
    """Whether checking these, and reading the command among them, may take more than a few milliseconds."""
    texts = (each for each in arguments.values() if isinstance(each, str))
    return any(len(each) > _SHORT for each in texts) or is_large(arguments)


def _name_links(call: Ready, links: Linked) -> None:
    """A file that a rule denies under another name is judged by that name, too."""
    touch = call.touch
    try:
        others = [links.denied(path) for path in (*touch.reads, *touch.writes)]
    except Problem as problem:
        call.refusal = failed(problem)
    else:
        call.touch = msgspec.structs.replace(touch, reads=(*touch.reads, *filter(None, others)))


def _locked(call: Ready) -> tuple[str, ...]:
    assert call.tool is not None
    return call.claim.writes if "write" in call.tool.effects else ()


def _paths(change: Change) -> tuple[str, ...]:
    return tuple(edit.path for edit in change.edits)


def _hashes(change: Change | None) -> tuple[facts.FileChange, ...]:
    edits = change.edits if change else ()
    return tuple(facts.FileChange(edit.path, _sha(edit.before), _sha(edit.after)) for edit in edits)


def _sha(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()


def _refused(verdict: Verdict) -> Outcome:
    code = "BLOCKED" if verdict.decision == "blocked" else "DENIED_BY_RULE"
    return failure(verdict.reason, code)


def denied(note: str) -> Outcome:
    """A person said no: the run goes on, and the model knows why (X23)."""
    reason = note or "The person said no to this call."
    return Outcome(
        "error",
        {"type": "execution-denied", "reason": reason},
        Fault(f"Denied by the person: {reason}", "EXECUTION_DENIED"),
    )


def _warned(outcome: Outcome, warning: str) -> Outcome:
    """The outcome of a command with what the model and the person must know beside it."""
    if not warning:
        return outcome
    if outcome.error is not None:
        error = Fault(f"{outcome.error.message} ({warning})", outcome.error.code)
        return msgspec.structs.replace(outcome, error=error)
    given: Any = outcome.result
    result = {**(given if isinstance(given, dict) else {"result": given}), "warning": warning}
    return msgspec.structs.replace(outcome, result=result)


def _told(outcome: Outcome, arguments: dict[str, Any]) -> Outcome:
    """The model learns what really ran."""
    note = {"note": "The person changed the arguments of this call.", "ran_with": arguments}
    if outcome.error is not None:
        message = f"{outcome.error.message} ({note['note']} It ran with {to_json(arguments)}.)"
        return msgspec.structs.replace(outcome, error=Fault(message, outcome.error.code))
    return msgspec.structs.replace(outcome, result={"result": outcome.result, **note})
