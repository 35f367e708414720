"""A spec that is written down reads back as it was, whatever stands in it."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from bottega.agents.check import check
from bottega.agents.house import ORDER, house
from bottega.agents.limits import Limits
from bottega.agents.spec import Spec, WrongSpec, from_record, read
from bottega.agents.written import starter, written
from bottega.providers.provider import Wishes
from bottega.tools.builtin import builtin_registry
from tests.hunt import examples

REGISTRY = builtin_registry()
NAMES = [*Spec.__struct_fields__, *Limits.__struct_fields__, "cost_usd", "agent_type", "effort"]
TEXT = some.text(max_size=60)
VALUES: Any = some.recursive(
    some.booleans() | some.integers(-(2**60), 2**60) | some.floats(-1e9, 1e9) | TEXT,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
LIMITS = some.builds(
    Limits,
    some.none() | some.integers(1, 10**6),
    some.none() | some.integers(1, 10**12),
    some.none() | some.integers(0, 10**12),
    some.none() | some.floats(0.001, 1e6),
    some.none() | some.integers(2, 1000),
)
SPECS = some.builds(
    Spec,
    slug=some.just("mine"),
    name=some.text(min_size=1, max_size=20),
    description=TEXT,
    system_prompt=some.text(max_size=200) | some.text('"\\\n\r\t{', max_size=20),
    type=some.sampled_from(["StreamAgent", "IterativeAgent", "ReActAgent"]),
    mode=some.sampled_from(["", "plan", "ask", "allow"]),
    model=TEXT,
    tools=some.none() | some.lists(TEXT, max_size=3).map(tuple),
    tool_configs=some.dictionaries(TEXT, some.dictionaries(TEXT, VALUES, max_size=3), max_size=2),
    limits=LIMITS,
    wishes=some.builds(
        Wishes,
        some.sampled_from([None, "low", "max"]),
        some.none() | some.floats(0, 2),
        some.none() | some.integers(1, 10**6),
    ),
    at_once=some.integers(1, 64),
)


@pytest.mark.fuzz
@settings(max_examples=examples(100, 5_000), deadline=None)
@given(SPECS)
def test_what_is_written_reads_back_as_it_was(spec: Spec) -> None:
    assert read(written(spec), slug="mine") == spec


@pytest.mark.parametrize("slug", ORDER)
def test_the_agents_of_the_house_can_be_copied(slug: str) -> None:
    assert read(written(house()[slug]), slug=slug) == house()[slug]


def test_the_starter_is_valid_and_says_what_can_be_set() -> None:
    text = written(starter("my-agent"))
    assert check(read(text, slug="my-agent"), REGISTRY) == []
    assert read(text, slug="my-agent") == starter("my-agent")
    missing = [
        name
        for name in Spec.__struct_fields__
        if f"{name} = " not in text and f"[{name}]" not in text
    ]
    assert missing == ["slug", "tool_configs"]


def test_what_stands_in_comments_can_be_used_as_it_is() -> None:
    text = written(starter("my-agent"))
    lines = [line.removeprefix("# ") if " = " in line else line for line in text.split("\n")]
    opened = tomllib.loads("\n".join(line for line in lines if "anthropic/…" not in line))
    assert check(read(opened, slug="my-agent"), REGISTRY) == []
    assert opened["limits"] == {
        "iterations": 50,
        "tokens": "none",
        "cost_usd": 5,
        "seconds": "none",
        "repeats": 3,
    }


ODD: Any = some.recursive(
    some.none()
    | some.booleans()
    | some.integers()
    | some.floats()
    | some.text(max_size=9)
    | some.datetimes()
    | some.dates()
    | some.times()
    | some.binary(max_size=3),
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(some.sampled_from(NAMES) | some.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.fuzz
@settings(max_examples=examples(200, 3_000), deadline=None)
@given(some.dictionaries(some.sampled_from(NAMES) | some.text(max_size=5), ODD, max_size=6))
def test_whatever_is_read_is_a_spec_or_told_to_be_wrong(given: dict[str, Any]) -> None:
    for take in (
        lambda: read(given),
        lambda: read(given, "x.toml", slug="x"),
        lambda: from_record(given),
    ):
        try:
            problems = tuple(check(take(), REGISTRY))
        except WrongSpec as problem:
            problems = problem.problems
            assert problems
        assert all(each and "\n" not in each and len(each) < 500 for each in problems)
