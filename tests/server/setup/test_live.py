"""A setting that is changed while a studio is open holds for what begins afterwards, whoever changes it."""

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from bottega.errors import Misconfigured
from bottega.mcp.approved import Approved
from bottega.mcp.server import McpServer
from bottega.messages.block import Text
from bottega.sessions.inbox import Prompt
from bottega.settings import load
from bottega.studio import Session, Studio
from bottega.studio.setup import config, discovery
from bottega.studio.setup.discovery import Local
from tests.cli.vendor import Answer, Vendor
from tests.cli.vendor import serving as vendor_serving
from tests.mcp.conftest import ODD


async def in_another_terminal(home: Path, *words: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bottega", "--home", str(home), *words), env=os.environ
    )
    assert await process.wait() == 0


async def test_config_set_in_another_terminal_holds_for_the_next_session(
    home: Path, folder: Path
) -> None:
    async with Studio(settings=load(home=home)) as studio:
        before = await studio.start(folder=folder)
        await in_another_terminal(home, "config", "set", "model", "guide")
        await in_another_terminal(home, "config", "set", "agent", "planner")
        await in_another_terminal(home, "config", "set", "mode", "plan")
        after = await studio.start(folder=folder)

        assert before.row.agent == "assistant"
        assert after.row.agent == "planner"
        assert studio.settings.source("model") == "user file"
        assert studio.opened.hands.mode(after.row) == "plan"


async def test_what_a_flag_says_stays_whatever_the_file_says(home: Path, folder: Path) -> None:
    async with Studio(settings=load({"agent": "coder"}, home=home)) as studio:
        config.change(studio.settings, {"agent": "planner", "mode": "plan"})
        session = await studio.start(folder=folder)
        assert session.row.agent == "coder"
        assert studio.settings.values.mode == "plan"


async def test_rules_hold_for_calls_that_come_afterwards(
    home: Path, folder: Path, scripted: Any
) -> None:
    call = {"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}}
    model = scripted([call], [{"do": "say", "text": "ok"}], [call], [{"do": "say", "text": "ok"}])
    async with Studio(settings=load(home=home)) as studio:
        session = await studio.start(folder=folder, model=model)
        before = await _result(session)
        config.change(studio.settings, {"rules": [{"verdict": "deny", "path": "notes.txt"}]})
        after = await _result(session)
    assert "hello world" in before
    assert "hello world" not in after


async def test_instructions_reach_an_exchange_that_begins_afterwards(
    home: Path, folder: Path
) -> None:
    async with Studio(settings=load(home=home)) as studio:
        session = await studio.start(folder=folder, model="guide")
        config.change(studio.settings, {"instructions": "Say please."})
        plan = await studio.runtime.plan(session.row, Prompt("", ()))
    assert plan.instructions == "Say please."


async def _result(session: Session) -> str:
    results = [event.data async for event in session.prompt("read") if event.type == "tool_result"]
    (block,) = results[0].content
    assert isinstance(block, Text)
    return block.text


async def test_a_file_that_makes_no_sense_leaves_the_settings_from_before(
    home: Path, folder: Path
) -> None:
    async with Studio(settings=load(home=home)) as studio:
        config.change(studio.settings, {"agent": "coder"})
        assert studio.runtime.refresh().values.agent == "coder"
        file = studio.settings.config_file
        file.write_text("agent = 7\nnonsense = true\n")
        assert studio.runtime.refresh().values.agent == "coder"
        assert isinstance(studio.runtime.settings_problem, Misconfigured)
        file.write_text('agent = "planner"\n')
        assert studio.runtime.refresh().values.agent == "planner"
        assert studio.runtime.settings_problem is None


async def test_networks_are_opened_and_closed_while_it_runs(home: Path) -> None:
    async with Studio(settings=load(home=home)) as studio:
        runtime = studio.runtime
        config.change(
            studio.settings, {"network_private": ["10.0.0.0/8"], "sandbox_read": ["/opt"]}
        )
        runtime.refresh()
        assert "/opt" in runtime.sandboxes.profile
        # By hand: what cannot be used is told, and what was open stays so.
        studio.settings.config_file.write_text("network_private = ['127.0.0.0/8']\n")
        runtime.refresh()
        assert "this machine itself" in str(runtime.settings_problem)


async def test_servers_of_settings_that_no_longer_hold_end_with_what_uses_them(
    home: Path, folder: Path
) -> None:
    mark = f"mark-{uuid4().hex}"
    server = McpServer(command=sys.executable, args=("-S", "-E", str(ODD), mark))
    Approved(home).approve("odd", server)
    async with Studio(settings=load(home=home)) as studio:
        runtime = studio.runtime
        config.edit(studio.settings, ["mcp", "odd"], msgspec.to_builtins(server))
        session = await studio.start(model="guide", folder=folder)
        await runtime.plan(session.row, Prompt("", ()))
        assert processes(mark)
        config.edit(studio.settings, ["mcp", "odd", "enabled"], False)
        runtime.refresh()
        assert processes(mark), "what runs may still use it"
        await session.close()
        assert not processes(mark)


def processes(mark: str) -> list[str]:
    """Those that were started with that word."""
    found: list[str] = []
    for each in Path("/proc").iterdir():
        with suppress(OSError):
            if each.name.isdigit() and mark in (each / "cmdline").read_text().split("\0"):
                found.append(each.name)
    return found


async def test_two_who_change_settings_at_once_lose_nothing(home: Path) -> None:
    settings = load(home=home)
    changes = [{"models": {f"m{n}": {"max_output": n + 1}}} for n in range(12)]
    await asyncio.gather(*(asyncio.to_thread(config.change, settings, each) for each in changes))
    assert len(load(home=home).values.models) == 12


async def test_what_runs_on_this_machine_is_found_and_how_to_use_it_is_told(home: Path) -> None:
    with vendor_serving() as there, vendor_serving() as closed, vendor_serving() as odd:
        there.answer = Answer(200, json.dumps({"data": [{"id": "llama"}]}))
        closed.answer = Answer(401, "{}")
        odd.answer = Answer(200, "<html>")
        ports = [int(each.url.split(":")[2].removesuffix("/v1")) for each in (there, closed, odd)]
        gone = int(Vendor.gone().split(":")[2].removesuffix("/v1"))
        places = tuple(Local(f"p{n}", f"P{n}", port) for n, port in enumerate([*ports, gone]))
        async with Studio(settings=load(home=home)) as studio:
            found = await discovery.discover(studio.runtime, places)
    assert [each.state for each in found.servers] == [
        "answers",
        "needs a key",
        "something else is there",
        "not there",
    ]
    assert found.servers[0].models == ["p0/llama"]
    assert "p0/llama" in found.servers[0].use
    assert "bottega keys set p1" in found.servers[1].use
