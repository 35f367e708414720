"""A spec as it is read: what is right becomes a value, what is wrong is named, field by field, all at once."""

from typing import Any

import pytest

from bottega.agents.check import check, unknown_markers
from bottega.agents.limits import Limits
from bottega.agents.prompt.markers import MARKERS
from bottega.agents.spec import Spec, WrongSpec, from_record, is_slug, read, slug_of
from bottega.errors import Misconfigured
from bottega.providers.provider import Wishes
from bottega.tools.builtin import builtin_registry

WHOLE = """
name = "Tester"
description = "Writes tests."
system_prompt = "You write tests in {project_path}."
type = "ReActAgent"
mode = "ask"
model = "openai/gpt-5"
tools = ["read_file", "grep"]
at_once = 2

[tool_configs.grep]
hide = ["*.lock"]

[limits]
iterations = 12
tokens = 1000000
cost_usd = 0.25
seconds = 90.5
repeats = "none"

[wishes]
effort = "high"
temperature = 0.3
max_output = 4000
"""
REGISTRY = builtin_registry()


def wrong(source: str | dict[str, Any], **how: str) -> tuple[str, ...]:
    with pytest.raises(WrongSpec) as caught:
        read(source, **how)
    return caught.value.problems


def spec(**fields: Any) -> Spec:
    return Spec(**{"slug": "a", "name": "A", "system_prompt": "Work.", **fields})


@pytest.mark.requirement("T15")
def test_a_file_says_all_that_an_agent_is() -> None:
    found = read(WHOLE, "tester.toml", slug="tester")
    assert found == Spec(
        slug="tester",
        name="Tester",
        description="Writes tests.",
        system_prompt="You write tests in {project_path}.",
        type="ReActAgent",
        mode="ask",
        model="openai/gpt-5",
        tools=("read_file", "grep"),
        tool_configs={"grep": {"hide": ["*.lock"]}},
        limits=Limits(iterations=12, tokens=1_000_000, cost=250_000, seconds=90.5, repeats=None),
        wishes=Wishes("high", 0.3, 4000),
        at_once=2,
    )
    assert check(found, REGISTRY) == []


def test_a_prompt_is_enough() -> None:
    found = read('system_prompt = "Work."', slug="my-agent")
    assert (found.name, found.type, found.mode) == ("My agent", "IterativeAgent", "")
    assert (found.tools, found.limits, found.wishes) == (None, Limits(), Wishes())


def test_limits_may_be_a_preset() -> None:
    assert read('limits = "strict"', slug="a").limits == Limits(iterations=8)
    assert wrong('limits = "none"', slug="a") == (
        "limits must be default or strict or a table, not 'none'",
    )


def test_the_sentence_names_the_file_and_the_field_and_the_next_step() -> None:
    with pytest.raises(Misconfigured) as caught:
        read("[limits]\niterations = 0\n", "/home/agents/x.toml", slug="x")
    assert caught.value.message == (
        "The agent file '/home/agents/x.toml' is wrong: limits.iterations must be at least 1."
    )
    assert caught.value.hint == "`bottega agents validate x` lists every problem."


def test_all_that_is_wrong_is_told_at_once() -> None:
    text = 'nme = "A"\ntype = "Reactagent"\nat_once = 0\ntools = "grep"\n[limits]\ncost_usd = -1\nitterations = 3\n'
    assert wrong(text, slug="a") == (
        "there is no field nme. Did you mean 'name'?",
        "type must be StreamAgent, IterativeAgent or ReActAgent, not 'Reactagent'."
        " Did you mean 'ReActAgent'?",
        "at_once must be at least 1",
        "tools must be a list, not text",
        "limits.cost_usd must be at least 0",
        "there is no field limits.itterations. Did you mean 'iterations'?",
    )
    with pytest.raises(WrongSpec, match=r"Did you mean 'name'\? \(and 5 more\)\."):
        read(text, slug="a")


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ('mode = "alow"', "mode must be plan, ask or allow, not 'alow'. Did you mean 'allow'?"),
        ("system_prompt = 3", "system_prompt must be text, not a whole number"),
        ("tools = [3]", "tools[0] must be text, not a whole number"),
        ("at_once = 1.5", "at_once must be a whole number, not a number"),
        ("at_once = true", "at_once must be a whole number, not true or false"),
        ('name = ""', "name must not be empty"),
        (f'name = "{"a" * 81}"', "name must have at most 80 characters"),
        ("tool_configs = 3", "tool_configs must be a table, not a whole number"),
        ("limits = 3", "limits must be a table, not a whole number"),
        (
            "limits.iterations = 1.5",
            'limits.iterations must be a whole number or "none", not a number',
        ),
        ('limits.seconds = "soon"', "limits.seconds must be a number or \"none\", not 'soon'."),
        ("limits.seconds = 0", "limits.seconds must be more than 0"),
        ("limits.cost_usd = inf", "limits.cost_usd must be a number, not inf"),
        ("limits.cost_usd = nan", "limits.cost_usd must be a number, not nan"),
        ("limits.repeats = 1", "limits.repeats must be at least 2"),
        (f"limits.tokens = {10**30}", "limits.tokens must be at most 1,000,000,000,000"),
        ("wishes.temperature = inf", "wishes.temperature must be a number, not inf"),
        (
            'wishes.effort = "hard"',
            "wishes.effort must be none, minimal, low, medium, high or max, not 'hard'.",
        ),
        ("name = x", "it is no valid TOML: Invalid value (at line 1, column 8)"),
    ],
)
def test_each_wrong_field_is_named(field: str, told: str) -> None:
    assert wrong(field, slug="a") == (told,)


def test_a_prompt_of_a_million_letters_is_refused_without_showing_it() -> None:
    assert wrong({"slug": "a", "system_prompt": "a" * 1_000_000}) == (
        "system_prompt must have at most 100000 characters",
    )


def test_a_slug_is_a_plain_name() -> None:
    assert [is_slug(each) for each in ("a", "site-builder", "a1")] == [True] * 3
    odd = ("", "-a", "a-", "a--b", "A", "a/b", "../a", "a.b", "ä", "a\n", "a" * 65)
    assert [each for each in odd if is_slug(each)] == []
    assert slug_of("My Agent!  No 2") == "my-agent-no-2"
    assert wrong({"slug": "My Agent"}) == (
        "slug must be small letters and digits with single dashes between, as in my-agent",
    )


def test_a_slug_in_a_file_is_the_files_name() -> None:
    assert read('slug = "a"', slug="a").slug == "a"
    assert wrong('slug = "b"', slug="a") == ("slug is 'b', but the file's name says 'a'",)


@pytest.mark.requirement("T15")
def test_a_spec_without_a_prompt_is_refused() -> None:
    for prompt in ("", " \n\t"):
        (told,) = check(spec(system_prompt=prompt), REGISTRY)
        assert told.startswith("system_prompt is empty")


def test_unknown_tools_are_named_with_what_was_probably_meant() -> None:
    assert check(spec(tools=("read_fil", "grep", "fly")), REGISTRY) == [
        "tools: there is no tool 'read_fil'. Did you mean 'read_file'?",
        "tools: there is no tool 'fly'.",
    ]


def test_a_tool_of_an_mcp_server_may_be_named_before_the_server_runs() -> None:
    assert check(spec(tools=("mcp__git__status",)), REGISTRY) == []
    assert check(spec(tools=("mcp__git",)), REGISTRY) != []
    assert check(spec(tool_configs={"mcp__git__status": {}}), REGISTRY) == [
        "tool_configs.mcp__git__status: a tool of an MCP server takes none"
    ]


def test_settings_of_a_tool_that_is_not_chosen_are_refused() -> None:
    settings = {"grep": {"hide": []}, "flt": {}}
    assert check(spec(tools=("read_file",), tool_configs=settings), REGISTRY) == [
        "tool_configs.grep is for a tool that tools does not name",
        "tool_configs.flt is for a tool that tools does not name",
    ]
    assert check(spec(tool_configs={"grep": {}}), REGISTRY) == []
    assert check(spec(tool_configs={"grp": {}}), REGISTRY) == [
        "tool_configs: there is no tool 'grp'. Did you mean 'grep'?"
    ]


@pytest.mark.requirement("T15")
def test_a_stream_agent_may_name_no_tools() -> None:
    assert check(spec(type="StreamAgent", tools=()), REGISTRY) == []
    assert check(
        spec(type="StreamAgent", tools=("grep",), tool_configs={"grep": {}}), REGISTRY
    ) == [
        "tools must be left out: a StreamAgent has none",
        "tool_configs must be left out: a StreamAgent has no tools",
    ]


def test_an_unknown_marker_is_named_with_the_one_that_was_meant() -> None:
    assert check(spec(system_prompt="In {project_nam}, by {wizard}."), REGISTRY) == [
        "system_prompt has an unknown marker {project_nam}. Did you mean 'project_name'?"
        " Put it in backticks, or double its braces, if it is none",
        "system_prompt has an unknown marker {wizard}."
        " Put it in backticks, or double its braces, if it is none",
    ]
    assert unknown_markers(" ".join(f"{{{name}}}" for name in MARKERS)) == ()


@pytest.mark.parametrize(
    "prompt",
    [
        'Answer as {"name": "x", "list": [1]}, nothing else.',
        "An empty object is {}; { name } has spaces; {Name} a capital.",
        "Use `{name}` and ``a ` {name} b`` as they are.",
        "```jsx\n<p>{children}</p>\n```\nand that is all",
        "~~~\n{children}\n~~~",
        "```\n{never} closed",
        "Doubled: {{name}}; a template's: ${name}.",
        "f(x) = {x, y}; \\frac{1}{2}; ${HOME}_{I}",
    ],
)
def test_what_only_looks_like_a_marker_is_let_alone(prompt: str) -> None:
    assert check(spec(system_prompt=prompt), REGISTRY) == []


def test_a_marker_after_code_is_still_seen() -> None:
    assert unknown_markers("```\n{a}\n```\n{b} and `{c}` and {d}") == ("b", "d")


def test_a_spec_that_a_program_made_is_checked_for_its_shape_too() -> None:
    for odd in ({"slug": "../a"}, {"type": "Robot"}, {"at_once": 0}, {"mode": "all"}):
        assert len(check(spec(**odd), REGISTRY)) == 1, odd


@pytest.mark.requirement("T15")
def test_a_record_of_a_database_is_a_spec_too() -> None:
    record = {
        "id": "0b1c",
        "name": "Page Maker",
        "slug": "page-maker",
        "description": "Makes pages.",
        "item_type": "agent",
        "system_prompt": "You make pages.",
        "mode": "agent",
        "agent_type": "ReActAgent",
        "tools": '["read_file", "grep"]',
        "tool_configs": {"grep": {"hide": ["x"]}},
        "model": None,
        "pricing_type": "monthly",
        "price_cents": 900,
        "rating": 4.5,
    }
    found = from_record(record)
    assert found == Spec(
        slug="page-maker",
        name="Page Maker",
        description="Makes pages.",
        system_prompt="You make pages.",
        type="ReActAgent",
        tools=("read_file", "grep"),
        tool_configs={"grep": {"hide": ["x"]}},
    )


@pytest.mark.requirement("T15")
@pytest.mark.parametrize(
    ("columns", "kind", "tools"),
    [
        ({"mode": "stream"}, "StreamAgent", None),
        ({"mode": "agent", "tools": []}, "IterativeAgent", None),
        (
            {"mode": "stream", "agent_type": "ReActAgent", "tools": ["grep"]},
            "ReActAgent",
            ("grep",),
        ),
        (
            {"agent_type": "StreamAgent", "tools": ["grep"], "tool_configs": {"grep": {}}},
            "StreamAgent",
            None,
        ),
        ({"tools": "null", "tool_configs": "{}"}, "IterativeAgent", None),
    ],
)
def test_a_records_mode_and_tools_mean_what_they_meant_there(
    columns: dict[str, Any], kind: str, tools: tuple[str, ...] | None
) -> None:
    found = from_record({"name": "My Agent", "system_prompt": "Work.", **columns})
    assert (found.slug, found.type, found.tools, found.mode) == ("my-agent", kind, tools, "")
    assert check(found, REGISTRY) == []


def test_who_says_no_slug_is_called_by_the_name() -> None:
    assert read('name = "My Agent!"\nsystem_prompt = "x"').slug == "my-agent"
    assert wrong('name = "!"') == wrong('slug = ""\nname = "!"')
    assert any(each.startswith("slug must be") for each in wrong(""))


def test_a_record_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(WrongSpec, match="type must be StreamAgent, IterativeAgent or ReActAgent"):
        from_record({"name": "A", "agent_type": "Robot"})
    with pytest.raises(WrongSpec, match="tools must be a list, not text"):
        from_record({"name": "A", "tools": "[grep"})
    with pytest.raises(WrongSpec, match="slug must be"):
        from_record({})
