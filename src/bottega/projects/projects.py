"""Projects: the folders that a person may work in. Only somebody at this machine adds one.

A container is a subfolder of its project. One that is removed is kept, out of everybody's sight: added again for the
same person it is the same one, and the sessions in it go on.
"""

import asyncio
import os
import sqlite3
from pathlib import Path

import msgspec

from bottega.errors import BadUsage, NotFound
from bottega.ids import fresh
from bottega.sessions.session import now
from bottega.storage.database import Database
from bottega.workspaces.fit import refuse_unfit
from bottega.workspaces.watch.walk import is_text

LONGEST_NAME = 255
_COLUMNS = "n, id, owner, name, folder, created_at, removed_at"


class Project(msgspec.Struct, frozen=True):
    n: int
    id: str
    owner: int
    """The number of the person whose it is."""
    name: str
    folder: str
    """Its real path when it was added. Only `projects.folders` opens it."""
    created_at: int
    removed_at: int | None = None

    @property
    def is_removed(self) -> bool:
        return self.removed_at is not None


class Projects:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, folder: str | Path, owner: int, name: str = "") -> Project:
        """Register a folder for a person; the same one again is the same project. Refuses what may be none."""
        real = await asyncio.to_thread(real_folder, folder)
        refuse_unfit(real, [self._database.home.path])
        called = _name(name or os.path.basename(real))

        def insert(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO projects (id, owner, name, folder, created_at) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (owner, folder) DO UPDATE SET removed_at = NULL",
                (fresh("prj"), owner, called, real, now()),
            )

        await self._database.write(insert)
        return self._one("owner = ? AND folder = ?", (owner, real), real)

    def owned(self, project_id: str, owner: int) -> Project:
        """The project of that id, if it is this person's; another's is not found."""
        return self._one("id = ? AND owner = ?", (project_id, owner), project_id)

    def get(self, project_id: str) -> Project:
        """The project of that id, whoever's it is: for somebody at this machine."""
        return self._one("id = ?", (project_id,), project_id)

    def all(self) -> list[Project]:
        """Everybody's, oldest first."""
        rows = self._database.read_now(
            lambda c: c.execute(
                f"SELECT {_COLUMNS} FROM projects WHERE removed_at IS NULL ORDER BY n"  # noqa: S608
            ).fetchall()
        )
        return [Project(*row) for row in rows]

    def folders_ever(self) -> list[str]:
        """Every folder that was somebody's project, those of removed ones too."""
        rows = self._database.read_now(
            lambda c: c.execute("SELECT DISTINCT folder FROM projects").fetchall()
        )
        return [folder for (folder,) in rows]

    def of(self, owner: int) -> list[Project]:
        """All of a person's, oldest first."""
        rows = self._database.read_now(
            lambda c: c.execute(
                f"SELECT {_COLUMNS} FROM projects WHERE owner = ? AND removed_at IS NULL ORDER BY n",  # noqa: S608
                (owner,),
            ).fetchall()
        )
        return [Project(*row) for row in rows]

    async def remove(self, project: Project) -> None:
        """No longer its owner's: whatever runs there ends, and its sessions can only be read. The folder stays."""
        await self._database.write(
            lambda c: c.execute(
                "UPDATE projects SET removed_at = ? WHERE n = ?", (now(), project.n)
            ).close()
        )

    def numbered(self, n: int) -> Project | None:
        """The project that sessions know by this number, be it removed."""
        row = self._database.read_now(
            lambda c: c.execute(
                f"SELECT {_COLUMNS} FROM projects WHERE n = ?",  # noqa: S608
                (n,),
            ).fetchone()
        )
        return Project(*row) if row else None

    def removal_times(self) -> dict[int, int | None]:
        """Of all that there ever were: when each was removed, if it was."""
        rows = self._database.read_now(
            lambda c: c.execute("SELECT n, removed_at FROM projects").fetchall()
        )
        return dict(rows)

    def _one(self, where: str, values: tuple[str | int, ...], named: str) -> Project:
        row = self._database.read_now(
            lambda c: c.execute(
                f"SELECT {_COLUMNS} FROM projects WHERE {where} AND removed_at IS NULL",  # noqa: S608
                values,
            ).fetchone()
        )
        if row is None:
            raise NotFound(
                f"There is no project {named!r} here.", hint="`bottega projects` lists them."
            )
        return Project(*row)


def _name(given: str) -> str:
    name = " ".join(os.fsencode(given).decode("utf-8", "replace").split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadUsage(
            f"A project's name has 1 to {LONGEST_NAME} characters that can be printed.",
            hint="Give another one with --name.",
        )
    return name


def real_folder(folder: str | os.PathLike[str]) -> str:
    """The real path of what somebody at this machine named; refuses what is no folder. Waits for the disk."""
    real = os.path.realpath(Path(folder).expanduser())
    if not is_text(real):
        raise BadUsage("The folder's path is no text.", hint="Rename the folder first.")
    if not os.path.isdir(real):
        raise BadUsage(f"{str(folder)!r} is not a folder.", hint="Give an existing folder.")
    return real
