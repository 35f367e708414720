"""Settings, rules and instructions over HTTP."""

import tomllib
from typing import Any

import pytest

from tests.server.serving import Client, Serving


async def changed(host: Client, patch: dict[str, Any]) -> dict[str, Any]:
    """Every setting by its name, after this change."""
    status, page = await host.call("PATCH", "/api/settings", patch)
    assert status == 200, page
    return {each["name"]: each for each in page["settings"]}


async def test_every_setting_tells_its_value_source_and_what_it_takes(host: Client) -> None:
    page = await host.get("/api/settings")
    mode = next(each for each in page["settings"] if each["name"] == "mode")
    assert mode["takes"] == "plan, ask, allow"
    assert mode["source"] == "default"
    assert mode["default"] == "ask"
    assert mode["about"].startswith("How much may be done unasked")
    assert len(page["settings"]) > 25


async def test_a_change_is_written_with_comments_kept_and_holds_at_once(
    shared: Serving, host: Client
) -> None:
    file = shared.home / "config.toml"
    file.write_text("# mine\nmode = 'plan' # careful\n\n[agents.coder]\nmodel = 'a/b'\n")

    told = await changed(host, {"model": "guide", "idle_timeout": "30", "text_calls": ["a/b"]})
    assert told["model"] == {**told["model"], "value": "guide", "source": "user file"}
    assert told["idle_timeout"]["value"] == 30
    assert "# careful" in file.read_text()
    assert tomllib.loads(file.read_text())["idle_timeout"] == 30.0
    chosen = (await host.get("/api/models"))["default"]
    assert chosen == {"model": "guide", "why": "set in the user file"}

    told = await changed(
        host, {"model": None, "agents": {"coder": None, "planner": {"model": "x/y"}}}
    )
    assert told["model"]["source"] == "default"
    assert told["agents"]["value"] == {"planner": {"model": "x/y"}}
    assert tomllib.loads(file.read_text())["mode"] == "plan"


@pytest.mark.parametrize(
    ("patch", "named"),
    [
        ({"modle": "x"}, "'modle'"),
        ({"mode": "everything"}, "'mode'"),
        ({"idle_timeout": -1}, "'idle_timeout'"),
        ({"providers": {"x": {"base_url": 7}}}, "providers.x"),
        ({"providers": {"guide": {"base_url": "http://127.0.0.1"}}}, "'guide'"),
        ({"network_private": ["127.0.0.0/8"]}, "127.0.0.0/8"),
        ({"models": {"x": {"effort": "most"}}}, "'models'"),
        ({"rules": [{"verdict": "maybe", "tool": "bash"}]}, "rules"),
        ({"mcp": {"x": {"command": "evil"}}}, "MCP"),
        ({"instructions": "a\x00b"}, "no text"),
        ({"instructions": "\ud800"}, "no text"),
        ({"window_usd": 10**4000}, "'window_usd'"),
        ({"models": {"x": {"max_output": 2**70}}}, "too large"),
        ({"text_calls": [None]}, "text_calls"),
        ({"models": {"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}}}, "too deeply"),
        ({"models": 3}, "'models'"),
        ([], "body"),
    ],
)
async def test_nonsense_is_refused_naming_the_key_and_nothing_is_written(
    shared: Serving, host: Client, patch: Any, named: str
) -> None:
    file = shared.home / "config.toml"
    before = file.read_bytes() if file.exists() else b""
    status, problem = await host.call("PATCH", "/api/settings", patch)
    assert status == 422, problem
    assert named in problem["detail"]
    assert (file.read_bytes() if file.exists() else b"") == before


async def test_a_number_that_is_none_is_refused(host: Client) -> None:
    for number in ("NaN", "Infinity"):
        async with host.session.patch(
            "/api/settings",
            data=f'{{"temperature": {number}}}',
            headers={"Content-Type": "application/json"},
        ) as response:
            assert response.status == 422


async def test_rules_keep_their_order_and_are_written_whole(host: Client) -> None:
    rules = [
        {"verdict": "deny", "path": "secrets/**"},
        {"verdict": "allow", "tool": "bash", "command": "make test"},
    ]
    status, told = await host.call("PUT", "/api/rules", {"rules": rules})
    assert status == 200
    assert [(each["verdict"], each["path"]) for each in told["rules"]] == [
        ("deny", "secrets/**"),
        ("allow", ""),
    ]
    assert (await host.call("PUT", "/api/rules", {"rules": rules[::-1]}))[1] == await host.get(
        "/api/rules"
    )
    status, problem = await host.call(
        "PUT", "/api/rules", {"rules": [{"verdict": "deny", "path": "a", "url": "b"}]}
    )
    assert status == 422
    assert "one of path, command and url" in problem["detail"]
    assert len((await host.get("/api/rules"))["rules"]) == 2
    assert (await host.call("PUT", "/api/rules", {"rules": []}))[1]["source"] == "default"


async def test_instructions_are_read_and_changed(host: Client) -> None:
    text = 'Say "please".\n\nÜber alles: tests. \\o/'
    assert (await host.call("PUT", "/api/instructions", {"instructions": text}))[0] == 200
    assert await host.get("/api/instructions") == {"instructions": text, "source": "user file"}
    assert (await host.call("PUT", "/api/instructions", {"instructions": ""}))[1][
        "source"
    ] == "default"


async def test_a_file_that_was_broken_by_hand_changes_nothing_and_is_told(
    shared: Serving, host: Client
) -> None:
    file = shared.home / "config.toml"
    await changed(host, {"agent": "coder"})
    good = file.read_text()
    file.write_text("agent = [")
    try:
        page = await host.get("/api/settings")
        assert "no valid TOML" in page["problem"]
        told = {each["name"]: each["value"] for each in page["settings"]}
        assert told["agent"] == "coder"
        assert (await host.call("PATCH", "/api/settings", {"agent": "planner"}))[0] == 422
    finally:
        file.write_text(good)
    told = await changed(host, {"agent": None})
    assert told["agent"]["value"] == "assistant"


async def test_settings_are_for_the_host_alone(ada: Client) -> None:
    for method, path in (
        ("GET", "settings"),
        ("PATCH", "settings"),
        ("GET", "rules"),
        ("PUT", "rules"),
        ("GET", "instructions"),
        ("PUT", "instructions"),
        ("GET", "discovery"),
    ):
        status, problem = await ada.call(method, f"/api/{path}", {} if method != "GET" else None)
        assert (status, problem["code"]) == (403, "refused"), path
