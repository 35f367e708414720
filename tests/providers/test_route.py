"""Which provider answers to a name."""

import pytest

from bottega.errors import Misconfigured
from bottega.providers.route import (
    Endpoint,
    Route,
    Routes,
    define,
    from_environment,
    is_paid,
    resolve,
    same,
    target,
    usable,
    with_keys,
)

KEY = "sk-canary-0123456789"
ALL = from_environment(
    {
        "OPENAI_API_KEY": KEY,
        "ANTHROPIC_API_KEY": KEY,
        "GEMINI_API_KEY": KEY,
        "OPENROUTER_API_KEY": KEY,
        "CEREBRAS_API_KEY": KEY,
        "TOGETHER_API_KEY": KEY,
        "LITELLM_API_KEY": KEY,
        "LITELLM_API_BASE": "http://gateway.test:4000",
    }
)


@pytest.mark.requirement("A09", "A11")
@pytest.mark.parametrize(
    ("name", "route"),
    [
        (
            "openai/gpt-5",
            Route("openai", "openai-responses", "gpt-5", "https://api.openai.com/v1"),
        ),
        (
            "openai-chat/gpt-5",
            Route("openai", "openai-chat", "gpt-5", "https://api.openai.com/v1"),
        ),
        (
            "openai-responses/gpt-5",
            Route("openai", "openai-responses", "gpt-5", "https://api.openai.com/v1"),
        ),
        (
            "anthropic/claude-x",
            Route("anthropic", "anthropic", "claude-x", "https://api.anthropic.com"),
        ),
        (
            "gemini/gemini-x",
            Route("gemini", "gemini", "gemini-x", "https://generativelanguage.googleapis.com", 5),
        ),
        (
            "openrouter/anthropic/claude-x",
            Route(
                "openrouter", "openai-chat", "anthropic/claude-x", "https://openrouter.ai/api/v1"
            ),
        ),
        (
            "cerebras/llama",
            Route("cerebras", "openai-chat", "llama", "https://api.cerebras.ai/v1"),
        ),
        (
            "together/meta-llama/Llama-3",
            Route("together", "openai-chat", "meta-llama/Llama-3", "https://api.together.xyz/v1"),
        ),
        (
            "litellm/anthropic/claude-x",
            Route("litellm", "openai-chat", "anthropic/claude-x", "http://gateway.test:4000/v1"),
        ),
        (
            "ollama/qwen3:8b",
            Route("ollama", "openai-chat", "qwen3:8b", "http://127.0.0.1:11434/v1"),
        ),
        ("guide", Route("guide", None, "")),
        ("guide/tour", Route("guide", None, "tour")),
        ("scripted/two/steps", Route("scripted", None, "two/steps")),
        (
            " openai/gpt-5 ",
            Route("openai", "openai-responses", "gpt-5", "https://api.openai.com/v1"),
        ),
    ],
)
def test_a_prefix_names_the_provider(name: str, route: Route) -> None:
    assert resolve(name, ALL) == route


@pytest.mark.requirement("A09")
@pytest.mark.parametrize("name", ["gpt-5", "meta-llama/foo", "google/gemma"])
def test_a_name_without_a_known_prefix_goes_whole_to_the_default(name: str) -> None:
    chosen = resolve(name, Routes(ALL.endpoints, "openrouter"))
    assert (chosen.provider, chosen.model) == ("openrouter", name)
    only = from_environment({"TOGETHER_API_KEY": KEY})
    assert resolve(name, only).provider == "together"
    assert resolve(name, only).model == name
    assert resolve(name, ALL).provider == "litellm"
    assert resolve(name, from_environment({"OLLAMA_HOST": "box"})).provider == "ollama"


def test_the_default_may_be_built_in_or_force_a_protocol() -> None:
    assert resolve("tour", Routes(default="guide")) == Route("guide", None, "tour")
    forced = resolve("gpt-4", Routes(ALL.endpoints, "openai-chat"))
    assert (forced.provider, forced.wire) == ("openai", "openai-chat")


@pytest.mark.parametrize(
    ("name", "table", "message", "hint"),
    [
        ("openai/gpt-5", Routes(), "The provider 'openai' has no key.", "Set OPENAI_API_KEY"),
        ("gemini/g", Routes(), "'gemini' has no key", "GEMINI_API_KEY, or type: bottega keys set"),
        ("litellm/x", Routes(), "'litellm' has no key", "LITELLM_API_KEY"),
        ("gpt-5", Routes(), "no provider for the model 'gpt-5'", "bottega keys set openai"),
        (
            "gpt-5",
            from_environment({"OPENAI_API_KEY": KEY, "GEMINI_API_KEY": KEY}),
            "'gpt-5' names no provider, and there are several: openai, gemini",
            "Write openai/gpt-5",
        ),
        ("openai", ALL, "'openai' names no model", "openai/"),
        ("openai/", ALL, "'openai/' names no model", "openai/"),
        ("", ALL, "No model is named", "openai/gpt-5"),
        ("x", Routes(default="nobody"), "default provider 'nobody' is not known", "openai, "),
        (
            "lab/m",
            Routes({"lab": Endpoint("", "https://lab.test", key_env="LAB_KEY")}),
            "'lab' has no key",
            "Set LAB_KEY, or type: bottega keys set lab",
        ),
        (
            "lab/m",
            Routes({"lab": Endpoint("", "https://lab.test")}),
            "'lab' has no key",
            "Type: bottega keys set lab",
        ),
        ("lab/m", Routes({"lab": Endpoint(KEY)}), "'lab' has no address", "base_url"),
        ("lab/m", Routes({"lab": Endpoint(KEY, "http://[::1")}), "senseless one", "base_url"),
    ],
)
def test_what_is_missing_is_said_with_the_next_step(
    name: str, table: Routes, message: str, hint: str
) -> None:
    with pytest.raises(Misconfigured) as caught:
        resolve(name, table)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert KEY not in str(caught.value)


@pytest.mark.requirement("A11")
@pytest.mark.parametrize(
    ("base", "wire"),
    [
        ("https://api.openai.com/v1", "openai-responses"),
        ("https://api.openai.com", "openai-responses"),
        ("https://eu.api.openai.com/v1/", "openai-responses"),
        ("https://api.openai.com.evil.test/v1", "openai-chat"),
        ("https://vllm.test/v1", "openai-chat"),
        ("http://127.0.0.1:8000", "openai-chat"),
    ],
)
def test_openais_newer_protocol_is_spoken_only_to_openai(base: str, wire: str) -> None:
    table = from_environment({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": base})
    assert resolve("openai/m", table).wire == wire
    assert resolve("openai-chat/m", table).wire == "openai-chat"
    assert resolve("openai-responses/m", table).wire == "openai-responses"


@pytest.mark.parametrize(
    ("variable", "provider", "written", "address"),
    [
        ("OPENAI_BASE_URL", "openai", "https://x.test/v1/", "https://x.test/v1"),
        ("OPENAI_BASE_URL", "openai", "https://x.test", "https://x.test/v1"),
        ("OPENAI_BASE_URL", "openai", " https://x.test/ ", "https://x.test/v1"),
        ("OPENAI_BASE_URL", "openai", "x.test/openai", "https://x.test/openai/v1"),
        ("OPENAI_BASE_URL", "openai", "localhost:8000", "http://localhost:8000/v1"),
        ("OPENAI_BASE_URL", "openai", "10.0.0.5:8000/v1", "http://10.0.0.5:8000/v1"),
        ("OPENAI_BASE_URL", "openai", "https://x.test/v1/chat/completions", "https://x.test/v1"),
        (
            "OPENAI_BASE_URL",
            "openai",
            "https://x.test/v1beta/openai/",
            "https://x.test/v1beta/openai",
        ),
        ("OPENAI_BASE_URL", "openai", "https://x.test/api/paas/v4", "https://x.test/api/paas/v4"),
        ("OPENROUTER_BASE_URL", "openrouter", "https://x.test/api", "https://x.test/api/v1"),
        ("LITELLM_API_BASE", "litellm", "http://x.test:4000", "http://x.test:4000/v1"),
        ("LITELLM_API_BASE", "litellm", "http://x.test:4000/v1/", "http://x.test:4000/v1"),
        ("ANTHROPIC_BASE_URL", "anthropic", "https://x.test", "https://x.test"),
        ("ANTHROPIC_BASE_URL", "anthropic", "https://x.test/v1/", "https://x.test"),
        ("ANTHROPIC_BASE_URL", "anthropic", "https://x.test/a/v1/messages", "https://x.test/a"),
        ("GEMINI_BASE_URL", "gemini", "https://x.test/v1beta", "https://x.test"),
        ("GEMINI_BASE_URL", "gemini", "https://x.test/v1beta/models/", "https://x.test"),
        ("OLLAMA_HOST", "ollama", "box", "http://box:11434/v1"),
        ("OLLAMA_HOST", "ollama", "box:8080", "http://box:8080/v1"),
        ("OLLAMA_HOST", "ollama", ":8080", "http://127.0.0.1:8080/v1"),
        ("OLLAMA_HOST", "ollama", "0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("OLLAMA_HOST", "ollama", "0.0.0.0:8080", "http://127.0.0.1:8080/v1"),
        ("OLLAMA_HOST", "ollama", "[::1]", "http://[::1]:11434/v1"),
        ("OLLAMA_HOST", "ollama", "[::1]:8080", "http://[::1]:8080/v1"),
        ("OLLAMA_HOST", "ollama", "http://box:8080/", "http://box:8080/v1"),
        ("OLLAMA_HOST", "ollama", "http://box", "http://box/v1"),
        ("OLLAMA_HOST", "ollama", "https://box/ollama", "https://box/ollama/v1"),
        ("OLLAMA_HOST", "ollama", "https://box/v1", "https://box/v1"),
        ("OLLAMA_HOST", "ollama", "ollama.com", "https://ollama.com/v1"),
    ],
)
def test_an_address_works_however_it_is_written(
    variable: str, provider: str, written: str, address: str
) -> None:
    table = with_keys(from_environment({variable: written}), {provider: KEY})
    assert resolve(f"{provider}/m", table).base_url == address


@pytest.mark.requirement("A09")
@pytest.mark.parametrize(
    ("env", "provider"),
    [
        ({"GOOGLE_API_KEY": KEY}, "gemini"),
        ({"GEMINI_API_KEY": KEY, "GOOGLE_API_KEY": "other"}, "gemini"),
        ({"LITELLM_MASTER_KEY": KEY}, "litellm"),
        ({"OLLAMA_API_KEY": KEY}, "ollama"),
        ({"OPENAI_API_KEY": f" {KEY}\n"}, "openai"),
    ],
)
def test_the_vendors_variables_are_known(env: dict[str, str], provider: str) -> None:
    table = from_environment(env)
    assert target(resolve(f"{provider}/m", table), table).key == KEY


def test_an_empty_variable_is_not_set() -> None:
    assert from_environment({"OPENAI_API_KEY": " ", "OPENAI_BASE_URL": ""}) == Routes()


@pytest.mark.requirement("A11")
def test_a_provider_of_ones_own_is_a_prefix() -> None:
    endpoint = Endpoint("", "https://lab.test", "anthropic", "LAB_KEY", {"X-Team": "blue"})
    table = define(Routes(), "lab", endpoint, {"LAB_KEY": KEY})
    route = resolve("lab/team/model", table)
    assert route == Route("lab", "anthropic", "team/model", "https://lab.test")
    whole = target(route, table)
    assert (whole.key, whole.headers) == (KEY, {"X-Team": "blue"})
    assert resolve("anything", table).provider == "lab"


def test_the_environment_goes_before_the_settings() -> None:
    env = {"OPENAI_API_KEY": KEY}
    mine = Endpoint("from-the-settings", "https://mine.test")
    table = define(from_environment(env), "openai", mine, env)
    route = resolve("openai/m", table)
    assert target(route, table).key == KEY
    assert route.base_url == "https://mine.test/v1"
    assert route.wire == "openai-chat"


@pytest.mark.parametrize("name", ["", "a/b", " a", "guide", "scripted", "openai-chat"])
def test_a_provider_needs_a_name_of_its_own(name: str) -> None:
    with pytest.raises(Misconfigured, match="cannot be called"):
        define(Routes(), name, Endpoint(KEY, "https://x.test"), {})


@pytest.mark.parametrize(
    "endpoint",
    [
        Endpoint(base_url="http://localhost:1234/v1"),
        Endpoint(base_url="127.0.0.1:1234"),
        Endpoint(base_url="https://ann:pw@lab.test"),
        Endpoint(base_url="https://lab.test", headers={"api-key": KEY}),
    ],
)
def test_some_endpoints_need_no_key(endpoint: Endpoint) -> None:
    table = Routes({"lab": endpoint})
    assert resolve("lab/m", table).provider == "lab"
    assert usable(table) == ["lab"]


def test_stored_keys_fill_only_gaps() -> None:
    table = with_keys(from_environment({"OPENAI_API_KEY": KEY}), {"openai": "o", "gemini": "g"})
    assert (table.endpoints["openai"].key, table.endpoints["gemini"].key) == (KEY, "g")


def test_no_key_is_shown() -> None:
    table = define(ALL, "lab", Endpoint(KEY, f"https://a:{KEY}@lab.test", headers={"k": KEY}), {})
    assert KEY not in repr(table)
    assert KEY not in repr(resolve("openai/m", table))
    assert KEY not in repr(resolve("lab/m", table))
    whole = target(resolve("lab/m", table), table)
    assert KEY not in repr(whole)
    assert whole.base_url == f"https://a:{KEY}@lab.test/v1"


@pytest.mark.parametrize("name", ["gw/ big", "gw/b ig", "gw/b\nig", "gw/\u200bbig"])
def test_a_name_with_blanks_leads_nowhere(name: str) -> None:
    table = Routes({"gw": Endpoint("k", "https://gw.example")})
    with pytest.raises(Misconfigured, match="no blanks"):
        resolve(name, table)


def test_all_spellings_of_a_model_are_the_same() -> None:
    table = Routes({"openai": Endpoint("k")})
    names = ["openai/x ", "x", "openai/y", "openai-chat/x"]
    assert same("openai-chat/x", names, table) == ["openai-chat/x", "openai/x ", "x"]


@pytest.mark.parametrize(
    ("header", "paid"), [("X-Token", True), ("Cookie", True), ("User-Agent", False)]
)
def test_whoever_says_who_asks_may_have_to_pay(header: str, paid: bool) -> None:
    table = Routes({"gw": Endpoint(base_url="http://127.0.0.1:1", headers={header: "x"})})
    assert is_paid(resolve("gw/big", table), table) is paid
