"""What a server has the processes do that run its sessions: agents' shells, closing, compacting; and one that hangs."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bottega.ids import fresh_message
from bottega.studio import Session
from tests.server.hub.test_terminals import printed
from tests.server.hub.wire import fresh, wired
from tests.server.runs.front import front, kill, say, script, until
from tests.server.runs.test_workers import at_work, staffed
from tests.server.serving import Client, Serving

LONG = "The answer goes on about many things that nobody will need again. " * 30
SUMMARY = "## Goal\nTo talk at length.\n## Done\nMany long answers were given, none of them of use."


@asynccontextmanager
async def with_a_shell(
    serving: Serving, client: Client, tmp_path: Path
) -> AsyncIterator[tuple[Session, dict[str, Any]]]:
    """A session whose agent has opened a shell in some worker, and the shell as it is listed."""
    model = script(
        tmp_path / "shell.json",
        [{"do": "call", "name": "shell_open", "input": {}}],
        [{"do": "say", "text": "Open."}],
    )
    async with front(serving.home) as studio:
        session = await studio.start(model=model, folder=serving.folder, mode="allow")
        await say(session)
        await until(session, "exchange_response")
        (shell,) = (await client.get(await shells_of(client)))["shells"]
        yield session, shell


async def shells_of(client: Client) -> str:
    return f"/api/projects/{(await client.get('/api/projects'))['projects'][0]['id']}/shells"


async def none_is_left(client: Client) -> None:
    at = await shells_of(client)
    async with asyncio.timeout(30):
        while (await client.get(at))["shells"]:
            await asyncio.sleep(0.02)


async def test_an_agents_shell_in_a_worker_is_its_persons_to_watch_and_to_use(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    with staffed(home, folder) as serving:
        stranger = serving.token("Ada")
        async with serving.client() as client, with_a_shell(serving, client, tmp_path) as found:
            session, shell = found
            at = await shells_of(client)
            named = {"project_id": at.split("/")[3], "shell_id": shell["id"]}
            assert (shell["session_id"], shell["ended"]) == (session.id, False)
            async with wired(client) as wire:
                attached = await wire.ask(type="shell-attach", **named, offset=0)
                assert attached["type"] == "shell-attached", attached
                await wire.send(type="shell-input", **named, text="echo größe$((1+1))\n")
                offset = await printed(wire, "größe2\r\n")
                resized = await wire.ask(type="shell-resize", **named, columns=111, rows=33)
                assert resized["type"] == "shell-resized", resized
                typed = await wire.ask(type="shell-input", **named, text="stty size\n")
                assert typed["type"] == "shell-typed", typed
                await printed(wire, "33 111\r\n")
                read = await client.get(f"{at}/{shell['id']}", params={"offset": offset})
                assert "33 111" in read["text"]
                assert read["next"] <= read["size"]
                async with serving.client(stranger) as ada:
                    assert (await ada.call("GET", f"{at}/{shell['id']}"))[0] == 404
                await wire.send(type="shell-input", **named, text="echo last words; exit 3\n")
                await printed(wire, "last words\r\n")
                ended = await wire.a("shell-ended")
                assert (ended["shell_id"], ended["exit_code"]) == (shell["id"], 3)
            await none_is_left(client)


async def test_a_shell_that_is_closed_ends_in_its_worker_and_one_whose_worker_dies_is_told_of(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    with staffed(home, folder, workers=1) as serving:
        async with serving.client() as client, wired(client) as wire:
            async with with_a_shell(serving, client, tmp_path) as (_, shell):
                at = await shells_of(client)
                named = {"project_id": at.split("/")[3], "shell_id": shell["id"]}
                await wire.ask(type="shell-attach", **named, offset=0)
                assert (await client.call("DELETE", f"{at}/{shell['id']}"))[0] == 204
                await wire.a("shell-ended", shell_id=shell["id"])
                assert (await client.get(at))["shells"] == []
            async with with_a_shell(serving, client, tmp_path) as (_, shell):
                named = {"project_id": at.split("/")[3], "shell_id": shell["id"]}
                await wire.ask(type="shell-attach", **named, offset=0)
                kill((await at_work(client, 1))[0]["pid"])
                ended = await wire.a("shell-ended", shell_id=shell["id"])
                assert ended["exit_code"] is None
                assert (await client.get(at))["shells"] == []


async def test_to_close_a_session_or_its_last_tab_frees_what_its_worker_holds(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    with staffed(home, folder) as serving:
        async with serving.client() as client, wired(client) as wire:
            async with with_a_shell(serving, client, tmp_path) as (session, _):
                await client.post(f"/api/sessions/{session.id}/close")
                assert (await client.get(await shells_of(client)))["shells"] == []
            async with with_a_shell(serving, client, tmp_path) as (session, _):
                tab = fresh()
                await wire.ask(type="new-tab", tab_id=tab, session_id=session.id)
                closed = await wire.ask(type="close-tab", tab_id=tab)
                assert closed["last"]
                await none_is_left(client)


async def test_a_session_is_compacted_by_the_worker_that_runs_it_or_by_any(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    talk: list[dict[str, Any]] = [{"do": "say", "text": LONG}]
    look = {"do": "call", "name": "list_dir", "input": {}}
    record = {"when": "<record>", "turns": [{"steps": [{"do": "say", "text": SUMMARY}]}]}
    long = script(tmp_path / "long.json", *[talk] * 7, rules=[record])
    slow = script(tmp_path / "slow.json", [{"do": "gate", "path": str(gate)}, look], talk)
    with staffed(home, folder, BOTTEGA_CONTEXT_WINDOW="100000") as serving:
        async with serving.client() as client, front(home) as studio:
            await at_work(client, 2)
            rests = await studio.start(model=long, folder=folder)
            runs = await studio.start(model=slow, folder=folder)
            assert await client.post(f"/api/sessions/{rests.id}/compact") == {"changed": False}
            for number in range(6):
                await say(rests)
                await until(rests, "exchange_response", times=number + 1)
            assert await client.post(f"/api/sessions/{rests.id}/compact") == {"changed": True}
            await say(runs)
            await until(runs, "message_start")
            assert await client.post(f"/api/sessions/{runs.id}/compact") == {"changed": None}
            gate.touch()
            await until(runs, "exchange_response")
            made = [each.data.reason for each in await rests.facts() if each.type == "compaction"]
            lives = sorted((home / "workers").iterdir())
    assert made == ["asked"]
    assert len(lives) == 2, "the server itself has not become a worker"


@pytest.mark.requirement("S18")
async def test_a_worker_that_hangs_is_ended_told_of_and_replaced(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    half = [{"do": "say", "text": "Half "}, {"do": "gate", "path": str(gate)}]
    model = script(tmp_path / "s.json", [*half, {"do": "say", "text": "and whole."}])
    with staffed(home, folder, workers=1, BOTTEGA_MODEL=model) as serving:
        async with serving.client() as client, wired(client) as wire:
            (before,) = await at_work(client, 1)
            tab, message_id = fresh(), fresh_message()
            await wire.ask(type="new-tab", tab_id=tab)
            await wire.ask(type="prompt", tab_id=tab, message_id=message_id, text="go")
            await wire.event(tab, "text_delta")
            os.kill(before["pid"], signal.SIGSTOP)
            began = time.monotonic()
            status, problem = await client.call("GET", await shells_of(client))
            await wire.a("worker-exited", tab_id=tab, message_id=message_id)
            took = time.monotonic() - began
            gate.touch()
            await wire.a("worker-restarted", tab_id=tab, message_id=message_id)
            end = await wire.ends(tab, message_id)
            (after,) = await at_work(client, 1)
    assert (status, problem) == (200, {"shells": []}), "nobody waits for one that hangs for long"
    assert took < 10
    assert end["final_response"] == "Half and whole."
    assert after["pid"] != before["pid"]


async def test_lines_of_a_worker_are_as_those_of_its_server(home: Path, folder: Path) -> None:
    settings = {"BOTTEGA_MADE_UP_TOKEN": "attends this home"}
    flags = ("--workers", "1", "--log-format", "json")
    with Serving(home, folder, *flags, environment=settings) as serving:
        async with serving.client() as client:
            (worker,) = await at_work(client, 1)
        _, said = serving.stop()
    lines = [json.loads(line) for line in said.splitlines()]
    (line,) = [each for each in lines if each["logger"] == "bottega.server.work"]
    assert line["pid"] == worker["pid"]
    assert line["message"] == "a worker [secret]", "what is known to be a secret is in no line"
