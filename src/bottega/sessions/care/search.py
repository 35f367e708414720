"""Full-text search over what was said in every session: prompts, answers, calls and results.

The words run behind the log: `sessions.searched` says how far they reach, and a search first brings them up to date, a
batch at a time so that other writers get in. A row of `words` has its event's number as rowid, so an event is indexed
once, whoever does it.
"""

import re
import sqlite3
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from bottega.errors import BadUsage
from bottega.events.codec import decode
from bottega.fairness import caller
from bottega.messages.block import Text, ToolUse
from bottega.sessions.care.snippets import Snippets, tokens_of
from bottega.storage.database import Database

BATCH = 500
"""Events that one transaction adds at most."""
ENOUGH = 200_000
"""Characters after which a batch ends, however few events it has."""
LONGEST = 64_000
"""Characters of one event that can be found."""
LONGEST_QUERY = 256
"""Characters."""
MOST_WORDS, MOST_TOKENS = 16, 32
"""Words of a query, and parts of words: `a-b` has two."""
TIME = 3.0
"""Seconds that finding takes at most, and …"""
SHOWING = 1.0
"""… that the words around what was found are looked for."""

_OFTEN = 10_000
"""Steps of the database between two looks at the clock."""
_SAID = {"user_message", "assistant_message", "tool_result"}
# Scripts that put no space between words: each sign becomes a word of its own.
_UNSPACED = re.compile(
    "([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_GAP = "\u200b"

_Found = tuple[str, str, int, bytes, str, str]
"""Session, title, index, body, the text that was searched, and the session's parent."""
_Batch = tuple[int, int, int, list[tuple[int, str]]]
"""Session, how far its words reached, how far they reach now, and (event, text)."""


class Hit(msgspec.Struct, frozen=True):
    session_id: str
    title: str
    index: int
    at: int
    snippet: str
    """The words around the first match, on one line, with each match between the marks."""
    child_of: str = ""
    """The id of the session that handed it its task, if one did."""


class _Envelope(msgspec.Struct):
    type: str
    at: int


_read = msgspec.json.Decoder(_Envelope).decode


class Search:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def search(
        self,
        query: str,
        limit: int = 20,
        marks: tuple[str, str] = ("«", "»"),
        owner: int | None = None,
    ) -> list[Hit]:
        """The newest events that hold every word of the query, or a word that begins so; of one person, or of all."""
        match = quoted(checked(query))
        if not match:
            return []
        await self.update(owner)
        show = Snippets(_words_of(query), marks)
        given_up = threading.Event()
        if waits := caller():
            waits.when_gone(given_up.set)

        def find(connection: sqlite3.Connection) -> list[Hit]:
            with _timed(connection, TIME, given_up):
                rows = _find(connection, match, limit, owner)
            return _shown(rows, show, given_up)

        try:
            return await self._database.look_through(find)
        finally:
            given_up.set()  # whoever asked may be gone

    async def update(self, owner: int | None = None) -> int:
        """Add what was said since the last time, by one person or by all; return how many events were added."""
        added = 0
        while batch := await self._database.look_through(lambda c: _next_batch(c, owner)):
            added += await self._database.write(lambda connection, b=batch: _store(connection, b))
        return added


def forget_words(connection: sqlite3.Connection, events: list[int]) -> None:
    """In the transaction that deletes these events: delete their words."""
    connection.executemany("DELETE FROM words WHERE rowid = ?", [(n,) for n in events])


def checked(query: str) -> str:
    """The query; refused if it is more than anybody means."""
    words = _words_of(query)
    if len(query) > LONGEST_QUERY or len(words) > MOST_WORDS:
        raise BadUsage(
            f"A search takes {MOST_WORDS} words and {LONGEST_QUERY} characters at most.",
            hint="Give only the words that matter.",
        )
    if sum(len(tokens_of(word)) for word in words) > MOST_TOKENS:
        raise BadUsage(
            f"The words of this search have more than {MOST_TOKENS} parts.",
            hint="Give fewer, or without signs between them.",
        )
    return query


def quoted(query: str) -> str:
    """A user's words in the language of the index: quoted, so that no sign in them has a meaning there."""
    return " ".join('"' + word.replace('"', '""') + '"*' for word in _words_of(query))


def _words_of(query: str) -> list[str]:
    clean = query.replace("\0", " ").encode("utf-8", "ignore").decode()
    return [_spaced(word) for word in clean.split() if any(map(str.isalnum, word))]


def _spaced(text: str) -> str:
    return text if text.isascii() else _UNSPACED.sub(rf"{_GAP}\1{_GAP}", text)


@contextmanager
def _timed(
    connection: sqlite3.Connection, seconds: float, given_up: threading.Event
) -> Generator[None]:
    """What is asked of the database meanwhile ends when the time is up, or nobody waits any more."""
    ends = time.monotonic() + seconds
    connection.set_progress_handler(lambda: given_up.is_set() or time.monotonic() > ends, _OFTEN)
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        raise BadUsage(
            f"This search took longer than {seconds:.0f} s.", hint="Give more, or longer words."
        ) from None
    finally:
        connection.set_progress_handler(None, 0)


def _shown(rows: list[_Found], show: Snippets, given_up: threading.Event) -> list[Hit]:
    ends = time.monotonic() + SHOWING
    hits: list[Hit] = []
    for session_id, title, index, body, text, above in rows:
        late = given_up.is_set() or time.monotonic() > ends
        shown = show.plain(text) if late else show.of(text)
        at = _read(body).at
        hits.append(Hit(session_id, title, index, at, shown.replace(_GAP, ""), above))
    return hits


def _find(
    connection: sqlite3.Connection, match: str, limit: int, owner: int | None
) -> list[_Found]:
    return connection.execute(
        "SELECT s.id, s.title, e.idx, e.body, words.text, COALESCE(p.id, '')"
        " FROM words JOIN events e ON e.n = words.rowid JOIN sessions s ON s.n = e.session"
        " LEFT JOIN sessions p ON p.n = s.parent"
        " WHERE words MATCH ?1 AND (?3 IS NULL OR s.owner = ?3)"
        " ORDER BY words.rowid DESC LIMIT ?2",
        (match, limit, owner),
    ).fetchall()


def _next_batch(connection: sqlite3.Connection, owner: int | None) -> _Batch | None:
    """The next events of one session that are not indexed yet."""
    behind = connection.execute(
        "SELECT n, searched, last_index FROM sessions"
        " WHERE searched < last_index AND (?1 IS NULL OR owner = ?1) LIMIT 1",
        (owner,),
    ).fetchone()
    if behind is None:
        return None
    session, reached, last = behind
    rows = connection.execute(
        "SELECT n, idx, body FROM events"
        " WHERE session = ? AND kind = 0 AND idx > ? AND idx <= ? ORDER BY idx LIMIT ?",
        (session, reached, last, BATCH),
    )
    texts: list[tuple[int, str]] = []
    seen = size = 0
    upto = reached
    for number, index, body in rows:
        seen, upto = seen + 1, index
        if text := _text(body):
            texts.append((number, text))
            size += len(text)
        if size > ENOUGH:
            return session, reached, upto, texts
    return session, reached, upto if seen == BATCH else last, texts


def _store(connection: sqlite3.Connection, batch: _Batch) -> int:
    session, reached, upto, texts = batch
    moved = connection.execute(
        "UPDATE sessions SET searched = ? WHERE n = ? AND searched = ?", (upto, session, reached)
    )
    if moved.rowcount != 1:
        return 0  # another process was quicker
    connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", texts)
    return len(texts)


def _text(body: bytes) -> str:
    try:
        if _read(body).type not in _SAID:
            return ""
        said = decode(0, body).data
    except msgspec.MsgspecError:
        return ""  # `check` tells of it; the rest can still be found
    if isinstance(said, msgspec.Raw):
        return ""
    return _spaced("\n".join(_words(said.content))[:LONGEST])


def _words(content: tuple[Any, ...]) -> Iterator[str]:
    for block in content:
        if isinstance(block, Text):
            yield block.text
        elif isinstance(block, ToolUse):
            yield from _strings(block.input)


def _strings(value: Any) -> Iterator[str]:
    """Every text inside a call's arguments."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():  # pyright: ignore[reportUnknownVariableType]
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _strings(inner)
