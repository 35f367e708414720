"""Tells the model what it has to know beside the user's words, before every request: looks, decides, writes it down.

The first request of a session fixes its opening and tells the whole context; a later one only what has changed.
However slow the disk, a request waits no longer than `PATIENCE`; a look that hangs is not begun a second time.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec

from bottega.accounts.people import People
from bottega.agents.prompt import turn
from bottega.agents.prompt.built import built
from bottega.agents.prompt.modes import mode_instructions
from bottega.agents.prompt.reminder import Situation, due
from bottega.approvals.mode import Mode
from bottega.errors import Problem
from bottega.events import facts
from bottega.messages.aside import is_only_asides
from bottega.messages.block import ToolResult, ToolUse, plain_text
from bottega.messages.message import Message
from bottega.projects.folders import Folders
from bottega.sessions.plans import GO
from bottega.sessions.session import HOST, SessionRow
from bottega.tools.project import git
from bottega.tools.project.glance import Glance, description, glance, harmless
from bottega.tools.project.instructions import instructions
from bottega.tools.project.opened import Denied, nothing
from bottega.workers.acting.linked import linked
from bottega.workers.acting.others import MOST
from bottega.workers.acting.scene import Scene
from bottega.workspaces.confine import Root

_log = logging.getLogger(__name__)
READS = "read_file"
"""The tool whose rules hold for what a model is told of files unasked."""
_T = TypeVar("_T")

PATIENCE = 2.0
"""Seconds that a request waits for what is to be told with it."""


class _Seen(msgspec.Struct, frozen=True):
    """What one look at the folder gave."""

    glance: Glance | None = None
    instructions: tuple[facts.Instructions, ...] | None = None
    description: str = ""
    changed: dict[str, str] = {}
    git: tuple[str, ...] = ()


class Telling:
    def __init__(self, scene: Scene, limits: Callable[[], dict[str, tuple[float, float]]]) -> None:
        """`limits` says what is used, and how much may be, of every limit there is."""
        self._scene = scene
        self._limits = limits
        self._looking: asyncio.Future[_Seen] | None = None
        self.full = 0.0
        """The share of the model's context that the last request used, as far as somebody measured it."""

    async def tell(self, history: list[Message], mode: Mode) -> None:
        """Add to the history, and to the log, what the model has to know for the request that comes now."""
        scene, told = self._scene, self._scene.told
        begins = bool(history) and history[-1].role == "user" and not is_only_asides(history[-1])
        seen = await self._look(wide=begins or not told.whole, first=not told.whole)
        if told.opening is None:
            scene.emit(self._opening(mode, seen))
        words = turn.aside(self._context(seen), due(self._situation(history, mode, begins, seen)))
        if words is not None:
            scene.emit(words)
            turn.told(history, words)

    def system(self) -> str:
        opening = self._scene.told.opening
        assert opening is not None, "something is told before anything is asked"
        return built(self._scene.plan, opening)

    async def _look(self, *, wide: bool, first: bool) -> _Seen:
        """Look at the folder in a thread, and at git beside it; what takes too long is left out."""
        if self._looking and not self._looking.done():
            return _Seen()
        known = self._scene.known
        files = dict(list(known.seen.items())[-MOST:])
        if not wide and not files:
            return _Seen()
        held = {path: known.held[path] for path in files if path in known.held}
        folders, session = self._scene.hands.folders, self._scene.session

        def look() -> _Seen:
            try:
                root = folders.open(session)
            except (Problem, OSError):
                return _Seen(Glance(), ()) if wide else _Seen()
            with root:
                denied = self._hidden(root)
                return _Seen(
                    glance(root, denied, inside=first) if wide else None,
                    instructions(root, denied, self._hidden(root.top)) if wide else None,
                    description(root, denied) if first else "",
                    known.others.changed(root, files, held) if files else {},
                )

        until = time.monotonic() + PATIENCE
        self._looking = asyncio.ensure_future(asyncio.to_thread(look))
        seen = await _within(self._looking, until) or _Seen()
        if first and seen.glance and seen.glance.repository:
            state = asyncio.ensure_future(_git(folders, session, self._hidden))
            try:
                seen = msgspec.structs.replace(seen, git=await _within(state, until) or ())
            finally:
                state.cancel()
        return seen

    def _hidden(self, root: Root) -> Denied:
        """Which files a rule denies to whoever reads."""
        rules = linked(root, self._scene.hands.rules(root), READS)
        return rules.hides if rules else nothing

    def _opening(self, mode: Mode, seen: _Seen) -> facts.Opening:
        folder, own = self._scene.plan.folder, self._scene.plan.instructions
        markers = {
            "mode": mode,
            "mode_instructions": mode_instructions(mode),
            "project_name": os.path.basename(folder.rstrip("/")) or folder,
            "project_description": seen.description,
            "timestamp": _now().strftime("%Y-%m-%d %H:%M %z"),
            "user_name": self._user_name(),
            "project_path": folder,
            "git_branch": (seen.glance.branch if seen.glance else "") or "(none)",
        }
        mine = (facts.Instructions("", own),) if own.strip() else ()
        return facts.Opening(markers, (*mine, *(seen.instructions or ())))

    def _user_name(self) -> str:
        """The name of the person whose session it is; the owner's is that of the system's user."""
        owner = self._scene.session.owner
        if owner == HOST:
            return _system_user()
        return People(self._scene.hands.log.database).numbered(owner).name

    def _context(self, seen: _Seen) -> tuple[str, dict[str, str]]:
        told = self._scene.told
        if seen.glance is None:
            return "", {}
        around = turn.Around(self._scene.plan.folder, _date(), seen.glance, seen.git)
        if told.whole:
            return turn.since(around, told.known)
        text, learnt = turn.whole(around)
        return text, {**learnt, "model": self._scene.plan.model.name}

    def _situation(
        self, history: Sequence[Message], mode: Mode, begins: bool, seen: _Seen
    ) -> Situation:
        scene, told = self._scene, self._scene.told
        last = _last_step(history)
        return Situation(
            told=told.known,
            exchange=scene.message_id,
            begins=begins,
            steps=scene.track.answers,
            folder=scene.plan.folder,
            mode=mode,
            plan_accepted=begins and plain_text(history[-1].content).startswith(GO),
            todos=told.todos,
            quiet=told.quiet,
            keeps_todos=self._has_tools and scene.plan.registry.find("todo_write") is not None,
            failing=_failing(history),
            strangers=[use.name for use in last if self._is_strange(use)],
            files=seen.changed,
            instructions=self._instructions(seen),
            limits=self._limits(),
            full=self.full,
            date=_date(),
            model=scene.plan.model.name,
        )

    @property
    def _has_tools(self) -> bool:
        return self._scene.plan.offers_tools or self._scene.plan.text_mode

    def _is_strange(self, use: ToolUse) -> bool:
        tool = self._scene.plan.registry.find(use.name)
        return tool is not None and "network" in tool.effects

    def _instructions(self, seen: _Seen) -> list[facts.Instructions]:
        """As they are now; those that the model knows and that are gone have no text."""
        if seen.instructions is None:
            return []
        own = facts.Instructions("", self._scene.plan.instructions)
        now = {file.path: file for file in (own, *seen.instructions)}
        known = (name.partition(" ") for name in self._scene.told.known)
        gone = {path for word, _, path in known if word == "instructions"} - now.keys()
        return [*now.values(), *(facts.Instructions(path, "") for path in sorted(gone))]


async def _within(work: "asyncio.Future[_T]", until: float) -> _T | None:
    """What comes of it in time; a look that fails is a look that saw nothing."""
    await asyncio.wait({work}, timeout=max(0.0, until - time.monotonic()))
    if not work.done() or work.cancelled():
        return None
    if problem := work.exception():
        _log.warning("looking at the folder failed: %r", problem)
        return None
    return work.result()


async def _git(
    folders: Folders, session: SessionRow, hidden: Callable[[Root], Denied]
) -> tuple[str, ...]:
    """The state of the working tree in a few lines; nothing where git cannot tell."""
    try:
        with await folders.opened(session) as root:
            state = await git.state(root)
            files = (state or {}).get("files", ())
            shown = await asyncio.to_thread(_allowed, files, hidden(root))
    except (Problem, OSError):
        return ()
    counts = (state or {}).get("changes", {})
    if not state or (not counts and "changes" in state):
        return ("nothing is changed",) if state else ()
    told = ", ".join(f"{count} {word}" for word, count in counts.items())
    return (told, *map(harmless, shown)) if told else (state.get("note", ""),)


def _allowed(files: Sequence[str], denied: Denied) -> list[str]:
    """The lines of git, two letters and a path each, of files that no rule denies."""
    return [each for each in files if not denied(each[3:].rstrip("/"))]


def _last_step(history: Sequence[Message]) -> list[ToolUse]:
    """The calls of the last answer, if results are what came last."""
    for message in reversed(history):
        if message.role == "assistant":
            return [block for block in message.content if isinstance(block, ToolUse)]
        if message.role == "user" and not is_only_asides(message):
            return []
    return []


def _failing(history: Sequence[Message]) -> int:
    """Steps in a row, up to the last, in which a call failed."""
    count, failed = 0, False
    for message in reversed(history):
        if message.role == "tool":
            failed = failed or any(
                isinstance(b, ToolResult) and b.is_error for b in message.content
            )
        elif message.role == "assistant":
            if not failed:
                return count
            count, failed = count + 1, False
        elif not is_only_asides(message):
            return count
    return count


def _now() -> datetime:
    return datetime.fromtimestamp(time.time()).astimezone()


def _date() -> str:
    return _now().strftime("%Y-%m-%d")


def _system_user() -> str:
    """From the system, as the environment is not ours to read."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""
