"""What is known of models: window, abilities, price. Never raises, never asks the network.

Prices and windows are genai-prices', whose list takes a third of a second and 30 MB to read: it is read at the first
question that needs it, and `load` does so ahead, in a thread. Abilities are told from names alone, at no cost; of a
model that no rule knows everything is believed.
"""

import logging
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, lru_cache
from threading import Event, Thread
from typing import TYPE_CHECKING

import msgspec

from bottega.messages.message import Usage
from bottega.providers.provider import Abilities

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo, Provider
    from genai_prices.types import Usage as Counted

log = logging.getLogger(__name__)

_read = Event()
MICRO = Decimal(1_000_000)


class ModelFacts(msgspec.Struct, frozen=True):
    context_window: int | None
    """Tokens of input; None where nobody says."""
    abilities: Abilities
    priced: bool


FREE = frozenset({"guide", "demo", "scripted", "ollama", "lmstudio"})
"""Nobody is paid per token for these."""

_LIKE = "openai"
_PRO = "-pro"
_MUCH = Usage(1_000_000, 1_000_000)

_THEIR_NAMES = {"gemini": "google"}

# Windows of families whose members the list leaves open.
_WINDOWS = {"gemini-2.5": 1_048_576, "gemini-3": 1_048_576, "gemini-4": 1_048_576}

# What the list has besides models that one can talk with.
_NO_CHAT = (
    *("embed", "tts", "whisper", "transcribe", "realtime", "image", "moderation", "live", "rerank"),
    *(
        "davinci",
        "babbage",
        "curie",
        "computer-use",
        "search",
        "instruct",
        "veo",
        "imagen",
        "voyage",
    ),
)

_TEXT_ONLY = Abilities(images=False, audio=False, documents=False)

# By the start of the name; the first that fits counts. OpenAI's reasoning models answer 400 to any temperature; those
# before them know no effort; only those called audio hear; schemas are kept since gpt-4o of August 2024.
_BY_START: tuple[tuple[tuple[str, ...], Abilities], ...] = (
    (("gpt-oss",), _TEXT_ONLY),
    (
        ("gpt-audio", "gpt-4o-audio", "gpt-4o-mini-audio"),
        Abilities(images=False, reasoning=False, json=False),
    ),
    (
        ("gpt-4o-2024-05-13", "gpt-4-turbo", "gpt-4-vision", "chatgpt"),
        Abilities(audio=False, reasoning=False, json=False),
    ),
    (("gpt-5-chat", "gpt-4o", "gpt-4."), Abilities(audio=False, reasoning=False)),
    (("gpt-3.5", "gpt-4"), msgspec.structs.replace(_TEXT_ONLY, reasoning=False, json=False)),
    (
        ("o1-mini", "o1-preview"),
        msgspec.structs.replace(_TEXT_ONLY, tools=False, temperature=False, json=False),
    ),
    (("o3-mini",), msgspec.structs.replace(_TEXT_ONLY, temperature=False)),
    (
        ("o1", "o3", "o4", "gpt-5", "gpt-6", "gpt-7", "gpt-8", "gpt-9", "codex-"),
        Abilities(audio=False, temperature=False),
    ),
)


def abilities(model: str) -> Abilities:
    """What this model takes and does, as far as its name tells."""
    name = model.rpartition("/")[2].partition(":")[0].lower()
    for starts, found in _BY_START:
        if name.startswith(starts):
            return found
    if name.startswith("claude-"):
        return _claude(name)
    if name.startswith("gemini-"):
        version = _version(name, (9,))
        return Abilities(reasoning=version >= (2, 5), json=version >= (2,))
    return Abilities()


def facts(provider: str, model: str) -> ModelFacts:
    """All that is known of this model."""
    found = _find(provider, model)
    window = found[1].context_window if found else None
    if window is None:
        name = model.rpartition("/")[2].lower()
        window = next((size for start, size in _WINDOWS.items() if name.startswith(start)), None)
    return ModelFacts(window, abilities(model), found is not None or provider in FREE)


def cost(provider: str, model: str, usage: Usage, stated: int | None = None) -> int | None:
    """What an answer costs in micro-USD; what the provider itself stated wins. None: nobody knows."""
    if stated is not None:
        return stated
    if provider in FREE:
        return 0
    found = _find(provider, model)
    if found is None:
        return None
    owner, known = found
    try:
        price = known.calc_price(_counted(usage), owner).total_price
    except Exception as error:
        log.warning("No price for %r of %r: %s", model, provider, type(error).__name__)
        return None
    return int((price * MICRO).quantize(Decimal(1), ROUND_HALF_UP))


def dearest(provider: str, model: str, usage: Usage) -> int:
    """What the dearest model of this provider would take for that, or of OpenAI, where its prices are not known.

    Those called `-pro` cost many times what all others do, and count for a model that is called so itself.
    """
    for name in (provider, _LIKE):
        if found := _dearest(name, _PRO in model.lower()):
            _warn(provider, model, found)
            return cost(name, found, usage) or 0
    return 0


@cache
def _dearest(provider: str, is_pro: bool) -> str:
    known = known_models(provider)
    names = known if is_pro else [name for name in known if _PRO not in name] or known
    prices = {name: cost(provider, name, _MUCH) or 0 for name in names}
    return max(prices, key=lambda name: prices[name], default="")


@lru_cache(maxsize=256)
def _warn(provider: str, model: str, found: str) -> None:
    """Once for each model."""
    log.warning(
        "The price of %r at %r is not known: for people other than the owner it counts as %s."
        " Say what it costs with [models.NAME] input_usd and output_usd.",
        model,
        provider,
        found,
    )


def known_models(provider: str) -> list[str]:
    """The models of this provider in the list that one can talk with and that are not outdated."""
    try:
        owner = _snapshot().find_provider(None, _THEIR_NAMES.get(provider, provider), None)
    except Exception:
        return []
    return [
        model.id
        for model in owner.models
        if not model.deprecated and not any(word in model.id for word in _NO_CHAT)
    ]


def load() -> None:
    """Read the list now; call it in a thread, so that the first price does not hold up the loop."""
    _snapshot()
    _read.set()


def load_beside() -> None:
    """The same in a thread of its own, for who does not wait."""
    Thread(target=load, name="bottega-prices", daemon=True).start()


def is_read() -> bool:
    """Whether questions that need the list cost nothing by now."""
    return _read.is_set()


def _claude(name: str) -> Abilities:
    """Extended thinking came with 3.7, schemas with opus 4.1 and 4.5; opus 4.7 and all from 5 on answer 400 to any
    temperature."""
    version = _version(name, ())
    if not version:
        return Abilities(audio=False)
    fixed = version >= (5,) or ("opus" in name and version >= (4, 7))
    return Abilities(
        images=version >= (3,),
        audio=False,
        tools=version >= (3,),
        reasoning=version >= (3, 7),
        temperature=not fixed,
        json=version >= ((4, 1) if "opus" in name else (4, 5)),
    )


def _version(name: str, unknown: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers in a name up to a date: `claude-opus-4-7-20260416` is (4, 7)."""
    parts = name.replace(".", "-").split("-")
    numbers = [int(part) for part in parts if part.isdigit() and len(part) <= 2]
    return tuple(numbers[:2]) or unknown


def _snapshot() -> "DataSnapshot":
    from genai_prices.data_snapshot import get_snapshot

    return get_snapshot()


def _find(provider: str, model: str) -> "tuple[Provider, ModelInfo] | None":
    if provider in FREE:
        return None
    try:
        return _snapshot().find_provider_model(
            model, None, _THEIR_NAMES.get(provider, provider), None
        )
    except Exception:
        return None


def _counted(usage: Usage) -> "Counted":
    from genai_prices import Usage as Counted

    cached, written = max(usage.cached_tokens, 0), max(usage.cache_write_tokens, 0)
    return Counted(
        # Some providers count what they cached beside their input; a part is never more than the whole.
        input_tokens=max(usage.input_tokens, cached + written),
        cache_read_tokens=cached,
        cache_write_tokens=written,
        output_tokens=max(usage.output_tokens, 0),
    )
