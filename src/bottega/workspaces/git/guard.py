"""Watches over the repositories of one workspace while programs run there, and undoes what would make git run one.

Mounts keep programs from what exists (`sandbox.shields`); this finds what they made anew. A baseline is durable before
the first program starts; it is compared after each command, now and then, and once every program has ended. Whoever
opens the workspace next does the same where a crash left a baseline behind. What was there before stays; what is new
stays too, but for what could run a program: that goes to the quarantine, and is told.
"""

import fcntl
import logging
import os
import threading
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import msgspec

from bottega.errors import Problem
from bottega.workspaces.confine import Identity, Root
from bottega.workspaces.git import baseline as baselines
from bottega.workspaces.git import files, overlap, staging, stashes
from bottega.workspaces.git.baseline import Baseline, Copies, Kept
from bottega.workspaces.git.corrections import Corrections
from bottega.workspaces.git.judge import Verdict, judge, judge_odd, put_back
from bottega.workspaces.git.scan import Found, scanner_of
from bottega.workspaces.git.sensitive import (
    Kind,
    Targets,
    is_of_repository,
    of_repositories,
    of_targets,
    targets,
    under_way,
)
from bottega.workspaces.git.undoing import crowds, reaching, reports
from bottega.workspaces.git.undoing.attendance import attendance_of
from bottega.workspaces.git.undoing.hashing import Objects
from bottega.workspaces.git.undoing.holding import Holding
from bottega.workspaces.git.undoing.quarantine import Quarantine
from bottega.workspaces.git.undoing.reports import Reports, Undone, sentences, shown
from bottega.workspaces.git.undoing.rights import Rights, claim
from bottega.workspaces.git.undoing.wholesale import Wholesale

_log = logging.getLogger(__name__)
_ROUNDS = 6
"""Times that a look is repeated: what was put right may lead elsewhere."""
_CROWDS = 20
"""Lists that are put aside in one look, because they are too long for it."""
_CROWDED = 60.0
"""Seconds after which a look at a crowd is not repeated."""
HINT = "Delete what is named, or the folders that nobody needs, by hand."
_looked: dict[Path, float] = {}
"""When the last look at a workspace ended, by its state."""


class Guard:
    """One sandbox's. Every method waits for the disk: use a thread."""

    def __init__(self, state: Path, root: Root, reserve: int = 0) -> None:
        """`state` is the sandboxes' folder in the home, whose disk has a `reserve`. The root stays the caller's."""
        self._root = root
        name = baselines.name_of(root.identity)
        self._state = state / "git" / name
        self._rights = Rights()
        self._quarantine = Quarantine(state / "quarantine", reserve)
        self._corrections = Corrections(reserve)
        self._baseline = self._state / baselines.NAME
        self._sandboxes = state
        self._reports = Reports(self._state / "reports")
        self._scanner = scanner_of(root)
        self._one = threading.Lock()
        self._held = Holding()
        self.seconds = 0.0
        """How long the last look took."""
        self.unfinished = ""
        """Why the last look did not put everything right: what is left may run with the next git command."""
        self._places: dict[Identity, str] = {}
        """Where other workspaces are in this one."""
        self._left = ""
        """The same, of the look that is under way."""
        self._stuck: set[str] = set()
        """What could not be undone; a copy of it is kept already."""
        self._said: set[str] = set()
        """Of what could not be put right: it is told once, however often it is looked at."""
        self._holder = -1
        self.attendance = attendance_of(self._state)
        self._objects = Objects(self._state)
        self._is_last = False
        self._planted = False
        """The look that is under way has undone something."""

    def open(self) -> None:
        """Write the baseline, or compare with the one that is there: others are here, or a crash left it."""
        with self._alone():
            self._holder = os.open(
                self._state / "holders", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
            )
            fcntl.flock(self._holder, fcntl.LOCK_SH)
            self._reports.begin()
            try:
                overlap.adopt(self._state, self._root)
                with overlap.opening(self._state, self._root.path):
                    self._checked(begin=True)
            except BaseException:
                os.close(self._holder)
                self._holder = -1
                raise
            for each in (self._sandboxes, self._sandboxes / "quarantine", self._state):
                self._rights.learn(each)

    def mounted(self, paths: Iterable[str]) -> None:
        """Say which paths, relative to the workspace, the sandbox that opens now cannot write.

        Only what every open sandbox has so counts as out of reach.
        """
        with self._alone():
            now = baselines.load(self._baseline)
            if now is None:
                return
            known = overlap.others(self._state, self._root.path, self._places)
            first = self._only()
            old, self._held = self._held, Holding()
            try:
                outermost = sorted(set(paths), key=lambda each: (each.count("/"), each))
                mine = {path for path in outermost if self._held.hold(self._root, path)}
                after = baselines.out_of_reach(self._root, now, mine, first=first)
                if known:
                    after = overlap.unguarded(self._root.path, after, known)
                baselines.save(self._baseline, after)
            finally:
                old.release()

    def targets(self) -> set[str]:
        """Where the settings of the workspace's own repository lead to in it: includes, and folders of hooks."""
        with self._alone():
            found = self._scan()
            own = {each for each in found.repositories if each.partition("/")[0] in ("", ".git")}
            reached = targets(self._root, found, only=own)
        return reached.includes | reached.hooks

    def check(self) -> None:
        """Undo what programs have planted since the last look; `reports` has what that was."""
        with self._alone():
            self._checked()

    def check_if_due(self, seconds: float) -> None:
        """The same, unless any sandbox of this process has just looked."""
        if time.monotonic() - _looked.get(self._state, 0.0) >= seconds:
            self.check()

    def reports(self) -> tuple[str, ...]:
        """What was undone here since the last call, by whomever it was found: a sentence each."""
        with self._one:
            return self._reports.read()

    def tell(self, said: str) -> None:
        """Let `reports` of all sandboxes here say this, too."""
        with self._one:
            self._reports.write([said])

    def since_begun(self) -> None:
        """Let `reports` tell all that was undone since the baseline was first written, by whomever."""
        if now := baselines.load(self._baseline):
            self._reports.told = min(self._reports.told, now.told)

    def close(self, *, forget: bool = True) -> None:
        """The last look, once every program of this sandbox has ended; may be called again."""
        if self._holder < 0:
            return
        try:
            with self._alone():
                self._is_last = True
                self._checked()
                if forget and not self.unfinished and self._only():
                    overlap.wait_for_openings(self._state, self._root.path)
                    overlap.forget_left(self._state, self._root.path, self._places)
                    baselines.forget(self._baseline)
                    _looked.pop(self._state, None)
        finally:
            os.close(self._holder)
            self._holder = -1
            self._held.release()

    @contextmanager
    def _alone(self) -> Generator[None]:
        """This guard alone in this process, and this process alone with the workspace's baseline."""
        with self._one:
            self._rights.give_back()
            claim(self._sandboxes)
            self._state.mkdir(parents=True, exist_ok=True, mode=0o700)
            with baselines.locked(self._state):
                yield

    def _only(self) -> bool:
        """Whether no other sandbox is open here."""
        try:
            fcntl.flock(self._holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            return False
        finally:  # whoever asked for more in vain has lost what there was
            fcntl.flock(self._holder, fcntl.LOCK_SH)

    def _checked(self, *, begin: bool = False) -> None:
        began = time.monotonic()
        self._corrections.begin()
        self.unfinished, self._left, self._planted = reports.UNCHECKED, "", False
        saved = before = baselines.load(self._baseline)
        born = baselines.born(self._root.fileno())
        if before is not None and not before.is_of(self._root.identity, born) and self._only():
            before = None  # another folder had this number
        if before is None and not begin:
            self.unfinished = ""
            return
        try:
            after = self._thinned(before, born)
        except Exception as problem:
            files.refuse_shortage(problem)
            if before is None:
                raise  # no program has run yet, and none will
            self._undo_wholesale(before, problem)
            return
        if after is not None and after != saved:
            baselines.save(self._baseline, after)
        if self._planted:
            self.attendance.note_plant()
        self.unfinished = self._left
        if not self._left:
            self._said.clear()
        _looked[self._state] = time.monotonic()
        self.seconds = _looked[self._state] - began

    def _thinned(self, before: Baseline | None, born: int) -> Baseline | None:
        """As `_compared`, once lists that are too long for it have gone."""
        for _ in range(_CROWDS):
            try:
                return self._compared(before, born)
            except files.Crowded as crowd:
                said = ""
                if before is not None:
                    said = crowds.undone(self._root, crowd, before, self._objects.known(self._root))
                if not said:
                    raise
                self._planted = True
                self._reports.write([said])
        return self._compared(before, born)

    def _compared(self, before: Baseline | None, born: int) -> Baseline | None:
        """The next baseline; what is there is put right if there is one already. None: it is not to be saved."""
        wanted = overlap.identities(self._state)
        found = reaching.found(self._scanner, self._root, before, wanted)
        self._places = found.places
        known = overlap.others(self._state, self._root.path, found.places)
        path, top = self._root.path, self._root.identity
        old = before or Baseline(path, *top, told=self._reports.told, born=born)
        if before is None and known:
            old = before = self._inherited(found, old, known)
        elif before is not None and known:
            before = overlap.unguarded(self._root.path, before, known)
        if before is not None:
            found, kept, reached = self._put_right(found, before)
            held = self._indexes_put_right(found, before, reached)
        else:
            old = msgspec.structs.replace(old, places=(*sorted(found.repositories),))
            found = staging.complete(self._root, found)
            reached = self._reached(found, old)
            kept, held = self._kept(found, reached), staging.held(self._root, found, reached)
            self._objects.begin(self._root, found, shared=False)
        if not found.whole:
            self._leave(reports.UNFINISHED)
            kept = {**old.files, **kept}
        begun = under_way(self._root, found)
        if before is not None:
            self._reports.write(reports.begun(begun, before.under_way))
        after = msgspec.structs.replace(
            old if before is None else before,
            under_way=(*begun,),
            folder=path,
            files=kept,
            includes=tuple(sorted(reached.includes)),
            hooks=tuple(sorted(reached.hooks)),
            programs=tuple(sorted(reached.programs)),
            staged=held,
        )
        return after if found.whole or before is not None else None

    def _leave(self, why: str) -> None:
        """Say, once, that not everything could be put right."""
        self._left = why
        self._reports.write([why] if why not in self._said else [])
        self._said.add(why)

    def _undo_wholesale(self, before: Baseline, problem: Exception) -> None:
        """Where the folder cannot be judged, whatever a program has put there: nothing new of git's stays."""
        _log.warning("%r could not be judged: %r", self._root.path, problem, exc_info=problem)
        found = reaching.at_least(self._scanner, self._root, before)
        work = Wholesale(self._root, found, before, self._undo)
        self._tell(work.files())
        for part in work.repositories():
            try:
                self._indexes_put_right(staging.complete(self._root, part), before, work.reached)
            except Exception as odd:
                _log.warning("%r could not be judged: %r", part.repositories, odd)
                self._objects_put_right_at_least(part, work)
        stuck = self._left
        self._leave(work.told(problem))
        self.attendance.note_plant()
        self.unfinished = f"{self._left} {stuck}".strip()

    def _objects_put_right_at_least(self, part: Found, work: Wholesale) -> None:
        """Of one repository whose index cannot be judged."""
        (repository,) = part.repositories
        try:
            self._tell(work.index_gone(repository, self._objects.known(self._root)))
            self._tell(self._objects_put_right(part))
        except Exception as odd:
            _log.warning("%r could not be put right: %r", repository, odd)
            work.failed.add(repository)

    def _scan(self) -> Found:
        return staging.complete(self._root, self._scanner.scan(self._root))

    def _inherited(self, found: Found, old: Baseline, known: list[Baseline]) -> Baseline:
        """How it was before programs of others, who have been here for longer."""
        led = overlap.led_to(self._root.path, known)
        old = msgspec.structs.replace(
            old, includes=(*led.includes,), hooks=(*led.hooks,), programs=(*led.programs,)
        )
        found = staging.complete(self._root, found)
        kept = self._kept(found, self._reached(found, old))
        own = of_repositories(self._root, found)
        inherited = overlap.inherited(self._root.path, kept, own, known)
        staged = overlap.staged(self._root.path, known)
        self._objects.begin(self._root, found, shared=True)
        return msgspec.structs.replace(old, files=inherited, staged=staged)

    def _reached(self, found: Found, before: Baseline) -> Targets:
        """Where settings lead to, and where they led to before; planted ones are not followed."""

        def said(path: str, file: files.File) -> bytes | None:
            if not before.files or before.holds(self._root, path):
                return file.content
            verdict = judge(self._root, path, "config", file, before.files, found.repositories)
            return file.content if verdict is None else verdict.content

        return targets(self._root, found, said=said).joined(
            before.includes, before.hooks, before.programs
        )

    def _kept(self, found: Found, reached: Targets) -> dict[str, Kept]:
        """Everything as it is: no program has run yet."""
        there = of_targets(self._root, reached) | of_repositories(self._root, found)
        kept = Copies()
        for path, kind in there.items():
            file = files.look(self._root, path)
            if file is not None and not file.is_folder:
                kept[path] = Kept.of(file, kind)
        return kept

    def _put_right(self, found: Found, before: Baseline) -> tuple[Found, dict[str, Kept], Targets]:
        """First all settings, until none leads elsewhere any more; then the hooks that the rest of them lead to.

        What is known to be harmful is undone before anything is followed, which may take long. What is kept as the next
        baseline is what was judged: a program may put something else there right afterwards.
        """
        known = Targets().joined(before.includes, before.hooks, before.programs)
        kept = Copies()
        began = time.monotonic()
        for turn in count():
            if turn >= _ROUNDS and not (found.is_crowded and time.monotonic() - began < _CROWDED):
                self._leave(reports.ANEW)
                break
            kept = Copies()
            there = of_targets(self._root, known) | of_repositories(self._root, found)
            changed = self._repaired(there, found, before, kept)
            if not changed:
                size = len(found.repositories)
                found = staging.complete(self._root, found)
                changed = len(found.repositories) > size
                if changed:
                    continue
                led = of_targets(self._root, self._reached(found, before))
                more: dict[str, Kind] = {
                    path: kind
                    for path, kind in led.items()
                    if kind not in ("hook", there.get(path))
                }
                changed = self._repaired(more, found, before, kept)
            if not changed:
                break
            found = reaching.found(self._scanner, self._root, before)
        reached = self._reached(found, before)
        led = of_targets(self._root, reached)
        hooks: dict[str, Kind] = {path: "hook" for path, kind in led.items() if kind == "hook"}
        self._repaired(hooks, found, before, kept)
        return found, kept, reached

    def _indexes_put_right(self, found: Found, before: Baseline, reached: Targets) -> staging.Known:
        """Once all files are: an index may hold what is on the disk."""
        changes, held = staging.judged(self._root, found, reached, before.staged)
        undone: list[Undone] = []
        for each in changes:
            file = files.look(self._root, each.path)
            if file is not None and file.is_file:
                why = reports.STAGED.format(", ".join(map(repr, map(shown, each.names[:3]))))
                verdict = Verdict(why if each.names else "", each.content, file.mode)
                undone += self._undo(each.path, verdict, file)
        for lie in staging.lies(self._root, found, reached):
            file = files.look(self._root, lie.path)
            if file is not None and not file.is_folder:
                verdict = Verdict(reports.LIE.format(repr(shown(lie.name))), lie.content, 0o444)
                undone += self._undo(lie.path, verdict, file)
        undone += self._objects_put_right(found)
        self._tell(undone)
        return held

    def _objects_put_right(self, found: Found) -> list[Undone]:
        """Once every program has ended, all of them again: a store into memory changes no time."""
        undone: list[Undone] = []
        for lie in self._objects.lies(self._root, found, again=self._is_last):
            file = files.look(self._root, lie.path, files.LARGEST)
            if file is not None and not file.is_folder:
                verdict = Verdict(reports.OBJECT, lie.content, 0o444, problem=lie.problem)
                undone += self._undo(lie.path, verdict, file)
        return undone

    def _repaired(
        self, there: Mapping[str, Kind], found: Found, before: Baseline, kept: Copies
    ) -> bool:
        """Whether anything had to be undone; `kept` gets what may stay, as it was judged."""
        undone: list[Undone] = []
        changed = False
        hooks = before.hook_copies
        for path, kind in there.items():
            old = before.files.get(path)
            most = files.MOST if old is not None or kind == "hook" else files.LARGEST
            file = files.look(self._root, path, most)
            if file is None or file.is_folder:
                continue
            verdict = None
            is_copy = kind == "hook" and (os.path.basename(path), file.sha, file.mode) in hooks
            is_copy = is_copy and not is_of_repository(path, found)  # what it calls lies elsewhere
            if not before.holds(self._root, path):
                if kind != "odd" and not is_copy:
                    verdict = judge(self._root, path, kind, file, before.files, found.repositories)
                if verdict is None and path in found.odd:
                    verdict = judge_odd(path, file, old)
                if verdict is None and old is None and kind == "pointer" and found.is_crowded:
                    verdict = put_back(None, reports.CROWD)
            if verdict is None:
                guarded = old is not None and old.was_out_of_reach(file)
                kept[path] = Kept.of(file, kind, guarded=guarded)
                continue
            done = self._undo(path, verdict, file)
            changed |= not any(each.problem for each in done)
            undone += done
            if verdict.content is not None:
                kept[path] = Kept.made(kind, verdict.content, verdict.mode)
        self._tell(undone)
        return changed

    def _undo(self, path: str, verdict: Verdict, file: files.File) -> list[Undone]:
        kept = ""
        if verdict.why not in ("", reports.CROWD) and path not in self._stuck:
            try:
                kept = self._quarantine.keep(self._root, path, file)
            except (OSError, Problem) as problem:  # a copy is nothing to leave it there for
                _log.warning("no copy of what was planted for git was kept: %r", problem)
        verdict = stashes.kept(self._root, path, file, verdict)
        try:
            why = self._corrections.correct(self._root, path, verdict)
        except (OSError, Problem) as problem:
            why = verdict.why or "settings that could be read in two ways"
            undone = [Undone(path, why, "", str(problem))]
            self._left = reports.LEFT.format(*sentences(undone))
            self._stuck.add(path)
            return undone
        return [Undone(path, why, kept)] if why else []

    def _tell(self, undone: Iterable[Undone]) -> None:
        """Once of what could not be undone, however often it is looked at."""
        undone = [*undone]
        self._planted |= bool(undone)
        stuck = sentences(each for each in undone if each.problem)
        self._reports.write(sentences(each for each in undone if not each.problem))
        self._reports.write(each for each in stuck if each not in self._said)
        self._said.update(stuck)
