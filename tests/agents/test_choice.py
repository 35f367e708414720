"""Which agent works in a session, on which model, within which limits, and how much it may do."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from bottega.agents.agent import Agent
from bottega.agents.limits import Limits
from bottega.agents.spec import Spec, WrongSpec
from bottega.approvals.mode import narrower
from bottega.errors import Misconfigured, NotFound
from bottega.events import facts
from bottega.mcp.approved import Approved
from bottega.sessions.clients import ClientTool
from bottega.sessions.inbox import Prompt
from bottega.settings import load
from bottega.studio import Studio

Scripted = Callable[..., str]
SAY = [{"do": "say", "text": "Done."}]
WRITE = [{"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": "x"}}]


def own(home: Path, slug: str, **fields: Any) -> None:
    folder = home / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    said = {"system_prompt": "You are mine.", **fields}
    (folder / f"{slug}.toml").write_text(tomlkit.dumps(said))


async def test_the_users_own_agent_works_in_a_session(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    own(home, "mine", tools=["read_file"])
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(WRITE, SAY), folder=folder, agent="mine")
        await session.prompt("go")
        (result,) = [e.data for e in await session.facts() if e.type == "tool_result"]
    assert result.is_error
    assert "read_file" in str(result.content), "the model is told which tools there are"
    assert not (folder / "a.txt").exists()


async def test_a_broken_agent_is_a_notice_and_only_its_own_use_fails(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    own(home, "bad", tools=["fly"])
    async with Studio(home) as studio:
        with pytest.raises(WrongSpec, match="there is no tool 'fly'"):
            await studio.start(model="guide", folder=folder, agent="bad")
        session = await studio.start(model=scripted(SAY, SAY), folder=folder)
        await session.prompt("go")
        await session.prompt("again")
        said = [e.data for e in await session.facts() if e.type == "assistant_message"]
        listed = {each.slug: each.problems for each in studio.agents()}
    assert ["bad.toml" in str(each.notices) for each in said] == [True, False], "it is said once"
    assert listed["bad"] == ("tools: there is no tool 'fly'.",)
    assert listed["assistant"] == ()


async def test_an_agent_that_broke_since_ends_the_exchange_and_the_session_stays_usable(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    own(home, "mine")
    async with Studio(home) as studio:
        session = await studio.start(model=scripted(SAY), folder=folder, agent="mine")
        own(home, "mine", limits={"iterations": 0})
        end = await session.prompt("go")
        assert not end.success
        (error,) = [e.data for e in await session.facts() if e.type == "error_message"]
        assert "limits.iterations must be at least 1" in error.message
        own(home, "mine")
        assert (await session.prompt("again")).success


def test_programs_find_what_they_need_at_the_top() -> None:
    import bottega

    assert bottega.Agent is Agent
    assert bottega.Spec is Spec


async def test_no_agent_of_that_name_is_told_with_the_names(home: Path, folder: Path) -> None:
    async with Studio(home) as studio:
        with pytest.raises(NotFound, match="Did you mean 'planner'"):
            await studio.start(model="guide", folder=folder, agent="planer")


async def test_an_agents_own_limits_win_unless_a_preset_was_asked_for(home: Path) -> None:
    far = Agent(slug="far", prompt="Go.", limits=Limits(iterations=400, cost=None))
    async with Studio(home, agents=[far]) as studio:
        assert studio.runtime.agent("far").limits == far.limits
        assert studio.runtime.agent("coder").limits.iterations == 200
        assert studio.runtime.agent().limits == Limits()
    async with Studio(home, agents=[far], flags={"limits": "strict"}) as studio:
        assert studio.runtime.agent("far").limits.iterations == 8
    async with Studio(home, agents=[far], flags={"limits": "default"}) as studio:
        assert studio.runtime.agent("far").limits.iterations == 50


@pytest.mark.requirement("T47")
async def test_the_model_that_was_chosen_for_an_agent_answers(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    named, chosen, usual = (scripted(SAY, name=name) for name in ("named", "chosen", "usual"))
    home.mkdir()
    config = home / "config.toml"
    config.write_text(f'model = "{usual}"\n')
    own(home, "mine", model=named)

    async def answered(agent: str, **wish: str) -> str:
        async with Studio(home) as studio:
            session = await studio.start(folder=folder, agent=agent, **wish)
            await session.prompt("go")
            (said,) = [e.data for e in await session.facts() if e.type == "assistant_message"]
            return said.asked

    assert await answered("coder") == usual
    assert await answered("mine") == named
    config.write_text(f'model = "{usual}"\n[agents.mine]\nmodel = "{chosen}"\n')
    assert await answered("mine") == chosen
    assert await answered("coder") == usual, "it is that agent's alone"
    assert await answered("mine", model=usual) == usual, "who asks for one gets it"


async def test_a_flag_or_a_variable_wins_over_an_agents_model(home: Path) -> None:
    named = Agent(slug="named", prompt="Go.", model="guide")
    for settings in (
        load({"model": "x/y"}, home=home, environment={}),
        load(home=home, environment={"BOTTEGA_MODEL": "x/y"}),
    ):
        async with Studio(settings=settings, agents=[named]) as studio:
            assert studio.runtime.choose(agent=named).model == "x/y"


@pytest.mark.requirement("T47")
async def test_another_agent_takes_over_with_its_own_model_and_the_log_says_so(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    first, second = scripted(SAY, SAY, name="first"), scripted(SAY, SAY, name="second")
    named = Agent(slug="named", prompt="Go.", model=second)
    async with Studio(home, agents=[named]) as studio:
        session = await studio.start(model=first, folder=folder)
        await session.change_agent("reviewer")
        assert (session.row.agent, session.row.model) == ("reviewer", first)
        await session.change_agent("named")
        await session.change_agent("named")
        assert (session.row.agent, session.row.model) == ("named", second)
        await session.prompt("go")
        log = await session.facts()
        with pytest.raises(NotFound):
            await session.change_agent("nobody")
    changes = [e.data.agent for e in log if e.type == "agent_changed"]
    assert changes == ["reviewer", "named"], "what changes nothing is not written down"
    assert [e.data.model for e in log if e.type == "model_changed"] == [second]
    assert [e.data.asked for e in log if e.type == "assistant_message"] == [second]


@pytest.mark.requirement("T47")
async def test_an_agent_may_be_asked_this_once_and_comes_with_its_model(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    first, second = scripted(SAY, SAY, SAY, name="first"), scripted(SAY, SAY, name="second")
    named = Agent(slug="named", prompt="Go.", model=second)
    async with Studio(home, agents=[named]) as studio:
        session = await studio.start(model=first, folder=folder)
        await session.prompt("go", agent="named")
        await session.prompt("go")
        with pytest.raises(NotFound):
            session.prompt("go", agent="nobody")
        said = [e.data for e in await session.facts() if e.type == "assistant_message"]
    assert [each.asked for each in said] == [second, first]


async def test_an_agent_whose_model_leads_nowhere_is_not_changed_to(
    home: Path, folder: Path
) -> None:
    lost = Agent(slug="lost", prompt="Go.", model="openai/gpt-5")
    async with Studio(home, agents=[lost]) as studio:
        session = await studio.start(model="guide", folder=folder)
        with pytest.raises(Misconfigured):
            await session.change_agent("lost")
        assert studio.find(session.id).row.agent == "assistant"


def test_the_narrower_mode_counts() -> None:
    assert narrower("allow", "plan") == narrower("plan", "allow") == "plan"
    assert narrower("allow", "ask") == "ask"
    assert (narrower("allow", ""), narrower("plan", "")) == ("allow", "plan")


async def test_an_agent_does_no_more_than_its_mode_whatever_the_sessions(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    timid = Agent(slug="timid", prompt="Go.", mode="plan")
    async with Studio(home, agents=[timid]) as studio:
        session = await studio.start(
            model=scripted(WRITE, SAY), folder=folder, agent="timid", mode="allow"
        )
        assert session.mode == "plan"
        await session.prompt("go")
        (result,) = [e.data for e in await session.facts() if e.type == "tool_result"]
        assert "blocked in plan mode" in str(result.content)
        await session.change_agent("assistant")
        assert session.mode == "allow"
    assert not (folder / "a.txt").exists()


async def test_a_planners_plan_is_carried_out_by_somebody_who_may(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    plan = [{"do": "say", "text": "Write a.txt."}]
    async with Studio(home) as studio:
        session = await studio.start(
            model=scripted(plan, WRITE, SAY, plan), folder=folder, agent="planner"
        )
        await session.prompt("go")
        assert (await (await session.accept_plan("allow"))).success
        queued = [e.data for e in await session.facts() if isinstance(e.data, facts.PromptQueued)]
        assert session.row.agent == "planner", "what is asked next is planned again"
    assert [each.agent for each in queued] == ["", "assistant"]
    assert (folder / "a.txt").read_text() == "x"


async def test_who_carries_out_is_never_one_that_may_not(home: Path) -> None:
    for usual, doer in (
        ("assistant", "assistant"),
        ("planner", "coder"),
        ("site-builder", "coder"),
    ):
        async with Studio(home, flags={"agent": usual}) as studio:
            assert studio.runtime.doer("planner") == doer
            assert studio.runtime.doer("coder") == "", "who may act carries out its own"


async def test_a_stream_agent_is_offered_no_tools_not_even_the_clients(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    tool = ClientTool("lamp", "Switch it.", {"type": "object", "properties": {}})
    async with Studio(home) as studio:
        for agent, many in (("site-builder", 1), ("explainer", 11)):
            session = await studio.start(model=scripted(SAY), folder=folder, agent=agent)
            await session.declare_tools([tool])
            plan = await studio.runtime.plan(session.row, Prompt("m", ()))
            assert len(plan.registry) == many, agent
            assert plan.offers_tools == (agent == "explainer")


async def test_a_named_tool_that_no_server_offers_is_a_notice(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    named = Agent(slug="named", prompt="Go.", tools=("mcp__gone__x",))
    async with Studio(home, agents=[named]) as studio:
        session = await studio.start(model=scripted(SAY), folder=folder, agent="named")
        await session.prompt("go")
        (said,) = [e.data for e in await session.facts() if e.type == "assistant_message"]
    assert said.notices == (
        "The agent 'named' names the tool 'mcp__gone__x', which no MCP server offers here.",
    )


async def test_an_agent_gets_the_tools_of_mcp_servers_that_it_names_or_all(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    odd = Path(__file__).parents[1] / "mcp" / "odd.py"
    server = {"command": sys.executable, "args": ["-S", "-E", str(odd)]}
    home.mkdir()
    (home / "config.toml").write_text(tomlkit.dumps({"mcp": {"odd": server}}))
    settings = load(home=home)
    Approved(home).approve("odd", settings.values.mcp["odd"])
    named = Agent(slug="named", prompt="Go.", tools=("grep", "mcp__odd__echo"))
    async with Studio(settings=settings, agents=[named]) as studio:

        async def offered(agent: str) -> set[str]:
            session = await studio.start(model=scripted(SAY), folder=folder, agent=agent)
            return set((await studio.runtime.plan(session.row, Prompt("m", ()))).registry.names)

        assert await offered("named") == {"grep", "mcp__odd__echo"}
        everything = await offered("assistant")
        assert len([name for name in everything if name.startswith("mcp__odd__")]) > 1
        for without in ("explainer", "site-builder"):
            assert not any(name.startswith("mcp__") for name in await offered(without))
