"""Prompts on their way in: once each, in order, and their own until they run."""

import asyncio

import msgspec
import pytest

from bottega.errors import Conflict, NotFound, Overloaded
from bottega.events.facts import PromptEdited, PromptMoved, PromptQueued
from bottega.ids import fresh_message
from bottega.messages.block import Image, Text
from bottega.sessions import inbox as inboxes
from bottega.sessions.attach import Attachments
from bottega.sessions.bounds.waiting import Bounds
from bottega.sessions.inbox import Inbox, Prompt, Speaker
from bottega.sessions.lease import Contender
from bottega.sessions.session import SessionRow, Sessions
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from tests.sessions import stored


def prompt(text: str = "hi", message_id: str = "") -> Prompt:
    return Prompt(message_id or fresh_message(), (Text(text),))


async def start(database: Database, session: SessionRow, message_id: str) -> None:
    await database.write(lambda c: inboxes.start(c, session.n, message_id))


def waiting(database: Database, session: SessionRow) -> tuple[str, str] | None:
    found = database.read_now(lambda connection: inboxes.next_prompt(connection, session.n))
    return (found[0].message_id, found[1]) if found else None


def status(database: Database, session: SessionRow) -> str:
    return Sessions(database).get(session.id).status


async def test_an_admitted_prompt_is_in_the_log_and_names_the_session(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    admission = await inbox.admit(session, prompt("Make the tests pass\nplease"), by="cli")
    assert (admission.index, admission.lease, admission.repeated) == (1, None, False)
    (event,) = stored.events(database, session)
    assert event.data == PromptQueued((Text("Make the tests pass\nplease"),))
    assert event.actor == "user"
    row = Sessions(database).get(session.id)
    assert (row.title, row.status) == ("Make the tests pass", "queued")


async def test_the_same_prompt_twice_is_one(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    once = prompt("hi")
    first = await inbox.admit(session, once, by="cli")
    await inbox.admit(session, prompt("other"), by="cli")
    again = await inbox.admit(session, once, by="cli")
    assert (again.repeated, again.index) == (True, first.index)
    assert stored.types(database, session) == ["prompt_queued", "prompt_queued"]


async def test_another_prompt_under_the_same_id_is_refused(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    await inbox.admit(session, prompt("hi", "m1"), by="cli")
    with pytest.raises(Conflict, match="m1") as refused:
        await inbox.admit(session, prompt("ho", "m1"), by="cli")
    assert refused.value.hint
    assert stored.types(database, session) == ["prompt_queued"]


async def test_twenty_at_once_are_one_prompt_and_one_lease(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    once = prompt("hi")
    contender = Contender(database.home, "wrk_a")
    admissions = await asyncio.gather(
        *(inbox.admit(session, once, by="cli", contender=contender) for _ in range(20))
    )
    assert [a.repeated for a in admissions].count(False) == 1
    assert len([a for a in admissions if a.lease]) == 1
    assert stored.types(database, session) == ["prompt_queued"]


async def test_a_session_that_was_deleted_admits_nothing(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    await database.write(lambda connection: connection.execute("DELETE FROM sessions").close())
    with pytest.raises(NotFound):
        await inbox.admit(session, prompt(), by="cli")


async def test_prompts_run_in_order_and_can_be_moved(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    for name in ("m1", "m2", "m3"):
        await inbox.admit(session, prompt(name, name), by="cli")
    assert waiting(database, session) == ("m1", "queued")
    await inbox.place(session, "m3", 0)
    assert waiting(database, session) == ("m3", "queued")
    told = stored.events(database, session)[-1]
    assert (told.message_id, told.data) == ("m3", PromptMoved(("m3", "m1", "m2")))
    await inbox.place(session, "m3", 0)
    assert stored.events(database, session)[-1] == told, "it is where it was"
    await inbox.place(session, "m3", 99)
    assert waiting(database, session) == ("m1", "queued")
    await inbox.place(session, "m3", 1)
    assert order(inbox, session) == ["m1", "m3", "m2"]
    await start(database, session, "m1")
    await inbox.place(session, "m2", 0)
    assert waiting(database, session) == ("m1", "running"), "what runs comes first"
    assert order(inbox, session) == ["m1", "m2", "m3"]


def order(inbox: Inbox, session: SessionRow) -> list[str]:
    return [each.prompt.message_id for each in inbox.under_way(session)]


async def test_a_mode_that_comes_with_a_prompt_is_taken_once(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    once = prompt("hi")
    await inbox.admit(session, once, by="server", mode="allow")
    assert stored.types(database, session) == ["prompt_queued", "mode_changed"]
    await inbox.change_mode(session, "plan")
    again = await inbox.admit(session, once, by="server", mode="allow")
    assert again.repeated
    assert Sessions(database).get(session.id).mode == "plan"
    with pytest.raises(Conflict):
        await inbox.admit(session, once, by="server", mode="ask")


async def test_who_said_a_prompt_is_stored_with_it(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    await inbox.admit(session, prompt("hi"), by="server", speaker=Speaker(7, "per_7"))
    (event,) = stored.events(database, session)
    assert (event.actor, event.data.person) == ("user", "per_7")
    assert [each.person for each in inbox.under_way(session)] == [7]


async def test_a_full_inbox_refuses_what_comes_over_a_network_and_nothing_else(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    inbox.bounds = Bounds(session=2, person=3)
    other = await Sessions(database).create(model="m", agent="coder", folder="/nowhere")
    far = Speaker(7, "per_7")
    first = prompt("hi", "m1")
    await inbox.admit(session, first, by="server", speaker=far)
    await inbox.admit(session, prompt("hi", "m2"), by="server", speaker=far)
    with pytest.raises(Overloaded, match="in this session"):
        await inbox.admit(session, prompt("hi", "m3"), by="server", speaker=far)
    assert (await inbox.admit(session, first, by="server", speaker=far)).repeated
    await inbox.admit(other, prompt("hi", "m4"), by="server", speaker=far)
    with pytest.raises(Overloaded, match="for one person"):
        await inbox.admit(other, prompt("hi", "m5"), by="server", speaker=far)
    await inbox.admit(other, prompt("hi", "m6"), by="cli")
    assert await inbox.cancel(session, "m1")
    assert await inbox.cancel(session, "m2")
    await inbox.admit(session, prompt("hi", "m7"), by="server", speaker=far)


async def test_one_persons_full_list_refuses_nothing_of_anothers(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    inbox.bounds = Bounds(person=3, in_all=3)
    greedy, far = Speaker(1, "per_1"), Speaker(7, "per_7")
    for name in ("m1", "m2", "m3"):
        await inbox.admit(session, prompt("hi", name), by="server", speaker=greedy)
    with pytest.raises(Overloaded, match="3 prompts of yours"):
        await inbox.admit(session, prompt("hi", "m4"), by="server", speaker=greedy)
    hers = await Sessions(database).create(model="m", agent="coder", folder="/nowhere", owner=7)
    await inbox.admit(hers, prompt("hi", "m5"), by="server", speaker=far)


async def test_what_waits_is_counted_in_bytes_too_but_one_prompt_may_be_large(
    inbox: Inbox, session: SessionRow
) -> None:
    inbox.bounds = Bounds(bytes=1_000)
    far = Speaker(1, "per_1")
    await inbox.admit(session, prompt("x" * 5_000, "m1"), by="server", speaker=far)
    with pytest.raises(Overloaded, match="hold"):
        await inbox.admit(session, prompt("hi", "m2"), by="server", speaker=far)


async def test_a_waiting_prompt_can_be_edited(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    original = prompt("hi", "m1")
    await inbox.admit(session, original, by="cli")
    await inbox.edit(session, "m1", (Text("ho"),))
    found = database.read_now(lambda connection: inboxes.next_prompt(connection, session.n))
    assert found
    assert found[0].content == (Text("ho"),)
    assert stored.events(database, session)[-1].data == PromptEdited((Text("ho"),))
    again = await inbox.admit(session, original, by="cli")
    assert again.repeated, "what the client first sent is still known"


async def test_a_prompt_that_runs_can_no_longer_be_changed(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    await inbox.admit(session, prompt("hi", "m1"), by="cli")
    await start(database, session, "m1")
    with pytest.raises(Conflict, match="running"):
        await inbox.edit(session, "m1", (Text("ho"),))
    with pytest.raises(Conflict):
        await inbox.place(session, "m1", 0)
    assert not await inbox.cancel(session, "m1")
    with pytest.raises(NotFound):
        await inbox.edit(session, "m2", (Text("ho"),))
    assert stored.types(database, session) == ["prompt_queued"]


async def test_a_cancelled_prompt_never_runs(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    await inbox.admit(session, prompt("hi", "m1"), by="cli")
    await inbox.admit(session, prompt("ho", "m2"), by="cli")
    assert await inbox.cancel(session, "m1")
    assert not await inbox.cancel(session, "m1")
    assert status(database, session) == "queued"
    assert waiting(database, session) == ("m2", "queued")
    with pytest.raises(Conflict, match="taken back"):
        await start(database, session, "m1")
    assert await inbox.cancel(session, "m2")
    assert waiting(database, session) is None
    assert status(database, session) == "idle"
    assert stored.types(database, session)[2:] == ["prompt_cancelled"] * 2


async def test_taking_back_what_waits_leaves_what_runs_running(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    await inbox.admit(session, prompt("hi", "m1"), by="cli")
    await start(database, session, "m1")
    await inbox.admit(session, prompt("ho", "m2"), by="cli")
    assert await inbox.cancel(session, "m2")
    assert status(database, session) == "running"


async def test_only_what_runs_can_be_interrupted(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    await inbox.admit(session, prompt("hi", "m1"), by="cli")
    assert not await inbox.interrupt(session, "m1")
    await start(database, session, "m1")
    assert await inbox.interrupt(session, "m1")
    assert stored.types(database, session) == ["prompt_queued", "cancel_requested"]


async def test_to_interrupt_what_is_over_leaves_what_waits_for_an_answer_waiting(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    for name in ("m1", "m2"):
        await inbox.admit(session, prompt("hi", name), by="cli")
        await start(database, session, name)
    await database.write(lambda c: inboxes.finish(c, session.n, "m1", "done"))
    await database.write(
        lambda c: c.execute("UPDATE sessions SET status = 'waiting' WHERE n = ?", (session.n,))
    )
    assert not await inbox.interrupt(session, "m1")
    assert status(database, session) == "waiting"
    assert await inbox.interrupt(session, "m2")
    assert status(database, session) == "running"


async def test_the_status_follows_the_prompts(
    inbox: Inbox, database: Database, session: SessionRow
) -> None:
    seen = [status(database, session)]
    await inbox.admit(session, prompt("hi", "m1"), by="cli")
    await inbox.admit(session, prompt("ho", "m2"), by="cli")
    seen.append(status(database, session))
    for name in ("m1", "m2"):
        await start(database, session, name)
        seen.append(status(database, session))
        await database.write(lambda c, name=name: inboxes.finish(c, session.n, name, "done"))
        seen.append(status(database, session))
    assert seen == ["idle", "queued", "running", "queued", "running", "idle"]


async def test_media_of_a_prompt_belong_to_its_session(
    inbox: Inbox, database: Database, session: SessionRow, blobs: Blobs
) -> None:
    picture, sound = blobs.keep(b"picture"), blobs.keep(b"sound")
    shown = Prompt("m1", (Image("image/png", blob=picture),))
    await inbox.admit(session, shown, by="cli", media=(picture,))
    await inbox.edit(session, "m1", (Text("rather"),), media=(sound,))
    attachments = Attachments(database, blobs)
    assert attachments.read(session.n, picture) == b"picture"
    assert attachments.read(session.n, sound) == b"sound"


async def test_media_that_are_gone_are_not_admitted(
    inbox: Inbox, database: Database, session: SessionRow, blobs: Blobs
) -> None:
    picture = blobs.keep(b"picture")
    blobs.drop(picture)
    shown = Prompt("m1", (Image("image/png", blob=picture),))
    with pytest.raises(Conflict, match="no longer here"):
        await inbox.admit(session, shown, by="cli", media=(picture,))
    assert stored.types(database, session) == []


async def test_a_task_is_the_same_prompt_whether_the_agents_above_it_were_kept_or_not(
    inbox: Inbox, session: SessionRow
) -> None:
    task = prompt(message_id="m1")
    first = await inbox.admit(session, task, by="cli")
    again = await inbox.admit(session, msgspec.structs.replace(task, above=("boss",)), by="cli")
    assert (again.repeated, again.index) == (True, first.index)
