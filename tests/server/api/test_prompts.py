"""Prompts over HTTP: each runs once, in its turn, and is its sender's own until then."""

import asyncio
import base64
from typing import Any

import msgspec
import pytest

from bottega.sessions.bounds.waiting import MOST_WAITING
from tests.server.api.using import Api, begun, following, fresh, prompted, ran, until
from tests.server.serving import Client


async def bodies(client: Client, session: str) -> list[dict[str, Any]]:
    page = await client.get(f"/api/sessions/{session}/events", params={"limit": 1000})
    return [body for _, body in page["events"]]


def of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


async def test_fifty_copies_of_a_prompt_run_once(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        said = {"message_id": fresh(), "content": "hello"}
        path = f"/api/sessions/{session}/prompts"
        answers = await asyncio.gather(*(client.call("POST", path, said) for _ in range(50)))
        assert {status for status, _ in answers} == {202}
        assert len({answer["index"] for _, answer in answers}) == 1
        assert sum(not answer["repeated"] for _, answer in answers) == 1
        await until(client, session, "exchange_response", said["message_id"])
        again = await client.post(path, said)
        assert again["repeated"]
        events = await bodies(client, session)
        assert len(of(events, "prompt_queued")) == 1
        assert len(of(events, "exchange_response")) == 1


@pytest.mark.parametrize("other", [{"content": "bye"}, {"mode": "plan"}, {"steer": True}])
async def test_another_body_under_the_same_id_is_refused(api: Api, other: dict[str, Any]) -> None:
    async with api.client() as client:
        session = await begun(client)
        said = {"message_id": fresh(), "content": "hello"}
        path = f"/api/sessions/{session}/prompts"
        await client.post(path, said)
        status, problem = await client.call("POST", path, {**said, **other})
        assert (status, problem["code"]) == (409, "conflict")
        assert problem["hint"]
        await until(client, session, "exchange_response", said["message_id"])


async def test_what_was_said_stands_in_the_log_at_once_with_who_said_it(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        said = {"message_id": fresh().upper(), "content": "hello"}
        admitted = await client.post(f"/api/sessions/{session}/prompts", said)
        assert admitted["message_id"] == said["message_id"].lower()
        first = (await bodies(client, session))[0]
        assert (admitted["index"], first["type"], first["actor"]) == (1, "prompt_queued", "user")
        assert first["data"]["content"] == [{"type": "text", "text": "hello"}]
        assert first["data"]["person"]
        row = await client.get(f"/api/sessions/{session}")
        assert row["title"] == "hello"
        await until(client, session, "exchange_response")


@pytest.mark.requirement("C12")
async def test_prompts_that_wait_can_be_seen_changed_moved_and_taken_back(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        path = f"/api/sessions/{session}/prompts"
        first = await prompted(client, session, "gate-c")
        await until(client, session, "text_delta", first)
        names = [await prompted(client, session, f"hello {place}") for place in range(3)]
        listed = (await client.get(path))["prompts"]
        assert [each["message_id"] for each in listed] == [first, *names]
        assert [each["status"] for each in listed] == ["running", *["queued"] * 3]
        assert all(each["mine"] for each in listed)
        await client.call("PATCH", f"{path}/{names[1]}", {"content": "goodbye"})
        status, moved = await client.call("PATCH", f"{path}/{names[2]}", {"place": 0})
        assert status == 200
        assert [each["text"] for each in moved["prompts"]] == [
            *("gate-c", "hello 2", "hello 0", "goodbye")
        ]
        told = (await bodies(client, session))[-1]
        assert (told["type"], told["message_id"]) == ("prompt_moved", names[2])
        assert told["data"]["order"] == [names[2], names[0], names[1]], "for whoever else looks on"
        assert await client.call("DELETE", f"{path}/{names[0]}") == (200, {"stopped": True})
        status, _ = await client.call("PATCH", f"{path}/{first}", {"content": "too late"})
        assert status == 409
        assert (await client.call("DELETE", f"{path}/{fresh()}"))[0] == 404
        api.open("gate-c")
        await until(client, session, "exchange_response", names[1])
        events = await bodies(client, session)
        asked = [event["data"]["content"][0]["text"] for event in of(events, "user_message")]
        assert asked == ["gate-c", "hello 2", "goodbye"]
        assert await client.call("DELETE", f"{path}/{first}") == (200, {"stopped": False})


async def test_what_runs_can_be_stopped_and_steered(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        first = await prompted(client, session, "gate-d")
        await until(client, session, "text_delta", first)
        steer = await prompted(client, session, "be quick", steer=True)
        path = f"/api/sessions/{session}/prompts"
        listed = (await client.get(path))["prompts"]
        assert [(each["message_id"], each["steer"]) for each in listed] == [
            (first, False),
            (steer, True),
        ]
        assert await client.call("DELETE", f"{path}/{first}") == (200, {"stopped": True})
        end = await until(client, session, "exchange_response", first)
        assert end["data"]["completion_reason"] == "user_stopped"
        assert end["data"]["final_response"] == "before"
        await until(client, session, "exchange_response", steer)


async def test_a_mode_comes_with_a_prompt(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client, mode="ask")
        assert (await ran(client, session, "hello", mode="plan"))["success"]
        assert (await client.get(f"/api/sessions/{session}"))["mode"] == "plan"


async def test_pictures_may_come_with_a_prompt(api: Api) -> None:
    picture = base64.b64encode(b"\x89PNG" * 20_000).decode()
    part = {"type": "image", "media_type": "image/png", "data": picture, "name": "dot.png"}
    async with api.client() as client:
        session = await begun(client)
        message_id = await prompted(client, session, [{"type": "text", "text": "see"}, part])  # type: ignore[arg-type]
        await until(client, session, "exchange_response", message_id)
        queued = of(await bodies(client, session), "prompt_queued")[0]["data"]["content"][1]
        assert (queued["type"], queued["name"], len(queued["blob"])) == ("image", "dot.png", 64)


async def test_a_full_session_says_when_to_try_again_and_others_are_not_touched(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        first = await prompted(client, session, "gate-e")
        await until(client, session, "text_delta", first)
        path = f"/api/sessions/{session}/prompts"
        said = [{"message_id": fresh(), "content": "hello"} for _ in range(MOST_WAITING + 5)]
        statuses: list[int] = []
        for each in said:
            async with client.session.post(path, json=each) as response:
                statuses.append(response.status)
                problem = await response.json()
                retry = response.headers.get("Retry-After")
        assert statuses == [202] * MOST_WAITING + [503] * 5
        assert (problem["code"], int(retry or 0)) == ("overloaded", 5)
        assert problem["hint"]
        other = await begun(client)
        assert (await ran(client, other, "hello"))["success"]
        await client.post(f"/api/sessions/{session}/close")
        await until(client, session, "exchange_response", first)


@pytest.mark.parametrize(
    "wrong",
    [
        {"message_id": "no-uuid"},
        {"message_id": "00000000-0000-0000-0000-00000000000\n"},
        {"content": ""},
        {"content": "   \n"},
        {"content": "a\0b"},
        {"content": "\ud800"},
        {"content": "x" * 1_000_001},
        {"content": []},
        {"content": [{"type": "text", "text": "a\0b"}]},
        {"content": [{"type": "video", "text": "a"}]},
        {"content": [{"type": "image", "media_type": "image/png", "data": "no base64!"}]},
        {"content": [{"type": "image", "media_type": "image/png", "data": "A" * 50_001}]},
        {"model": "nothing/at-all"},
        {"agent": "x" * 201},
        {"mode": "wild"},
        {"steer": "perhaps"},
        {"schema": {"type": 7}},
        {"schema": {"title": "\ud800"}},
        {"\ud800": 1},
        {"surprise": 1},
    ],
    ids=lambda wrong: str(wrong)[:40],
)
async def test_what_makes_no_sense_is_refused_in_a_sentence(
    api: Api, wrong: dict[str, Any]
) -> None:
    async with api.client() as client:
        session = await begun(client)
        said = {"message_id": fresh(), "content": "hello", **wrong}
        status, problem = await client.call("POST", f"/api/sessions/{session}/prompts", said)
        refused = {(422, "bad_usage"), (422, "misconfigured"), (413, "too_large")}
        assert (status, problem["code"]) in refused, problem
        assert problem["detail"]
        assert await bodies(client, session) == []


async def test_an_unknown_agent_is_not_found(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        said = {"message_id": fresh(), "content": "hello", "agent": "nobody"}
        status, problem = await client.call("POST", f"/api/sessions/{session}/prompts", said)
        assert status in (404, 422), problem


async def test_what_is_wrong_is_told_in_words_and_not_in_patterns(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)

        async def told(**said: Any) -> str:
            status, problem = await client.call("POST", f"/api/sessions/{session}/prompts", said)
            assert (status, problem["code"]) == (422, "bad_usage")
            return problem["detail"]

        assert await told(message_id="abc", content="x") == "body.message_id: This is no UUID."
        odd = await told(message_id=fresh(), content="x", surprise=1)
        assert odd == "body.surprise: There is no such field."
        neither = await client.call("POST", f"/api/sessions/{session}/revert", {})
        assert neither[1]["detail"] == "body: give either `paths` or `all`."
        async with client.session.post(
            f"/api/sessions/{session}/prompts",
            data=b'{"a" 1}',
            headers={"Content-Type": "application/json"},
        ) as response:
            problem = msgspec.json.decode(await response.read())
        assert problem["detail"].startswith("The body is no JSON: ")
        assert "at character 5" in problem["detail"]


async def test_broken_json_is_refused(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        for broken in (b"{", b"\xff", b"[" * 100_000, b"null", b'"x"'):
            async with client.session.post(
                f"/api/sessions/{session}/prompts",
                data=broken,
                headers={"Content-Type": "application/json"},
            ) as response:
                problem = msgspec.json.decode(await response.read())
                assert response.status in (400, 413, 422), broken[:10]
                assert response.content_type == "application/problem+json"
                assert problem["detail"]


async def test_a_body_that_is_not_marked_as_json_is_told_so(api: Api) -> None:
    async with (
        api.client() as client,
        client.session.post(
            "/api/sessions",
            data=b'{"title": "x"}',
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        ) as response,
    ):
        problem = msgspec.json.decode(await response.read())
    assert response.status == 422
    assert "application/x-www-form-urlencoded" in problem["detail"]
    assert problem["hint"] == "Send it with the header Content-Type: application/json."


async def test_who_asks_for_no_route_is_told_where_they_are_listed(api: Api) -> None:
    nothing, otherwise = (
        "Nothing is at this address.",
        "What is at this address is not reached with PUT.",
    )
    async with api.client() as client:
        for method, path, wanted, said in (
            ("GET", "/api/nope", 404, nothing),
            ("PUT", "/api/me", 405, otherwise),
        ):
            status, problem = await client.call(method, path)
            assert (status, problem["detail"]) == (wanted, said)
            assert "/api/openapi.json" in problem["hint"]


async def test_an_answer_may_have_to_fit_a_schema(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        end = await ran(client, session, "hello", schema=schema)
        assert end["completion_reason"] == "invalid_output", "the script knows no JSON"


async def test_sessions_run_side_by_side(api: Api) -> None:
    async with api.client() as client:
        one, other = await begun(client), await begun(client)
        first = await prompted(client, one, "gate-f")
        async with following(client, one) as told:
            assert (await ran(client, other, "hello"))["success"]
            assert b"prompt_queued" in (await anext(told)).data
        api.open("gate-f")
        await until(client, one, "exchange_response", first)
