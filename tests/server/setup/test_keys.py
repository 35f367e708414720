"""Keys, models and what could be discovered, over HTTP."""

import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from bottega.providers.vendors import VENDORS
from tests.cli.vendor import Answer, Vendor
from tests.cli.vendor import serving as vendor_serving
from tests.server.serving import Client, Serving

CANARY = "sk-canary-0123456789abcdef-kept"
FROM_ENVIRONMENT = "sk-canary-0123456789abcdef-variable"


@pytest.fixture(scope="module")
def vendor() -> Iterator[Vendor]:
    with vendor_serving() as found:
        found.answer = Answer(200, json.dumps({"data": [{"id": "gpt-x"}, {"id": "gpt-y"}]}))
        yield found


@pytest.fixture(scope="module")
def silent() -> Iterator[str]:
    """The address of a provider that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        kept: list[socket.socket] = []

        def take() -> None:
            try:
                while True:
                    kept.append(listening.accept()[0])
            except OSError:
                return

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
        for each in kept:
            each.close()


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory, vendor: Vendor, silent: str
) -> Iterator[Serving]:
    place = tmp_path_factory.mktemp("keys")
    (place / "project").mkdir()
    environment = {
        "OPENAI_BASE_URL": vendor.url,
        "ANTHROPIC_API_KEY": FROM_ENVIRONMENT,
        "ANTHROPIC_BASE_URL": Vendor.gone(),
        "OPENROUTER_BASE_URL": silent,
    }
    with Serving(place / "home", place / "project", environment=environment) as server:
        yield server


@pytest_asyncio.fixture
async def keyed(host: Client) -> AsyncIterator[Client]:
    assert (await host.call("PUT", "/api/keys/openai", {"key": CANARY}))[0] == 204
    yield host


async def test_a_key_goes_in_and_never_comes_out(
    shared: Serving, keyed: Client, vendor: Vendor
) -> None:
    keys = {each["name"]: each for each in (await keyed.get("/api/keys"))["keys"]}
    assert keys["openai"]["masked"] == "sk-…kept"
    assert keys["openai"]["variable"] == ""
    assert keys["anthropic"] == {
        "name": "anthropic",
        "variable": "ANTHROPIC_API_KEY",
        "masked": "",
        "at": 0,
        "destination": "",
    }
    assert keys["openai"]["destination"] == vendor.url.removesuffix("/v1")
    assert CANARY not in (shared.home / "keys.json").read_text()


async def test_a_key_is_tested_at_its_provider(keyed: Client, vendor: Vendor) -> None:
    good = await keyed.post("/api/keys/openai/test")
    vendor.answer, before = (
        Answer(401, json.dumps({"error": {"message": f"Bad {CANARY}"}})),
        vendor.answer,
    )
    try:
        bad = await keyed.post("/api/keys/openai/test")
    finally:
        vendor.answer = before
    gone = await keyed.post("/api/keys/anthropic/test")

    assert (good["takes"], good["models"], good["problem"], good["hint"]) == (True, 2, "", "")
    assert good["suggested"]["name"] == "openai/gpt-x", "the usual one is not offered"
    assert (bad["takes"], bad["code"], bad["suggested"]) == (False, "bad_key", None)
    assert CANARY not in json.dumps(bad)
    assert (gone["takes"], gone["code"]) == (False, "unreachable")
    assert gone["problem"]
    assert gone["hint"]


async def test_a_key_is_tried_before_it_is_kept_and_the_model_to_begin_with_has_its_price(
    shared: Serving, host: Client, vendor: Vendor
) -> None:
    usual = VENDORS["openai"].default_model
    offer = json.dumps({"data": [{"id": "gpt-x"}, {"id": usual}]})
    vendor.answer, before = Answer(200, offer), vendor.answer
    await host.call("DELETE", "/api/keys/openai")
    try:
        good = await host.post("/api/keys/openai/test", {"key": f'OPENAI_API_KEY="{CANARY}"'})
    finally:
        vendor.answer = before
    assert good["suggested"]["name"] == f"openai/{usual}"
    assert good["suggested"]["input_price"] > 0
    assert good["suggested"]["output_price"] > 0
    assert vendor.headers[-1]["Authorization"] == f"Bearer {CANARY}"
    assert "openai" not in {each["name"] for each in (await host.get("/api/keys"))["keys"]}


@pytest.mark.parametrize(
    ("pasted", "fits"),
    [
        ("sk-ant-api03-x", ["anthropic"]),
        ("sk-or-v1-x", ["openrouter"]),
        ("sk-proj-x", ["openai"]),
        ("  sk-x\n", ["openai", "litellm"]),
        ("AIzaSyX", ["gemini"]),
        ("csk-x", ["cerebras"]),
        ("tgp_v1_x", ["together"]),
        ("export TOGETHER_API_KEY='0123'", ["together"]),
        ('GOOGLE_API_KEY="x"', ["gemini"]),
        ("hello", []),
    ],
)
async def test_whose_a_key_is_is_told_by_how_it_begins(
    host: Client, pasted: str, fits: list[str]
) -> None:
    found = await host.post("/api/keys/whose", {"key": pasted})
    assert found["fits"] == fits
    assert sorted(found["fits"] + found["others"]) == sorted(
        name for name, vendor in VENDORS.items() if vendor.keys
    )


async def test_a_key_is_kept_without_what_was_pasted_around_it(host: Client) -> None:
    pasted = {"key": f" export OPENAI_API_KEY='{CANARY}' "}
    assert (await host.call("PUT", "/api/keys/openai", pasted))[0] == 204
    keys = {each["name"]: each for each in (await host.get("/api/keys"))["keys"]}
    assert keys["openai"]["masked"] == "sk-…kept"
    await host.call("DELETE", "/api/keys/openai")


async def test_a_key_is_forgotten(keyed: Client) -> None:
    assert (await keyed.call("DELETE", "/api/keys/openai"))[0] == 204
    assert "openai" not in {each["name"] for each in (await keyed.get("/api/keys"))["keys"]}
    assert (await keyed.call("DELETE", "/api/keys/openai"))[0] == 404
    status, problem = await keyed.call("POST", "/api/keys/cerebras/test")
    assert status == 422
    assert "no key" in problem["detail"]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("openai", {"key": ""}),
        ("openai", {"key": "two words"}),
        ("openai", {"key": "x" * 10_001}),
        ("openai", {"key": "a\x00b"}),
        ("openai", {"key": "\ud800"}),
        ("openai", {"key": 7}),
        ("openai", {}),
        ("nobody", {"key": CANARY}),
        ("lmstudio", {"key": CANARY}),
    ],
)
async def test_what_can_be_no_key_is_refused_and_not_repeated(
    host: Client, name: str, body: dict[str, object]
) -> None:
    status, problem = await host.call("PUT", f"/api/keys/{name}", body)
    assert status == 422
    assert "canary" not in json.dumps(problem)


async def test_keys_are_for_the_host_alone(ada: Client) -> None:
    for method, path in (("GET", "keys"), ("PUT", "keys/openai"), ("POST", "keys/openai/test")):
        status, problem = await ada.call(method, f"/api/{path}", {"key": "x"})
        assert (status, problem["code"]) == (403, "refused")


async def test_each_providers_failure_is_told_beside_the_others_offers(
    keyed: Client, ada: Client, vendor: Vendor
) -> None:
    await keyed.call("PUT", "/api/keys/openrouter", {"key": CANARY})
    first = await ada.get("/api/models")
    asked = len(vendor.paths)
    again = await keyed.get("/api/models")
    providers = {each["provider"]: each for each in first["providers"]}

    assert [each["name"] for each in providers["openai"]["models"]] == [
        "openai/gpt-x",
        "openai/gpt-y",
    ]
    assert providers["openai"]["problem"] == ""
    assert "anthropic" in providers["anthropic"]["problem"]
    assert providers["anthropic"]["models"], "what is known of it"
    assert "sent nothing" in providers["openrouter"]["problem"]
    assert providers["guide"]["models"][0]["name"] == "guide"
    quiet = [providers[each]["problem"] for each in ("ollama", "lmstudio") if each in providers]
    assert not any(quiet), "what is not there and was never set up is no failure"
    assert first["default"]["model"].startswith("openai/")
    assert await ada.get("/api/models/default") == first["default"]
    assert again == first
    assert len(vendor.paths) == asked, "a list is told again for a minute"
    assert "canary" not in json.dumps(first)
    # A key that was changed is asked about at once.
    await keyed.call("DELETE", "/api/keys/openrouter")
    await keyed.get("/api/models")
    assert len(vendor.paths) == asked + 1


async def test_discovery_names_variables_and_the_servers_of_this_machine(host: Client) -> None:
    found = await host.get("/api/discovery")
    assert {"name": "ANTHROPIC_API_KEY", "provider": "anthropic"} in found["variables"]
    assert [(each["name"], each["address"]) for each in found["servers"]] == [
        ("ollama", "http://127.0.0.1:11434/v1"),
        ("lmstudio", "http://127.0.0.1:1234/v1"),
        ("litellm", "http://127.0.0.1:4000/v1"),
    ]
    assert "canary" not in json.dumps(found)


async def test_no_provider_of_the_users_own_tells_its_login(shared: Serving, host: Client) -> None:
    own = {"providers": {"mine": {"base_url": "https://me:canary@example.org/v1?key=canary"}}}
    status, page = await host.call("PATCH", "/api/settings", own)
    assert status == 200
    told = {each["name"]: each["value"] for each in page["settings"]}
    assert told["providers"]["mine"]["base_url"] == "https://example.org/v1"
    assert "canary" not in json.dumps(page)
    assert "canary@" in Path(page["file"]).read_text()
    await host.call("PATCH", "/api/settings", {"providers": None})
