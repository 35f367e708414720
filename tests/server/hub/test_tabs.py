"""Tabs over the socket: they open, join, hide, come back and close, and lose nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.hub.wire import fresh, wire_to
from tests.server.serving import Serving

Script = Callable[..., str]


@pytest.fixture
def speaking(home: Path, folder: Path, scripted: Script) -> Serving:
    model = scripted([{"do": "say", "text": "One two three."}], after="repeat")
    return Serving(home, folder, environment={"BOTTEGA_MODEL": model})


async def test_a_new_tab_opens_a_session_and_a_prompt_in_it_is_answered(speaking: Serving) -> None:
    tab, message = fresh(), fresh()
    with speaking:
        async with wire_to(speaking) as wire:
            made = await wire.ask(type="new-tab", tab_id=tab)
            assert made["type"] == "session-created", made
            assert made["session_id"].startswith("ses_")
            taken = await wire.ask(type="prompt", tab_id=tab, message_id=message, text="Count!")
            assert taken["type"] == "accepted", taken
            end = await wire.ends(tab)
            assert end["final_response"] == "One two three."
            assert wire.words(tab) == "One two three."
            assert wire.indexes(tab) == list(range(1, len(wire.indexes(tab)) + 1))
