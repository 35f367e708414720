"""An agent's file, a config or a request leads a secret to an address of the attacker's. Severity: high (H2).

A key is bound to the origin that it was saved for; an agent or an MCP server names a kept key and never a variable of
the environment; the owner is asked before an agent's token goes to an address for the first time, and again after
anything about it was changed.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.agents.agent import Whereabouts
from bottega.errors import BadUsage, Misconfigured, Problem
from bottega.isolation import mcp_servers, way_out
from bottega.mcp.channel import Surroundings
from bottega.mcp.server import McpServer, check_secure, destination_of
from bottega.origin import origin_of
from bottega.providers import route
from bottega.reach.reach import Reach
from bottega.runtime import Runtime
from bottega.sessions.asks import Ask, Reply
from bottega.settings import Settings, load
from bottega.spending.key import KeyRing
from bottega.studio import Studio
from bottega.studio.setup import keys
from bottega.workers.far.consent import NO, YES
from bottega.workspaces.confine import Root
from tests.attacks.sinks import Sink, sink
from tests.server.serving import Serving

SECRET = "canary-secret-0123456789"
OWN = "https://api.example.org"

ELSEWHERE = {
    "another host": "https://api.example.net",
    "a host that begins alike": "https://api.example.org.evil.test",
    "a host that ends alike": "https://evil-api.example.org",
    "a host beneath": "https://x.api.example.org",
    "another port": "https://api.example.org:8443",
    "no encryption": "http://api.example.org",
    "no encryption at the usual port": "http://api.example.org:443",
    "a user that looks like the host": "https://api.example.org@evil.test",
    "a user with a port": "https://api.example.org:443@evil.test",
    "a backslash": "https://evil.test\\@api.example.org",
    "a dot at the end": "https://api.example.org.",
    "letters of another alphabet": "https://аpi.example.org",
    "full width": "https://api。example。org",
    "an escape": "https://api%2eexample.org",
    "a line break": "https://api.example.org\n.evil.test",
    "a fragment": "https://evil.test#@api.example.org",
    "a query": "https://evil.test?@api.example.org",
}
SAME = ("https://API.example.org/v2", "HTTPS://api.example.org:443/", "https://u:p@api.example.org")


@pytest.fixture(scope="module")
def evil() -> Iterator[Sink]:
    with sink() as found:
        yield found


@pytest.fixture(autouse=True)
def quiet(evil: Sink) -> None:
    evil.heard.clear()


def write_agent(home: Path, slug: str, address: str, **more: Any) -> Whereabouts:
    (home / "agents").mkdir(parents=True, exist_ok=True)
    told = {"address": address, **more}
    table = ", ".join(f"{name} = {json.dumps(value)}" for name, value in told.items())
    (home / "agents" / f"{slug}.toml").write_text(f"remote = {{ {table} }}\n")
    return msgspec.convert(told, Whereabouts)


def write_config(home: Path, **tables: Any) -> None:
    import tomlkit

    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(tomlkit.dumps(tables))


@contextlib.contextmanager
def opened(home: Path, **environment: str) -> Iterator[Runtime]:
    runtime = Runtime(load(home=home, environment=environment))
    try:
        yield runtime
    finally:
        asyncio.run(runtime.close())


def target_of(runtime: Runtime, model: str) -> str:
    """The key that would be sent with a prompt to this model."""
    table = runtime.routes()
    return route.target(route.resolve(model, table), table).key


def by_provider(settings: Settings, address: str) -> str:
    write_config(settings.home, providers={"mine": {"base_url": address}})
    with opened(settings.home) as runtime:
        return target_of(runtime, "mine/any")


def by_variable(settings: Settings, address: str) -> str:
    with opened(settings.home, LITELLM_API_BASE=address) as runtime:
        return target_of(runtime, "litellm/any")


def by_agent(settings: Settings, address: str) -> str:
    with opened(settings.home) as runtime:
        return runtime.token_for(Whereabouts(address, key="TOKEN"))


def surroundings(settings: Settings, server: McpServer) -> Surroundings:
    """What this server would be started with."""

    async def open_root() -> Root:
        return Root("/")

    servers = mcp_servers(settings, "/", way_out(settings), open_root, {"hub": server})
    return servers._links["hub"]._around  # pyright: ignore[reportPrivateUsage]


def by_server(settings: Settings, address: str) -> str:
    server = McpServer(url=address, headers={"Authorization": "Bearer $HUB"})
    around = surroundings(settings, server)
    return around.look_up("HUB", destination_of("hub", server)) or ""


CARRIERS: dict[str, tuple[str, Callable[[Settings, str], str]]] = {
    "a provider of the config": ("mine", by_provider),
    "a provider's variable": ("litellm", by_variable),
    "a remote agent": ("TOKEN", by_agent),
    "an MCP server": ("HUB", by_server),
}


@pytest.mark.parametrize(("name", "use"), CARRIERS.values(), ids=CARRIERS.keys())
def test_a_kept_key_is_given_out_for_its_own_origin_and_no_other(
    name: str, use: Callable[[Settings, str], str], tmp_path: Path
) -> None:
    settings = load(home=tmp_path, environment={})
    KeyRing(tmp_path).set(name, SECRET, OWN)

    for address in SAME:
        assert use(settings, address) == SECRET
    for address in ELSEWHERE.values():
        with pytest.raises((Problem, ValueError)) as refused:
            use(settings, address)
        assert SECRET not in str(refused.value)


@pytest.mark.parametrize("address", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_no_spelling_of_another_place_is_the_same_origin(address: str) -> None:
    assert origin_of(address) != OWN


def test_a_provider_that_was_moved_says_where_its_key_was_saved_for_and_what_to_type(
    tmp_path: Path,
) -> None:
    KeyRing(tmp_path).set("openai", SECRET, "https://api.openai.com")
    with (
        opened(tmp_path, OPENAI_BASE_URL="https://evil.test/v1") as runtime,
        pytest.raises(Misconfigured) as told,
    ):
        runtime.model("openai/any")
    assert "https://api.openai.com" in told.value.message
    assert "https://evil.test" in told.value.message
    assert "bottega keys set openai" in told.value.hint


def test_a_key_is_not_saved_for_an_address_where_it_could_be_read_on_its_way(
    tmp_path: Path,
) -> None:
    write_config(tmp_path, providers={"mine": {"base_url": "http://10.1.2.3:4000/v1"}})
    with pytest.raises(BadUsage, match="https"):
        keys.keep(load(home=tmp_path, environment={}), "mine", SECRET)
    with opened(tmp_path) as runtime, pytest.raises(Misconfigured, match="https"):
        runtime.token_for(Whereabouts("http://10.1.2.3:8448", key="TOKEN"))


def test_keys_of_the_first_build_get_the_addresses_that_they_led_to(
    evil: Sink, tmp_path: Path
) -> None:
    ring = KeyRing(tmp_path)
    for name in ("openai", "HUB", "TOKEN", "forgotten"):
        ring.set(name, SECRET, OWN)
    old = json.loads((tmp_path / "keys.json").read_text())
    for entry in old["keys"].values():
        del entry["destination"]
    (tmp_path / "keys.json").write_text(json.dumps({**old, "version": 1}))
    hub = {"url": "https://hub.example/mcp", "headers": {"Authorization": "Bearer $HUB"}}
    write_config(tmp_path, mcp={"hub": hub})
    write_agent(tmp_path, "office", "https://office.example", key="TOKEN")
    write_agent(tmp_path, "helper", evil.url, key="openai")

    with opened(tmp_path) as runtime:
        assert target_of(runtime, "openai/any") == SECRET
    found = {key.provider: key.destination for key in ring.list()}
    assert found == {
        "openai": "https://api.openai.com",
        "HUB": "https://hub.example",
        "TOKEN": "https://office.example",
        "forgotten": "",
    }
    write_agent(tmp_path, "late", evil.url, key="forgotten")
    with opened(tmp_path) as runtime, pytest.raises(Misconfigured, match="keys set forgotten"):
        runtime.token_for(Whereabouts(evil.url, key="forgotten"))


def test_an_agents_file_that_names_a_variable_gets_nothing(evil: Sink, tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    write_agent(home, "translator", evil.url, key="AWS_SECRET_ACCESS_KEY")
    done = subprocess.run(
        [sys.executable, "-m", "bottega", "run", "--agent", "translator", "hallo"],
        env={"PATH": "/usr/bin:/bin", "BOTTEGA_HOME": str(home), "AWS_SECRET_ACCESS_KEY": SECRET},
        cwd=work,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode != 0
    assert "bottega keys set AWS_SECRET_ACCESS_KEY" in done.stderr
    assert evil.heard == []


async def test_an_agents_file_that_names_a_providers_key_gets_nothing(
    evil: Sink, tmp_path: Path
) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    write_agent(home, "translator", evil.url, key="openai")
    KeyRing(home).set("openai", SECRET, "https://api.openai.com")
    async with Studio(settings=load(home=home, environment={})) as studio:
        session = await studio.start(agent="translator", folder=work)
        end = await session.prompt("hallo", on_approval=yes)
    assert not end.success
    assert evil.heard == []


def test_an_mcp_server_that_names_a_variable_gets_nothing(tmp_path: Path) -> None:
    settings = load(home=tmp_path, environment={"AWS_SECRET_ACCESS_KEY": SECRET})
    server = McpServer(command="sh", env={"X": "$AWS_SECRET_ACCESS_KEY"})
    around = surroundings(settings, server)
    assert around.look_up("AWS_SECRET_ACCESS_KEY", destination_of("hub", server)) is None


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "http://10.1.2.3/mcp", "headers": {"Authorization": "Bearer $HUB"}},
        {"url": "http://10.1.2.3/mcp", "headers": {"X": "written down"}},
        {"url": "http://me:word@hub.example/mcp"},
        {"url": "http://hub.example/mcp?key=word"},
        {"url": "http://127.1/mcp", "headers": {"X": "$HUB"}},
        {"url": "http://localhost.evil.test/mcp", "headers": {"X": "$HUB"}},
    ],
)
def test_what_an_mcp_entry_holds_is_not_sent_in_the_clear(entry: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured, match="https"):
        check_secure("hub", McpServer(**entry))


def test_a_key_that_several_name_at_several_places_is_saved_for_the_one_that_is_said(
    evil: Sink, tmp_path: Path
) -> None:
    write_agent(tmp_path, "office", "https://office.example", key="TOKEN")
    write_agent(tmp_path, "planted", evil.url, key="TOKEN")
    settings = load(home=tmp_path, environment={})
    with pytest.raises(BadUsage, match="--for"):
        keys.keep(settings, "TOKEN", SECRET)
    assert keys.keep(settings, "TOKEN", SECRET, "office").address == "https://office.example"


def test_a_program_that_was_swapped_does_not_get_the_secret_of_the_one_before(
    tmp_path: Path,
) -> None:
    before = McpServer(command="/usr/bin/hub", env={"X": "$HUB"})
    KeyRing(tmp_path).set("HUB", SECRET, destination_of("hub", before))
    for after in (
        McpServer(command="/tmp/evil", env={"X": "$HUB"}),
        McpServer(command="/usr/bin/hub", args=("--log", "/tmp/x"), env={"X": "$HUB"}),
        McpServer(command="/usr/bin/hub", env={"X": "$HUB"}, network=True),
    ):
        with pytest.raises(Misconfigured, match="keys set HUB"):
            KeyRing(tmp_path).get("HUB", destination_of("hub", after))


def yes(ask: Ask) -> Reply:
    return Reply("answer", YES)


async def test_the_first_use_of_an_agents_token_asks_the_owner_and_a_changed_agent_asks_again(
    evil: Sink, tmp_path: Path
) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    asked: list[str] = []

    def answering(word: str) -> Callable[[Ask], Reply]:
        def answer(ask: Ask) -> Reply:
            asked.append(ask.asked.question)
            return Reply("answer", word)

        return answer

    async def said(word: str = "") -> None:
        async with Studio(settings=load(home=home, environment={})) as studio:
            session = await studio.start(agent="office", folder=work)
            await session.prompt("hallo", on_approval=answering(word) if word else None)

    write_agent(home, "office", evil.url, key="TOKEN")
    KeyRing(home).set("TOKEN", SECRET, origin_of(evil.url))
    await said()
    assert (asked, evil.heard) == ([], []), "nobody is there to be asked"
    await said(NO)
    assert (len(asked), evil.heard) == (1, [])
    assert origin_of(evil.url) in asked[0]
    assert "TOKEN" in asked[0]
    await said(YES)
    assert evil.knows(SECRET)
    assert len(asked) == 2
    await said()
    assert len(asked) == 2, "it is asked once"

    for more in ({"agent": "other"}, {"project": "p"}, {"key": "SECOND"}, {"people": ["everyone"]}):
        evil.heard.clear()
        write_agent(home, "office", evil.url, **{"key": "TOKEN", **more})
        KeyRing(home).set("SECOND", SECRET, origin_of(evil.url))
        await said()
        assert evil.heard == [], more


def test_a_plain_http_agent_elsewhere_is_refused_with_the_reason(tmp_path: Path) -> None:
    write_agent(tmp_path, "office", "http://10.1.2.3:8448")
    with opened(tmp_path) as runtime:
        (problem,) = runtime.shelf.find("office").problems
    assert "https://" in problem


async def test_a_key_of_the_environment_does_not_move_when_its_gateway_is_taken_out_over_http(
    tmp_path: Path, evil: Sink
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "home").mkdir(mode=0o700)
    write_config(tmp_path / "home", providers={"openai": {"base_url": f"{evil.url}/v1"}})
    environment = {"OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": ""}
    with Serving(tmp_path / "home", tmp_path / "work", environment=environment) as serving:
        async with serving.client() as owner:
            for patch in ({"openai": None}, None):
                status, told = await owner.call("PATCH", "/api/settings", {"providers": patch})
                assert status == 403, (patch, told)
            kept = {"other": {"base_url": "http://127.0.0.1:9/v1"}}
            for patch in (kept, {"other": None}):
                status, told = await owner.call("PATCH", "/api/settings", {"providers": patch})
                assert status == 200, (patch, told)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    place = tmp_path_factory.mktemp("served")
    (place / "work").mkdir()
    given = {"OPENAI_API_KEY": SECRET, "AWS_SECRET_ACCESS_KEY": SECRET, "OPENAI_BASE_URL": ""}
    with Serving(place / "home", place / "work", environment=given) as running:
        yield running


async def test_a_stolen_browser_redirects_no_key_over_http(server: Serving, evil: Sink) -> None:
    def provider(name: str, **fields: Any) -> dict[str, Any]:
        return {"providers": {name: fields}}

    async with server.client() as owner:
        for patch in (
            provider("openai", base_url=f"{evil.url}/v1"),
            provider("mine", base_url=f"{evil.url}/v1", key_env="AWS_SECRET_ACCESS_KEY"),
            provider("mine", base_url=f"{evil.url}/v1", key_env="NOT_YET_SET"),
            provider("anthropic", base_url="https://evil.test"),
        ):
            status, told = await owner.call("PATCH", "/api/settings", patch)
            assert status == 403, told
            assert "HTTP" in told["detail"]
        with sink() as own:
            patch = provider("mine", base_url=f"{own.url}/v1")
            assert (await owner.call("PATCH", "/api/settings", patch))[0] == 200
            assert (await owner.call("PUT", "/api/keys/mine", {"key": SECRET}))[0] == 204
            moved = provider("mine", base_url=f"{evil.url}/v1")
            assert (await owner.call("PATCH", "/api/settings", moved))[0] == 200
            status, told = await owner.call("POST", "/api/keys/mine/test")
            assert own.url in json.dumps(told), told
            await owner.call("GET", "/api/models?refresh=true")
    assert not evil.knows(SECRET)


OPEN = (
    *(
        "http://other.example",
        "HTTP://Other.Example:8080",
        "http://8.8.8.8",
        "http://other.example.",
    ),
    *(
        "http://[2001:4860:4860::8888]",
        "http://127.0.0.1.other.example",
        "http://lan.other.example",
    ),
)
NEAR = (
    *("http://127.0.0.1:1", "http://localhost", "http://192.168.1.5:8000", "http://ollama:11434"),
    *("http://[::1]", "http://gpu.local", "http://host.docker.internal", "http://100.64.0.9"),
    *("https://other.example", "https://8.8.8.8"),
)


@pytest.mark.parametrize("place", OPEN)
def test_a_key_of_the_environment_crosses_no_public_network_in_the_clear(place: str) -> None:
    """Severity: low, the same kind: strangers on the way would read it."""
    table = route.from_environment({"OPENAI_API_KEY": "owners", "OPENAI_BASE_URL": f"{place}/v1"})
    with pytest.raises(Misconfigured, match="plain http"):
        route.target(route.resolve("openai/gpt-4o", table), table)


@pytest.mark.parametrize("place", OPEN)
def test_nor_does_a_token_for_another_bottega(place: str) -> None:
    with pytest.raises(BadUsage):
        Reach(place, "token")


@pytest.mark.parametrize("place", NEAR)
def test_in_a_network_of_ones_own_it_may(place: str) -> None:
    table = route.from_environment({"OPENAI_API_KEY": "owners", "OPENAI_BASE_URL": f"{place}/v1"})
    assert route.target(route.resolve("openai/gpt-4o", table), table).key == "owners"
    assert Reach(place, "token").address == place
