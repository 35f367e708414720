"""Prompts on their way in: admitted once, whatever the client repeats, and run one after the other.

A prompt's row is committed together with `prompt_queued`; after that the client may vanish.
"""

import hashlib
import sqlite3
from collections.abc import Callable
from typing import Any, Literal, TypeVar

import msgspec

from bottega.approvals.mode import Mode
from bottega.errors import Conflict, NotFound
from bottega.events import facts
from bottega.events.event import Event
from bottega.failpoint import failpoint
from bottega.messages.block import Block, plain_text
from bottega.providers.provider import Wishes
from bottega.sessions.attach import attach
from bottega.sessions.bounds.waiting import Bounds, refuse_larger, refuse_when_full
from bottega.sessions.lease import Contender, Lease
from bottega.sessions.log import Log
from bottega.sessions.session import HOST, Outcome, SessionRow, Sessions, now, title_of
from bottega.storage.blobs import Blobs

T = TypeVar("T")

_UNDER_WAY = (
    "SELECT body, status, idx, created_at, person FROM inbox"
    " WHERE session = ?1 AND status IN ('queued', 'running') AND (?2 = '' OR message_id = ?2)"
    " ORDER BY status = 'queued', place"
)

Place = Literal["cli", "python", "server"]
"""Who admitted a prompt: a server's workers take only what a server admitted."""


class Speaker(msgspec.Struct, frozen=True):
    """Whoever says something to a session."""

    n: int = HOST
    """The number of the person."""
    id: str = ""
    """The person's id, as the log tells it; empty: somebody at this machine."""


AT_HOME = Speaker()


class Prompt(msgspec.Struct, frozen=True):
    message_id: str
    content: tuple[Block, ...]
    model: str = ""
    agent: str = ""
    wishes: Wishes = Wishes()
    steer: bool = False
    """Say it into the exchange that runs; if none does, it is a prompt like any other."""
    attended: bool = False
    """Somebody is there to answer: a limit is an ask, and not the end."""
    schema: dict[str, Any] | None = None
    """The JSON schema that the final response must fit."""
    hops: int = 0
    """How many other Bottegas it came through."""
    above: tuple[str, ...] = ()
    """Of a task that was handed on: the agents that did, the first one first. None of them may be exceeded."""


class Admission(msgspec.Struct, frozen=True):
    index: int
    """Where its `prompt_queued` stands in the log."""
    lease: Lease | None
    """The right to run it, if it was free and asked for."""
    repeated: bool = False
    """The same prompt was admitted before; nothing was added."""


class Waiting(msgspec.Struct, frozen=True):
    """A prompt that waits or runs."""

    prompt: Prompt
    status: Literal["queued", "running"]
    index: int
    created_at: int
    person: int
    """The number of the person who said it."""


class Inbox:
    def __init__(self, log: Log) -> None:
        self._log = log
        self._blobs = Blobs(log.database.home.blobs)
        self.bounds = Bounds()
        """How much may wait, of what comes over a network."""

    async def admit(
        self,
        session: SessionRow,
        prompt: Prompt,
        *,
        by: Place,
        contender: Contender | None = None,
        media: tuple[str, ...] = (),
        mode: Mode | Literal[""] = "",
        speaker: Speaker = AT_HOME,
    ) -> Admission:
        """Commit the prompt; with a contender, take the lease in the same transaction if it is free.

        With a mode, the session changes to it, once: a prompt that is repeated changes nothing.
        """
        queued = facts.PromptQueued(
            prompt.content, prompt.model, prompt.agent, prompt.steer, speaker.id
        )
        digest = _digest(prompt, mode)
        admitted: list[Admission] = []
        events = [Event("prompt_queued", now(), queued, prompt.message_id, actor="user")]

        def also(connection: sqlite3.Connection) -> Admission | None:
            known = connection.execute(
                "SELECT hash, idx FROM inbox WHERE session = ? AND message_id = ?",
                (session.n, prompt.message_id),
            ).fetchone()
            if known and known[0] != digest:
                raise Conflict(
                    f"Message id {prompt.message_id!r} was used for another prompt.",
                    hint="Give each prompt an id of its own.",
                )
            if known:
                index = known[1]
            else:
                if speaker.id:
                    size = len(msgspec.json.encode(prompt))
                    refuse_when_full(connection, session.n, size, self.bounds)
                index = insert(connection, session.n, prompt, by, digest, speaker.n)
                attach(connection, self._blobs, session.n, media)
                if mode and set_mode(connection, session.n, mode):
                    events.append(
                        Event("mode_changed", now(), facts.ModeChanged(mode), actor="user")
                    )
            lease = contender.take(connection, session.n) if contender else None
            failpoint("inbox.after_admit")
            admitted.append(Admission(index, lease, repeated=bool(known)))
            return None if known else admitted[-1]

        await self._log.append(session.n, events, also)
        return admitted[-1]

    async def edit(
        self,
        session: SessionRow,
        message_id: str,
        content: tuple[Block, ...],
        media: tuple[str, ...] = (),
    ) -> None:
        """Change a prompt that still waits."""

        def also(connection: sqlite3.Connection) -> bool:
            before = msgspec.json.decode(_waiting(connection, session.n, message_id), type=Prompt)
            body = msgspec.json.encode(msgspec.structs.replace(before, content=content))
            refuse_larger(connection, session.n, message_id, len(body), self.bounds)
            connection.execute(
                "UPDATE inbox SET body = ? WHERE session = ? AND message_id = ?",
                (body, session.n, message_id),
            )
            attach(connection, self._blobs, session.n, media)
            return True

        event = Event("prompt_edited", now(), facts.PromptEdited(content), message_id, actor="user")
        await self._log.append(session.n, [event], also)

    async def cancel(self, session: SessionRow, message_id: str) -> bool:
        """Take back a prompt that still waits, so that it never runs; False if it does not wait."""

        def also(connection: sqlite3.Connection) -> bool | None:
            changed = connection.execute(
                "UPDATE inbox SET status = 'cancelled'"
                " WHERE session = ? AND message_id = ? AND status = 'queued'",
                (session.n, message_id),
            )
            connection.execute(
                "UPDATE sessions SET status = 'idle' WHERE n = ?1 AND status = 'queued' AND NOT"
                " EXISTS (SELECT 1 FROM inbox WHERE session = ?1 AND status = 'queued')",
                (session.n,),
            )
            return True if changed.rowcount else None

        event = Event("prompt_cancelled", now(), facts.PromptCancelled(), message_id, actor="user")
        return bool(await self._log.append(session.n, [event], also))

    async def place(self, session: SessionRow, message_id: str, place: int) -> None:
        """Let a waiting prompt run as the one of that place among those that wait, from 0; past the end: last."""

        events: list[Event] = []

        def also(connection: sqlite3.Connection) -> bool | None:
            _waiting(connection, session.n, message_id)
            rows = connection.execute(
                "SELECT message_id, place FROM inbox WHERE session = ? AND status = 'queued'"
                " ORDER BY place",
                (session.n,),
            ).fetchall()
            before, places = zip(*rows, strict=True)
            order = [name for name in before if name != message_id]
            order.insert(place, message_id)
            if order == list(before):
                return None
            connection.executemany(
                "UPDATE inbox SET place = ? WHERE session = ? AND message_id = ?",
                [(each, session.n, name) for name, each in zip(order, places, strict=True)],
            )
            moved = facts.PromptMoved(tuple(order))
            events.append(Event("prompt_moved", now(), moved, message_id, actor="user"))
            return True

        await self._log.append(session.n, events, also)

    def under_way(self, session: SessionRow) -> list[Waiting]:
        """What runs, then what waits, in the order in which it will run."""
        rows = self._log.database.read_now(
            lambda c: c.execute(_UNDER_WAY, (session.n, "")).fetchall()
        )
        return [Waiting(msgspec.json.decode(row[0], type=Prompt), *row[1:]) for row in rows]

    async def listed(
        self, session: SessionRow, show: Callable[[Waiting], T], message_id: str = ""
    ) -> list[T]:
        """As `under_way`, or one of them, each as `show` makes it, which is all that is held of it: it may be large."""

        def read(connection: sqlite3.Connection) -> list[T]:
            rows = connection.execute(_UNDER_WAY, (session.n, message_id))
            return [
                show(Waiting(msgspec.json.decode(row[0], type=Prompt), *row[1:])) for row in rows
            ]

        return await self._log.database.read(read)

    async def change_model(self, session: SessionRow, model: str) -> None:
        """Prompts that are taken up from now on run on this model, unless they ask for another."""

        def also(connection: sqlite3.Connection) -> bool | None:
            changed = connection.execute(
                "UPDATE sessions SET model = ?1 WHERE n = ?2 AND model <> ?1", (model, session.n)
            )
            return True if changed.rowcount else None

        event = Event("model_changed", now(), facts.ModelChanged(model), actor="user")
        await self._log.append(session.n, [event], also)

    async def change_agent(self, session: SessionRow, agent: str, model: str = "") -> None:
        """Prompts that are taken up from now on are done by this agent, and on this model if one is given."""

        def also(connection: sqlite3.Connection) -> bool | None:
            changed = connection.execute(
                "UPDATE sessions SET agent = ?1 WHERE n = ?2 AND agent <> ?1", (agent, session.n)
            )
            return True if changed.rowcount else None

        event = Event("agent_changed", now(), facts.AgentChanged(agent), actor="user")
        await self._log.append(session.n, [event], also)
        if model:
            await self.change_model(session, model)

    def unfinished(self, session: SessionRow) -> str | None:
        """The id of the exchange that has begun and not ended."""
        row = self._log.database.read_now(
            lambda c: c.execute(
                "SELECT message_id FROM inbox WHERE session = ? AND status = 'running'",
                (session.n,),
            ).fetchone()
        )
        return row[0] if row else None

    def is_running(self, n: int, message_id: str) -> bool:
        """Whether that exchange has begun and not ended."""
        return self._log.database.read_now(lambda c: _runs(c, n, message_id))

    def above(self, session: SessionRow) -> tuple[str, ...]:
        """The agents that handed a session its task, the first one first; none if a person began it."""
        if session.parent is None:
            return ()
        row = self._log.database.read_now(
            lambda c: c.execute(
                "SELECT body FROM inbox WHERE session = ? AND message_id = ?",
                (session.n, session.task_id),
            ).fetchone()
        )
        kept = msgspec.json.decode(row[0], type=Prompt).above if row else ()
        if kept:
            return kept
        # It was admitted before they were kept.
        parent = Sessions(self._log.database).numbered(session.parent)
        return (*self.above(parent), parent.agent)

    def open(self, session: SessionRow) -> list[str]:
        """The ids of all prompts that run or wait; those that wait come first, the last of them before the others."""
        rows = self._log.database.read_now(
            lambda c: c.execute(
                "SELECT message_id FROM inbox WHERE session = ? AND status IN ('queued', 'running')"
                " ORDER BY status, place DESC",
                (session.n,),
            ).fetchall()
        )
        return [message_id for (message_id,) in rows]

    async def index_of(self, session: SessionRow, message_id: str) -> int:
        """Where the prompt of that id stands in the log."""
        row = await self._log.database.read(
            lambda c: c.execute(
                "SELECT idx FROM inbox WHERE session = ? AND message_id = ?",
                (session.n, message_id),
            ).fetchone()
        )
        if row is None:
            raise NotFound(
                f"There is no prompt {message_id!r} in this session.",
                hint="Open the session to see its prompts.",
            )
        return row[0]

    async def change_mode(self, session: SessionRow, mode: Mode) -> None:
        """From its next step on, the session runs in this mode."""

        def also(connection: sqlite3.Connection) -> bool | None:
            return True if set_mode(connection, session.n, mode) else None

        event = Event("mode_changed", now(), facts.ModeChanged(mode), actor="user")
        await self._log.append(session.n, [event], also)

    async def interrupt(self, session: SessionRow, message_id: str) -> bool:
        """Ask whoever runs this exchange to stop it now; False if it does not run."""

        def also(connection: sqlite3.Connection) -> bool | None:
            if not _runs(connection, session.n, message_id):
                return None
            # One that waits for an answer no longer does: whoever comes next closes it.
            connection.execute(
                "UPDATE sessions SET status = 'running' WHERE n = ? AND status = 'waiting'",
                (session.n,),
            )
            return True

        event = Event("cancel_requested", now(), facts.CancelRequested(), message_id, actor="user")
        return bool(await self._log.append(session.n, [event], also))


def _runs(connection: sqlite3.Connection, n: int, message_id: str) -> bool:
    found = connection.execute(
        "SELECT 1 FROM inbox WHERE session = ? AND message_id = ? AND status = 'running'",
        (n, message_id),
    )
    return found.fetchone() is not None


def set_mode(connection: sqlite3.Connection, n: int, mode: Mode) -> bool:
    changed = connection.execute(
        "UPDATE sessions SET mode = ?1 WHERE n = ?2 AND mode <> ?1", (mode, n)
    )
    return changed.rowcount == 1


def _digest(prompt: Prompt, mode: str = "") -> str:
    """Names all that was asked for: another body under the same id is another prompt."""
    asked = msgspec.to_builtins(prompt)
    del asked[
        "above"
    ]  # it is not asked for, and prompts that were admitted before it was kept have none
    return hashlib.sha256(msgspec.json.encode(asked) + mode.encode()).hexdigest()


def insert(
    connection: sqlite3.Connection,
    n: int,
    prompt: Prompt,
    by: Place,
    digest: str = "",
    person: int = HOST,
) -> int:
    """Add the row; return the index that `prompt_queued` gets, if it is the transaction's first event."""
    body = msgspec.json.encode(prompt)
    found = connection.execute("SELECT last_index + 1 FROM sessions WHERE n = ?", (n,)).fetchone()
    if found is None:
        raise NotFound("This session was deleted.", hint="Begin another one.")
    connection.execute(
        "INSERT INTO inbox"
        " (session, message_id, place, idx, hash, body, admitted_by, created_at, steer, person)"
        " SELECT ?1, ?2, COALESCE(MAX(place), 0) + 1, ?7, ?3, ?4, ?5, ?6, ?8, ?9"
        " FROM inbox WHERE session = ?1",
        (
            *(n, prompt.message_id, digest or _digest(prompt), body, by, now(), found[0]),
            *(prompt.steer, person),
        ),
    )
    connection.execute(
        "UPDATE sessions SET title = CASE title WHEN '' THEN ? ELSE title END, archived = 0,"
        " status = CASE status WHEN 'idle' THEN 'queued' ELSE status END WHERE n = ?",
        (title_of(plain_text(prompt.content)), n),
    )
    return found[0]


def _waiting(connection: sqlite3.Connection, n: int, message_id: str) -> bytes:
    row = connection.execute(
        "SELECT body, status FROM inbox WHERE session = ? AND message_id = ?", (n, message_id)
    ).fetchone()
    if row is None:
        raise NotFound(
            f"There is no prompt {message_id!r} in this session.",
            hint="Open the session to see its prompts.",
        )
    if row[1] != "queued":
        raise Conflict(f"The prompt {message_id!r} no longer waits: it is {row[1]}.")
    return row[0]


def next_prompt(connection: sqlite3.Connection, n: int) -> tuple[Prompt, str] | None:
    """The prompt to run now, and its status: one that a dead worker left running comes first."""
    row = connection.execute(
        "SELECT body, status FROM inbox WHERE session = ? AND status IN ('running', 'queued')"
        " ORDER BY status = 'queued', place LIMIT 1",
        (n,),
    ).fetchone()
    return (msgspec.json.decode(row[0], type=Prompt), row[1]) if row else None


def steers(connection: sqlite3.Connection, n: int) -> list[Prompt]:
    """What was said to the exchange that runs and has not been taken up."""
    rows = connection.execute(
        "SELECT body FROM inbox WHERE session = ? AND status = 'queued' AND steer ORDER BY place",
        (n,),
    ).fetchall()
    return [msgspec.json.decode(body, type=Prompt) for (body,) in rows]


def take_up(connection: sqlite3.Connection, n: int, message_id: str) -> None:
    """A steer: queued → done, in the transaction of its `user_message`."""
    changed = connection.execute(
        "UPDATE inbox SET status = 'done'"
        " WHERE session = ? AND message_id = ? AND status = 'queued'",
        (n, message_id),
    )
    if changed.rowcount != 1:
        raise Conflict(f"The prompt {message_id!r} was taken back before it could be said.")


def start(connection: sqlite3.Connection, n: int, message_id: str) -> None:
    """queued → running, in the transaction of its `user_message`."""
    changed = connection.execute(
        "UPDATE inbox SET status = 'running'"
        " WHERE session = ? AND message_id = ? AND status = 'queued'",
        (n, message_id),
    )
    if changed.rowcount != 1:
        raise Conflict(f"The prompt {message_id!r} was taken back before it could run.")
    connection.execute("UPDATE sessions SET status = 'running' WHERE n = ?", (n,))


def finish(connection: sqlite3.Connection, n: int, message_id: str, outcome: Outcome) -> None:
    """running → done, in the transaction of its `exchange_response`."""
    connection.execute(
        "UPDATE inbox SET status = 'done' WHERE session = ? AND message_id = ?", (n, message_id)
    )
    connection.execute(
        "UPDATE sessions SET takeovers = 0, outcome = ?2, status = CASE WHEN EXISTS (SELECT 1 FROM inbox"
        " WHERE session = ?1 AND status = 'queued') THEN 'queued' ELSE 'idle' END WHERE n = ?1",
        (n, outcome),
    )
