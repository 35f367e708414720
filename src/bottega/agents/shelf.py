"""The shelf: every agent that can be chosen here, by its slug.

A program's own come first, then the user's (a folder with one TOML file each, whose name is the slug), then those of
the house. The first of a slug wins, even if it is broken: using it tells what is wrong, and no other agent suffers. The
folder is looked at each time, so that a file that was just written or mended counts at once.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

import msgspec

from bottega.agents.agent import Agent
from bottega.agents.build import agent_of, spec_of
from bottega.agents.check import check
from bottega.agents.house import house
from bottega.agents.spec import Spec, WrongSpec, is_slug, near, read, slug_of
from bottega.errors import NotFound
from bottega.regular_file import read_regular
from bottega.tools.registry import Registry

Origin = Literal["program", "own", "house"]
LARGEST = 1_000_000
"""Bytes of a file; what is larger is no agent."""


class Shelved(msgspec.Struct, frozen=True):
    """One place on the shelf."""

    slug: str
    origin: Origin
    spec: Spec | None
    """None: it cannot be read."""
    path: str = ""
    problems: tuple[str, ...] = ()
    """Why it cannot be used."""

    def usable(self) -> Spec:
        """The spec; raises with all that is wrong with it."""
        if self.spec is None or self.problems:
            subject = f"The agent file {self.path!r}" if self.path else f"The agent {self.slug!r}"
            hint = f"`bottega agents validate {self.slug}` lists every problem."
            raise WrongSpec(subject, self.problems, hint=hint)
        return self.spec


class Shelf:
    def __init__(
        self, folder: Path, registry: Callable[[], Registry], own: Iterable[Agent | Spec] = ()
    ) -> None:
        self._folder = folder
        self._registry = registry
        """All tools that there are; asked for when an agent that is not the house's is needed."""
        own = tuple(own)
        specs = [each if isinstance(each, Spec) else spec_of(each) for each in own]
        self._program = {spec.slug: spec for spec in specs}
        self._agents = {each.slug: each for each in own if isinstance(each, Agent)}
        self._read: dict[str, tuple[tuple[int, int, int], Shelved]] = {}
        """What was read of a file, and the file's stamp then."""

    def all(self) -> list[Shelved]:
        """All of them, those of the house last, in their order; broken ones too."""
        found = [*self._of_program(), *self._of_folder()]
        taken = {each.slug for each in found}
        return [*found, *(each for each in _of_house() if each.slug not in taken)]

    @property
    def slugs(self) -> list[str]:
        """The names that `find` knows, cheaply: no file is opened."""
        own = [path.stem for path in self._files() if is_slug(path.stem)]
        return list(dict.fromkeys([*self._program, *own, *house()]))

    def find(self, slug: str) -> Shelved:
        """The one of that slug, whether it can be used or not; raises `NotFound` with the names there are."""
        if slug in self._program:
            return self._checked(self._program[slug], "program")
        if is_slug(slug) and (found := self._file(self._folder / f"{slug}.toml")):
            return found
        if slug in house():
            return Shelved(slug, "house", house()[slug])
        raise NotFound(
            f"There is no agent {slug[:60]!r}.{near(slug, self.slugs)}",
            hint=f"There are: {', '.join(self.slugs)}.",
        )

    def get(self, slug: str) -> Agent:
        """The agent of that slug, ready to be used."""
        spec = self.find(slug).usable()
        return self._agents.get(slug) or agent_of(spec)

    def problems(self) -> list[str]:
        """One sentence for each of the user's files that cannot be used."""
        told: list[str] = []
        for each in self._of_folder():
            try:
                each.usable()
            except WrongSpec as problem:
                told.append(str(problem))
        return told

    def _of_program(self) -> list[Shelved]:
        return [self._checked(spec, "program") for spec in self._program.values()]

    def _of_folder(self) -> list[Shelved]:
        read = [self._file(path) for path in self._files()]
        return [each for each in read if each and each.slug not in self._program]

    def _files(self) -> list[Path]:
        try:
            return sorted(p for p in self._folder.glob("*.toml") if not p.name.startswith("."))
        except OSError:
            return []

    def _file(self, path: Path) -> Shelved | None:
        """What stands in this file; None if there is none."""
        try:
            stat = path.stat()
        except OSError:
            if not path.is_symlink():
                return None
            return Shelved(path.stem, "own", None, str(path), ("the link leads nowhere",))
        stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        known = self._read.get(path.name)
        if known and known[0] == stamp:
            return known[1]
        found = self._shelved(path, stat.st_size)
        self._read[path.name] = (stamp, found)
        return found

    def _shelved(self, path: Path, size: int) -> Shelved:
        slug = path.stem
        try:
            return self._checked(from_file(path, size), "own", str(path))
        except WrongSpec as problem:
            return Shelved(slug, "own", None, str(path), problem.problems)

    def _checked(self, spec: Spec, origin: Origin, path: str = "") -> Shelved:
        return Shelved(spec.slug, origin, spec, path, tuple(check(spec, self._registry())))


def from_file(path: Path, size: int | None = None) -> Spec:
    """The spec in a file, whose name is its slug; raises `WrongSpec` for all that may be wrong with it."""
    subject = f"The agent file {str(path)!r}"
    if not is_slug(path.stem):
        better = slug_of(path.stem) or "my-agent"
        raise WrongSpec(subject, [f"its name is no slug; call it {better}.toml"])
    try:
        if not path.is_file():
            raise WrongSpec(subject, ["it is no file"])
        if (path.stat().st_size if size is None else size) > LARGEST:
            raise WrongSpec(subject, ["it is larger than 1 MB"])
        text = read_regular(path, LARGEST).decode()
    except OSError as error:
        raise WrongSpec(subject, [f"it cannot be read: {error.strerror or error}"]) from error
    except UnicodeDecodeError as error:
        raise WrongSpec(subject, ["it is no text in UTF-8"]) from error
    return read(text, str(path), slug=path.stem)


def _of_house() -> list[Shelved]:
    return [Shelved(slug, "house", spec) for slug, spec in house().items()]
