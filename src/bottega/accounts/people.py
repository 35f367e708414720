"""People: everyone who may use this home. The first is the host, whose home it is.

All that is stored has an owner, who is one of them; nobody sees what is another's.
"""

import sqlite3
from collections.abc import Collection
from typing import Any

import msgspec

from bottega.errors import BadUsage, Conflict, NotFound, Refused
from bottega.ids import fresh
from bottega.sessions.session import HOST, now
from bottega.storage.database import Database

LONGEST_NAME = 60
EVERYONE = "everyone"
"""In a list of names: all people of the home."""

_COLUMNS = "n, id, name, created_at, seen_at"


class Person(msgspec.Struct, frozen=True):
    n: int
    """The number that other tables know the person by."""
    id: str
    name: str
    created_at: int
    seen_at: int
    """When the person was last there, in milliseconds; 0: never."""

    @property
    def is_host(self) -> bool:
        """Whether the home is this person's: who may change settings and keys."""
        return self.n == HOST


def is_shared_with(people: Collection[str], person: Person) -> bool:
    """Whether what is shared with these people may be used by this one; the owner of the home may use all."""
    return person.is_host or EVERYONE in people or person.name in people


def plain_name(name: str) -> str:
    """A name as it is kept."""
    return " ".join(name.split())


class People:
    def __init__(self, database: Database) -> None:
        self._database = database

    def host(self) -> Person:
        return self.numbered(HOST)

    def numbered(self, n: int) -> Person:
        return self._one("n = ?", n, f"There is no person with the number {n}.")

    def named(self, name: str) -> Person:
        return self._one("name = ?", name, f"There is nobody called {name!r} here.")

    def list(self) -> list[Person]:
        """Everyone, the host first."""
        rows = self._database.read_now(
            lambda c: c.execute(f"SELECT {_COLUMNS} FROM people ORDER BY n").fetchall()  # noqa: S608
        )
        return [Person(*row) for row in rows]

    async def add(self, name: str) -> Person:
        """A new person; refuse a name that is taken, empty or too long."""
        wanted = plain_name(name)
        if not wanted or len(wanted) > LONGEST_NAME or not wanted.isprintable():
            raise BadUsage(f"A name has 1 to {LONGEST_NAME} characters that can be printed.")
        if wanted.casefold() == EVERYONE:
            raise BadUsage(f"{wanted!r} stands for all people.", hint="Choose another name.")

        def insert(connection: sqlite3.Connection) -> None:
            try:
                connection.execute(
                    "INSERT INTO people (id, name, created_at) VALUES (?, ?, ?)",
                    (fresh("per"), wanted, now()),
                )
            except sqlite3.IntegrityError:
                raise Conflict(
                    f"There is somebody called {wanted!r} already.",
                    hint=f"`bottega people link {wanted}` lets them in; somebody else needs another name.",
                ) from None

        await self._database.write(insert)
        return self.named(wanted)

    async def remove(self, person: Person) -> None:
        """Nobody any more: passes and projects go too. Refuse the host, and whoever still has sessions."""
        if person.is_host:
            raise Refused("The home is theirs: the host stays.")

        def delete(connection: sqlite3.Connection) -> None:
            if had := self.sessions_of(person, connection):
                raise Conflict(
                    f"{person.name!r} still has sessions: {had}.",
                    hint="Say --with-sessions to delete those too; to keep them and let nobody in any more:"
                    f' bottega people revoke "{person.name}"',
                )
            connection.execute("DELETE FROM people WHERE n = ?", (person.n,))

        await self._database.write(delete)

    async def shut_out(self, person: Person) -> None:
        """At once: nothing lets them in any more, and what runs in their projects ends. Refuse the host."""
        if person.is_host:
            raise Refused("The home is theirs: the host stays.")

        def delete(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM passes WHERE person = ?", (person.n,))
            connection.execute(
                "UPDATE projects SET removed_at = ? WHERE owner = ? AND removed_at IS NULL",
                (now(), person.n),
            )

        await self._database.write(delete)

    def sessions_of(self, person: Person, connection: sqlite3.Connection | None = None) -> int:
        """How many sessions are this person's, those of children too."""

        def count(connection: sqlite3.Connection) -> int:
            return connection.execute(
                "SELECT count(*) FROM sessions WHERE owner = ?", (person.n,)
            ).fetchone()[0]

        return count(connection) if connection else self._database.read_now(count)

    async def saw(self, person: Person) -> None:
        """The person is there now."""
        await self._database.write(
            lambda c: c.execute(
                "UPDATE people SET seen_at = ? WHERE n = ?", (now(), person.n)
            ).close()
        )

    def _one(self, where: str, value: Any, missing: str) -> Person:
        row = self._database.read_now(
            lambda c: c.execute(
                f"SELECT {_COLUMNS} FROM people WHERE {where}",  # noqa: S608
                (value,),
            ).fetchone()
        )
        if row is None:
            raise NotFound(missing, hint="`bottega people list` names everyone.")
        return Person(*row)
