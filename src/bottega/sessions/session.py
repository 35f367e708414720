"""A session's row: what lists show without reading a single event."""

import sqlite3
import time
import uuid
from collections.abc import Callable, Collection, Iterable
from typing import Any, Literal

import msgspec

from bottega.errors import BadUsage, NotFound, TooMany
from bottega.ids import SessionId, fresh_session
from bottega.storage.database import Database

Status = Literal["idle", "queued", "running", "waiting"]
"""`waiting`: the exchange that runs waits for an answer, and no worker holds the session meanwhile."""

Outcome = Literal["", "done", "failed", "stopped", "limited", "interrupted"]
"""How the last exchange ended; empty: none has yet, or it was not written down."""

VERSION = 1
"""Programs below a session's `needs` may follow it but not run it."""

HOST = 1
"""The number of the person whose home it is: who sits at this machine."""

Also = Callable[[sqlite3.Connection, int], None]
"""What is stored together with a new session, given its number."""

_COLUMNS = (
    "n, id, created_at, updated_at, title, model, agent, folder, status, needs, last_index, mode,"
    " parent, parent_call, depth, owner, project, container, pinned, archived, outcome, EXISTS (SELECT 1 FROM asks"
    " WHERE asks.session = sessions.n AND asks.status = 'open' AND asks.kind <> 'plan'), imported"
)


class SessionRow(msgspec.Struct, frozen=True):
    n: int
    """The number that other tables know the session by."""
    id: SessionId
    created_at: int
    updated_at: int
    title: str
    model: str
    agent: str
    folder: str
    """Where it works, as people are told it. It is never opened: `projects.folders` finds the folder."""
    status: Status
    needs: int
    last_index: int
    mode: str = ""
    """Empty: the settings' own."""
    parent: int | None = None
    """The number of the session whose agent handed this one its task."""
    parent_call: str = ""
    """The call by which it did, as `message_id/step/tool_id`."""
    depth: int = 0
    """How many sessions stand above it."""
    owner: int = HOST
    """The number of the person whose it is."""
    project: int | None = None
    """The number of the project that it works in; None: in none, so that it can only be read."""
    container: str = ""
    """The folder in that project; empty: all of it."""
    pinned: bool = False
    """Its owner wants it at hand."""
    archived: bool = False
    """Its owner wants it out of sight; a prompt brings it back."""
    outcome: Outcome = ""
    is_asked: bool = False
    """Something of it waits for an answer; a plan that is offered does not count."""
    imported: int = 0
    """Up to this index its log was read from a file, and says nothing of the files here; 0: nothing of it was."""

    @property
    def shown(self) -> Status:
        """Its status as people are told it: what waits for somebody waits, whether its worker has let go or not."""
        return "waiting" if self.status == "running" and self.is_asked else self.status

    @property
    def task_id(self) -> str:
        """Of a child: the id of the prompt that hands it its task. Named by the call, so that it is said once."""
        return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.id}/{self.parent_call}"))


def now() -> int:
    """Milliseconds UTC."""
    return time.time_ns() // 1_000_000


class Sessions:
    """Create, find, list, name and delete sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.most = 0
        """Sessions that one person may have, children aside; 0: any number."""

    async def create(  # noqa: PLR0913 - each is a word of its own
        self,
        *,
        model: str,
        agent: str,
        folder: str,
        project: int | None = None,
        container: str = "",
        title: str = "",
        mode: str = "",
        owner: int = HOST,
        session_id: str = "",
        also: Also | None = None,
    ) -> SessionRow:
        """A new session; with an id that its owner has begun before, that one.

        `also` runs in the same transaction, and may refuse by raising.
        """
        session_id = session_id or fresh_session()

        def insert(connection: sqlite3.Connection) -> None:
            at = now()
            self.refuse_too_many(connection, owner, session_id)
            made = connection.execute(
                "INSERT INTO sessions"
                " (id, created_at, updated_at, title, model, agent, folder, needs, mode, owner, project,"
                " container) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO NOTHING RETURNING n",
                (
                    *(session_id, at, at, title, model, agent, folder, VERSION, mode, owner),
                    *(project, container),
                ),
            ).fetchone()
            if also and made:
                also(connection, made[0])

        await self._database.write(insert)
        return self.owned(session_id, owner)

    def refuse_too_many(
        self, connection: sqlite3.Connection, owner: int, session_id: str = ""
    ) -> None:
        """Inside a transaction, or before it: refuse another session of that person's where there are too many."""
        if not self.most:
            return
        (count,) = connection.execute(
            "SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE owner = ?1 AND parent IS NULL"
            " AND id <> ?2 LIMIT ?3)",
            (owner, session_id, self.most),
        ).fetchone()
        if count >= self.most:
            raise TooMany(
                f"You have {count} sessions, which is the most for one person.",
                hint="Delete some that you no longer need; the owner sets `person_sessions`.",
            )

    def get(self, session_id: str) -> SessionRow:
        """The session of that id, or of the only one that begins so; refuse what names none or several."""

        def find(connection: sqlite3.Connection) -> list[Any]:
            exact = connection.execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE id = ?",  # noqa: S608
                (session_id,),
            ).fetchall()
            if exact or len(session_id) < 4:
                return exact
            return connection.execute(
                f"SELECT {_COLUMNS} FROM sessions"  # noqa: S608
                " WHERE substr(id, 1, length(?1)) = ?1 OR substr(id, -length(?1)) = ?1 LIMIT 2",
                (session_id,),
            ).fetchall()

        rows = self._database.read_now(find)
        if not rows:
            raise NotFound(
                f"There is no session {session_id!r} here.", hint="`bottega sessions` lists them."
            )
        if len(rows) > 1:
            raise BadUsage(
                f"More than one session begins or ends with {session_id!r}.",
                hint="Give more of its id.",
            )
        return _row(rows[0])

    def owned(self, session_id: str, owner: int) -> SessionRow:
        """The session of exactly that id, if it is this person's: another's is not found, as if it were not there."""
        row = self._database.read_now(
            lambda connection: connection.execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE id = ? AND owner = ?",  # noqa: S608
                (session_id, owner),
            ).fetchone()
        )
        if row is None:
            raise NotFound(
                f"There is no session {session_id!r} here.",
                hint="It was deleted, or is somebody else's. The list of sessions has yours.",
            )
        return _row(row)

    def numbered(self, n: int) -> SessionRow:
        """The session that other tables know by this number."""
        row = self._database.read_now(
            lambda connection: connection.execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE n = ?",  # noqa: S608
                (n,),
            ).fetchone()
        )
        if row is None:
            raise NotFound("This session was deleted.", hint="Begin another one.")
        return _row(row)

    def children(self, n: int, message_id: str = "") -> "list[SessionRow]":
        """The sessions that this one handed tasks to, oldest first; those of one exchange, or all."""
        rows = self._database.read_now(
            lambda connection: connection.execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE parent = ?1"  # noqa: S608
                " AND (?2 = '' OR substr(parent_call, 1, length(?2) + 1) = ?2 || '/') ORDER BY n",
                (n, message_id),
            ).fetchall()
        )
        return [_row(row) for row in rows]

    def beneath(self, row: SessionRow) -> "list[SessionRow]":
        """All children of a session, and theirs, each right before its own."""
        found: list[SessionRow] = []
        for child in self.children(row.n):
            found += [child, *self.beneath(child)]
        return found

    def child(self, n: int, call: str) -> SessionRow | None:
        """The session that this call of `n` handed its task to."""
        row = self._database.read_now(
            lambda connection: connection.execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE parent = ? AND parent_call = ?",  # noqa: S608
                (n, call),
            ).fetchone()
        )
        return _row(row) if row else None

    async def list(
        self,
        limit: int = 50,
        before: tuple[int, int] | None = None,
        owner: int | None = None,
        *,
        pinned: bool | None = None,
        archived: bool | None = None,
    ) -> list[SessionRow]:
        """The newest first, without children; of one person, or of all; those that are pinned or archived, or are not.

        `before` is the `updated_at` and the `n` of the last one of the page before.
        """
        at, n = before or (2**62, 2**62)
        rows = await self._database.read(
            lambda connection: connection.execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE (updated_at, n) < (?1, ?2)"  # noqa: S608
                " AND parent IS NULL AND (?4 IS NULL OR owner = ?4)"
                " AND (?5 IS NULL OR pinned = ?5) AND (?6 IS NULL OR archived = ?6)"
                " ORDER BY updated_at DESC, n DESC LIMIT ?3",
                (at, n, limit, owner, pinned, archived),
            ).fetchall()
        )
        return [_row(row) for row in rows]

    def all_of(self, owner: int) -> "list[SessionRow]":
        """Every session of a person, children too, oldest first."""
        rows = self._database.read_now(
            lambda connection: connection.execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE owner = ? ORDER BY n",  # noqa: S608
                (owner,),
            ).fetchall()
        )
        return [_row(row) for row in rows]

    def last_in(self, folders: Collection[str]) -> SessionRow | None:
        """The session that was last worked on in one of these folders; one that was only imported there is none."""
        marks = ",".join("?" * len(folders))
        row = self._database.read_now(
            lambda connection: connection.execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE folder IN ({marks})"  # noqa: S608
                " AND parent IS NULL AND (imported = 0 OR"
                " EXISTS (SELECT 1 FROM inbox WHERE inbox.session = sessions.n))"
                " ORDER BY updated_at DESC, n DESC LIMIT 1",
                tuple(folders),
            ).fetchone()
        )
        return _row(row) if row else None

    def under_way(self, owner: int, model: str) -> SessionRow | None:
        """A session of that person on that model in which something runs or waits."""
        row = self._database.read_now(
            lambda connection: connection.execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE owner = ? AND model = ?"  # noqa: S608
                " AND status <> 'idle' ORDER BY n DESC LIMIT 1",
                (owner, model),
            ).fetchone()
        )
        return _row(row) if row else None

    def under_way_in(self, project: int) -> "list[SessionRow]":
        """The sessions of a project in which something runs or waits."""
        rows = self._database.read_now(
            lambda connection: connection.execute(
                f"SELECT {_COLUMNS} FROM sessions WHERE project = ?"  # noqa: S608
                " AND status <> 'idle' ORDER BY n",
                (project,),
            ).fetchall()
        )
        return [_row(row) for row in rows]

    def top(self, row: SessionRow) -> SessionRow:
        """The session at the top of the tree that this one is in."""
        while row.parent is not None:
            row = self.numbered(row.parent)
        return row

    async def rename(self, session_id: str, title: str) -> None:
        row = self.get(session_id)
        await self._database.write(
            lambda connection: connection.execute(
                "UPDATE sessions SET title = ? WHERE n = ?", (title.strip()[:200], row.n)
            ).close()
        )

    async def tidy(
        self, row: SessionRow, *, pinned: bool | None = None, archived: bool | None = None
    ) -> None:
        """Pin or archive it, or take that back; None: as it is. It is no newer for that."""
        await self._database.write(
            lambda connection: connection.execute(
                "UPDATE sessions SET pinned = COALESCE(?2, pinned),"
                " archived = COALESCE(?3, archived) WHERE n = ?1",
                (row.n, pinned, archived),
            ).close()
        )


def _row(values: tuple[Any, ...]) -> SessionRow:
    *others, pinned, archived, outcome, asked, imported = values
    marks = {"pinned": bool(pinned), "archived": bool(archived), "is_asked": bool(asked)}
    return SessionRow(*others, outcome=outcome, imported=imported, **marks)


def rows_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, SessionRow]:
    """The sessions with these numbers, by their numbers; those that were deleted are left out."""
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM sessions WHERE n IN (SELECT value FROM json_each(?))",  # noqa: S608
        (msgspec.json.encode(sorted(set(numbers))).decode(),),
    )
    rows = map(_row, found)
    return {row.n: row for row in rows}


def insert_child(
    connection: sqlite3.Connection, session_id: str, parent: SessionRow, agent: str, call: str
) -> None:
    """In the transaction of its `child_started`: there is one child for a call, and its parent's log names it."""
    at = now()
    connection.execute(
        "INSERT INTO sessions (id, created_at, updated_at, title, model, agent, folder, needs, mode,"
        " parent, parent_call, depth, owner, project, container)"
        " VALUES (?, ?, ?, '', '', ?, ?, ?, '', ?, ?, ?, ?, ?, ?)",
        (
            *(session_id, at, at, agent, parent.folder, VERSION, parent.n, call),
            *(parent.depth + 1, parent.owner, parent.project, parent.container),
        ),
    )


def top_of(connection: sqlite3.Connection, n: int) -> int:
    """The number of the session at the top of the tree that this one is in."""
    while (above := _parent(connection, n)) is not None:
        n = above
    return n


def _parent(connection: sqlite3.Connection, n: int) -> int | None:
    row = connection.execute("SELECT parent FROM sessions WHERE n = ?", (n,)).fetchone()
    return row[0] if row else None


def title_of(text: str) -> str:
    """A title made of the first words of a prompt."""
    line = next((part.strip() for part in text.splitlines() if part.strip()), "")
    if len(line) <= 60:
        return line
    return line[:60].rsplit(" ", 1)[0] + "…"
