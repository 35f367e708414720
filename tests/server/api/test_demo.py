"""The demo: a script for a model, and all around it real, whatever a person answers."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.sessions.session import HOST
from tests.server.api.using import PATIENCE, Api, following, ran, until
from tests.server.crossing.belongings import at_this_machine
from tests.server.serving import Client


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    place = tmp_path_factory.mktemp("demo")
    made = Api(place, BOTTEGA_MODEL="")
    with made.serving:
        yield made


async def played(client: Client, **words: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The demo's session and its facts, each ask answered with the word for its tool."""
    session = await client.post("/api/demo")
    facts: list[dict[str, Any]] = []
    async with asyncio.timeout(PATIENCE), following(client, session["id"]) as told:
        async for message in told:
            if message.event:
                continue
            body = msgspec.json.decode(message.data)
            facts.append(body)
            asked = body["data"] if body["type"] == "approval_required" else None
            if asked:
                answer = {"word": words[asked["tool_name"]], "hash": asked["hash"]}
                await client.post(f"/api/asks/{asked['approval_id']}", answer)
            if body["type"] == "exchange_response":
                break
    return session, facts


def of(facts: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [each["data"] for each in facts if each["type"] == kind]


def results(facts: list[dict[str, Any]], tool: str) -> list[str]:
    return [each["content"][0]["text"] for each in of(facts, "tool_result") if each["name"] == tool]


async def test_the_demo_plans_reads_asks_edits_runs_and_says_what_it_is(api: Api) -> None:
    async with api.client() as client:
        session, facts = await played(client, bash_exec="allow_once", patch_file="allow_once")
        assert (session["demo"], session["model"], session["mode"]) == (True, "demo", "ask")
        assert session["title"].startswith("Demo: ")
        asked = of(facts, "approval_required")
        assert [each["tool_name"] for each in asked] == ["bash_exec", "patch_file", "bash_exec"]
        before, after = results(facts, "bash_exec")
        assert "FAIL  receipt 250 2 10: expected 450, got 490" in before
        assert '"exit_code":1' in before
        assert '"exit_code":0' in after
        assert "FAIL" not in after
        todos = of(facts, "todos_changed")
        assert [
            sum(each.get("status") == "completed" for each in list_["todos"]) for list_ in todos
        ] == [
            *(0, 1, 2, 3, 4),
        ]
        (end,) = of(facts, "exchange_response")
        assert end["success"]
        assert end.get("cost", 0) == 0
        assert "no model was asked" in end["final_response"]
        changed = (await client.get(f"/api/sessions/{session['id']}/changes"))["changes"]
        assert [(each["path"], each["added"], each["removed"]) for each in changed] == [
            ("receipt.sh", 1, 1)
        ]
        assert Path(session["folder"]).parent == api.place / "home-demo"
        project = await client.get(f"/api/projects/{session['project_id']}/files")
        assert {each["name"] for each in project["entries"]} == {
            *("README.md", "receipt.sh", "test.sh")
        }


@pytest.mark.parametrize(
    ("words", "change"),
    [
        ({"bash_exec": "deny", "patch_file": "deny"}, "changed nothing"),
        ({"bash_exec": "deny", "patch_file": "allow_all"}, "changed one line of `receipt.sh`"),
    ],
)
async def test_the_demo_says_what_came_of_it_whatever_was_answered(
    api: Api, words: dict[str, str], change: str
) -> None:
    async with api.client() as client:
        session, facts = await played(client, **words)
        (end,) = of(facts, "exchange_response")
        assert end["success"]
        assert change in end["final_response"]
        said = " ".join(
            block["text"]
            for each in of(facts, "assistant_message")
            for block in each["content"]
            if block["type"] == "text"
        )
        assert "The test passes." not in said
        receipt = (Path(session["folder"]) / "receipt.sh").read_text()
        assert ("total * off" in receipt) == (words["patch_file"] == "allow_all")


async def test_the_demo_can_be_stopped_and_says_that_it_is_over(api: Api) -> None:
    async with api.client() as client:
        session, facts = await played(client, bash_exec="stop")
        (end,) = of(facts, "exchange_response")
        assert end["completion_reason"] == "user_stopped"
        after = await ran(client, session["id"], "And now?")
        assert "no model listens here" in after["final_response"]


async def test_there_is_one_demo_at_a_time(api: Api) -> None:
    async with api.client() as client:
        first, twice = await asyncio.gather(client.post("/api/demo"), client.post("/api/demo"))
        again = await client.post("/api/demo")
        assert again["id"] == twice["id"] == first["id"]
        asked = (await until(client, first["id"], "approval_required"))["data"]
        stop = {"word": "stop", "hash": asked["hash"]}
        await client.post(f"/api/asks/{asked['approval_id']}", stop)
        await until(client, first["id"], "exchange_response")
        other = await client.post("/api/demo")
        assert other["id"] != first["id"]
        projects = (await client.get("/api/projects"))["projects"]
        assert [each["name"] for each in projects].count("Demo") == 1
        assert not Path(first["folder"]).exists(), "it was made to be thrown away"
        assert list((api.place / "home-demo").iterdir()) == [Path(other["folder"])]


async def test_a_project_of_ones_own_that_is_called_demo_is_none(api: Api) -> None:
    mine = api.place / "mine"
    mine.mkdir()
    (mine / "kept").write_text("words")
    with at_this_machine(api.serving) as database:
        project = await Projects(database).add(mine, HOST, "Demo")
    async with api.client() as client:
        await client.post("/api/demo")
        there = (await client.get("/api/projects"))["projects"]
        assert project.id in [each["id"] for each in there]
    assert (mine / "kept").read_text() == "words"


async def test_who_may_run_nothing_here_is_shown_no_demo(api: Api) -> None:
    async with api.client("ada") as ada:
        status, problem = await ada.call("POST", "/api/demo")
        assert (status, problem["code"]) == (403, "refused")


FOLDERS = 3_000
"""That take far longer to delete than a demo takes to begin."""


async def test_a_large_folder_of_ones_demo_keeps_nobody_else_waiting(own: Api) -> None:
    beside = own.place / "home-demo"
    large = beside / "shop-large"
    for n in range(FOLDERS):
        (large / f"n{n}").mkdir(parents=not n)
    (own.place / "theirs").mkdir()
    own.token("guest")
    with at_this_machine(own.serving) as database:
        guest = People(database).named("guest")
        await Projects(database).add(large, HOST, "Demo")
        await Projects(database).add(own.place / "theirs", guest.n, "theirs")
    async with own.client() as client, own.client("guest") as other:
        first = asyncio.create_task(client.post("/api/demo"))
        while not first.done() and len(os.listdir(large)) == FOLDERS:
            await asyncio.sleep(0.01)
        await other.post("/api/demo")
        assert large.exists(), "it is still being thrown away"
        await first
