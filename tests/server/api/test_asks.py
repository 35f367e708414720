"""Asks over HTTP: all that waits for me, shown whole, answered once, by what was shown."""

from pathlib import Path
from typing import Any

import pytest

from tests.server.api.using import Api, begun, fresh, prompted, until
from tests.server.hub.wire import wired
from tests.server.serving import Client


@pytest.fixture(autouse=True)
def nothing_written_yet(api: Api) -> None:
    """A file that holds already what would be written is not asked about."""
    (api.folder / "new.txt").unlink(missing_ok=True)


async def waiting(client: Client, session: str) -> dict[str, Any]:
    """The ask of a session, once there is one."""
    asked = await until(client, session, "approval_required")
    return await client.get(f"/api/asks/{asked['data']['approval_id']}")


def answer(ask: dict[str, Any], word: str, **more: Any) -> dict[str, Any]:
    return {"word": word, "hash": ask["hash"], **more}


async def test_what_waits_is_shown_whole_and_runs_when_it_is_allowed(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client, mode="ask", title="Writing")
        message_id = await prompted(client, session, "write it")
        ask = await waiting(client, session)
        assert ask in (await client.get("/api/asks"))["asks"]
        assert (ask["session_id"], ask["title"]) == (session, "Writing")
        assert (ask["tool_name"], ask["answer"]) == ("write_file", None)
        assert ask["input"] == {"file_path": "new.txt", "content": "new\n"}
        assert "+new" in ask["detail"]["diff"]
        assert "allow_once" in ask["words"]
        path = f"/api/asks/{ask['id']}"
        status, problem = await client.call("POST", path, {"word": "allow_once", "hash": "0" * 64})
        assert (status, problem["code"]) == (409, "conflict"), "something else was shown"
        status, _ = await client.call("POST", path, answer(ask, "accept"))
        assert status == 422
        answered = await client.post(path, answer(ask, "allow_once", note="go"))
        assert answered == {"id": ask["id"], "word": "allow_once", "message_id": message_id}
        end = await until(client, session, "exchange_response", message_id)
        assert end["data"]["final_response"] == "Written."
        assert (api.folder / "new.txt").read_text() == "new\n"
        status, problem = await client.call("POST", path, answer(ask, "deny"))
        assert (status, problem["code"]) == (409, "conflict")
        assert (await client.get(path))["answer"] == "allow_once"
        resolved = await until(client, session, "approval_resolved")
        assert (resolved["actor"], resolved["data"]["note"]) == ("user", "go")
        assert resolved["data"]["person"], "who answered is known"


async def test_a_session_that_asks_waits_from_that_moment_on(api: Api) -> None:
    async with api.client() as client, wired(client) as wire:
        session, tab = await begun(client, mode="ask"), fresh()
        await wire.ask(type="new-tab", tab_id=tab, session_id=session)
        message_id = await prompted(client, session, "write it")
        ask = await waiting(client, session)
        (listed,) = [
            each
            for each in (await client.get("/api/sessions"))["sessions"]
            if each["id"] == session
        ]
        assert listed["status"] == "waiting"
        assert (await client.get(f"/api/sessions/{session}"))["status"] == "waiting"
        tabs = (await wire.ask(type="restore"))["tabs"]
        assert [each["status"] for each in tabs if each["tab_id"] == tab] == ["waiting"]
        await client.post(f"/api/asks/{ask['id']}", answer(ask, "allow_once"))
        await until(client, session, "exchange_response", message_id)
        assert (await client.get(f"/api/sessions/{session}"))["status"] == "idle"


async def test_nobody_sees_or_answers_what_another_person_is_asked(api: Api) -> None:
    async with api.client() as client, api.client("ada") as ada:
        session = await begun(client, mode="ask")
        await prompted(client, session, "write it")
        ask = await waiting(client, session)
        assert (await ada.get("/api/asks"))["asks"] == []
        path = f"/api/asks/{ask['id']}"
        for method, body in (("GET", None), ("POST", answer(ask, "allow_once"))):
            status, theirs = await ada.call(method, path, body)
            assert status == 404
            _, none = await ada.call(method, "/api/asks/ask_nobody", body)
            assert str(theirs).replace(ask["id"], "ask_nobody") == str(none)
        assert (await client.get(path))["answer"] is None
        await client.post(path, answer(ask, "stop"))
        end = await until(client, session, "exchange_response")
        assert end["data"]["completion_reason"] == "user_stopped"


async def test_arguments_that_a_person_changed_are_what_runs(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client, mode="ask")
        await prompted(client, session, "write it")
        ask = await waiting(client, session)
        changed = {"file_path": "other.txt", "content": "changed\n"}
        await client.post(f"/api/asks/{ask['id']}", answer(ask, "edit", input=changed))
        await until(client, session, "exchange_response")
        assert (api.folder / "other.txt").read_text() == "changed\n"


async def test_a_plan_that_is_accepted_is_carried_out(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client, mode="plan")
        await prompted(client, session, "make a plan")
        ask = await waiting(client, session)
        assert ask["kind"] == "plan"
        path = f"/api/asks/{ask['id']}"
        status, _ = await client.call("POST", path, {"word": "accept", "hash": "x"})
        assert status == 409
        answered = await client.post(path, answer(ask, "accept", mode="allow"))
        end = await until(client, session, "exchange_response", answered["message_id"])
        assert end["data"]["final_response"] == "Carried out."
        assert (await client.get(f"/api/sessions/{session}"))["mode"] == "allow"
        status, _ = await client.call("POST", path, answer(ask, "accept"))
        assert status == 409


async def test_an_ask_outlives_the_server_and_its_parked_exchange_goes_on(tmp_path: Path) -> None:
    api = Api(tmp_path, BOTTEGA_PATIENCE="0.1")
    with api.serving:
        async with api.client() as client:
            session = await begun(client, mode="ask")
            message_id = await prompted(client, session, "write it")
            ask = await waiting(client, session)
            # Patience runs out at once; what comes next is admitted only behind it.
            later = await prompted(client, session, "hello")
        api.serving.kill()
        api.serving.start()
        async with api.client() as client:
            assert [each["id"] for each in (await client.get("/api/asks"))["asks"]] == [ask["id"]]
            await client.post(f"/api/asks/{ask['id']}", answer(ask, "allow_once"))
            end = await until(client, session, "exchange_response", message_id)
            assert end["data"]["success"]
            await until(client, session, "exchange_response", later)
            assert (api.folder / "new.txt").exists()


async def test_what_makes_no_sense_as_an_answer_is_refused(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client, mode="ask")
        await prompted(client, session, "write it")
        ask = await waiting(client, session)
        path = f"/api/asks/{ask['id']}"
        for wrong in (
            {"word": "perhaps"},
            {"word": "closed"},
            {"hash": "x" * 201},
            {"note": "a\0b"},
            {"grant": "no such (tool"},
            {"input": {"a": "\ud800"}},
            {"input": [1]},
            {"surprise": fresh()},
        ):
            said = answer(ask, "allow_all")
            status, problem = await client.call("POST", path, {**said, **wrong})
            assert status == 422, (wrong, problem)
        assert (await client.get(path))["answer"] is None
        await client.post(path, answer(ask, "deny"))
        await until(client, session, "exchange_response")
