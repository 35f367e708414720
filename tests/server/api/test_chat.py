"""One request and a stream of simple events, for clients that know nothing of logs."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from tests.server.api.using import Api, begun, fresh, messages, until
from tests.server.serving import Client

PATH = "/api/chat/agent/stream"


@asynccontextmanager
async def streaming(
    client: Client, said: dict[str, Any], last: str = ""
) -> AsyncGenerator[AsyncGenerator[tuple[str, dict[str, Any]]]]:
    headers = {"Last-Event-ID": last} if last else {}
    async with client.session.post(PATH, json=said, headers=headers) as response:
        assert response.status == 200, await response.text()

        async def told() -> AsyncGenerator[tuple[str, dict[str, Any]]]:
            async for message in messages(response):
                if message.event != "comment":
                    yield message.id, msgspec.json.decode(message.data)

        yield told()


async def said_of(
    client: Client, said: dict[str, Any], last: str = ""
) -> list[tuple[str, dict[str, Any]]]:
    async with streaming(client, said, last) as told:
        return [each async for each in told]


def kinds(told: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return [each["type"] for _, each in told]


@pytest.mark.requirement("T50", "T22")
async def test_a_request_is_answered_with_pieces_steps_and_one_end(api: Api) -> None:
    async with api.client() as client:
        said = {"message": "write it", "container_id": "inner", "edit_mode": "allow"}
        told = await said_of(client, {**said, "agent_id": "coder"})
        assert set(kinds(told)) == {"text_chunk", "agent_step", "complete"}
        assert kinds(told)[-1] == "complete"
        events = [each for _, each in told]
        steps = [each for each in events if each["type"] == "agent_step"]
        assert [step["tool_calls"][0]["name"] for step in steps if step["tool_calls"]] == [
            "write_file"
        ]
        assert [step["is_complete"] for step in steps] == [False, True]
        assert "".join(e["content"] for e in events if e["type"] == "text_chunk") == "Written."
        end = events[-1]
        assert (end["success"], end["iterations"], end["final_response"]) == (True, 2, "Written.")
        assert end["completion_reason"] == "no_more_actions"
        assert all({"session_id", "message_id", "index"} <= set(each) for each in events)
        assert (api.folder / "inner/new.txt").exists()
        row = await client.get(f"/api/sessions/{end['session_id']}")
        assert (row["mode"], row["agent"]) == ("allow", "coder")


@pytest.mark.requirement("T48")
@pytest.mark.parametrize("mode", ["plan", "ask", "allow"])
async def test_the_mode_of_a_request_is_the_sessions(api: Api, mode: str) -> None:
    async with api.client() as client:
        told = await said_of(client, {"message": "hello", "edit_mode": mode})
        session = told[-1][1]["session_id"]
        assert (await client.get(f"/api/sessions/{session}"))["mode"] == mode
        again = {"message": "hello", "session_id": session, "edit_mode": "ask"}
        assert (await said_of(client, again))[-1][1]["session_id"] == session
        assert (await client.get(f"/api/sessions/{session}"))["mode"] == "ask"


@pytest.mark.requirement("T22")
async def test_an_ask_comes_with_the_arguments_and_its_answer_goes_on_in_the_same_stream(
    api: Api,
) -> None:
    async with api.client() as client:
        rest: list[str] = []
        async with streaming(client, {"message": "write it", "edit_mode": "ask"}) as told:
            async for _, each in told:
                rest.append(each["type"])
                if each["type"] == "approval_required":
                    assert each["tool_name"] == "write_file"
                    assert each["tool_parameters"]["file_path"] == "new.txt"
                    answer = {"word": "allow_once", "hash": each["hash"]}
                    await client.post(f"/api/asks/{each['approval_id']}", answer)
        assert rest[-1] == "complete"
        assert rest.count("approval_required") == 1


@pytest.mark.requirement("T16")
async def test_an_agent_of_a_single_pass_streams_and_tells_of_its_files(api: Api) -> None:
    async with api.client() as client:
        said = {"message": "make a site", "agent_id": "site-builder", "edit_mode": "allow"}
        told = await said_of(client, said)
        assert set(kinds(told)) >= {"stream", "file_ready", "complete"}
        assert "text_chunk" not in kinds(told)
        assert [each["path"] for _, each in told if each["type"] == "file_ready"] == ["index.html"]


@pytest.mark.requirement("T22")
async def test_a_failure_is_an_error_and_then_the_end(api: Api) -> None:
    async with api.client() as client:
        told = await said_of(client, {"message": "fail"})
        assert kinds(told)[-2:] == ["error", "complete"]
        assert "The model is out." in told[-2][1]["error"]
        assert told[-1][1]["success"] is False


async def test_pieces_that_are_void_are_told_before_they_come_again(api: Api) -> None:
    async with api.client() as client:
        told = [each for _, each in await said_of(client, {"message": "reset"})]
        shown = ""
        for each in told:
            shown = "" if each["type"] == "reset" else shown + each.get("content", "")
        assert shown == told[-1]["final_response"] == "right"


async def test_whoever_goes_away_stops_nothing_and_may_come_back(api: Api) -> None:
    async with api.client() as client:
        said = {"message": "gate-g", "message_id": fresh()}
        async with streaming(client, said) as told:
            last, first = await anext(told)
        assert first["content"].strip() == "before"
        api.open("gate-g")
        await until(client, first["session_id"], "exchange_response", said["message_id"])
        rest = await said_of(client, said, last)
        whole = await said_of(client, said)
        assert whole[0] == (last, first)
        assert whole[1:] == rest
        assert {each["session_id"] for _, each in whole} == {first["session_id"]}


async def test_who_comes_back_after_any_event_gets_the_rest(api: Api) -> None:
    async with api.client() as client:
        said = {"message": "write it", "edit_mode": "allow", "message_id": fresh()}
        whole = await said_of(client, said)
        for place, (last, _) in enumerate(whole[:-1]):
            if last:
                assert await said_of(client, said, last) == whole[place + 1 :]


async def test_copies_of_a_request_are_one_prompt_in_one_session(api: Api) -> None:
    async with api.client() as client:
        said = {"message": "hello", "message_id": fresh()}
        answers = await asyncio.gather(*(said_of(client, said) for _ in range(10)))
        assert all(answer == answers[0] for answer in answers)
        status, problem = await client.call("POST", PATH, {**said, "message": "other"})
        assert (status, problem["code"]) == (409, "conflict")


async def test_a_session_that_is_deleted_ends_the_stream_with_its_end(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        said = {"message": "gate-h", "session_id": session, "message_id": fresh()}
        async with streaming(client, {**said, "message_id": fresh()}) as first:
            await anext(first)
            async with streaming(client, said) as told:
                path = f"/api/sessions/{session}"
                assert (await client.call("DELETE", f"{path}/prompts/{said['message_id']}"))[
                    0
                ] == 200
                assert [each["completion_reason"] async for _, each in told] == ["user_stopped"]
            await client.post(f"{path}/close")
            assert kinds([each async for each in first])[-1] == "complete"


async def test_a_foreign_session_or_project_is_not_found(api: Api) -> None:
    async with api.client() as client, api.client("ada") as ada:
        session = await begun(client)
        for said in ({"session_id": session}, {"project_id": "prj_nobody"}, {}):
            status, problem = await ada.call("POST", PATH, {"message": "hello", **said})
            assert (status, problem["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "wrong",
    [
        {"message": ""},
        {"message": " \n"},
        {"message": "\0"},
        {"edit_mode": "wild"},
        {"message_id": "7"},
        {"container_id": "x" * 5000},
        {"surprise": True},
    ],
    ids=str,
)
async def test_what_makes_no_sense_is_refused_before_anything_streams(
    api: Api, wrong: dict[str, Any]
) -> None:
    async with api.client() as client:
        status, problem = await client.call("POST", PATH, {"message": "hello", **wrong})
        assert (status, problem["code"]) == (422, "bad_usage"), problem
