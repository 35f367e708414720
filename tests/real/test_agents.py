"""Agents with a real model, as small and as simple as there is: a run ends sanely, and prose is never run."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bottega.agents.agent import Agent
from bottega.agents.house import ORDER
from bottega.agents.limits import Limits
from bottega.events.event import Event
from bottega.events.facts import ExchangeResponse
from bottega.providers.provider import Wishes
from bottega.studio import Studio
from tests.hunt import LONG

NATIVE, IN_TEXT = "box/native", "box/in-text"
SHORT = {"prompt": "Be brief.", "tools": ("read_file",), "limits": Limits(iterations=3)}
OWN = (
    Agent(slug="worker", **SHORT),  # type: ignore[arg-type]
    Agent(slug="thinker", type="ReActAgent", **SHORT),  # type: ignore[arg-type]
)
HOUSE = ORDER if LONG else ("assistant",)
"""To read a long prompt is slow for a model on one core: all of them have their turn in the long run."""
PAIRS = ((NATIVE, "thinker"), (IN_TEXT, "worker"), (NATIVE, "worker"), (IN_TEXT, "thinker"))


@pytest.fixture
async def studio(
    home: Path, model_address: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Studio]:
    monkeypatch.setenv("BOX_KEY", "none")
    home.mkdir()
    (home / "config.toml").write_text(
        f'[providers.box]\nbase_url = "{model_address}/v1"\nkey_env = "BOX_KEY"\n'
    )
    flags: dict[str, Any] = {"max_output": 12, "temperature": 0.0, "text_calls": [IN_TEXT]}
    async with Studio(home, agents=OWN, flags=flags) as opened:
        yield opened


async def talked(studio: Studio, folder: Path, **who: str) -> tuple[ExchangeResponse, list[Event]]:
    session = await studio.start(folder=folder, mode="allow", **who)
    async with asyncio.timeout(120):
        events = [event async for event in session.prompt("Say hi.")]
    return events[-1].data, events


def kinds(events: list[Event]) -> set[str]:
    return {event.type for event in events}


@pytest.mark.fuzz
@pytest.mark.parametrize("agent", HOUSE)
async def test_an_agent_of_the_house_holds_an_exchange_with_a_real_model(
    studio: Studio, folder: Path, agent: str
) -> None:
    end, events = await talked(studio, folder, model=NATIVE, agent=agent)
    assert end.completion_reason in ("no_more_actions", "output_limit_reached")
    assert end.final_response
    assert end.usage.input_tokens > 100
    assert "error_message" not in kinds(events)


@pytest.mark.fuzz
@pytest.mark.parametrize(("model", "agent"), PAIRS if LONG else PAIRS[:2])
async def test_a_run_ends_sanely_and_what_the_model_says_is_not_run(
    studio: Studio, folder: Path, model: str, agent: str
) -> None:
    before = sorted(folder.iterdir())
    end, events = await talked(studio, folder, model=model, agent=agent)
    assert end.completion_reason in ("no_more_actions", "output_limit_reached")
    assert not kinds(events) & {"error_message", "tool_intent", "tool_call"}
    assert sorted(folder.iterdir()) == before


async def test_a_real_model_is_held_to_a_schema(studio: Studio, folder: Path) -> None:
    session = await studio.start(model=NATIVE, folder=folder, agent="worker")
    shape = {
        "type": "object",
        "properties": {"warm": {"type": "boolean"}},
        "required": ["warm"],
        "additionalProperties": False,
    }
    wishes = Wishes(temperature=0.0, max_output=60)  # the same words each time
    answer = session.prompt("Is fire warm?", schema=shape, wishes=wishes)
    found: Any = await answer
    assert found in ({"warm": True}, {"warm": False})
