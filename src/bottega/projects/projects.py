"""Projects: the folders that a person may work in. Only somebody at this machine adds one.

A container is, for now, a subfolder of its project.
"""

import asyncio
import os
import sqlite3
from pathlib import Path

import msgspec

from bottega.errors import BadUsage, NotFound
from bottega.ids import fresh
from bottega.projects.fit import refuse_unfit
from bottega.sessions.session import now
from bottega.storage.database import Database

_COLUMNS = "n, id, owner, name, folder, created_at"


class Project(msgspec.Struct, frozen=True):
    n: int
    id: str
    owner: int
    """The number of the person whose it is."""
    name: str
    folder: str
    """Its real path."""
    created_at: int


class Projects:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, folder: Path, owner: int, name: str = "") -> Project:
        """Register a folder for a person; the same one again is the same project. Refuses what may be none."""
        real = await asyncio.to_thread(_real, folder)
        refuse_unfit(real, self._database.home.path)

        def insert(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR IGNORE INTO projects (id, owner, name, folder, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (fresh("prj"), owner, name or os.path.basename(real) or real, real, now()),
            )

        await self._database.write(insert)
        return self._one("owner = ? AND folder = ?", (owner, real), real)

    def owned(self, project_id: str, owner: int) -> Project:
        """The project of that id, if it is this person's; another's is not found."""
        return self._one("id = ? AND owner = ?", (project_id, owner), project_id)

    def of(self, owner: int) -> list[Project]:
        """All of a person's, oldest first."""
        rows = self._database.read_now(
            lambda c: c.execute(
                f"SELECT {_COLUMNS} FROM projects WHERE owner = ? ORDER BY n",  # noqa: S608
                (owner,),
            ).fetchall()
        )
        return [Project(*row) for row in rows]

    async def remove(self, project: Project) -> None:
        """No longer registered; the folder and its sessions stay as they are."""
        await self._database.write(
            lambda c: c.execute("DELETE FROM projects WHERE n = ?", (project.n,)).close()
        )

    def _one(self, where: str, values: tuple[str | int, ...], named: str) -> Project:
        row = self._database.read_now(
            lambda c: c.execute(
                f"SELECT {_COLUMNS} FROM projects WHERE {where}",  # noqa: S608
                values,
            ).fetchone()
        )
        if row is None:
            raise NotFound(
                f"There is no project {named!r} here.", hint="`bottega projects` lists them."
            )
        return Project(*row)


def _real(folder: Path) -> str:
    real = os.path.realpath(folder.expanduser())
    if not os.path.isdir(real):
        raise BadUsage(f"{str(folder)!r} is not a folder.", hint="Give an existing folder.")
    return real
