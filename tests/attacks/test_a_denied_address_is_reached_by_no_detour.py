"""Severity: medium (M5). What a rule denies by its address is reached by a redirect, or by a shell with the
network."""

import base64
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from bottega import Ask, Reply
from bottega.studio import Studio
from tests.workspaces.sandbox.needs import needs_bubblewrap

Scripted = Callable[..., str]


class Sites:
    """Two servers of this machine: one that is allowed and leads on, one that a rule denies."""

    def __init__(self) -> None:
        self.open_port = self.denied_port = 0
        self.reached: list[str] = []

    @property
    def denied(self) -> str:
        return f"http://127.0.0.1:{self.denied_port}"

    @property
    def open(self) -> str:
        return f"http://127.0.0.1:{self.open_port}"


@pytest.fixture
async def sites() -> AsyncGenerator[Sites]:
    sites = Sites()

    async def lead_on(request: web.Request) -> web.Response:
        if request.path == "/plain":
            return web.Response(text="open word")
        status = int(request.query.get("status", "302"))
        there = sites.open + "/go" if request.path == "/twice" else sites.denied + "/x"
        return web.Response(status=status, headers={"Location": there})

    async def note(request: web.Request) -> web.Response:
        sites.reached.append(request.path_qs)
        return web.Response(text="denied word")

    runners: list[web.AppRunner] = []
    ports: list[int] = []
    for handler in (lead_on, note):
        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", handler)
        runners.append(web.AppRunner(app))
        await runners[-1].setup()
        site = web.TCPSite(runners[-1], "127.0.0.1", 0)
        await site.start()
        ports.append(runners[-1].addresses[0][1])
    sites.open_port, sites.denied_port = ports
    yield sites
    for runner in runners:
        await runner.cleanup()


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": arguments}


async def ran(
    home: Path,
    folder: Path,
    model: str,
    sites: Sites,
    rule: str,
    *,
    mode: Any = "allow",
    reply: Callable[[Ask], Reply] = lambda _: Reply("deny"),
) -> tuple[list[str], str]:
    """The tools that somebody was asked about, and all results."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(
        f'network_private = ["127.0.0.1:{sites.open_port}", "127.0.0.1:{sites.denied_port}",'
        f' "localhost:{sites.denied_port}"]\n[[rules]]\n{rule}\n'
    )
    asked: list[str] = []

    def answer(ask: Ask) -> Reply:
        asked.append(ask.asked.tool_name)
        return reply(ask)

    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode=mode)
        events = [event async for event in session.prompt("go", on_approval=answer)]
    results = [event.data for event in events if event.type == "tool_result"]
    return asked, "".join(msgspec.json.encode(each).decode() for each in results)


@pytest.mark.parametrize("verdict", ["deny", "ask"])
async def test_a_redirect_of_any_kind_does_not_lead_where_a_rule_says_no(
    verdict: str, home: Path, folder: Path, scripted: Scripted, sites: Sites
) -> None:
    ways = [f"/go?status={each}" for each in (301, 302, 303, 307, 308)] + ["/twice"]
    model = scripted(
        [call("web_fetch", url=sites.open + way) for way in ways],
        [call("web_fetch", url=sites.open + "/plain")],
        [{"do": "say", "text": "Done."}],
    )
    rule = f'verdict = "{verdict}"\nurl = "{sites.denied}/**"'
    _, told = await ran(home, folder, model, sites, rule)
    assert sites.reached == []
    assert told.count("was not fetched: rule: ") + told.count("was not fetched: it could") == len(
        ways
    )
    assert "open word" in told


async def test_a_rule_for_one_site_covers_no_other_that_it_leads_to(
    home: Path, folder: Path, scripted: Scripted, sites: Sites
) -> None:
    model = scripted([call("web_fetch", url=sites.open + "/go")], [{"do": "say", "text": "."}])
    rule = f'verdict = "allow"\nurl = "{sites.open}"'
    asked, told = await ran(home, folder, model, sites, rule, mode="ask")
    assert (asked, sites.reached) == ([], [])
    assert "ask mode asks before the network is used" in told


@needs_bubblewrap
async def test_a_shell_with_the_network_is_judged_like_a_command_with_it(
    home: Path, folder: Path, scripted: Scripted, sites: Sites
) -> None:
    opened: list[str] = []

    def allow_the_opening(ask: Ask) -> Reply:
        opened.append(ask.asked.tool_name)
        return Reply("allow_once" if ask.asked.tool_name == "shell_open" else "deny")

    async def go() -> tuple[list[str], str]:
        home.mkdir(mode=0o700)
        (home / "config.toml").write_text(
            f'network_private = ["127.0.0.1:{sites.denied_port}"]\n'
            f'[[rules]]\nverdict = "deny"\nurl = "{sites.denied}/**"\n'
        )
        told: list[Any] = []
        async with Studio(home) as studio:
            model = scripted([call("shell_open", network=True)], [{"do": "say", "text": "."}])
            session = await studio.start(model=model, folder=folder, mode="allow")
            async for event in session.prompt("open", on_approval=allow_the_opening):
                if event.type == "tool_result":
                    told.append(event.data)
            shell_id = msgspec.json.decode(told[0].content[0].text)["result"]["session_id"]
            line = f"curl -s {sites.denied}/via-shell"
            steps = [call("shell_exec", session_id=shell_id, command=line)]
            model = scripted(steps, [{"do": "say", "text": "."}], name="second")
            again = await studio.start(model=model, folder=folder, mode="allow")
            async for _ in again.prompt("run", on_approval=allow_the_opening):
                pass
        return opened, ""

    asked, _ = await go()
    assert asked == ["shell_open", "shell_exec"]
    assert sites.reached == []


@needs_bubblewrap
async def test_no_spelling_in_a_command_that_was_allowed_reaches_the_host(
    home: Path, folder: Path, scripted: Scripted, sites: Sites
) -> None:
    hidden = base64.b64encode(f"{sites.denied}/hidden".encode()).decode()
    tunnel = (
        "import os,socket,urllib.parse as u;p=u.urlsplit(os.environ['http_proxy']);"
        "s=socket.create_connection((p.hostname,p.port));"
        f"s.sendall(b'CONNECT 127.0.0.1:{sites.denied_port} HTTP/1.1\\r\\n\\r\\n');print(s.recv(99))"
    )
    commands = [
        f"curl -s {sites.denied}/plain",
        f"curl -s $(echo {hidden} | base64 -d)",
        f"curl -s http://localhost:{sites.denied_port}/by-name",
        f"curl -s -p {sites.denied}/tunnelled",
        f"curl -sL {sites.open}/go",
        f'python3 -c "{tunnel}"',
    ]
    model = scripted(
        [call("bash_exec", command=each, network=True) for each in commands],
        [call("bash_exec", command=f"curl -s {sites.open}/plain", network=True)],
        [{"do": "say", "text": "Done."}],
    )
    rule = f'verdict = "deny"\nurl = "{sites.denied}/**"'
    asked, told = await ran(home, folder, model, sites, rule, reply=lambda _: Reply("allow_once"))
    assert len(asked) == len(commands) + 1
    assert sites.reached == []
    assert "may not be reached: rule: deny url" in told
    assert "open word" in told


SPELLINGS = (
    "/admin/x",
    "/%61dmin/x",
    "//admin/x",
    "/admin;v=1/x",
    "/ADMIN/x",
    "/%2561dmin/x",
    "/a/..;/admin/x",
)


async def test_no_spelling_of_a_denied_path_is_fetched(
    home: Path, folder: Path, scripted: Scripted, sites: Sites
) -> None:
    model = scripted(
        [call("web_fetch", url=sites.denied + each) for each in SPELLINGS],
        [call("web_fetch", url=sites.denied + "/fine/a%20b")],
        [{"do": "say", "text": "Done."}],
    )
    rule = f'verdict = "deny"\nurl = "{sites.denied}/admin/**"'
    await ran(home, folder, model, sites, rule)
    assert sites.reached == ["/fine/a%20b"]


@needs_bubblewrap
async def test_no_spelling_and_no_tunnel_lead_a_command_to_a_denied_path(
    home: Path, folder: Path, scripted: Scripted, sites: Sites
) -> None:
    addresses = " ".join(f"'{sites.denied}{each}'" for each in SPELLINGS)
    commands = [
        f"curl -s --path-as-is {addresses}",
        f"curl -s -p {sites.denied}/admin/x",
        f"curl -s {sites.denied}/fine",
    ]
    model = scripted(
        [call("bash_exec", command=each, network=True) for each in commands],
        [{"do": "say", "text": "Done."}],
    )
    rule = f'verdict = "deny"\nurl = "{sites.denied}/admin/**"'
    await ran(home, folder, model, sites, rule, reply=lambda _: Reply("allow_once"))
    assert sites.reached == ["/fine"]
