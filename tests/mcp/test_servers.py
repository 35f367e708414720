"""Servers that go wrong: each is alone in its trouble, and whoever called it is told what to do."""

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.errors import NotFound, Problem
from bottega.mcp.approved import Approved
from bottega.mcp.server import McpServer
from bottega.workspaces.sandbox.warden import IDLE
from tests.descriptors import descriptors, given_back
from tests.hunt import examples
from tests.mcp.conftest import PATIENCE, Staged, odd

SECRET = "canary-0123456789"


def patient(**more: Any) -> Any:
    return msgspec.structs.replace(PATIENCE, **more)


async def test_nothing_starts_before_it_is_needed(stage: Staged) -> None:
    here = stage({"a": odd()})
    assert here.sandboxes.opened == []

    await here.look()

    assert len(here.sandboxes.opened) == 1
    assert await here.result("mcp__a__echo", text="hello") == "hello"


async def test_tools_are_strangers_whatever_the_server_says_of_them(stage: Staged) -> None:
    tools = await stage({"a": odd()}).look()

    tool = tools["mcp__a__echo"]  # it calls itself read-only
    assert tool.known is False
    assert tool.effects == {"execute", "network"}
    assert not tool.repeatable
    assert tool.settings["server"] == "a"
    assert len(tool.settings["fingerprint"]) == 64


async def test_servers_start_at_the_same_time(stage: Staged, tmp_path: Path) -> None:
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    servers = {f"s{n}": odd(env={"MEETING": str(meeting)}) for n in range(4)}

    tools = await stage(servers).look()  # each waits for all the others

    assert {tool.settings["server"] for tool in tools.values()} == set(servers)


async def test_a_crash_at_start_is_told_with_last_words_and_the_others_go_on(stage: Staged) -> None:
    here = stage({"bad": odd("crash-at-start"), "good": odd()})

    tools = await here.look()

    assert {tool.settings["server"] for tool in tools.values()} == {"good"}
    (notice,) = here.servers.notices
    assert notice == (
        "The MCP server 'bad' could not be started. It ended with exit code 3."
        " Its last words: [31mThere is no database."
    )
    assert await here.result("mcp__good__echo", text="x") == "x"


async def test_a_hang_at_start_is_given_up_and_nothing_of_it_is_left(stage: Staged) -> None:
    here = stage({"bad": odd("hang-at-start")}, patient(start=1.0))

    assert await here.look() == {}

    assert here.servers.notices == (
        "The MCP server 'bad' did not get ready within 1 s. Its last words: waiting for nothing",
    )
    assert all(sandbox.closed for sandbox in here.sandboxes.opened)


async def test_a_protocol_of_another_age_is_refused_in_words(stage: Staged) -> None:
    here = stage({"old": odd("old-protocol")})

    await here.look()

    assert "Unsupported protocol version from the server: 1999-01-01" in here.servers.notices[0]


async def test_a_server_that_knows_only_the_newer_protocol_is_understood(stage: Staged) -> None:
    here = stage({"new": odd("modern")})

    await here.look()

    assert here.servers.notices == ()
    assert await here.result("mcp__new__echo", text="hi") == "hi"


async def test_a_server_that_wants_something_before_it_answers_gets_nothing(stage: Staged) -> None:
    here = stage({"new": odd("modern")})
    await here.look()

    told = await here.failed("mcp__new__more")

    assert told.startswith("MCP_ERROR: The MCP server 'new' asks for more before it answers")


async def test_a_program_that_is_not_there_is_told(stage: Staged) -> None:
    here = stage({"gone": McpServer(command="/nowhere/server")})

    await here.look()

    (notice,) = here.servers.notices
    assert notice.startswith("The program '/nowhere/server' of the MCP server 'gone' is not there.")


async def test_a_crash_in_a_call_is_a_result_and_the_next_call_starts_it_again(
    stage: Staged,
) -> None:
    here = stage({"a": odd()})
    await here.look()
    first = await here.result("mcp__a__pid")

    told = await here.failed("mcp__a__crash")
    second = await here.result("mcp__a__pid")

    assert told.startswith("MCP_UNAVAILABLE: The MCP server 'a' ended. It ended with exit code 7.")
    assert "about to die" in told
    assert "whether this call had an effect is not known" in told
    assert first != second


async def test_a_crash_of_one_server_does_not_touch_a_call_of_another(
    stage: Staged, tmp_path: Path
) -> None:
    here = stage({"a": odd(), "b": odd()})
    await here.look()
    sign = tmp_path / "sign"
    begun = asyncio.Event()
    here.bench.emit_output = lambda text: begun.set()  # pyright: ignore
    waiting = asyncio.create_task(here.result("mcp__a__wait", text=str(sign)))
    await begun.wait()

    told = await here.failed("mcp__b__crash")
    assert not waiting.done()
    sign.touch()

    assert told.startswith("MCP_UNAVAILABLE")
    assert await waiting == "waited"


async def test_a_server_that_keeps_failing_is_tried_less_and_less(stage: Staged) -> None:
    here = stage({"bad": odd("crash-at-start")}, patient(backoff=3600.0))

    await here.look()
    await here.look()

    (notice,) = here.servers.notices
    assert len(here.sandboxes.opened) == 1
    assert notice.startswith(
        "The MCP server 'bad' is not available. The MCP server 'bad' could not"
    )
    assert "It is tried again in 300 s at the earliest" in notice


async def test_tools_of_a_server_that_went_down_stay_and_say_so(stage: Staged) -> None:
    here = stage({"a": odd()}, patient(backoff=3600.0))
    await here.look()
    await here.failed("mcp__a__crash")
    await here.failed("mcp__a__crash")  # started again at once the first time

    tools = await here.look()

    assert "mcp__a__echo" in tools
    assert "is not available. It ended with exit code 7." in here.servers.notices[0]
    assert "is not available" in await here.failed("mcp__a__echo", text="x")


async def test_a_call_that_hangs_runs_out_of_time_and_the_server_goes_on(stage: Staged) -> None:
    here = stage({"a": odd(timeout=0.3)})
    await here.look()
    pid = await here.result("mcp__a__pid")

    told = await here.failed("mcp__a__hang")

    assert told.startswith("TIMEOUT: The MCP server 'a' did not answer within 0.3 s.")
    assert await here.result("mcp__a__cancelled") != []
    assert await here.result("mcp__a__pid") == pid


async def test_a_server_that_hangs_altogether_is_ended_and_started_again(stage: Staged) -> None:
    here = stage({"a": odd(timeout=0.3)})
    await here.look()
    pid = await here.result("mcp__a__pid")

    assert (await here.failed("mcp__a__freeze")).startswith("TIMEOUT")
    (sandbox,) = here.sandboxes.opened
    await sandbox.running[0].wait()

    assert await here.result("mcp__a__pid") != pid
    assert sandbox.closed


async def test_a_cancelled_call_is_cancelled_at_the_server_too(stage: Staged) -> None:
    here = stage({"a": odd()})
    await here.look()
    begun = asyncio.Event()
    here.bench.emit_output = lambda text: begun.set()  # pyright: ignore
    hanging = asyncio.create_task(here.call("mcp__a__hang"))
    await begun.wait()

    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging

    (number,) = json.loads(await here.result("mcp__a__cancelled"))
    assert isinstance(number, int)


async def test_progress_is_shown_without_what_a_terminal_would_obey(stage: Staged) -> None:
    here = stage({"a": odd()})
    await here.look()

    await here.result("mcp__a__echo", text="x")

    assert here.bench.emitted == ["begun echo[31m\n"]


async def test_a_waiter_who_is_cancelled_does_not_stop_the_start_for_others(stage: Staged) -> None:
    here = stage({"a": odd("slow-start")})
    first = asyncio.create_task(here.look())
    await here.sandboxes.begun.wait()

    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    await here.look()

    assert len(here.sandboxes.opened) == 1
    assert await here.result("mcp__a__echo", text="x") == "x"


async def test_what_is_no_message_is_skipped_and_too_much_of_it_ends_the_server(
    stage: Staged,
) -> None:
    here = stage({"a": odd()})
    await here.look()

    assert await here.result("mcp__a__garbage") == "after garbage"
    told = await here.failed("mcp__a__babble")

    assert "It writes what is no MCP message to its standard output." in told
    assert "It printed: Listening…" in told


async def test_an_answer_to_nobody_is_nobodys_answer(stage: Staged) -> None:
    here = stage({"a": odd(timeout=0.3)})
    await here.look()

    assert (await here.failed("mcp__a__wrong_id")).startswith("TIMEOUT")
    assert await here.result("mcp__a__echo", text="still here") == "still here"


async def test_a_line_without_end_costs_no_more_than_the_largest_message(stage: Staged) -> None:
    import resource

    here = stage({"a": odd()}, patient(largest=1_000_000))
    await here.look()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    told = await here.failed("mcp__a__huge")

    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert "It sent a line of more than 1,000,000 bytes." in told
    assert grown < 16 * 1024
    assert here.sandboxes.opened[0].closed
    assert await here.result("mcp__a__echo", text="again") == "again"


async def test_a_server_that_asks_and_never_reads_is_ended(stage: Staged) -> None:
    here = stage({"a": odd()})
    await here.look()

    assert "It asks, and does not read the answers." in await here.failed("mcp__a__beg")


async def test_an_answer_that_makes_no_sense_is_told(stage: Staged) -> None:
    here = stage({"a": odd()})
    await here.look()

    told = await here.failed("mcp__a__nonsense")

    assert told.startswith("MCP_ERROR: The MCP server 'a' gave an answer that makes no sense:")
    assert await here.result("mcp__a__echo", text="x") == "x"


async def test_roots_are_the_folder_and_nothing_else_is_granted(
    stage: Staged, folder: Path
) -> None:
    here = stage({"a": odd()})
    await here.look()

    answers = await here.result("mcp__a__ask")

    told = json.loads(answers)
    assert told["roots"] == {"roots": [{"uri": folder.as_uri(), "name": "workspace"}]}
    assert told["sampling"] == {"code": -32600, "message": "Sampling not supported"}
    assert told["elicitation"] == {"code": -32600, "message": "Elicitation not supported"}


async def test_a_tool_that_changed_is_not_called_on_an_old_word(stage: Staged) -> None:
    here = stage({"a": odd()})
    old = (await here.look())["mcp__a__echo"].settings["fingerprint"]
    await here.result("mcp__a__change")

    told = await here.failed("mcp__a__echo", text="x")
    assert "no longer offers the tool 'echo' as it was. It was not called." in told

    new = (await here.look())["mcp__a__echo"]
    assert new.description == "Does something else now."
    assert new.settings["fingerprint"] != old
    assert await here.result("mcp__a__echo", text="x") == "x"


async def test_secrets_reach_their_server_and_nobody_else(stage: Staged) -> None:
    here = stage(
        {"a": odd(env={"TOKEN": "$HUB", "MODE": "fast"}), "b": odd()}, secrets={"HUB": SECRET}
    )
    await here.look()

    told = [
        await here.failed("mcp__a__crash"),
        await here.failed("mcp__a__refuse"),
        json.dumps(await here.result("mcp__a__env")),
        json.dumps(await here.result("mcp__b__env")),
        repr(here.servers),
    ]

    assert SECRET not in "".join(told)
    assert "token is [secret]" in told[0]
    assert "no [secret]" in told[1]
    assert '\\"MODE\\": \\"fast\\"' in told[2]


async def test_the_studios_environment_does_not_reach_a_server(
    stage: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_CANARY", SECRET)
    here = stage({"a": odd()})
    await here.look()

    assert SECRET not in str(await here.result("mcp__a__env"))


async def test_a_secret_that_is_missing_is_named(stage: Staged) -> None:
    here = stage({"a": odd(env={"TOKEN": "$HUB"})})

    await here.look()

    assert here.servers.notices == (
        "The MCP server 'a' needs $HUB, and no secret of that name is kept."
        " Keep it with: bottega keys set HUB",
    )


async def test_a_server_does_not_start_where_agents_write(stage: Staged, folder: Path) -> None:
    (folder / "json.py").write_text("raise SystemExit('taken over')")
    here = stage({"a": odd()})
    await here.look()

    assert await here.result("mcp__a__cwd") == "/"


async def test_only_allowed_tools_are_offered(stage: Staged) -> None:
    tools = await stage({"a": odd(tools=("echo", "pid"))}).look()

    assert set(tools) == {"mcp__a__echo", "mcp__a__pid"}


async def test_a_list_without_end_is_cut(stage: Staged) -> None:
    here = stage({"a": odd("endless")})

    tools = await here.look()

    assert set(tools) == {"mcp__a__echo"}
    assert "there are two of that name" in here.servers.notices[0]


async def test_tools_that_are_not_sound_are_left_out_with_a_notice_each(stage: Staged) -> None:
    good = {"name": "good", "inputSchema": {"type": "object"}}
    odd_ones: list[dict[str, Any]] = [
        {"name": "none", "inputSchema": "string"},
        {"name": "array", "inputSchema": {"type": "array"}},
        {"name": "away", "inputSchema": {"type": "object", "$ref": "http://127.0.0.1:9/schema"}},
        {"name": "x" * 29_990, "inputSchema": {"type": "object"}},
        {"inputSchema": {"type": "object"}},
    ]
    listed = json.dumps([good, *odd_ones]).replace("$", "$$")
    here = stage({"a": odd("odd-tools", env={"TOOLS": listed})})

    tools = await here.look()

    assert set(tools) == {"mcp__a__good"}
    assert len(here.servers.notices) == len(odd_ones)
    assert max(map(len, here.servers.notices)) < 400


async def test_an_unapproved_or_changed_server_is_never_started(stage: Staged, home: Path) -> None:
    here = stage({"new": odd(), "swapped": odd(), "fine": odd()})
    Approved(home).forget("new")
    Approved(home).approve("swapped", odd("hang-at-start"))

    tools = await here.look()

    assert {tool.settings["server"] for tool in tools.values()} == {"fine"}
    assert len(here.sandboxes.opened) == 1
    assert here.servers.notices == (
        "The MCP server 'new' was never approved, so it is not started."
        " Look at it, then type: bottega mcp approve new",
        "The MCP server 'swapped' has changed since it was approved, so it is not started."
        " Look at it, then type: bottega mcp approve swapped",
    )


async def test_a_disabled_server_is_not_there(stage: Staged) -> None:
    here = stage({"a": odd(enabled=False)})

    assert await here.look() == {}
    assert here.servers.notices == ()
    with pytest.raises(NotFound, match="There is no MCP server 'a', or it is disabled"):
        await here.servers.prompt("a", "x", {})


async def test_an_idle_server_is_ended_and_comes_back_when_needed(stage: Staged) -> None:
    here = stage({"a": odd()}, patient(idle=0.4))
    await here.look()
    (sandbox,) = here.sandboxes.opened
    await sandbox.running[0].wait()

    assert await here.result("mcp__a__echo", text="back") == "back"
    assert len(here.sandboxes.opened) == 2
    assert here.servers.notices == ()


async def test_closing_ends_everything_and_nothing_can_be_asked_afterwards(stage: Staged) -> None:
    here = stage({"a": odd(), "b": odd()})
    await here.look()
    hanging = asyncio.create_task(here.failed("mcp__a__hang"))
    await asyncio.sleep(0)

    await here.servers.close()

    assert (await hanging).startswith("MCP_UNAVAILABLE")
    assert all(sandbox.closed for sandbox in here.sandboxes.opened)
    assert "has been shut down" in await here.failed("mcp__a__echo", text="x")


async def test_closing_ends_a_start_that_is_on_its_way(stage: Staged) -> None:
    here = stage({"a": odd("hang-at-start")})
    looking = asyncio.create_task(here.look())
    await here.sandboxes.begun.wait()

    await here.servers.close()

    with pytest.raises(asyncio.CancelledError):
        await looking
    assert all(sandbox.closed for sandbox in here.sandboxes.opened)


@pytest.mark.chaos
async def test_a_start_that_is_given_up_at_any_moment_leaves_nothing_behind(stage: Staged) -> None:
    await stage({"warm": odd()}).look()
    before = descriptors()

    for moment in range(examples(16, 200)):
        here = stage({"a": odd()})
        looking = asyncio.create_task(here.look())
        for _ in range(moment):
            await asyncio.sleep(0.001 if moment % 3 else 0)

        await here.servers.close()
        await asyncio.wait({looking})

        assert all(sandbox.closed for sandbox in here.sandboxes.opened)
        here.bench.root.close()
    await asyncio.sleep(0)

    await given_back(before)


async def test_prompts_of_servers_that_are_down_are_told(stage: Staged) -> None:
    here = stage({"bad": odd("crash-at-start"), "good": odd()})

    assert await here.servers.prompts() == []

    assert here.servers.notices[0].startswith("The MCP server 'bad' could not be started.")


async def test_descriptors_do_not_pile_up_over_restarts(stage: Staged) -> None:
    here = stage({"a": odd()})
    await here.look()
    await here.failed("mcp__a__crash")
    await here.look()
    before = descriptors()

    for _ in range(2 * IDLE):
        await here.failed("mcp__a__crash")
        await here.look()

    await given_back(before + IDLE)  # keepers that wait for another program


async def test_a_sandbox_that_cannot_be_opened_is_told(stage: Staged) -> None:
    async def refuse(*, network: bool, visible: tuple[str, ...], folder: bool) -> Any:
        raise Problem("Commands may not run here.", hint="Install bubblewrap.")

    here = stage({"a": odd()}, open_sandbox=refuse)

    await here.look()

    (notice,) = here.servers.notices
    assert "Commands may not run here. Install bubblewrap." in notice
