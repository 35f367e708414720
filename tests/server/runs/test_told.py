"""What clients hear of the processes behind their sessions: over the socket, and in answers to prompts."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from bottega.ids import fresh_message
from tests.server.hub.wire import fresh, wired
from tests.server.runs.front import kill, script
from tests.server.serving import Serving


@pytest.mark.requirement("S18")
async def test_a_tab_hears_that_its_worker_died_and_is_back_and_has_the_whole_answer(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    half = [{"do": "say", "text": "Half "}, {"do": "gate", "path": str(gate)}]
    model = script(tmp_path / "s.json", [*half, {"do": "say", "text": "and whole."}])
    environment = {"BOTTEGA_MODEL": model}
    with Serving(home, folder, "--workers", "1", environment=environment) as serving:
        async with serving.client() as client, wired(client) as wire:
            tab, message_id = fresh(), fresh_message()
            session_id = (await wire.ask(type="new-tab", tab_id=tab))["session_id"]
            await wire.ask(type="prompt", tab_id=tab, message_id=message_id, text="go")
            await wire.event(tab, "text_delta")
            kill((await client.get("/api/workers"))["workers"][0]["pid"])
            about = {"tab_id": tab, "session_id": session_id, "message_id": message_id}
            await wire.a("worker-exited", **about)
            await wire.a("worker-restarted", **about)
            gate.touch()
            end = await wire.ends(tab, message_id)
    assert end["final_response"] == "Half and whole."
    assert wire.indexes(tab) == list(range(1, len(wire.indexes(tab)) + 1))


async def test_a_server_that_ends_says_so_takes_no_prompts_and_streams_on_to_the_last(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    half = [{"do": "say", "text": "Half "}, {"do": "gate", "path": str(gate)}]
    model = script(tmp_path / "s.json", [*half, {"do": "say", "text": "and whole."}])
    with Serving(home, folder, environment={"BOTTEGA_MODEL": model}) as serving:
        async with serving.client() as client, wired(client) as wire:
            tab, message_id = fresh(), fresh_message()
            session_id = (await wire.ask(type="new-tab", tab_id=tab))["session_id"]
            await wire.ask(type="prompt", tab_id=tab, message_id=message_id, text="go")
            await wire.event(tab, "text_delta")
            os.kill(serving.pid, signal.SIGTERM)
            await wire.a("stopping")
            body = {"message_id": fresh_message(), "content": "more"}
            async with client.session.post(
                f"/api/sessions/{session_id}/prompts", json=body
            ) as refused:
                problem = await refused.json(content_type=None)
            gate.touch()
            end = await wire.ends(tab, message_id)
            assert await asyncio.to_thread(serving.wait) == 0
    assert (refused.status, problem["code"]) == (503, "stopping")
    assert int(refused.headers["Retry-After"]) >= 1
    assert end["final_response"] == "Half and whole."
