"""Servers that others wrote, in the sandbox: time, git, fetch and everything; and what the sandbox keeps from them."""

import asyncio
import json
import os
import subprocess
import uuid
from pathlib import Path

import pytest
from aiohttp import web

from bottega.mcp.server import McpServer
from bottega.messages.block import Image
from tests.mcp.conftest import Staged, odd
from tests.mcp.real import everything, held, of_python

SECRET = "canary-0123456789"


def processes(mark: str) -> list[str]:
    """The processes of this machine that were started with this word."""
    found: list[str] = []
    for each in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark.encode() in Path(f"/proc/{each}/cmdline").read_bytes().split(b"\0"):
                found.append(each)
        except OSError:
            continue
    return found


def make_repository(where: Path) -> None:
    git = ("git", "-c", "user.name=A", "-c", "user.email=a@b.example")
    subprocess.run([*git, "init", "-q", str(where)], check=True)
    subprocess.run([*git, "commit", "-qm", "first", "--allow-empty"], cwd=where, check=True)


async def test_the_time_server_tells_the_time(stage: Staged, home: Path, folder: Path) -> None:
    here = stage({"time": of_python("time")}, open_sandbox=held(home, folder))
    tools = await here.look()
    given = {"source_timezone": "Europe/Rome", "time": "12:00", "target_timezone": "Asia/Tokyo"}

    now = await here.result("mcp__time__get_current_time", timezone="Europe/Rome")
    there = await here.result("mcp__time__convert_time", **given)
    wrong = await here.failed("mcp__time__get_current_time", timezone="Nowhere/Land")

    assert set(tools) == {"mcp__time__get_current_time", "mcp__time__convert_time"}
    assert now["timezone"] == "Europe/Rome"
    assert there["target"]["timezone"] == "Asia/Tokyo"
    assert wrong.startswith("TOOL_FAILED: ")
    assert "Nowhere/Land" in wrong


async def test_the_git_server_works_on_the_sessions_folder_and_no_other(
    stage: Staged, home: Path, folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    for where in (folder, outside):
        make_repository(where)
    here = stage(
        {"git": of_python("git", "--repository", "{folder}")}, open_sandbox=held(home, folder)
    )
    await here.look()

    log = await here.result("mcp__git__git_log", repo_path=str(folder))
    status = await here.result("mcp__git__git_status", repo_path=str(folder))
    other = await here.failed("mcp__git__git_log", repo_path=str(outside))

    assert "Message: first" in str(log)
    assert "notes.txt" in status
    assert "outside" in other


async def test_the_fetch_server_reads_a_page_and_has_no_network_in_the_sandbox(
    stage: Staged, home: Path, folder: Path
) -> None:
    async def page(request: web.Request) -> web.Response:
        return web.Response(text="Hello from here", content_type="text/plain")

    app = web.Application()
    app.router.add_get("/{path:.*}", page)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/a"
    server = of_python("fetch", "--ignore-robots-txt", "--allow-private-ips")
    free, kept = stage({"fetch": server}), stage({"fetch": server}, open_sandbox=held(home, folder))
    await asyncio.gather(free.look(), kept.look())

    read = await free.result("mcp__fetch__fetch", url=url)
    refused = await kept.failed("mcp__fetch__fetch", url=url)
    prompt = await free.servers.prompt("fetch", "fetch", {"url": url})
    await runner.cleanup()

    assert "Hello from here" in read
    assert "Failed to fetch" in refused
    assert "Hello from here" in prompt


async def test_everything_that_a_server_can_answer_is_understood(
    stage: Staged, home: Path, folder: Path
) -> None:
    here = stage({"every": everything()}, open_sandbox=held(home, folder))
    tools = await here.look()
    assert here.servers.notices == ()
    every = "mcp__every__"

    assert await here.result(f"{every}echo", message="hello") == "Echo: hello"
    assert "is 5" in await here.result(f"{every}get-sum", a=2, b=3)
    picture = await here.call(f"{every}get-tiny-image")
    assert [type(each) for each in picture.media] == [Image]
    found = await here.result(f"{every}get-structured-content", location="New York")
    assert {"temperature", "conditions", "humidity"} <= found.keys()
    links = await here.result(f"{every}get-resource-links", count=2)
    assert [each["uri"].startswith("demo://") for each in links[1:]] == [True, True]
    reference = await here.result(
        f"{every}get-resource-reference", resourceType="Text", resourceId=1
    )
    assert any("text" in each for each in reference if isinstance(each, dict))
    roots = await here.result(f"{every}get-roots-list")
    assert folder.as_uri() in str(roots)
    assert "INVALID_ARGUMENTS" in await here.failed(f"{every}get-sum", a="x", b=3)
    assert f"{every}read_resource" in tools


async def test_resources_and_prompts_of_a_server_are_read(
    stage: Staged, home: Path, folder: Path
) -> None:
    here = stage({"every": everything()}, open_sandbox=held(home, folder))
    await here.look()

    listed = await here.result("mcp__every__list_resources")
    first = listed["resources"][0]["uri"]
    read = await here.result("mcp__every__read_resource", uri=first)
    wrong = await here.failed("mcp__every__read_resource", uri="demo://nowhere")
    prompts = {each.name: each for each in await here.servers.prompts()}
    simple = await here.servers.prompt("every", "simple-prompt", {})
    city = await here.servers.prompt("every", "args-prompt", {"city": "Rome"})

    assert listed["templates"]
    assert len(read["text"]) > 100
    assert wrong.startswith("MCP_ERROR: The MCP server 'every' refused:")
    assert prompts["args-prompt"].arguments[0].name == "city"
    assert prompts["args-prompt"].arguments[0].required
    assert simple == "This is a simple prompt without arguments."
    assert "Rome" in city


async def test_long_work_shows_progress_and_can_be_cancelled(
    stage: Staged, home: Path, folder: Path
) -> None:
    here = stage({"every": everything()}, open_sandbox=held(home, folder))
    await here.look()
    begun = asyncio.Event()
    here.bench.emit_output = lambda text: begun.set()  # pyright: ignore
    long = "mcp__every__trigger-long-running-operation"
    working = asyncio.create_task(here.call(long, duration=600, steps=60_000))
    await begun.wait()

    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working

    assert await here.result("mcp__every__echo", message="free") == "Echo: free"


async def test_everything_works_over_http_too(stage: Staged, home: Path, tmp_path: Path) -> None:
    import socket

    server = everything("streamableHttp")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        server.command,
        *server.args,
        env={"PATH": os.environ["PATH"], "PORT": str(port)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr
        while b"listening" not in (line := await process.stderr.readline()).lower():
            assert line, "it did not start"
        here = stage({"every": McpServer(url=f"http://127.0.0.1:{port}/mcp")})
        await here.look()

        assert here.servers.notices == ()
        assert await here.result("mcp__every__echo", message="hello") == "Echo: hello"
        assert len(await here.servers.prompts()) > 2
        await here.servers.close()
    finally:
        process.kill()
        await process.communicate()


async def test_two_servers_do_not_see_each_other_nor_the_studio(
    stage: Staged, home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_CANARY", SECRET)
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(SECRET)
    servers = {"a": odd(env={"TOKEN": "$HUB"}), "b": odd()}
    here = stage(servers, open_sandbox=held(home, folder), secrets={"HUB": SECRET})
    await here.look()

    spied = await here.result("mcp__b__spy")
    read = await here.result("mcp__b__read", text=str(home / "config.toml"))
    shadow = await here.result("mcp__b__read", text="/etc/shadow")

    assert SECRET not in spied + read
    assert (read, shadow) == ("No such file or directory", "No such file or directory")


async def test_a_server_writes_in_the_folder_and_nowhere_else(
    stage: Staged, home: Path, folder: Path
) -> None:
    here = stage({"a": odd()}, open_sandbox=held(home, folder))
    await here.look()

    inside = await here.result("mcp__a__write", text=str(folder / "new.txt"))
    own = await here.result("mcp__a__write", text=str(Path(__file__).with_name("new.txt")))

    assert inside == "written"
    assert (folder / "new.txt").read_text() == "written"
    assert own == "not written: Read-only file system"


async def test_a_server_has_no_network_unless_it_is_granted(
    stage: Staged, home: Path, folder: Path
) -> None:
    import socket

    here = stage({"a": odd(), "b": odd(network=True)}, open_sandbox=held(home, folder))
    await here.look()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        told = await here.result("mcp__a__network", text=str(listener.getsockname()[1]))

    assert told.startswith("no network")
    assert "There is no way into the network from this sandbox." in here.servers.notices[0]


async def test_nothing_that_a_server_started_outlives_it(
    stage: Staged, home: Path, folder: Path
) -> None:
    here = stage({"a": odd()}, open_sandbox=held(home, folder))
    await here.look()
    mark = uuid.uuid4().hex
    await here.result("mcp__a__orphan", text=mark)
    async with asyncio.timeout(10):  # it is forked by then, and has its name a moment later
        while len(processes(mark)) != 1:
            await asyncio.sleep(0.01)

    await here.failed("mcp__a__crash")
    assert processes(mark) == []

    await here.result("mcp__a__orphan", text=mark)
    await here.servers.close()
    assert processes(mark) == []


async def test_what_a_server_says_of_its_environment_holds_no_secret(
    stage: Staged, home: Path, folder: Path
) -> None:
    server = everything()
    given = McpServer(command=server.command, args=server.args, env={"API": "$HUB"})
    here = stage({"every": given}, open_sandbox=held(home, folder), secrets={"HUB": SECRET})
    await here.look()

    told = json.loads(await here.result("mcp__every__get-env"))

    assert told["API"] == "[secret]"
    assert "PATH" in told
