"""Files of a project found by a few letters of their path: what git ignores is left out.

The list of all of them is kept, and renewed behind the back of whoever asks: nobody waits long for the disk, and a
list that is quick to make is hardly ever old.
"""

import asyncio
import time
from contextlib import suppress

import msgspec

from bottega.projects.files.match import Named, match, named
from bottega.projects.folders import Folders
from bottega.projects.projects import Project
from bottega.workspaces.outputs.drain import unbroken
from bottega.workspaces.watch.walk import walk

MOST = 100_000
"""Files of a project that can be found."""
_KEPT = 8
"""Lists that are kept, of the projects that were last asked about."""
_PATIENCE = 0.25
"""Seconds that somebody waits for a newer list where there is one."""
_FRESH = 10.0
"""A list is not made anew before so many times as long as it took to make."""


class Listed(msgspec.Struct, frozen=True):
    names: Named
    whole: bool
    """False: there are more files than can be found."""
    made: float
    took: float

    @property
    def is_old(self) -> bool:
        return time.monotonic() - self.made > self.took * _FRESH

    @property
    def files(self) -> int:
        return len(self.names.paths) - self.names.folders


class Found(msgspec.Struct, frozen=True):
    paths: list[str]
    """From the project; a folder ends with a slash."""
    whole: bool


class Finding:
    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._lists: dict[str, Listed] = {}
        self._making: dict[str, asyncio.Task[Listed]] = {}

    async def find(self, project: Project, wanted: str, limit: int, container: str = "") -> Found:
        listed = await self.listed(project)
        within = await self._within(project, container) if container else ""
        paths = await asyncio.to_thread(match, listed.names, wanted, limit, within)
        return Found(paths, listed.whole)

    async def listed(self, project: Project) -> Listed:
        """All that can be found; a list that is a little old, where a new one takes long."""
        known = self._lists.get(project.folder)
        if known and not known.is_old:
            return known
        making = self._making.get(project.folder)
        if making is None:
            making = self._making[project.folder] = asyncio.create_task(self._make(project))
            making.add_done_callback(_heard)
        if known is None:
            return await asyncio.shield(making)
        await asyncio.wait((making,), timeout=_PATIENCE)
        return making.result() if making.done() else known

    async def _within(self, project: Project, container: str) -> str:
        """What the path of everything in the container begins with; refuses what is no folder of the project."""
        inside = await asyncio.to_thread(self._folders.container, project, container)
        return f"{inside}/" if inside else ""

    async def close(self) -> None:
        for making in list(self._making.values()):
            with suppress(Exception):  # whoever asked has heard of it
                await making

    async def _make(self, project: Project) -> Listed:
        try:
            listed = await unbroken(asyncio.to_thread(_listed, self._folders, project))
        except BaseException:
            self._lists.pop(project.folder, None)
            raise
        finally:
            self._making.pop(project.folder, None)
        self._lists.pop(project.folder, None)
        self._lists[project.folder] = listed
        while len(self._lists) > _KEPT:
            self._lists.pop(next(iter(self._lists)))
        return listed


def _heard(making: "asyncio.Task[Listed]") -> None:
    """Nobody may be left to hear of a failure; whoever asks next is told."""
    if not making.cancelled():
        making.exception()


def _listed(folders: Folders, project: Project) -> Listed:
    begun = time.monotonic()
    with folders.open_project(project) as root:
        walked = walk(root, MOST)
    names = named(walked.files)
    made = time.monotonic()
    return Listed(names, walked.whole, made, made - begun)
