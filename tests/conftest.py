"""What several tests share: a home of their own, a folder to work in, and models that play a script."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, settings

from tests import loops, stalls
from tests.hunt import LONG

# The same examples in every run of `make test`, however busy the machine is; the long hunts look for new ones.
settings.register_profile(
    "bottega",
    derandomize=not LONG,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("bottega")

loops.install()
stalls.install()

_SCRUBBED = (
    "OPENAI",
    "ANTHROPIC",
    "GEMINI",
    "GOOGLE",
    "OPENROUTER",
    "CEREBRAS",
    "TOGETHER",
    "LITELLM",
    "OLLAMA",
)


@pytest.fixture(autouse=True)
def no_keys_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No test may reach a provider with a key that happens to be set; scripts stand in for models, over HTTP too."""
    for name in list(os.environ):
        if name.startswith(_SCRUBBED) or (name.startswith("BOTTEGA_") and name not in _KEPT):
            monkeypatch.delenv(name)
    monkeypatch.setenv("BOTTEGA_SCRIPTS", str(tmp_path_factory.getbasetemp()))


_KEPT = ("BOTTEGA_RECORDINGS", "BOTTEGA_LITELLM", "BOTTEGA_HUNT", "BOTTEGA_SEED")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small project."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "notes.txt").write_text("hello world\n")
    return project


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., str]:
    """Make a model of turns; each turn is a list of steps (`{"do": "say", "text": …}`)."""

    def make(*turns: list[dict[str, Any]], name: str = "script", **options: Any) -> str:
        path = tmp_path / f"{name}.json"
        path.write_bytes(msgspec.json.encode({"turns": turns, **options}))
        return f"scripted/{path}"

    return make
