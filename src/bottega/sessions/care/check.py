"""Is everything in this home as it should be? Reads all of it, changes nothing, and says what to do next."""

import sqlite3
from collections.abc import Iterator

import msgspec

from bottega.errors import Problem
from bottega.events import facts as f
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.storage.blobs import Blobs
from bottega.storage.home import Home
from bottega.storage.sqlite import connect, explain
from bottega.workspaces.changes.kept import blobs_of

_RESTORE = "Go back to the newest backup, as `bottega db backup --help` says."
_MOVE_ON = "It can still be read and exported; go on in a new session."
_SWEEP = "`bottega db trim` removes them."


class Finding(msgspec.Struct, frozen=True):
    what: str
    """One sentence."""
    next: str
    """What to do about it."""


def check(home: Home) -> list[Finding]:
    """Everything that is wrong in this home; empty if all is well."""
    if not home.database.exists():
        return []
    try:
        connection = connect(home.database, read_only=True)
    except Problem as problem:
        return [Finding(problem.message, problem.hint or _RESTORE)]
    try:
        return list(_findings(connection, home))
    except sqlite3.Error as error:
        problem = explain(error, home.database)
        return [Finding(problem.message, problem.hint or _RESTORE)]
    finally:
        connection.close()


def _findings(connection: sqlite3.Connection, home: Home) -> Iterator[Finding]:
    broken = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    if broken != ["ok"]:
        for line in broken:
            yield Finding(f"The database is damaged: {line}.", _RESTORE)
        return
    blobs = Blobs(home.blobs)
    # One snapshot for all: what is written meanwhile must not look like a gap.
    connection.execute("BEGIN")
    yield from _orphans(connection)
    yield from _children(connection)
    yield from _sessions(connection)
    yield from _attachments(connection, blobs)
    yield from _left_over(connection, blobs)


def _orphans(connection: sqlite3.Connection) -> Iterator[Finding]:
    for table, cure in (("events", _SWEEP), ("inbox", _RESTORE), ("attachments", _RESTORE)):
        count = connection.execute(
            f"SELECT COUNT(*) FROM {table} WHERE session NOT IN (SELECT n FROM sessions)"  # noqa: S608
        ).fetchone()[0]
        if count:
            yield Finding(f"{count} rows of {table!r} belong to no session.", cure)
    words = connection.execute(
        "SELECT COUNT(*) FROM words WHERE rowid NOT IN (SELECT n FROM events)"
    ).fetchone()[0]
    if words:
        yield Finding(f"{words} texts can be searched whose events are gone.", _SWEEP)


def _children(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Each child stands one below its parent; a task of one does not outlive the exchange that handed it on."""
    rows = connection.execute(
        "SELECT c.id, p.n IS NULL OR c.depth <> p.depth + 1, t.status IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM inbox WHERE session = p.n AND status = 'running' AND message_id ="
        " substr(c.parent_call, 1, instr(c.parent_call, '/') - 1))"
        " FROM sessions c LEFT JOIN sessions p ON p.n = c.parent"
        " LEFT JOIN inbox t ON t.session = c.n AND t.status = 'running' AND t.idx = 1"
        " WHERE c.parent IS NOT NULL ORDER BY c.n"
    ).fetchall()
    for session_id, is_astray, is_left in rows:
        if is_astray:
            yield Finding(
                f"The session {session_id!r} is a child of none that could be its parent.", _RESTORE
            )
        if is_left:
            yield Finding(
                f"The session {session_id!r} has a task whose exchange is over.",
                f"`bottega resume {session_id}` ends it.",
            )


def _sessions(connection: sqlite3.Connection) -> Iterator[Finding]:
    sessions = connection.execute("SELECT n, id, last_index FROM sessions ORDER BY n").fetchall()
    for n, session_id, last_index in sessions:
        rows = connection.execute(
            "SELECT idx, kind, body FROM events WHERE session = ? ORDER BY idx", (n,)
        )
        walk = _Walk(session_id)
        for index, kind, body in rows:
            yield from walk.step(index, kind, body)
        had = connection.execute("SELECT blob FROM attachments WHERE session = ?", (n,))
        yield from walk.end(last_index, {name for (name,) in had})


class _Walk:
    """One pass over a session's log."""

    def __init__(self, session_id: str) -> None:
        self._name = f"session {session_id!r}"
        self._index = 0
        self._gaps: list[tuple[int, int]] = []
        """Rows that are missing and not yet known to be trimmed deltas."""
        self._streaming = False
        self._tools: set[str] = set()
        self._exchange = ""
        self._ended: set[str] = set()
        self._elsewhere: set[str] = set()
        """Exchanges that another Bottega answered, with blobs of its own."""
        self._named: set[str] = set()
        """Blobs by which changes of files are shown and undone."""

    def step(self, index: int, kind: int, body: bytes) -> Iterator[Finding]:
        cleared = not self._index and body.startswith(b'{"type":"session_cleared"')
        if index != self._index + 1 and not cleared:
            yield from self._missing(self._index + 1, index - 1)
        self._index = index
        try:
            event = decode(index, body)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            yield Finding(f"Event {index} of {self._name} cannot be read: {error}.", _RESTORE)
            return
        if (event.type in f.DELTAS) != (kind == 1):
            yield Finding(f"Event {index} of {self._name} is of the wrong kind.", _MOVE_ON)
        yield from self._follow(event)

    def end(self, last_index: int, had: set[str]) -> Iterator[Finding]:
        yield from self._lost()
        if lacking := len(self._named - had):
            yield Finding(
                f"{lacking} contents of files that {self._name} changed are not among its blobs:"
                " those changes cannot be shown or undone.",
                _RESTORE,
            )
        if last_index != self._index:
            yield Finding(
                f"The log of {self._name} ends at {self._index}, but its row says {last_index}.",
                _RESTORE,
            )

    def _missing(self, first: int, last: int) -> Iterator[Finding]:
        """Trimmed deltas are missing only inside an answer or the run of a tool that was completed later."""
        self._gaps.append((first, last))
        if not self._streaming and not self._tools:
            yield from self._lost()

    def _lost(self) -> Iterator[Finding]:
        for first, last in self._gaps:
            yield Finding(
                f"Events {first} to {last} of {self._name} are missing,"
                " and they were no trimmed deltas.",
                _RESTORE,
            )
        self._gaps = []

    def _follow(self, event: Event) -> Iterator[Finding]:
        what = event.data
        self._name_blobs(event)
        if isinstance(what, f.MessageStart):
            if self._tools:
                yield from self._lost()  # a result was among them
            self._streaming, self._tools = True, set()
        elif isinstance(what, f.AssistantMessage):
            self._streaming, self._gaps = False, []
        elif isinstance(what, f.ToolIntent):
            if self._streaming:
                yield from self._lost()  # the answer that asked for it was among them
            self._streaming = False
            self._tools.add(what.tool_id)
        elif isinstance(what, f.ToolResultFact):
            self._tools.discard(what.tool_id)
            self._gaps = []
        elif isinstance(what, f.UserMessage) and not what.steer:
            yield from self._unended()
            self._exchange = event.message_id
        elif isinstance(what, f.ExchangeResponse):
            yield from self._response(event.message_id)

    def _name_blobs(self, event: Event) -> None:
        what = event.data
        if isinstance(what, f.RemoteStarted):
            self._elsewhere.add(event.message_id)
        here = event.message_id not in self._elsewhere
        if here and isinstance(what, f.ToolIntent | f.ToolResultFact):
            self._named.update(blobs_of(what.writes))

    def _unended(self) -> Iterator[Finding]:
        if self._exchange and self._exchange not in self._ended:
            yield Finding(
                f"The exchange {self._exchange!r} of {self._name} never ended, but another began.",
                _MOVE_ON,
            )

    def _response(self, message_id: str) -> Iterator[Finding]:
        yield from self._lost()
        self._streaming, self._tools = False, set()
        if message_id in self._ended:
            yield Finding(
                f"The exchange {message_id!r} of {self._name} ended more than once.", _MOVE_ON
            )
        self._ended.add(message_id)


def _attachments(connection: sqlite3.Connection, blobs: Blobs) -> Iterator[Finding]:
    for (name,) in connection.execute("SELECT DISTINCT blob FROM attachments").fetchall():
        try:
            blobs.read(name)
        except Problem as problem:
            yield Finding(problem.message, "Restore the folder `blobs` from a backup of the home.")


def _left_over(connection: sqlite3.Connection, blobs: Blobs) -> Iterator[Finding]:
    named = {row[0] for row in connection.execute("SELECT DISTINCT blob FROM attachments")}
    unnamed = len(blobs.names() - named)
    if unnamed:
        yield Finding(f"{unnamed} blobs belong to no session.", _SWEEP)
    if parts := len(blobs.parts()):
        yield Finding(f"{parts} blobs were not written to their end.", _SWEEP)
