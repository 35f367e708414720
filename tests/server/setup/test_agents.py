"""Agents over HTTP."""

import pytest

from tests.server.serving import Client, Serving

WRITTEN = 'name = "Tester"\n# kept\ndescription = "Tests."\nsystem_prompt = "You test."\n'


async def test_everybody_sees_who_can_be_chosen_and_only_the_host_where_files_lie(
    host: Client, ada: Client
) -> None:
    assert (await host.call("PUT", "/api/agents/tester", {"text": WRITTEN}))[0] == 200
    seen = (await ada.get("/api/agents"))["agents"]
    mine = await host.get("/api/agents/tester")
    theirs = await ada.get("/api/agents/tester")

    assert [each["slug"] for each in seen if each["is_default"]] == ["assistant"]
    assert {"tester", "coder"} <= {each["slug"] for each in seen}
    assert mine["text"] == WRITTEN
    assert mine["path"].endswith("tester.toml")
    assert theirs == {**mine, "text": "", "path": ""}
    assert theirs["system_prompt"] == "You test."


async def test_a_broken_file_is_listed_with_what_is_wrong_and_can_be_mended(
    shared: Serving, host: Client
) -> None:
    folder = shared.home / "agents"
    folder.mkdir(exist_ok=True)
    (folder / "broken.toml").write_text('system_prompt = "x"\ncolour = "red"\n')

    listed = {each["slug"]: each for each in (await host.get("/api/agents"))["agents"]}
    assert "colour" in listed["broken"]["problems"][0]
    assert listed["coder"]["problems"] == []

    page = await host.get("/api/agents/broken")
    assert "colour" in page["text"]
    spec = {"name": "Whole", "system_prompt": "x", "limits": {"iterations": 7}}
    status, written = await host.call("PUT", "/api/agents/broken", {"spec": spec})
    assert status == 200
    assert written["problems"] == []
    assert written["limits"]["iterations"] == 7


async def test_what_could_not_be_used_is_not_written_and_every_problem_is_told(
    shared: Serving, host: Client
) -> None:
    wrong = {"text": 'type = "Robot"\ntools = ["no_such"]\nsystem_prompt = "{nothing}"\nx = 1\n'}
    status, problem = await host.call("PUT", "/api/agents/wrong", wrong)
    judged = await host.post("/api/agents/validate", {**wrong, "slug": "wrong"})

    assert status == 422
    assert "type must be" in problem["detail"]
    assert "no field x" in problem["detail"]
    assert not (shared.home / "agents" / "wrong.toml").exists()
    assert judged["usable"] is False
    assert len(judged["problems"]) == 2


async def test_validating_says_what_is_missing_to_use_it(host: Client) -> None:
    text = 'slug = "thinker"\nsystem_prompt = "x"\nmodel = "anthropic/some"\n'
    judged = await host.post("/api/agents/validate", {"text": text})
    assert judged["usable"] is True
    assert "no key" in judged["notes"][0]

    nameless = await host.post("/api/agents/validate", {"text": 'name = "Thinker"\n'})
    assert nameless["usable"] is False
    assert nameless["problems"][0].startswith("system_prompt is empty")


async def test_only_what_is_the_hosts_own_can_be_removed(host: Client) -> None:
    own = {"spec": {"system_prompt": "mine"}}
    assert (await host.call("PUT", "/api/agents/coder", own))[0] == 200
    assert (await host.get("/api/agents/coder"))["origin"] == "own"
    assert (await host.call("DELETE", "/api/agents/coder"))[0] == 204
    assert (await host.get("/api/agents/coder"))["origin"] == "house"

    assert (await host.call("DELETE", "/api/agents/coder"))[0] == 409
    status, problem = await host.call("DELETE", "/api/agents/codr")
    assert status == 404
    assert "'coder'" in problem["detail"]


async def test_nobody_but_the_host_changes_agents(ada: Client) -> None:
    body = {"spec": {"system_prompt": "x"}}
    for method, path in (
        ("PUT", "agents/mine"),
        ("DELETE", "agents/coder"),
        ("POST", "agents/validate"),
    ):
        status, problem = await ada.call(method, f"/api/{path}", body)
        assert (status, problem["code"]) == (403, "refused")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": "a = 1", "spec": {}},
        {"text": "name = 'x\x00'"},
        {"spec": {"name": "\ud800", "system_prompt": "x"}},
        {"spec": {"tool_configs": {"bash": {"x": 10**40}}, "system_prompt": "x"}},
        {"spec": {"at_once": -1, "system_prompt": "x"}},
        {"text": "x" * 500_000},
        {"text": "x = " + "[" * 5000},
        {"other": 1},
        [],
    ],
)
async def test_nonsense_is_refused_with_a_sentence(host: Client, body: object) -> None:
    status, problem = await host.call("PUT", "/api/agents/odd", body)
    assert status == 422
    assert problem["detail"]


async def test_a_name_that_is_no_slug_is_refused(host: Client) -> None:
    for name in ("Caps", "a b", "%00", "x" * 65, "..%2fkeys"):
        status, _ = await host.call("PUT", f"/api/agents/{name}", {"spec": {"system_prompt": "x"}})
        assert status in (404, 405, 422), name
