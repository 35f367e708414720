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
from bottega.workspaces.watch.walk import is_text

LONGEST_NAME = 255
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
        called = _name(name or os.path.basename(real))

        def insert(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR IGNORE INTO projects (id, owner, name, folder, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
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
            lambda c: c.execute(f"SELECT {_COLUMNS} FROM projects ORDER BY n").fetchall()  # noqa: S608
        )
        return [Project(*row) for row in rows]

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


def _name(given: str) -> str:
    name = " ".join(os.fsencode(given).decode("utf-8", "replace").split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadUsage(
            f"A project's name has 1 to {LONGEST_NAME} characters that can be printed.",
            hint="Give another one with --name.",
        )
    return name


def _real(folder: Path) -> str:
    real = os.path.realpath(folder.expanduser())
    if not is_text(real):
        raise BadUsage("The folder's path is no text.", hint="Rename the folder first.")
    if not os.path.isdir(real):
        raise BadUsage(f"{str(folder)!r} is not a folder.", hint="Give an existing folder.")
    return real
