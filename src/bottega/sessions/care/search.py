"""Full-text search over what was said in every session: prompts, answers, calls and results.

The words run behind the log: `sessions.searched` says how far they reach, and a search first brings them up to date, a
batch at a time so that other writers get in. A row of `words` has its event's number as rowid, so an event is indexed
once, whoever does it.
"""

import re
import sqlite3
import unicodedata
from collections.abc import Iterator
from typing import Any

import msgspec

from bottega.events.codec import decode
from bottega.messages.block import Text, ToolUse
from bottega.storage.database import Database

BATCH = 500
"""Events that one transaction adds at most."""
ENOUGH = 200_000
"""Characters after which a batch ends, however few events it has."""
LONGEST = 64_000
"""Characters of one event that can be found."""
AROUND = 80
"""Characters that a snippet shows before and after its first match."""

_WORDS = 32
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
        match = quoted(query)
        if not match:
            return []
        await self.update()
        rows = await self._database.read(lambda connection: _find(connection, match, limit, owner))
        show = _Snippets(_words_of(query), marks)
        return [
            Hit(session_id, title, index, _read(body).at, show.of(text).replace(_GAP, ""), above)
            for session_id, title, index, body, text, above in rows
        ]

    async def update(self) -> int:
        """Add what was said since the last time; return how many events were added."""
        added = 0
        while batch := await self._database.read(_next_batch):
            added += await self._database.write(lambda connection, b=batch: _store(connection, b))
        return added


def forget_words(connection: sqlite3.Connection, events: list[int]) -> None:
    """In the transaction that deletes these events: delete their words."""
    connection.executemany("DELETE FROM words WHERE rowid = ?", [(n,) for n in events])


def quoted(query: str) -> str:
    """A user's words in the language of the index: quoted, so that no sign in them has a meaning there."""
    return " ".join('"' + word.replace('"', '""') + '"*' for word in _words_of(query))


def _words_of(query: str) -> list[str]:
    clean = query.replace("\0", " ").encode("utf-8", "ignore").decode()
    return [_spaced(word) for word in clean.split() if any(map(str.isalnum, word))][:_WORDS]


def _spaced(text: str) -> str:
    return text if text.isascii() else _UNSPACED.sub(rf"{_GAP}\1{_GAP}", text)


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


def _next_batch(connection: sqlite3.Connection) -> _Batch | None:
    """The next events of one session that are not indexed yet."""
    behind = connection.execute(
        "SELECT n, searched, last_index FROM sessions WHERE searched < last_index LIMIT 1"
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


class _Folding(dict[int, int]):
    """Each sign without its case and its accents, one for one, so that places stay the same."""

    def __missing__(self, sign: int) -> int:
        bare = unicodedata.normalize("NFD", chr(sign))[0].lower()
        self[sign] = ord(bare) if len(bare) == 1 else sign
        return self[sign]


_FOLDING = _Folding()
_TOKEN = re.compile(r"[^\W_]+")


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else text.translate(_FOLDING)


class _Snippets:
    """Not SQLite's own `snippet`, which takes minutes for a text that repeats the word ten thousand times."""

    def __init__(self, words: list[str], marks: tuple[str, str]) -> None:
        self._before, self._after = marks
        found = [_TOKEN.findall(_folded(word)) for word in words]
        phrases = [r"[\W_]+".join(map(re.escape, tokens)) for tokens in found if tokens]
        self._pattern = re.compile(rf"(?<![^\W_])(?:{'|'.join(phrases) or '(?!)'})[^\W_]*")

    def of(self, text: str) -> str:
        """The words around the first match, with each match among them between the marks."""
        plain = _folded(text)
        first = self._pattern.search(plain)
        start, end = _window(text, *(first.span() if first else (0, 0)))
        parts = ["…" if start else ""]
        place = start
        for match in self._pattern.finditer(plain, start, end):
            found = text[match.start() : match.end()]
            parts += [text[place : match.start()], self._before, found, self._after]
            place = match.end()
        parts += [text[place:end], "…" if end < len(text) else ""]
        return " ".join("".join(parts).split())


def _window(text: str, first: int, last: int) -> tuple[int, int]:
    """Where to cut around a match: between words, if one ends near enough."""
    start, end = max(0, first - AROUND), min(len(text), last + AROUND)
    if start:
        start = max(start, text.find(" ", start, first) + 1)
    if end < len(text):
        gap = text.rfind(" ", last, end)
        end = gap if gap > last else end
    return start, end
