"""What is wrong with one client's frames is that client's alone."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.hub.test_tabs import opened, said
from tests.server.hub.wire import Gone, Wire, fresh, wire_to
from tests.server.serving import Serving

Script = Callable[..., str]
Tokens = dict[str, str]


@pytest.fixture
def asking(scripted: Script) -> str:
    """A model that asks the person something, and then says thanks."""
    question = {"question": "Red or blue?", "choices": ["red", "blue"]}
    return scripted(
        [{"do": "call", "name": "ask_user", "input": question}],
        [{"do": "say", "text": "Thanks."}],
        name="asking",
    )


@pytest.mark.parametrize(
    "text", ["{", "[]", '"x"', '{"type":"dance"}', '{"type":"prompt"}', "\x00", "{}", "🦀"]
)
async def test_a_frame_that_cannot_be_read_is_answered_with_an_error_and_the_socket_stays(
    wire: Wire, text: str
) -> None:
    await wire.socket.send_str(text)
    error = await wire.a("error")
    assert error["code"] == "bad_frame"
    assert error["detail"]
    assert error["hint"]
    assert (await wire.ask(type="ping"))["type"] == "pong"


async def test_a_binary_frame_is_answered_with_an_error_and_the_socket_stays(wire: Wire) -> None:
    await wire.socket.send_bytes(b'{"type":"ping"}')
    assert (await wire.a("error"))["code"] == "bad_frame"
    assert (await wire.ask(type="ping"))["type"] == "pong"


async def test_a_frame_that_is_too_large_ends_its_socket_with_a_reason(
    shared: Serving, tokens: Tokens, wire: Wire
) -> None:
    async with wire_to(shared, tokens["host"]) as other:
        large = json.dumps({"type": "ping", "ref": "x" * 2_000_000})
        sending = asyncio.create_task(other.socket.send_str(large))
        with pytest.raises(Gone) as gone:
            await other.a("pong")
        await asyncio.wait({sending})
    assert gone.value.code == 1009
    assert (await wire.ask(type="ping"))["type"] == "pong"


async def test_frames_out_of_order_are_errors_of_those_frames(wire: Wire) -> None:
    tab = fresh()
    frames = [
        {"type": "prompt", "tab_id": tab, "message_id": fresh(), "text": "hello"},
        {"type": "visible", "tab_id": tab, "last_seen": 0},
        {"type": "hidden", "tab_id": tab},
        {"type": "close-tab", "tab_id": tab},
        {"type": "cancel", "tab_id": tab, "message_id": fresh()},
        {"type": "answer", "tab_id": tab, "ask_id": "ask_1", "word": "deny"},
    ]
    for frame in frames:
        error = await wire.ask(**frame)
        assert (error["type"], error["code"], error["tab_id"]) == ("error", "not_found", tab)


@pytest.mark.requirement("C14")
async def test_what_is_another_person_s_is_not_found_as_if_it_were_not_there(
    shared: Serving, tokens: Tokens, wire: Wire, guest: Wire, asking: str
) -> None:
    tab, session = await opened(wire, asking)
    message = await said(wire, tab)
    asked = (await wire.event(tab, "approval_required"))["data"]
    async with shared.client(tokens["host"]) as client:
        project = (await client.get("/api/sessions"))["sessions"][0]["folder"]
    own_tab, _ = await opened(guest, asking)
    await said(guest, own_tab)
    await guest.event(own_tab, "approval_required")

    def frames(tab: str, session: str, message: str, ask: str) -> list[dict[str, object]]:
        return [
            {"type": "new-tab", "tab_id": fresh(), "session_id": session},
            {"type": "prompt", "tab_id": tab, "message_id": fresh(), "text": "mine now"},
            {"type": "cancel", "tab_id": tab, "message_id": message},
            {"type": "visible", "tab_id": tab, "last_seen": 0},
            {"type": "hidden", "tab_id": tab},
            {"type": "close-tab", "tab_id": tab},
            {"type": "answer", "tab_id": tab, "ask_id": ask, "word": "stop"},
            {"type": "answer", "tab_id": own_tab, "ask_id": ask, "word": "stop"},
            {"message": "mine now", "session_id": session},
        ]

    ids = (tab, session, message, asked["approval_id"])
    none = (fresh(), "ses_" + "0" * 32, fresh(), "ask_" + "0" * 32)
    for theirs, nobodys in zip(frames(*ids), frames(*none), strict=True):
        answers = [await guest.ask(**frame) for frame in (theirs, nobodys)]
        for answer, names in zip(answers, (ids, none), strict=True):
            assert answer["type"] == "error", theirs
            del answer["ref"]
            for place, name in enumerate(names):
                answer["detail"] = answer["detail"].replace(name, f"<{place}>")
            answer.pop("tab_id", None)
        assert answers[0] == answers[1]
    gone = await guest.ask(type="restore", tabs=[{"tab_id": tab, "last_seen": 0}])
    assert (gone["tabs"], gone["gone"]) == ([], [tab])
    listed = await guest.ask(type="restore", tabs=[])
    assert [each["tab_id"] for each in listed["tabs"]] == [own_tab]
    assert project not in json.dumps(guest.frames)
    answer = {"type": "answer", "tab_id": tab, "ask_id": asked["approval_id"]}
    told = await wire.ask(**answer, word="answer", note="red", hash=asked["hash"])
    assert told["type"] == "answered", told
    assert (await wire.ends(tab, message))["final_response"] == "Thanks."


@pytest.mark.requirement("C14")
async def test_a_project_is_authorised_with_every_frame_that_names_it(
    wire: Wire, guest: Wire, shared: Serving, tokens: Tokens, asking: str
) -> None:
    tab, _ = await opened(guest, asking)
    theirs = await _project(shared, "host")
    for project in (theirs, "prj_" + "0" * 32):
        for frame in (
            {"type": "new-tab", "tab_id": fresh()},
            {"type": "prompt", "tab_id": tab, "message_id": fresh(), "text": "x"},
            {"message": "x"},
        ):
            error = await guest.ask(**frame, project_id=project)
            assert error["code"] == "not_found", (frame, error)
    own = await _project(shared, "guest")
    for container in ("../project", "/etc", "nowhere"):
        error = await guest.ask(type="new-tab", tab_id=fresh(), project_id=own, container=container)
        assert error["type"] == "error", container
    (shared.folder.parent / "guests" / "inner").mkdir(exist_ok=True)
    moved = await guest.ask(
        type="prompt",
        tab_id=tab,
        message_id=fresh(),
        text="x",
        project_id=own,
        container="inner",
    )
    assert moved["code"] == "conflict"
    stays = await guest.ask(type="prompt", tab_id=tab, message_id=fresh(), text="x", project_id=own)
    assert stays["type"] == "accepted"


async def _project(serving: Serving, name: str) -> str:
    from bottega.accounts.people import People
    from bottega.projects.projects import Projects
    from bottega.runtime import MIGRATIONS
    from bottega.storage.database import Database
    from bottega.storage.home import Home

    database = Database.open(Home(serving.home), MIGRATIONS)
    found = Projects(database).of(People(database).named(name).n)[0].id
    database.close()
    return found


async def test_ten_thousand_frames_a_second_are_told_to_stop_and_hold_nobody_else(
    shared: Serving, tokens: Tokens, wire: Wire
) -> None:
    async with wire_to(shared, tokens["host"]) as flood:

        async def pour() -> None:
            while True:
                await flood.socket.send_str('{"type":"ping"}')
                await asyncio.sleep(0)

        pouring = asyncio.create_task(pour())
        try:
            told = await flood.a("error", code="too_many")
            assert told["hint"]
            for _ in range(20):
                async with asyncio.timeout(2):
                    assert (await wire.ask(type="ping"))["type"] == "pong"
            with pytest.raises(Gone) as gone:
                await flood.a("never")
        finally:
            pouring.cancel()
            await asyncio.wait({pouring})
    assert gone.value.code == 1008
    assert _memory(shared) < 400_000


async def test_a_client_that_is_a_little_too_quick_is_read_more_slowly_and_answered_in_full(
    wire: Wire,
) -> None:
    refs = list(range(500))
    for ref in refs:
        await wire.send(type="ping", ref=ref)
    await wire.until(lambda frame: frame.get("ref") == refs[-1])
    assert [frame["ref"] for frame in wire.frames if frame["type"] == "pong"] == refs
    assert [f["code"] for f in wire.frames if f["type"] == "error"] == ["too_many"]


def _memory(serving: Serving) -> int:
    """Kilobytes that the server holds."""
    status = Path(f"/proc/{serving.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])
