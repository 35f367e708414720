"""From a session, or a project, to an open folder: the only place where a stored path becomes one.

At every use its owner must still have the project, and it is opened as it was stored: from `/` down to the project, and
from there to the container, past no link. What was opened is held by its descriptor; sandboxes, tools, undo and all
others get that, never a path.
"""

import asyncio
import os
from collections.abc import Sequence

from bottega.errors import BadUsage, NotFound, Problem, Refused
from bottega.projects.projects import Project, Projects, real_folder
from bottega.sessions.session import HOST, SessionRow, Sessions
from bottega.storage.database import Database
from bottega.workspaces.confine import Linked, Root
from bottega.workspaces.fit import refuse_unfit
from bottega.workspaces.problems import outside, shown

_LEVELS = 16

Place = tuple[int | None, str]
"""Where a session works: the number of its project, and the container."""


class ProjectRemoved(Refused):
    """The session's owner does not have its project any more."""

    code = "project_removed"


class NoProject(Refused):
    """The session is from before there were projects, and its folder lies in none."""

    code = "no_project"


def place_of(session: SessionRow) -> Place:
    return session.project, session.container


class Folders:
    def __init__(self, database: Database) -> None:
        self.projects = Projects(database)
        self._database = database
        self._home = database.home.path

    def project_of(self, session: SessionRow) -> Project:
        """The project that a session works in; refused where its owner has it no longer. Opens nothing."""
        if session.project is None:
            raise NoProject(
                f"This session can only be read: its folder, {session.folder!r}, is in none of its owner's projects.",
                hint="Begin a session in a project; `bottega projects add FOLDER` makes one.",
            )
        project = self.projects.numbered(session.project)
        if project is None or project.is_removed or project.owner != session.owner:
            name = repr(project.name) if project else "of this session"
            raise ProjectRemoved(
                f"The project {name} was removed, so this session can only be read.",
                hint=f"At that machine `bottega projects add {session.folder}` gives it back.",
            )
        return project

    def path_of(self, session: SessionRow) -> str:
        """The name of a session's folder, for locks and notes that belong to it. Nothing is opened by it."""
        project = self.projects.numbered(session.project) if session.project is not None else None
        if project is None:
            return session.folder
        return os.path.join(project.folder, session.container).rstrip("/")

    def open(self, session: SessionRow) -> Root:
        """The session's folder, for the caller, who closes it. Waits for the disk."""
        return self.open_project(self.project_of(session), session.container)

    async def opened(self, session: SessionRow) -> Root:
        """The same, and the disk is waited for in a thread."""
        project = self.project_of(session)
        return await asyncio.to_thread(self.open_project, project, session.container)

    def open_project(self, project: Project, container: str = "") -> Root:
        """A project's folder, or one in it, for the caller, who closes it. Waits for the disk."""
        refuse_unfit(project.folder, [self._home])
        try:
            root = Root(project.folder)
        except Problem as problem:
            raise _unopened(f"The folder of the project {project.name!r}", problem) from None
        if not container:
            return root
        with root:
            try:
                found = root.beneath(container)
            except Problem as problem:
                raise _unopened(f"The folder {shown(container)}", problem) from None
        try:
            refuse_unfit(found.path, [self._home])
        except BaseException:
            found.close()
            raise
        return found

    def container(self, project: Project, path: str) -> str:
        """A folder of the project as it is stored, links in it resolved; refuses what is none. Waits for the disk."""
        if path.startswith("/"):
            raise outside(path)
        with self.open_project(project) as root:
            inside = root.canonical(path or ".")
            try:
                os.close(root.open_folder(inside, follow=False))
            except OSError as problem:
                raise BadUsage(
                    f"The folder {shown(path)} cannot be opened: {problem.strerror}."
                ) from None
        return "" if inside == "." else inside

    async def place(self, folder: str | os.PathLike[str], owner: int) -> tuple[Project, str]:
        """The innermost project of a person that this folder lies in, and the container that it is there.

        Who sits at this machine may work in any fit folder: it becomes a project, with all of its repository.
        """
        real = await asyncio.to_thread(real_folder, folder)
        project = innermost(real, self.projects.of(owner))
        if project is None:
            if owner != HOST:
                raise Refused(
                    f"{real!r} is in no project of that person.",
                    hint="`bottega projects add FOLDER --for NAME` adds one.",
                )
            top = await asyncio.to_thread(self._repository, real)
            project = await self.projects.add(top, owner)
        return project, inside(real, project)

    async def adopt(self, session: SessionRow) -> SessionRow:
        """Give a session that is in no project the place where its folder lies now.

        Only for whoever sits at this machine: sessions of theirs that are older than their projects go on like this.
        """
        if session.project is not None or session.owner != HOST:
            return session
        # What is stored was a real path: where a link stands in it now, it leads to what somebody else chose.
        if await asyncio.to_thread(os.path.realpath, session.folder) != session.folder:
            return session
        try:
            project, container = await self.place(session.folder, HOST)
        except Problem:  # it is gone, or cannot be one: the session can be read all the same
            return session
        folder = os.path.join(project.folder, container).rstrip("/")
        if folder != session.folder.rstrip("/"):
            return session
        await self._database.write(
            lambda c: c.execute(
                "UPDATE sessions SET project = ?, container = ?, folder = ?"
                " WHERE owner = ? AND project IS NULL AND folder = ?",
                (project.n, container, folder, HOST, session.folder),
            ).close()
        )
        return Sessions(self._database).get(session.id)

    def _repository(self, folder: str) -> str:
        """The top of the repository that this folder lies in, if it may be a project; else the folder itself."""
        refuse_unfit(folder, [self._home])
        owner, at = os.stat(folder).st_uid, folder
        for _ in range(_LEVELS):
            git = os.path.join(at, ".git")
            # An open sandbox keeps an empty folder where there is no repository.
            if os.path.isfile(git) or os.path.isfile(os.path.join(git, "HEAD")):
                try:
                    refuse_unfit(at, [self._home])
                except Refused:
                    return folder
                return at if os.lstat(git).st_uid == os.lstat(at).st_uid == owner else folder
            at = os.path.dirname(at)
        return folder


def innermost(folder: str, projects: Sequence[Project]) -> Project | None:
    """Of projects that hold a folder, by its letters, the one that lies in all others."""
    holding = [
        each
        for each in projects
        if folder == each.folder or folder.startswith(each.folder.rstrip("/") + "/")
    ]
    return max(holding, key=lambda each: len(each.folder), default=None)


def inside(folder: str, project: Project) -> str:
    """A folder of a project as seen from there; empty: it is the project's own."""
    found = os.path.relpath(folder, project.folder)
    return "" if found == "." else found


def _unopened(what: str, problem: Problem) -> Problem:
    if isinstance(problem, Linked):
        return Linked(
            f"{what} is not opened: a symbolic link stands in its path, and none is followed there.",
            hint="Put the folder itself back at its place, or add the one that is meant: `bottega projects add`.",
        )
    return NotFound(
        f"{what} cannot be opened: {problem.message}",
        hint="Put it back, or remove the project: `bottega projects remove`.",
    )
