"""What is known of models: prices, windows, abilities."""

import subprocess
import sys

import pytest
from genai_prices import Usage as Counted
from genai_prices import calc_price
from hypothesis import given
from hypothesis import strategies as st

from bottega.messages.message import Usage
from bottega.providers.catalog import abilities, cost, dearest, facts, known_models
from bottega.providers.provider import Abilities

counts = st.integers(-5, 10_000_000)
usages = st.builds(Usage, counts, counts, counts, counts, counts)


def test_an_answers_price_is_the_lists_in_millionths() -> None:
    usage = Usage(input_tokens=100_000, output_tokens=2_000, cached_tokens=40_000)
    listed = calc_price(
        Counted(input_tokens=100_000, cache_read_tokens=40_000, output_tokens=2_000),
        "gpt-4o",
        provider_id="openai",
    )
    assert cost("openai", "gpt-4o", usage) == round(listed.total_price * 1_000_000) > 0


def test_what_was_cached_is_counted_once() -> None:
    whole = cost("openai", "gpt-4o", Usage(input_tokens=100_000))
    half = cost("openai", "gpt-4o", Usage(input_tokens=100_000, cached_tokens=50_000))
    assert whole is not None
    assert half is not None
    assert whole / 2 < half < whole


def test_a_price_that_the_provider_states_wins() -> None:
    assert cost("openai", "gpt-4o", Usage(1000, 1000), 7) == 7
    assert cost("openai", "gpt-4o", Usage(1000, 1000), 0) == 0
    assert cost("nobody", "nothing", Usage(), 5) == 5


@pytest.mark.parametrize("provider", ["openai", "gemini", "litellm", "lab", "", "openai-chat"])
def test_an_unknown_model_has_no_price(provider: str) -> None:
    assert cost(provider, "no-such-model-9000", Usage(10, 10)) is None
    assert not facts(provider, "no-such-model-9000").priced


@pytest.mark.parametrize("provider", ["ollama", "guide", "scripted"])
def test_what_runs_here_costs_nothing(provider: str) -> None:
    assert cost(provider, "whatever", Usage(10, 10)) == 0
    assert facts(provider, "whatever").priced


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-5-2025-08-07"),
        ("anthropic", "claude-sonnet-4-5-20250929"),
        ("gemini", "gemini-2.5-pro"),
        ("openrouter", "anthropic/claude-sonnet-4.5"),
        ("cerebras", "gpt-oss-120b"),
        ("litellm", "anthropic/claude-sonnet-4-5"),
        ("litellm", "gpt-4o"),
    ],
)
def test_the_usual_models_have_a_price_and_a_window(provider: str, model: str) -> None:
    found = facts(provider, model)
    assert found.priced
    assert found.context_window is not None
    assert found.context_window >= 100_000
    assert (cost(provider, model, Usage(1_000_000, 1_000_000)) or 0) > 0


@pytest.mark.fuzz
@given(st.sampled_from(["openai", "anthropic", "gemini", "x"]), usages, st.text(max_size=20))
def test_no_usage_and_no_name_raises(provider: str, usage: Usage, name: str) -> None:
    for model in ("gpt-4o", "claude-sonnet-4-5", "gemini-2.5-flash", name):
        found = cost(provider, model, usage)
        assert found is None or found >= 0
        facts(provider, model)


@pytest.mark.parametrize(
    ("model", "temperature"),
    [
        *(("o1", False), ("o3-mini", False), ("o4-mini-2025-04-16", False), ("gpt-5", False)),
        *(("gpt-5.2-pro", False), ("gpt-6-sol", False), ("openai/gpt-5", False)),
        *(("gpt-5-chat-latest", True), ("gpt-4o", True), ("gpt-4.1-mini", True)),
        *(("gpt-oss-120b", True), ("gpt-3.5-turbo", True)),
        *(("claude-opus-4-7", False), ("claude-opus-4-8-20260601", False)),
        *(("claude-sonnet-5", False), ("claude-fable-5-1", False)),
        *(("anthropic/claude-opus-4.7", False), ("claude-opus-4-6", True)),
        *(("claude-sonnet-4-5-20250929", True), ("claude-3-5-haiku-latest", True)),
        *(("gemini-2.5-pro", True), ("qwen3:8b", True), ("omni", True), ("o", True)),
    ],
)
def test_models_that_take_no_temperature_are_known(model: str, temperature: bool) -> None:
    assert abilities(model).temperature is temperature


@pytest.mark.parametrize(
    ("model", "reasoning"),
    [
        *(("o3", True), ("gpt-5-mini", True), ("gpt-oss-20b", True), ("gpt-4o", False)),
        *(("gpt-4.1", False), ("gpt-3.5-turbo", False), ("chatgpt-4o-latest", False)),
        *(("claude-3-5-sonnet", False), ("claude-3-7-sonnet-latest", True), ("claude-2", False)),
        *(("claude-opus-4-1", True), ("claude-sonnet-4-20250514", True), ("claude-4-opus", True)),
        *(("gemini-1.5-pro-002", False), ("gemini-2.0-flash", False), ("gemini-2.5-flash", True)),
        *(("gemini-3-pro-preview", True), ("gemini-flash-latest", True), ("deepseek-v3", True)),
    ],
)
def test_models_that_reason_are_known(model: str, reasoning: bool) -> None:
    assert abilities(model).reasoning is reasoning


def test_only_models_made_for_it_hear() -> None:
    assert abilities("gpt-4o-audio-preview").audio
    assert abilities("gemini-2.5-flash").audio
    assert not abilities("gpt-4o").audio
    assert not abilities("claude-sonnet-4-5").audio
    assert not abilities("claude-instant").audio


@pytest.mark.parametrize("model", ["", "/", "llama3.1-8b", "meta-llama/Llama-4", "mistral-large"])
def test_of_an_unknown_model_everything_is_believed(model: str) -> None:
    assert abilities(model) == Abilities()


def test_the_list_names_models_to_talk_with() -> None:
    assert "gpt-5" in known_models("openai")
    assert "claude-sonnet-4-5" in known_models("anthropic")
    assert any(name.startswith("gemini-") for name in known_models("gemini"))
    assert not any("embedding" in name or "tts" in name for name in known_models("openai"))
    assert known_models("lab") == known_models("ollama") == []


def test_an_unknown_price_is_that_of_the_dearest_of_its_class() -> None:
    usage = Usage(1_000_000, 1_000_000)
    pro, usual = dearest("openai", "gpt-99-pro", usage), dearest("openai", "gpt-99", usage)
    assert (cost("openai", "gpt-4o", usage) or 0) < usual < pro
    assert pro == cost("openai", "o1-pro", usage)
    assert dearest("lab", "new", usage) == usual


def test_abilities_need_no_list_and_prices_no_network() -> None:
    code = (
        "import sys\n"
        "def watch(event, args):\n"
        "    if event.startswith('socket.') and event != 'socket.__new__': sys.exit(event)\n"
        "sys.addaudithook(watch)\n"
        "from bottega.providers import catalog\n"
        "from bottega.messages.message import Usage\n"
        "catalog.abilities('gpt-5')\n"
        "if 'genai_prices' in sys.modules: sys.exit('read too early')\n"
        "catalog.load()\n"
        "if not catalog.cost('openai', 'gpt-5', Usage(10_000, 10)): sys.exit('no price')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
