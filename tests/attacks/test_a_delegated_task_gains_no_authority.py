"""Severity: medium (M3). A capped agent hands its work to one without a cap, and gets more than it has itself.

Mode, tools and limits of a child are the intersection of all agents above it, at every depth, also after a restart and
after the session's own agent was changed.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega import Ask, Reply
from bottega.agents.agent import Agent
from bottega.agents.limits import Limits
from bottega.sessions.fork import fork
from bottega.studio import Studio

Scripted = Callable[..., str]
READS = ("read_file", "list_dir", "delegate")
CAPPED = {
    "plan": Agent(slug="plan", prompt="Lead.", mode="plan"),
    "ask": Agent(slug="ask", prompt="Lead.", mode="ask"),
    "tools": Agent(slug="tools", prompt="Lead.", tools=READS),
    "brief": Agent(slug="brief", prompt="Lead.", limits=Limits(iterations=2)),
}
HOUSE = (
    *CAPPED.values(),
    Agent(slug="free", prompt="Help."),
    Agent(slug="page", prompt="Write.", type="StreamAgent"),
    Agent(slug="poor", prompt="Lead.", limits=Limits(tokens=1_000, iterations=None), at_once=64),
)
CHAINS = [
    (cap, tuple(cap if at == place else "free" for at in range(depth)))
    for cap in CAPPED
    for depth in (1, 2, 3)
    for place in range(depth)
]


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": arguments}


def say(text: str) -> dict[str, Any]:
    return {"do": "say", "text": text}


def handing(chain: tuple[str, ...], work: list[list[Any]]) -> list[dict[str, Any]]:
    """A model by which each agent of the chain hands on, and the free one below them works."""
    below = [*chain[1:], "free"]
    rules = [
        {"when": f"level{at}", "turns": [[call("delegate", agent=agent, task=f"level{at + 1}")]]}
        for at, agent in enumerate(below)
    ]
    for rule in rules:
        rule["turns"] = [*rule["turns"], [say("Handed on.")]]
    return [*rules, {"when": f"level{len(chain)}", "turns": work}]


@pytest.mark.parametrize(("cap", "chain"), CHAINS)
async def test_a_cap_anywhere_above_holds_for_whoever_does_the_work(
    cap: str, chain: tuple[str, ...], home: Path, folder: Path, scripted: Scripted
) -> None:
    work = [
        [call("write_file", file_path="stolen", content="x")],
        [call("list_dir", path=".")],
        [say("Done.")],
    ]
    asked: list[str] = []

    def no(ask: Ask) -> Reply:
        asked.append(ask.asked.tool_name)
        return Reply("deny")

    async with Studio(home, agents=HOUSE) as studio:
        model = scripted(rules=handing(chain, work))
        session = await studio.start(model=model, folder=folder, agent=chain[0], mode="allow")
        await session.prompt("level0", on_approval=no if cap == "ask" else None)
        last = session
        while last.children():
            last = last.children()[0]
        told = str([fact.data for fact in await last.facts()])
        end = (await last.facts())[-1].data
    assert last.row.depth == len(chain)
    if cap == "brief":
        assert (end.completion_reason, end.iterations) == ("resource_limit_exceeded", 2)
        return
    assert not (folder / "stolen").exists()
    assert asked == (["write_file"] if cap == "ask" else [])
    assert {"plan": "plan mode", "ask": "said no", "tools": "UNKNOWN_TOOL"}[cap] in told


async def test_an_agent_that_may_not_write_has_no_page_written_for_it(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    page = "```html index.html\n<h1>Mine</h1>\n```\n"
    rules = [
        {
            "when": "level0",
            "turns": [[call("delegate", agent="page", task="the page")], [say(".")]],
        },
        {"when": "the page", "turns": [[say(page)]]},
    ]
    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(
            model=scripted(rules=rules), folder=folder, agent="tools", mode="allow"
        )
        await session.prompt("level0")
    assert not (folder / "index.html").exists()


async def test_a_restart_and_another_agent_of_the_session_leave_a_childs_cap_as_it_was(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    work = [
        [call("write_file", file_path="one", content="x")],
        [call("write_file", file_path="two", content="x")],
        [say("Done.")],
    ]
    model = scripted(rules=handing(("ask",), work))
    asked: list[dict[str, Any]] = []

    def no(ask: Ask) -> Reply:
        asked.append(ask.input)
        return Reply("deny")

    async with Studio(home, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, agent="ask", mode="allow")
        answer = session.prompt("level0")
        async for event in answer:
            if event.type == "approval_required":
                break
    async with Studio(home, agents=HOUSE) as studio:
        await studio.find(session.id).change_agent("free")
        session = await studio.resume(session.id)
        again = session.resume(on_approval=no, wait=True)
        assert again
        await again
        assert session.children()[0].mode == "ask"
    assert [each["file_path"] for each in asked] == ["one", "two"]
    assert not (folder / "one").exists()
    assert not (folder / "two").exists()


async def test_a_fork_of_a_child_asks_though_the_settings_allow(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted(rules=handing(("free",), [[say("Done.")]]))
    async with Studio(home, flags={"mode": "allow"}, agents=HOUSE) as studio:
        session = await studio.start(model=model, folder=folder, agent="free", mode="plan")
        await session.prompt("level0")
        child = session.children()[0]
        runtime = studio.runtime
        forked = await fork(runtime.database, runtime.blobs, child.row, child.row.last_index)
        assert studio.find(forked.id).mode == "plan"


async def test_many_children_at_once_do_not_each_take_what_is_left(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    usage = {"input_tokens": 90, "output_tokens": 10}
    tasks = [call("delegate", agent="free", task=f"part{n}") for n in range(32)]
    rules = [
        {"when": "level0", "turns": [{"steps": tasks, "usage": usage}, [say("Done.")]]},
        {
            "when": "part",
            "turns": [{"steps": [{"do": "pause", "ms": 20}, say("Yes.")], "usage": usage}],
            "after": "repeat",
        },
    ]
    async with Studio(home, agents=HOUSE) as studio:
        model = scripted(rules=list(_with_one_rule_each(rules)))
        session = await studio.start(model=model, folder=folder, agent="poor")
        end = await session.prompt("level0")
    used = end.usage.input_tokens + end.usage.output_tokens
    assert 900 <= used <= 1_100, "as much as its limit, and one call at most beyond it"


def _with_one_rule_each(rules: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield rules[0]
    for number in range(32):
        yield {"when": f"part{number}", "turns": rules[1]["turns"]}
