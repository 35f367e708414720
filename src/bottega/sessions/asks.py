"""What waits for somebody: an approval, a question, a plan, a client's call, an exchange that was broken off.

An ask's row is committed with its `approval_required`, and changed exactly once, with its `approval_resolved`: the
first answer wins, whoever gives it, in whichever process, before or after a restart.
"""

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec

from bottega.approvals.grant import Grant, parse_grant
from bottega.errors import BadUsage, Conflict, NotFound, TooMany
from bottega.events import facts
from bottega.events.event import Event
from bottega.failpoint import failpoint
from bottega.sessions.bounds.waiting import refuse_more_asks
from bottega.sessions.log import Log
from bottega.sessions.session import now

Kind = Literal["tool", "question", "plan", "client", "limit", "resume"]
Word = Literal[
    "allow_once", "allow_all", "deny", "edit", "stop", "answer", "accept", "discard", "result",
    "raise", "continue", "closed",
]  # fmt: skip
"""The answers there are; `closed` is nobody's: what was asked no longer matters."""

WORDS: dict[Kind, tuple[Word, ...]] = {
    "tool": ("allow_once", "allow_all", "deny", "edit", "stop"),
    "question": ("answer", "stop"),
    "plan": ("accept", "discard"),
    "client": ("result", "stop"),
    "limit": ("raise", "stop"),
    "resume": ("continue", "stop"),
}

MOST_GRANTS = 200
"""Of one session: each is compared with every part of every command."""
_ONCE: tuple[Kind, ...] = ("plan", "limit", "resume")
"""Of these a session has one at a time."""


def answers_to(asked: facts.ApprovalRequired) -> tuple[Word, ...]:
    """The words that this ask takes."""
    return next((words for kind, words in WORDS.items() if kind == asked.kind), ())


TOLD: dict[str, str] = {
    "allow_once": "Allowed once",
    "allow_all": "Allowed from now on",
    "deny": "Denied",
    "edit": "Changed",
    "stop": "Stopped",
    "answer": "Answered",
    "accept": "Accepted",
    "discard": "Discarded",
    "result": "Given",
    "raise": "Raised",
    "continue": "Continued",
    "closed": "No longer asked",
}
"""How a person reads an answer."""


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody answered."""

    word: Word
    note: str = ""
    """A word to the model, the answer to a question, or a plan as the person changed it."""
    input: dict[str, Any] | None = None
    """With `edit`: the arguments to run with instead. With `result`: what the client's tool gave."""
    grant: str = ""
    """With `allow_all`: what is allowed from now on; empty: this tool."""
    person: str = ""
    """The id of the person who answered at a server."""


class Ask(msgspec.Struct, frozen=True):
    id: str
    session: int
    message_id: str
    created_at: int
    asked: facts.ApprovalRequired
    input: dict[str, Any]
    """The arguments of the call that is asked about."""
    reply: Reply | None = None
    """None while it is open."""
    far: bool = False
    """Another Bottega asks: what is allowed with it is allowed there, and not here."""

    @property
    def kind(self) -> str:
        return self.asked.kind

    @property
    def child(self) -> str:
        """The id of the child that asks; empty: the session itself does."""
        return str(self.asked.detail.get("child", {}).get("session_id", ""))

    @property
    def asker(self) -> str:
        """The name of the agent of a child that asks; empty: the session's own asks."""
        return asker(self.asked)


def asker(asked: facts.ApprovalRequired) -> str:
    return str(asked.detail.get("child", {}).get("agent", ""))


class Granted(msgspec.Struct, frozen=True):
    grant: Grant
    fingerprint: str = ""
    """Of the tool as it was defined when this was granted: one that is defined otherwise is another tool."""


class _Detail(msgspec.Struct):
    fingerprint: str = ""


class _Asked(msgspec.Struct):
    detail: _Detail = msgspec.field(default_factory=_Detail)


class Asks:
    def __init__(self, log: Log) -> None:
        self._log = log

    def get(self, ask_id: str) -> Ask:
        """The ask of that id, or of the only one that begins or ends so."""
        rows = self._log.database.read_now(
            lambda c: _select(
                c,
                "id = ?1 OR (length(?1) >= 4 AND (substr(id, 1, length(?1)) = ?1"
                " OR substr(id, -length(?1)) = ?1))",
                (ask_id,),
            )
        )
        exact = [row for row in rows if row.id == ask_id] or rows
        if not exact:
            raise NotFound(f"There is no ask {ask_id!r} here.", hint="`bottega asks` lists them.")
        if len(exact) > 1:
            raise BadUsage(f"More than one ask begins or ends with {ask_id!r}.")
        return exact[0]

    def exactly(self, ask_id: str) -> Ask | None:
        """The ask of exactly that id."""
        found = self._log.database.read_now(lambda c: _select(c, "id = ?", (ask_id,)))
        return found[0] if found else None

    def open(self, n: int | None = None) -> list[Ask]:
        """Those that wait for an answer, oldest first; of one session, or of all."""
        return self._log.database.read_now(
            lambda c: _select(c, "status = 'open' AND (?1 IS NULL OR session = ?1)", (n,))
        )

    def of_call(self, n: int, message_id: str, tool_id: str) -> list[Ask]:
        """All that was ever asked about one call, oldest first."""
        return self._log.database.read_now(
            lambda c: _select(
                c,
                "session = ?1 AND message_id = ?2 AND tool_id = ?3",
                (n, message_id, tool_id),
            )
        )

    def far(self, n: int, message_id: str) -> list[Ask]:
        """All that another Bottega asked in one exchange, oldest first."""
        return self._log.database.read_now(
            lambda c: _select(c, "session = ?1 AND message_id = ?2 AND far", (n, message_id))
        )

    def grants(self, n: int) -> tuple[Granted, ...]:
        """What was allowed for the rest of this session."""
        rows = self._log.database.read_now(
            lambda c: c.execute(
                "SELECT granted, body FROM asks WHERE session = ? AND granted <> '' ORDER BY rowid",
                (n,),
            ).fetchall()
        )
        found = ((grant, msgspec.json.decode(body, type=_Asked)) for grant, body in rows)
        granted = dict.fromkeys((grant, asked.detail.fingerprint) for grant, asked in found)
        return tuple(Granted(parse_grant(grant), mark) for grant, mark in granted)

    async def answer(
        self,
        ask_id: str,
        reply: Reply,
        *,
        shown: str,
        before: tuple[Event, ...] = (),
        after: tuple[Event, ...] = (),
        also: Callable[[sqlite3.Connection], None] | None = None,
    ) -> Ask:
        """Resolve an open ask. `shown` is the hash of what the person saw: another one is refused.

        `before`, `after` and `also` go into the same transaction.

        Raises `Conflict` if it is no longer open: somebody else was first.
        """
        ask = self.get(ask_id)
        if reply.word not in (may := answers_to(ask.asked)):
            hint = f"It takes: {', '.join(may)}."
            raise BadUsage(f"{reply.word!r} is no answer to this ask.", hint=hint)
        _refuse_other_grant(ask, reply)
        if shown != ask.asked.hash:
            raise Conflict(
                "What was answered is not what is asked.", hint="Look at it again, then answer."
            )

        def work(connection: sqlite3.Connection) -> bool:
            if reply.word == "allow_all":
                _refuse_more_grants(connection, ask)
            settle(connection, ask, reply)
            events.extend(_resolved(*each) for each in _covered(connection, ask, reply))
            if also:
                also(connection)
            return True

        events = [*before, _resolved(ask, reply), *after]
        if reply.word == "stop":
            events.append(_event("cancel_requested", facts.CancelRequested(), ask.message_id))
        await self._log.append(ask.session, events, work)
        return msgspec.structs.replace(ask, reply=reply)

    async def close(self, ask: Ask) -> None:
        """Nobody has to answer this any more: who asked has ended, and not by the worker of that session."""
        closed = Reply("closed")

        def work(connection: sqlite3.Connection) -> bool:
            settle(connection, ask, closed)
            return True

        await self._log.append(ask.session, [_resolved(ask, closed)], work)


def insert(
    connection: sqlite3.Connection,
    n: int,
    message_id: str,
    asked: facts.ApprovalRequired,
    arguments: dict[str, Any],
    *,
    far: bool = False,
) -> None:
    """In the transaction of its `approval_required`; refused if what it offers has been granted meanwhile, or too
    much is asked of the person already.

    What was granted here says nothing of what another Bottega asks.
    """
    if not far and any(
        each in asked.detail.get("offers", ()) for each in _granted(connection, n, asked)
    ):
        raise Conflict("What would be asked for has been allowed for this session meanwhile.")
    if far or asked.kind not in _ONCE:
        refuse_more_asks(connection, n)
    connection.execute(
        "INSERT INTO asks (id, session, message_id, kind, tool_id, body, input, created_at, far)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            asked.approval_id,
            n,
            message_id,
            asked.kind,
            asked.tool_id,
            msgspec.json.encode(asked),
            msgspec.json.encode(arguments),
            now(),
            far,
        ),
    )
    failpoint("asks.after_open")


def _granted(
    connection: sqlite3.Connection, n: int, asked: facts.ApprovalRequired
) -> Iterator[str]:
    """Grants of the session that hold for the tool as it is defined now."""
    rows = connection.execute(
        "SELECT granted, body FROM asks WHERE session = ? AND granted <> ''", (n,)
    )
    mark = asked.detail.get("fingerprint", "")
    for grant, body in rows.fetchall():
        if msgspec.json.decode(body, type=_Asked).detail.fingerprint == mark:
            yield grant


def settle(connection: sqlite3.Connection, ask: Ask, reply: Reply) -> None:
    """In the transaction of its `approval_resolved`: open → answered, once."""
    changed = connection.execute(
        "UPDATE asks SET status = 'answered', reply = ?, granted = ? WHERE id = ? AND status = 'open'",
        (msgspec.json.encode(reply), "" if ask.far else _grant(ask, reply), ask.id),
    )
    if changed.rowcount != 1:
        raise Conflict("This was answered already.", hint="The first answer counts.")
    failpoint("asks.after_answer")


def _covered(connection: sqlite3.Connection, ask: Ask, reply: Reply) -> list[tuple[Ask, Reply]]:
    """Answer, with an `allow_all`, whatever else waits in the session and was offered the same."""
    grant = _grant(ask, reply)
    if not grant or ask.far:
        return []
    others = _select(
        connection, "session = ? AND status = 'open' AND kind = 'tool' AND NOT far", (ask.session,)
    )
    same = Reply("allow_once", f"Covered by {grant}, which was allowed for this session.")
    found = [(other, same) for other in others if grant in other.asked.detail.get("offers", ())]
    for other, _ in found:
        settle(connection, other, same)
    return found


def _refuse_other_grant(ask: Ask, reply: Reply) -> None:
    """What is granted is the tool, or one of the patterns that were offered: nobody else's words are matched."""
    offers = (ask.asked.tool_name, *ask.asked.detail.get("offers", ()))
    if reply.grant and reply.grant not in offers:
        hint = f"It offers: {', '.join(offers)}."
        raise BadUsage(f"{reply.grant!r} is not offered by this ask.", hint=hint)


def _refuse_more_grants(connection: sqlite3.Connection, ask: Ask) -> None:
    (granted,) = connection.execute(
        "SELECT COUNT(DISTINCT granted) FROM asks WHERE session = ? AND granted <> ''",
        (ask.session,),
    ).fetchone()
    if granted >= MOST_GRANTS:
        raise TooMany(
            f"This session has {MOST_GRANTS} grants, and no more can be kept.",
            hint="Allow this once, or write a rule.",
        )


def _grant(ask: Ask, reply: Reply) -> str:
    return (reply.grant or ask.asked.tool_name) if reply.word == "allow_all" else ""


def resolved(ask: Ask, reply: Reply) -> facts.ApprovalResolved:
    return facts.ApprovalResolved(
        ask.id,
        reply.word,
        ask.asked.hash,
        reply.note,
        reply.input if reply.word == "edit" else None,
        _grant(ask, reply),
        ask.asked.tool_id,
        reply.person,
    )


def waits(connection: sqlite3.Connection, n: int) -> bool:
    """Whether something of the exchange that runs is open; a plan that is offered waits beside it."""
    found = connection.execute(
        "SELECT 1 FROM asks WHERE session = ? AND status = 'open' AND kind <> 'plan' LIMIT 1", (n,)
    )
    return found.fetchone() is not None


def _resolved(ask: Ask, reply: Reply) -> Event:
    return _event("approval_resolved", resolved(ask, reply), ask.message_id)


def _event(name: str, payload: msgspec.Struct, message_id: str) -> Event:
    return Event(name, now(), payload, message_id, actor="user")


def _select(connection: sqlite3.Connection, where: str, values: tuple[Any, ...]) -> list[Ask]:
    rows = connection.execute(
        "SELECT id, session, message_id, created_at, body, input, reply, far FROM asks"  # noqa: S608
        f" WHERE {where} ORDER BY rowid",
        values,
    ).fetchall()
    return [
        Ask(
            row[0],
            row[1],
            row[2],
            row[3],
            msgspec.json.decode(row[4], type=facts.ApprovalRequired),
            msgspec.json.decode(row[5]),
            msgspec.json.decode(row[6], type=Reply) if row[6] is not None else None,
            bool(row[7]),
        )
        for row in rows
    ]
