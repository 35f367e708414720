"""What waits for somebody is answered once, whoever is first, before or after a restart."""

import asyncio
from typing import Any

import pytest

from bottega.errors import BadUsage, Conflict, NotFound
from bottega.events import facts
from bottega.ids import fresh
from bottega.messages.block import Text
from bottega.sessions import asks as rows
from bottega.sessions import inbox as inboxes
from bottega.sessions import lease as leases
from bottega.sessions.asks import WORDS, Ask, Asks, Kind, Reply, Word
from bottega.sessions.inbox import Inbox, Prompt
from bottega.sessions.lease import Contender
from bottega.sessions.log import Log
from bottega.sessions.plans import GO, accept
from bottega.sessions.session import SessionRow, Sessions
from bottega.storage.database import Database
from tests.sessions import stored

MESSAGE = "5f0c7a52-1d6e-4c1b-9a53-0a3c8a1f0e01"


@pytest.fixture
def asks(log: Log) -> Asks:
    return Asks(log)


async def opened(
    database: Database, session: SessionRow, kind: Kind = "tool", **fields: Any
) -> facts.ApprovalRequired:
    asked = facts.ApprovalRequired(
        fresh("ask"), kind, fields.pop("tool_id", "call_1"), "bash_exec", "sha", "Run it?", **fields
    )
    await database.write(lambda c: rows.insert(c, session.n, MESSAGE, asked, {"command": "make"}))
    return asked


@pytest.mark.requirement("T44", "C9")
async def test_an_ask_is_open_until_it_is_answered_and_the_answer_is_in_the_log(
    asks: Asks, database: Database, session: SessionRow
) -> None:
    asked = await opened(database, session)
    (ask,) = asks.open(session.n)
    assert (ask.asked, ask.input, ask.message_id, ask.reply) == (
        asked,
        {"command": "make"},
        MESSAGE,
        None,
    )
    await asks.answer(ask.id, Reply("deny", "not today"), shown="sha")
    assert asks.open() == []
    assert asks.get(ask.id).reply == Reply("deny", "not today")
    (event,) = stored.events(database, session)
    assert (event.message_id, event.actor) == (MESSAGE, "user")
    assert event.data == facts.ApprovalResolved(
        ask.id, "deny", "sha", "not today", tool_id="call_1"
    )


@pytest.mark.requirement("C9")
async def test_the_first_of_many_answers_counts_and_the_others_are_told(
    asks: Asks, database: Database, session: SessionRow
) -> None:
    asked = await opened(database, session)
    words: list[Word] = ["allow_once", "deny", "allow_all", "stop"] * 3
    told = await asyncio.gather(
        *(asks.answer(asked.approval_id, Reply(word), shown="sha") for word in words),
        return_exceptions=True,
    )
    first = [one for one in told if isinstance(one, Ask)]
    assert len(first) == 1
    assert all(isinstance(one, Conflict) for one in told if one not in first)
    resolved = [e.data for e in stored.events(database, session) if e.type == "approval_resolved"]
    assert [one.answer for one in resolved] == [first[0].reply.word]  # type: ignore[union-attr]


async def test_what_was_not_shown_cannot_be_answered(
    asks: Asks, database: Database, session: SessionRow
) -> None:
    asked = await opened(database, session)
    with pytest.raises(Conflict, match="not what is asked"):
        await asks.answer(asked.approval_id, Reply("allow_once"), shown="another")
    assert asks.open(session.n)
    assert stored.events(database, session) == []


@pytest.mark.parametrize("kind", WORDS)
async def test_each_kind_takes_its_own_words_only(
    asks: Asks, database: Database, session: SessionRow, kind: Kind
) -> None:
    asked = await opened(database, session, kind)
    for word in {word for words in WORDS.values() for word in words} | {"closed", "yes"}:
        if word not in WORDS[kind]:
            with pytest.raises(BadUsage, match="is no answer"):
                await asks.answer(asked.approval_id, Reply(word), shown="sha")  # type: ignore[arg-type]
    assert asks.open(session.n)


async def test_who_stops_also_cancels_the_exchange(
    asks: Asks, database: Database, session: SessionRow
) -> None:
    asked = await opened(database, session)
    await asks.answer(asked.approval_id, Reply("stop"), shown="sha")
    events = stored.events(database, session)
    assert [event.type for event in events] == ["approval_resolved", "cancel_requested"]
    assert {event.message_id for event in events} == {MESSAGE}


@pytest.mark.requirement("T44")
async def test_allow_all_is_a_grant_of_this_session_and_of_no_other(
    asks: Asks, database: Database, session: SessionRow
) -> None:
    other = await Sessions(database).create(model="guide", agent="assistant", folder="/")
    for tool_id, grant in (("call_1", ""), ("call_2", "bash_exec(git status)")):
        asked = await opened(
            database, session, tool_id=tool_id, detail={"offers": ["bash_exec(git status)"]}
        )
        await asks.answer(asked.approval_id, Reply("allow_all", grant=grant), shown="sha")
    assert [str(each.grant) for each in asks.grants(session.n)] == [
        "bash_exec",
        "bash_exec(git status)",
    ]
    assert asks.grants(other.n) == ()
    resolved = [event.data.grant for event in stored.events(database, session)]
    assert resolved == ["bash_exec", "bash_exec(git status)"]


async def test_an_ask_is_found_by_an_end_of_its_id(
    asks: Asks, database: Database, session: SessionRow
) -> None:
    asked = await opened(database, session)
    assert asks.get(asked.approval_id[-6:]).id == asked.approval_id
    for wrong in ("nothing", "", "ask"):
        with pytest.raises(NotFound):
            asks.get(wrong)


async def begun(inbox: Inbox, database: Database, session: SessionRow) -> leases.Lease:
    """A session whose exchange runs, held by a worker."""
    prompt = Prompt(MESSAGE, (Text("go"),))
    contender = Contender(database.home, "wrk_one", set())
    admission = await inbox.admit(session, prompt, by="python", contender=contender)
    assert admission.lease
    await database.write(lambda c: inboxes.start(c, session.n, MESSAGE))
    return admission.lease


async def test_a_parked_session_is_nobodys_until_its_ask_is_answered(
    asks: Asks, inbox: Inbox, database: Database, session: SessionRow
) -> None:
    lease = await begun(inbox, database, session)
    asked = await opened(database, session)
    assert await database.write(lambda c: leases.park(c, lease))
    assert Sessions(database).get(session.id).status == "waiting"
    other = Contender(database.home, "wrk_two", set())
    assert await database.write(lambda c: other.take(c, session.n)) is None
    await asks.answer(asked.approval_id, Reply("allow_once"), shown="sha")
    taken = await database.write(lambda c: other.take(c, session.n))
    assert taken
    assert (taken.parked, taken.takeovers) == (True, 0)
    assert Sessions(database).get(session.id).status == "running"


async def test_who_is_answered_at_the_last_moment_does_not_park(
    inbox: Inbox, database: Database, session: SessionRow, asks: Asks
) -> None:
    lease = await begun(inbox, database, session)
    asked = await opened(database, session)
    await asks.answer(asked.approval_id, Reply("allow_once"), shown="sha")
    assert not await database.write(lambda c: leases.park(c, lease))
    assert Sessions(database).get(session.id).status == "running"


async def test_a_cancel_frees_a_parked_session_for_whoever_closes_it(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    lease = await begun(inbox, database, session)
    await opened(database, session)
    await database.write(lambda c: leases.park(c, lease))
    assert await inbox.interrupt(session, MESSAGE)
    other = Contender(database.home, "wrk_two", set())
    assert await database.write(lambda c: other.take(c, session.n))


@pytest.mark.requirement("T40")
async def test_accepting_a_plan_chooses_the_mode_and_queues_the_work_in_one_step(
    asks: Asks, database: Database, session: SessionRow
) -> None:
    asked = await opened(database, session, "plan", tool_id="")
    message_id = await accept(asks, session, "allow", "1. write it")
    events = stored.events(database, session)
    assert [event.type for event in events] == [
        "prompt_queued",
        "approval_resolved",
        "mode_changed",
    ]
    assert events[1].data == facts.ApprovalResolved(
        asked.approval_id, "accept", "sha", "1. write it"
    )
    found = database.read_now(lambda c: inboxes.next_prompt(c, session.n))
    assert found
    assert found[0] == Prompt(message_id, (Text(f"{GO} It was changed:\n\n1. write it"),))
    assert Sessions(database).get(session.id).mode == "allow"
    with pytest.raises(NotFound, match="No plan"):
        await accept(asks, session, "ask")


async def test_a_plan_that_somebody_discarded_first_is_not_carried_out(
    asks: Asks, database: Database, session: SessionRow
) -> None:
    asked = await opened(database, session, "plan", tool_id="")
    outcomes = await asyncio.gather(
        asks.answer(asked.approval_id, Reply("discard"), shown="sha"),
        accept(asks, session, "ask"),
        return_exceptions=True,
    )
    assert [isinstance(one, Conflict | NotFound) for one in outcomes] == [False, True]
    assert [event.type for event in stored.events(database, session)] == ["approval_resolved"]
    assert database.read_now(lambda c: inboxes.next_prompt(c, session.n)) is None


async def test_a_change_of_mode_is_an_event_and_the_same_mode_is_none(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    await inbox.change_mode(session, "plan")
    await inbox.change_mode(session, "plan")
    (event,) = stored.events(database, session)
    assert event.data == facts.ModeChanged("plan")
    assert Sessions(database).get(session.id).mode == "plan"
