"""Passes: what proves that somebody is a person of this home. Random words, of which only a keyed hash is stored.

A link is good once and for a minute, and is exchanged for a login, which a browser keeps as its cookie; a token is for
programs. None of them can be guessed, and none can be told from the database.
"""

import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import Iterable
from typing import Literal

import msgspec

from bottega.accounts.people import People, Person
from bottega.errors import NotFound, Refused
from bottega.ids import fresh
from bottega.sessions.session import now
from bottega.storage.database import Database

Kind = Literal["link", "login", "token"]

_SECOND, _DAY = 1000, 86_400_000
LASTS: dict[Kind, int] = {"link": 60 * _SECOND, "login": 30 * _DAY, "token": 365 * _DAY}
"""Milliseconds for which each is good."""


class Pass(msgspec.Struct, frozen=True):
    """What is known of one that was given out; never the words themselves."""

    id: str
    kind: Kind
    created_at: int
    expires_at: int


class Passes:
    def __init__(self, database: Database, secret: bytes) -> None:
        self._database = database
        self._secret = secret
        self._people = People(database)

    async def give(self, person: Person, kind: Kind, *, lasts: int = 0) -> str:
        """A new pass for that person: the words, which are told this once."""
        words = secrets.token_urlsafe(32)
        await self._database.write(lambda c: self._insert(c, person.n, kind, words, lasts))
        return words

    async def redeem(self, link: str) -> tuple[Person, str]:
        """Exchange a link for a login, once; refuse one that was used, is too old, or never was."""
        login = secrets.token_urlsafe(32)

        def exchange(connection: sqlite3.Connection) -> int:
            row = connection.execute(
                "DELETE FROM passes WHERE hash = ? AND kind = 'link' AND expires_at > ?"
                " RETURNING person",
                (self._hash("link", link), now()),
            ).fetchone()
            if row is None:
                raise Refused(
                    "This sign-in link was used already, or is too old.",
                    hint="`bottega people link` prints a new one.",
                )
            self._insert(connection, row[0], "login", login)
            return row[0]

        return self._people.numbered(await self._database.write(exchange)), login

    def mark(self, words: str, kind: Kind) -> str:
        """What is known of these words: nobody can tell them by it."""
        return self._hash(kind, words)

    def good(self, marks: Iterable[str]) -> set[str]:
        """Those of these marks that belong to passes which are good now."""
        named = msgspec.json.encode(list(marks)).decode()
        rows = self._database.read_now(
            lambda c: c.execute(
                "SELECT hash FROM json_each(?) JOIN passes ON hash = value WHERE expires_at > ?",
                (named, now()),
            ).fetchall()
        )
        return {mark for (mark,) in rows}

    def holder(self, words: str, kind: Kind) -> Person | None:
        """Whose pass this is; None for one that is not good."""
        row = self._database.read_now(
            lambda c: c.execute(
                "SELECT n, people.id, name, people.created_at, seen_at FROM passes"
                " JOIN people ON n = person WHERE hash = ? AND kind = ? AND expires_at > ?",
                (self._hash(kind, words), kind, now()),
            ).fetchone()
        )
        return Person(*row) if row else None

    def page_key(self, login: str) -> str:
        """What the pages of whoever has this login prove themselves with: nobody learns it from the login alone."""
        return page_key(self._secret, login)

    async def end(self, words: str, kind: Kind) -> None:
        """Good no longer: somebody signs out."""
        hashed = self._hash(kind, words)
        await self._database.write(
            lambda c: c.execute("DELETE FROM passes WHERE hash = ?", (hashed,)).close()
        )

    def of(self, person: Person) -> list[Pass]:
        """All of that person's that are good, newest first."""
        rows = self._database.read_now(
            lambda c: c.execute(
                "SELECT id, kind, created_at, expires_at FROM passes"
                " WHERE person = ? AND expires_at > ? ORDER BY created_at DESC",
                (person.n, now()),
            ).fetchall()
        )
        return [Pass(*row) for row in rows]

    def owned(self, pass_id: str, person: Person) -> Pass:
        """That one, if it is this person's; another's is not found."""
        for each in self.of(person):
            if each.id == pass_id:
                return each
        raise _missing(pass_id)

    def id_of(self, words: str, kind: Kind) -> str:
        """The id under which this pass is listed; empty: it is not good."""
        hashed = self._hash(kind, words)
        row = self._database.read_now(
            lambda c: c.execute("SELECT id FROM passes WHERE hash = ?", (hashed,)).fetchone()
        )
        return row[0] if row else ""

    async def revoke(self, person: Person, pass_id: str) -> None:
        """End one of that person's by its id."""

        def delete(connection: sqlite3.Connection) -> None:
            gone = connection.execute(
                "DELETE FROM passes WHERE id = ? AND person = ?", (pass_id, person.n)
            )
            if not gone.rowcount:
                raise _missing(pass_id)

        await self._database.write(delete)

    async def revoke_all(self, person: Person) -> int:
        """End all of that person's; how many there were."""
        return await self._database.write(
            lambda c: c.execute("DELETE FROM passes WHERE person = ?", (person.n,)).rowcount
        )

    def _insert(
        self, connection: sqlite3.Connection, person: int, kind: Kind, words: str, lasts: int = 0
    ) -> None:
        at = now()
        connection.execute("DELETE FROM passes WHERE expires_at <= ?", (at,))
        connection.execute(
            "INSERT INTO passes (hash, id, person, kind, created_at, expires_at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (self._hash(kind, words), fresh("pas"), person, kind, at, at + (lasts or LASTS[kind])),
        )

    def _hash(self, kind: Kind, words: str) -> str:
        return hmac.new(self._secret, f"{kind}:{words}".encode(), hashlib.sha256).hexdigest()


def page_key(secret: bytes, login: str) -> str:
    return hmac.new(secret, f"page:{login}".encode(), hashlib.sha256).hexdigest()


def _missing(pass_id: str) -> NotFound:
    return NotFound(f"There is no pass {pass_id!r} here.")
