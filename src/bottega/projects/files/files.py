"""The files of all projects, for people: every path is opened beneath its project, every change waits for its turn.

A change holds the same locks as an agent's: those of the paths within this process, and the fences of every workspace
that the file lies in, for others.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeVar

from bottega.errors import Problem
from bottega.projects.files import changing, reading
from bottega.projects.files.changing import Made
from bottega.projects.files.compare import Compared, compare
from bottega.projects.files.download import Download, download
from bottega.projects.files.finding import Finding
from bottega.projects.files.limits import ENTRIES
from bottega.projects.files.tree import Tree, containers, tree
from bottega.projects.files.upload import Upload
from bottega.projects.folders import Folders
from bottega.projects.projects import Project
from bottega.sessions.session import HOST
from bottega.workspaces import own_code
from bottega.workspaces.confine import Root
from bottega.workspaces.fence import Fences
from bottega.workspaces.git.accepting import Accepting, Meant
from bottega.workspaces.git.proposed import refuse_repository
from bottega.workspaces.outputs.drain import unbroken

T = TypeVar("T")

Locked = Callable[[Root, Sequence[str]], AbstractAsyncContextManager[None]]
"""Who writes these paths waits for each other, in all sessions of this process."""


class Files:
    def __init__(
        self,
        folders: Folders,
        locked: Locked,
        states: Callable[[str], Path],
        accepting: Accepting,
    ) -> None:
        """`states` gives the folder that the home keeps for a workspace.

        `accepting` keeps what people do from being taken for what programs planted.
        """
        self._folders = folders
        self._locked = locked
        self._states = states
        self._accepting = accepting
        self.finding = Finding(folders)

    async def containers(self, project: Project) -> list[str]:
        return await self._look(project, containers)

    async def tree(
        self, project: Project, path: str, depth: int = 1, start: int = 0, limit: int = ENTRIES
    ) -> Tree:
        return await self._look(project, lambda root: tree(root, path, depth, start, limit))

    async def read(
        self, project: Project, path: str, offset: int = 0, limit: int = 0
    ) -> reading.Page:
        return await self._look(project, lambda root: reading.read(root, path, offset, limit))

    async def compare(self, project: Project, path: str, content: str) -> Compared:
        """What would change if the file got this content."""
        return await self._look(project, lambda root: compare(root, path, content))

    async def download(self, project: Project, path: str, *, ignored: bool = False) -> Download:
        def begin() -> Download:
            root = self._folders.open_project(project)
            try:
                return download(root, path, ignored=ignored)
            except BaseException:
                root.close()
                raise

        return await unbroken(asyncio.to_thread(begin))

    async def write(self, project: Project, path: str, content: str, version: str) -> Made:
        """Refused with `Changed` or `Taken` where the file is not of that version; empty: where there is one."""
        async with self._changing(project, Root.canonical, path) as (root, (at,), fences):
            await _refuse_plant(project, root, at)
            made = await self._made(
                root, at, lambda: changing.write(root, at, content, version, fences)
            )
            if made.created:
                await _take_back_plant(
                    project, root, at, lambda: changing.remove(root, at, made.version, fences)
                )
            return made

    async def make_folder(self, project: Project, path: str) -> str:
        async with self._changing(project, Root.canonical, path) as (root, (at,), fences):
            await _refuse_plant(project, root, at)
            await _done(lambda: changing.make_folder(root, at, fences))
            await _take_back_plant(project, root, at, lambda: changing.remove(root, at, "", fences))
            return at

    async def remove(
        self, project: Project, path: str, version: str, *, recursive: bool = False
    ) -> None:
        async with self._changing(project, changing.named, path) as (root, (at,), fences):
            await self._accepted(
                root,
                (at,),
                lambda: changing.remove(root, at, version, fences, recursive=recursive),
            )

    async def move(self, project: Project, path: str, to: str, version: str) -> str:
        async with self._changing(project, changing.named, path, to) as (root, (at, there), fences):
            await _refuse_plant(project, root, there)
            meant = Meant({there: version} if version else {}, moved=(at, there))
            await self._accepted(
                root, (at, there), lambda: changing.move(root, at, there, version, fences), meant
            )
            await _take_back_plant(
                project, root, there, lambda: changing.move(root, there, at, version, fences)
            )
            return there

    async def upload(
        self, project: Project, path: str, version: str, chunks: AsyncIterable[bytes]
    ) -> Made:
        """Take the bytes in as they come; where they break off, nothing has changed."""
        with await _done(lambda: self._folders.open_project(project)) as root:
            at = await _done(lambda: root.canonical(path))
            changing.refuse_gits(at)
            await _done(lambda: own_code.refuse_change(root.path, at))
            coming = await _done(lambda: Upload(root, at))
            try:
                async for chunk in chunks:
                    await _done(lambda chunk=chunk: coming.write(chunk))
                fences = self._fences(root, (at,))
                async with self._locked(root, (at,)):
                    self._folders.projects.owned(
                        project.id, project.owner
                    )  # it may have taken hours
                    await _refuse_plant(project, root, at)
                    made = await self._made(root, at, lambda: coming.finish(version, fences))
                    if made.created:
                        await _take_back_plant(
                            project,
                            root,
                            at,
                            lambda: changing.remove(root, at, made.version, fences),
                        )
                    return made
            finally:
                await _done(coming.close)

    async def _made(self, root: Root, path: str, work: Callable[[], Made]) -> Made:
        meant = Meant()

        def noted() -> Made:
            made = work()
            meant.hashes[path] = made.version
            return made

        return await self._accepted(root, (path,), noted, meant)

    async def _accepted(
        self,
        root: Root,
        paths: Sequence[str],
        work: Callable[[], T],
        meant: Meant | None = None,
    ) -> T:
        """Have a change made that no guard is to undo."""

        def accepted() -> T:
            with self._accepting(root, paths, meant or Meant()):
                return work()

        return await _done(accepted)

    async def _look(self, project: Project, look: Callable[[Root], T]) -> T:
        def looked() -> T:
            with self._folders.open_project(project) as root:
                return look(root)

        return await _done(looked)

    @asynccontextmanager
    async def _changing(
        self, project: Project, find: Callable[[Root, str], str], *paths: str
    ) -> AsyncGenerator[tuple[Root, tuple[str, ...], Fences]]:
        """The project, the canonical paths, and what must be held while they change."""
        with await _done(lambda: self._folders.open_project(project)) as root:
            found = await _done(lambda: tuple(find(root, path) for path in paths))
            for path in found:
                changing.refuse_gits(path)
            await _done(lambda: own_code.refuse_change(root.path, *found))
            fences = self._fences(root, found)
            async with self._locked(root, found):
                yield root, found, fences

    def _fences(self, root: Root, paths: Sequence[str]) -> Fences:
        return Fences(self._states, root.path, *(os.path.join(root.path, each) for each in paths))


async def _refuse_plant(project: Project, root: Root, path: str) -> None:
    """Refuse what version control would run, or read as settings, for the owner of the machine."""
    if project.owner != HOST:
        await _done(lambda: changing.refuse_plant(root, path))


async def _take_back_plant(
    project: Project, root: Root, path: str, take_back: Callable[[], None]
) -> None:
    """Refuse it afterwards, too: something else may have come in the meantime, and both together are a repository."""
    if project.owner == HOST:
        return

    def look_again() -> None:
        try:
            refuse_repository(root, (path,))
        except Problem:
            take_back()
            raise

    await _done(look_again)


async def _done(work: Callable[[], T]) -> T:
    """In a thread, and to its end: what it uses is closed afterwards."""
    return await unbroken(asyncio.to_thread(work))
