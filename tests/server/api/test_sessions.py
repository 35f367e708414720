"""Sessions over HTTP: begun in a folder of a project, opened at their end, changed, forked, exported and found."""

import os
from typing import Any

import msgspec
import pytest

from tests.server.api.using import Api, begun, following, prompted, ran, until
from tests.server.serving import Client


async def test_a_session_begins_in_the_first_project_or_in_a_folder_of_it(api: Api) -> None:
    async with api.client() as client:
        plain = await client.post("/api/sessions", {"title": "  A title ", "mode": "plan"})
        assert (plain["folder"], plain["title"]) == (os.path.realpath(api.folder), "A title")
        assert (plain["mode"], plain["status"], plain["last_index"]) == ("plan", "idle", 0)
        inner = await client.post("/api/sessions", {"container": "inner/."})
        assert inner["folder"] == os.path.realpath(api.folder / "inner")
        newest = (await client.get("/api/sessions", params={"limit": 2}))["sessions"]
        assert [each["id"] for each in newest] == [inner["id"], plain["id"]]


async def test_no_container_leads_out_of_its_project(api: Api) -> None:
    link = api.folder / "out"
    if not link.exists():
        link.symlink_to(api.place)
    (api.folder / "file.txt").write_text("no folder")
    tried = {
        "..": 422,
        "inner/../..": 422,
        "out": 422,
        "/etc": 422,
        "nowhere": 404,
        "file.txt": 422,
        "a\0b": 422,
        "x" * 5000: 422,
    }
    async with api.client() as client:
        for container, status in tried.items():
            found, problem = await client.call("POST", "/api/sessions", {"container": container})
            assert found == status, (container[:20], problem)
            assert problem["detail"]


async def test_what_cannot_be_used_begins_nothing(api: Api) -> None:
    async with api.client() as client:
        before = (await client.get("/api/sessions"))["sessions"]
        for new in (
            {"project_id": "prj_no"},
            {"agent": "nobody"},
            {"model": "nothing/at-all"},
            {"mode": "wild"},
            {"surprise": 1},
            {"title": "x" * 201},
        ):
            status, problem = await client.call("POST", "/api/sessions", new)
            assert status in (404, 422), (new, problem)
        assert (await client.get("/api/sessions"))["sessions"] == before


async def test_a_session_is_changed_as_a_whole_or_not_at_all(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client, title="old")
        path = f"/api/sessions/{session}"
        wrong = {"title": "new", "mode": "plan", "model": "nothing/at-all"}
        status, _ = await client.call("PATCH", path, wrong)
        assert status == 422
        assert (await client.get(path))["title"] == "old"
        status, changed = await client.call(
            "PATCH", path, {"title": "new", "mode": "plan", "agent": "explainer"}
        )
        assert (status, changed["title"], changed["mode"]) == (200, "new", "plan")
        assert changed["agent"] == "explainer"
        types = [body["type"] for _, body in (await client.get(path))["tail"]["events"]]
        assert types == ["mode_changed", "agent_changed"]


async def test_a_session_opens_with_its_end_and_its_older_pages_join_on(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        for _ in range(4):
            await ran(client, session, "hello")
        facts = [
            [index, msgspec.json.decode(body)]
            for index, body in api.stored(session)
            if b"_delta" not in body[:30]
        ]
        opened = await client.get(f"/api/sessions/{session}", params={"limit": 5})
        page = opened["tail"]
        assert (page["more"], page["cursor"]) == (True, opened["last_index"])
        rows: list[Any] = page["events"]
        while page["more"]:
            older = {"before": rows[0][0], "limit": 5}
            page = await client.get(f"/api/sessions/{session}/tail", params=older)
            rows = page["events"] + rows
        assert rows == facts


async def test_who_opens_a_session_in_mid_answer_has_all_that_was_streamed(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        message_id = await prompted(client, session, "gate-a")
        await until(client, session, "text_delta", message_id)
        tail = (await client.get(f"/api/sessions/{session}"))["tail"]
        api.open("gate-a")
        after: list[Any] = []
        async with following(client, session, tail["cursor"]) as told:
            async for message in told:
                after.append([int(message.id), msgspec.json.decode(message.data)])
                if after[-1][1]["type"] == "exchange_response":
                    break
        log = [[index, msgspec.json.decode(body)] for index, body in api.stored(session)]
        assert [*tail["events"], *after] == log
        assert any(body["type"] == "text_delta" for _, body in tail["events"])


async def test_a_fork_goes_its_own_way(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client, title="Work")
        await ran(client, session, "hello")
        await ran(client, session, "hello again")
        log = api.stored(session)
        cut = next(index for index, body in log if b"exchange_response" in body[:40])
        fork = await client.post(f"/api/sessions/{session}/fork", {"index": cut})
        assert (fork["title"], fork["last_index"]) == ("Work (fork)", cut)
        assert api.stored(fork["id"]) == log[:cut]
        end = await ran(client, fork["id"], "and now otherwise")
        assert end["success"]
        assert api.stored(session) == log
        status, _ = await client.call("POST", f"/api/sessions/{session}/fork", {"index": 10**6})
        assert status == 422


async def test_an_export_is_a_file_that_no_browser_runs(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        await ran(client, session, "hello <script>alert(1)</script>")
        for form, kind in (
            *(("jsonl", "application/x-ndjson"), ("chat", "application/x-ndjson")),
            *(("md", "text/markdown"), ("html", "text/html")),
        ):
            async with client.session.get(
                f"/api/sessions/{session}/export", params={"format": form}
            ) as response:
                body = await response.read()
                assert (response.status, response.content_type) == (200, kind)
                assert response.headers["Content-Disposition"].startswith("attachment")
                assert response.headers["Content-Security-Policy"].startswith("sandbox")
                assert b"hello" in body
        status, _ = await client.call("GET", f"/api/sessions/{session}/export?format=doc")
        assert status == 422


async def test_a_search_finds_what_was_said_in_my_sessions_and_nobody_elses(api: Api) -> None:
    async with api.client() as client, api.client("ada") as ada:
        session = await begun(client)
        await ran(client, session, "the quetzal sings")
        (hit,) = (await client.get("/api/search", params={"q": "quetz"}))["hits"]
        assert hit["session_id"] == session
        assert "«quetzal»" in hit["snippet"]
        assert (await ada.get("/api/search", params={"q": "quetzal"}))["hits"] == []
        assert (await client.get("/api/search", params={"q": '"*('}))["hits"] == []


async def test_a_session_can_be_reset_cleared_compacted_and_closed(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client)
        path = f"/api/sessions/{session}"
        assert await client.post(f"{path}/reset") == {"changed": False}
        await ran(client, session, "hello")
        assert await client.post(f"{path}/compact") == {"changed": False}
        assert await client.post(f"{path}/undo-compaction", {}) == {"compaction": 0}
        assert await client.post(f"{path}/reset") == {"changed": True}
        runs = await prompted(client, session, "gate-b")
        status, problem = await client.call("POST", f"{path}/clear")
        assert (status, problem["code"]) == (409, "conflict")
        assert (await client.call("DELETE", path))[0] == 409
        assert await client.post(f"{path}/close") == {"changed": True}
        await until(client, session, "exchange_response", runs)
        assert await client.post(f"{path}/clear") == {"changed": True}
        events = (await client.get(f"{path}/events"))["events"]
        assert [body["type"] for _, body in events] == ["session_cleared"]


async def test_what_was_used_is_told_by_session_and_by_day_and_only_to_its_owner(api: Api) -> None:
    async with api.client() as client, api.client("ada") as ada:
        session = await begun(client)
        await ran(client, session, "hello")
        used = await client.get(f"/api/sessions/{session}/usage")
        assert (used["calls"], len(used["models"])) == (1, 1)
        assert used["models"][0]["model"].startswith("scripted/")
        assert used["tokens"] > 0
        usage = await client.get("/api/usage", params={"days": 1})
        days = usage["days"]
        spent = sum(day["cost"] for day in days)
        assert usage["window"] == {"hours": 24.0, "cost": spent, "limit": 20_000_000}
        assert days[0]["tokens"] >= used["tokens"]
        assert days[0]["at"] % 86_400_000 == 0
        assert (await ada.get("/api/usage"))["days"] == []


async def test_the_window_the_list_and_the_children_of_a_session_are_told(api: Api) -> None:
    async with api.client() as client:
        session = await begun(client, mode="allow")
        await ran(client, session, "make the list")
        path = f"/api/sessions/{session}"
        assert (await client.get(f"{path}/todos"))["todos"] == [
            {"content": "first", "status": "pending", "priority": "high"}
        ]
        context = await client.get(f"{path}/context")
        assert context["tokens"] == sum(context["parts"].values()) > 0
        assert await client.get(f"{path}/children") == {"sessions": []}
        await client.post(f"{path}/reset")
        assert await client.get(f"{path}/todos") == {"todos": []}


async def test_pages_of_sessions_join_on(own: Api) -> None:
    async with own.client() as client:
        made = [await begun(client) for _ in range(7)]
        found: list[str] = []
        page: dict[str, Any] = {"next": ""}
        while True:
            query = {"limit": 3, "before": page["next"]}
            page = await client.get("/api/sessions", params=query)
            found += [each["id"] for each in page["sessions"]]
            if not page["next"]:
                break
        assert found == made[::-1]


@pytest.mark.parametrize("before", ["x", "1-", "-1-1", "1-2-3", "٣-٣", "9" * 40])
async def test_a_place_in_the_list_that_makes_no_sense_is_refused(api: Api, before: str) -> None:
    async with api.client() as client:
        status, _ = await client.call("GET", "/api/sessions", params={"before": before})
        assert status == 422


async def test_each_name_of_another_person_is_not_found_on_any_route(api: Api) -> None:
    """And answered in the very same words as one that nobody has."""
    async with api.client() as client, api.client("ada") as ada:
        session = await begun(client)
        message_id = await prompted(client, session, "hello")
        await until(client, session, "exchange_response")
        routes = (await client.get("/api/openapi.json"))["paths"]
        tried = 0
        for path, methods in routes.items():
            if "{session_id}" not in path or "{" in path.replace("{session_id}", "").replace(
                "{message_id}", ""
            ):
                continue
            for method, route in methods.items():
                body = _body(route)
                theirs = await _tried(ada, method, path, session, message_id, body)
                none = await _tried(ada, method, path, "ses_nobody", message_id, body)
                assert theirs[0] == 404, (method, path, theirs)
                assert str(theirs[1]).replace(session, "ses_nobody") == str(none[1])
                tried += 1
        assert tried >= 20
        assert (await client.get(f"/api/sessions/{session}"))["status"] == "idle"


def _body(route: dict[str, Any]) -> dict[str, Any] | None:
    bodies: dict[str, dict[str, Any]] = {
        "send_prompt": {"message_id": "6f8b2a52-2d0c-4b53-9a2f-0e4a4d8b9d11", "content": "hi"}
    }
    return bodies.get(route["operationId"], {}) if "requestBody" in route else None


async def _tried(
    client: Client, method: str, path: str, session: str, message_id: str, body: Any
) -> tuple[int, Any]:
    where = path.replace("{session_id}", session).replace("{message_id}", message_id)
    return await client.call(method.upper(), where, body)


async def test_a_session_says_which_project_and_folder_of_it_it_works_in(api: Api) -> None:
    async with api.client() as client:
        project = (await client.get("/api/projects"))["projects"][0]["id"]
        whole, inner = await begun(client), await begun(client, container="inner")
        told = {each["id"]: each for each in (await client.get("/api/sessions"))["sessions"]}
        assert (told[whole]["project_id"], told[whole]["container"]) == (project, "")
        assert (told[inner]["project_id"], told[inner]["container"]) == (project, "inner")
        opened = await client.get(f"/api/sessions/{inner}")
        assert (opened["project_id"], opened["container"]) == (project, "inner")


async def test_a_list_says_how_the_last_exchange_of_each_session_ended(api: Api) -> None:
    async with api.client() as client:

        async def outcome(session: str) -> str:
            listed = (await client.get("/api/sessions"))["sessions"]
            return next(each["outcome"] for each in listed if each["id"] == session)

        session = await begun(client)
        assert await outcome(session) == ""
        await ran(client, session, "hello")
        assert await outcome(session) == "done"
        await ran(client, session, "fail")
        assert await outcome(session) == "failed"
        prompt = await prompted(client, session, "gate-h")
        await until(client, session, "text_delta", prompt)
        await client.call("DELETE", f"/api/sessions/{session}/prompts/{prompt}")
        await until(client, session, "exchange_response", prompt)
        assert await outcome(session) == "stopped"
        await client.post(f"/api/sessions/{session}/clear")
        assert await outcome(session) == ""


async def test_what_is_archived_is_listed_apart_until_something_is_said_there(api: Api) -> None:
    async with api.client() as client:

        async def ids(**which: str) -> list[str]:
            listed = await client.get("/api/sessions", params=which)
            return [each["id"] for each in listed["sessions"]]

        session = await begun(client, title="old")
        before = (await client.get(f"/api/sessions/{session}"))["updated_at"]
        path = f"/api/sessions/{session}"
        _, changed = await client.call("PATCH", path, {"archived": True, "pinned": True})
        assert (changed["archived"], changed["pinned"], changed["title"]) == (True, True, "old")
        assert changed["updated_at"] == before
        assert session not in await ids()
        assert session in await ids(archived="true")
        assert session in await ids(archived="true", pinned="true")
        assert await ids(pinned="true") == []
        await ran(client, session, "hello")
        assert session not in await ids(archived="true")
        assert await ids(pinned="true") == [session]
        _, changed = await client.call("PATCH", path, {"pinned": False})
        assert (changed["archived"], changed["pinned"]) == (False, False)
