"""A fork has all that came before, byte for byte, and nothing that is still open or was allowed."""

from pathlib import Path

import pytest

from bottega.errors import BadUsage
from bottega.events import facts as f
from bottega.messages.block import Image, Text
from bottega.messages.message import Usage
from bottega.sessions import asks
from bottega.sessions.asks import Asks, Reply
from bottega.sessions.attach import Attachments
from bottega.sessions.care.check import check
from bottega.sessions.fork import fork
from bottega.sessions.inbox import Inbox
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow, Sessions
from bottega.sessions.told.history import replay
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from tests.events.logs import Generator, answer, call, end, log, prompt
from tests.golden.test_golden import LOGS, read
from tests.hunt import examples
from tests.sessions import stored


@pytest.mark.fuzz
async def test_a_fork_at_any_index_is_a_valid_session(database: Database, blobs: Blobs) -> None:
    for seed in range(examples(15, 300)):
        facts = Generator(seed).plausible()
        session = await Sessions(database).create(model="m", agent="a", folder="/")
        session = await stored.write(database, session, facts)
        index = seed * 7 % (len(facts) + 1)
        new = await fork(database, blobs, session, index)
        before, after = stored.rows(database, session), stored.rows(database, new)
        assert after[:index] == before[:index], seed
        closed = stored.events(database, new)
        begun = [e.message_id for e in closed if e.type == "user_message" and not e.data.steer]
        assert [e.message_id for e in closed if e.type == "exchange_response"] == begun, seed
        assert stored.rows(database, await fork(database, blobs, new, new.last_index)) == after
        replay(after)
    assert check(database.home) == []


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
async def test_every_golden_log_can_be_forked_at_its_end(
    database: Database, blobs: Blobs, session: SessionRow, path: Path
) -> None:
    session = await stored.write(database, session, read(path))
    new = await fork(database, blobs, session, session.last_index)
    before, after = stored.rows(database, session), stored.rows(database, new)
    assert after[: len(before)] == before
    assert (new.model, new.agent, new.folder, new.owner) == (
        *(session.model, session.agent, session.folder, session.owner),
    )


async def test_a_fork_carries_no_grant_no_open_ask_and_no_prompt(
    database: Database, blobs: Blobs, session: SessionRow
) -> None:
    rows = Asks(Log(database))
    asked = f.ApprovalRequired("ask_1", "tool", "c1", "bash_exec", "h", "Run it?")
    open_ = f.ApprovalRequired("ask_2", "tool", "c2", "bash_exec", "h", "Run it?")
    for each in (asked, open_):
        await database.write(lambda c, e=each: asks.insert(c, session.n, "m1", e, {}))
    work = [*prompt("go"), f.MessageStart("m"), answer(call("c1"), call("c2")), asked, open_]
    await stored.write(database, session, log(*work))
    await rows.answer("ask_1", Reply("allow_all"), shown="h")
    assert rows.grants(session.n)
    session = Sessions(database).get(session.id)
    new = await fork(database, blobs, session, session.last_index)
    assert rows.grants(new.n) == ()
    assert rows.open(new.n) == []
    assert Inbox(Log(database)).under_way(new) == []
    closed = [e.data for e in stored.events(database, new) if e.type == "approval_resolved"]
    assert [(e.approval_id, e.answer) for e in closed] == [
        ("ask_1", "allow_all"),
        ("ask_2", "closed"),
    ]
    assert [ask.id for ask in rows.open(session.n)] == ["ask_2"], "the other one still waits"


async def test_a_steer_that_was_said_is_not_taken_back_in_a_fork(
    database: Database, blobs: Blobs, session: SessionRow
) -> None:
    said = (Text("rather"),)
    queued = log(*prompt("go"), f.MessageStart("m"))
    steer = log(f.PromptQueued(said, steer=True), message_id="m2", start=4)
    rest = log(f.UserMessage(said, steer=True, prompt_id="m2"), answer(Text("yes")), end(), start=5)
    session = await stored.write(database, session, [*queued, *steer, *rest])
    new = await fork(database, blobs, session, session.last_index)
    assert new.last_index == session.last_index


async def test_what_a_fork_closes_tells_all_that_was_used(
    database: Database, blobs: Blobs, session: SessionRow
) -> None:
    used = f.ToolResultFact("c1", "task", (Text("ok"),), usage=Usage(100, 50), cost=30)
    begun = [f.MessageStart("m"), f.TextDelta("and then")]
    work = [*prompt("go"), f.MessageStart("m"), answer(call("c1")), used, *begun]
    session = await stored.write(database, session, log(*work))
    new = await fork(database, blobs, session, session.last_index)
    *_, partial, response = [e.data for e in stored.events(database, new)]
    assert (partial.content, partial.cost) == ((Text("and then"),), 0)
    assert (response.usage, response.cost) == (Usage(110, 55), 37)


async def test_a_mode_that_allows_everything_is_not_carried_into_a_fork(
    database: Database, blobs: Blobs
) -> None:
    wide = await Sessions(database).create(model="m", agent="a", folder="/", mode="allow")
    assert (await fork(database, blobs, wide, 0)).mode == "ask"


async def test_a_fork_can_read_the_blobs_it_tells_of_and_no_later_ones(
    database: Database, blobs: Blobs, session: SessionRow
) -> None:
    attachments = Attachments(database, blobs)
    early = await attachments.keep(session.n, b"early" * 10_000)
    late = await attachments.keep(session.n, b"late" * 10_000)
    pictures = [
        log(f.UserMessage((Text("see"), Image("image/png", blob=name))), end())
        for name in (early, late)
    ]
    session = await stored.write(database, session, [*pictures[0], *pictures[1]])
    new = await fork(database, blobs, session, 2)
    assert attachments.names(new.n) == [early]
    assert attachments.read(new.n, early) == b"early" * 10_000


async def test_an_index_that_is_not_there_cannot_be_forked_at(
    database: Database, blobs: Blobs, session: SessionRow
) -> None:
    with pytest.raises(BadUsage, match="index 1"):
        await fork(database, blobs, session, 1)
