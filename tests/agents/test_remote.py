"""A remote agent as it is written down: where it is, and nothing that is set there."""

import pytest

from bottega.agents.agent import Whereabouts
from bottega.agents.check import check
from bottega.agents.limits import Limits
from bottega.agents.spec import Spec, WrongSpec, read
from bottega.agents.written import written
from bottega.tools.builtin import builtin_registry

REGISTRY = builtin_registry()


def test_an_address_is_enough_and_its_host_names_the_token() -> None:
    spec = read('remote = { address = "https://bottega.example:8448/base" }', slug="office")
    assert check(spec, REGISTRY) == []
    assert spec.remote == Whereabouts("https://bottega.example:8448/base")
    assert spec.remote.token_name == "bottega.example:8448"
    named = read('remote = { address = "https://a.example", key = "office" }', slug="office")
    assert named.remote
    assert named.remote.token_name == "office"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("remote = {}", "remote.address is missing"),
        ('remote = { agent = "coder" }', "remote.address is missing"),
        ('remote = "https://a.example"', "remote must be a table"),
        ("remote = { address = 7 }", "remote.address must be text"),
        ('remote = { address = "https://a.example", adress = "x" }', "no field remote.adress"),
        ('remote = { address = "https://a.example", token = "x" }', "no field remote.token"),
    ],
)
def test_what_has_the_wrong_shape_is_named(text: str, problem: str) -> None:
    with pytest.raises(WrongSpec, match=problem):
        read(text, slug="office")


@pytest.mark.parametrize(
    "address",
    [
        "ftp://a.example",
        "a.example",
        "https://",
        "https://me:secret@a.example",
        "http://[::1",
        "https://a.example/?q=1",
    ],
)
def test_an_address_that_is_none_or_holds_a_login_is_refused_without_telling_it(
    address: str,
) -> None:
    (problem,) = check(Spec(slug="office", name="a", remote=Whereabouts(address)), REGISTRY)
    assert "remote.address must be http:// or https://" in problem
    assert "secret" not in problem


def test_what_is_set_where_the_agent_is_must_be_left_out() -> None:
    spec = read(
        'system_prompt = "You."\ntools = ["grep"]\nmodel = "openai/gpt-5"\nmode = "plan"\n'
        'remote = { address = "https://a.example" }\n',
        slug="office",
    )
    problems = check(spec, REGISTRY)
    assert [each.split()[0] for each in problems] == ["system_prompt", "model", "tools"]


def test_what_is_written_reads_back_as_the_same() -> None:
    where = Whereabouts("https://a.example", "coder", "/srv/site", "office")
    for limits in (Limits(), Limits(iterations=3)):
        spec = Spec(slug="office", name="Office", mode="ask", remote=where, limits=limits)
        assert read(written(spec), slug="office") == spec
        assert "bottega keys set office" in written(spec)
