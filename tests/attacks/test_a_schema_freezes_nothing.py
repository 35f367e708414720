"""Severity: high (H4). A JSON schema of two kilobytes must not cost more than it is long, wherever it arrives."""

import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from bottega.mcp.definitions import Offered, define
from bottega.providers.protocol.schemas import narrowed
from bottega.tools.validate import Validator, accepted
from tests.attacks.hostile import Person, Target

LEVELS = 34
QUICK = 3.0
"""Seconds; each of these takes minutes or hours where nothing bounds it."""


def doubled(**node: Any) -> dict[str, Any]:
    """Definitions each of which is what `node` makes of the next, `NEXT`, down to the last."""

    def filled(value: Any, n: int) -> Any:
        if value == "NEXT":
            return {"$ref": f"#/$defs/a{n + 1}"}
        if isinstance(value, dict):
            return {name: filled(each, n) for name, each in value.items()}
        return [filled(each, n) for each in value] if isinstance(value, list) else value

    defs = {f"a{n}": filled(node, n) for n in range(LEVELS)}
    return {
        "type": "object",
        "$defs": {**defs, f"a{LEVELS}": {}},
        "allOf": [{"$ref": "#/$defs/a0"}],
    }


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


SAME_VALUE = {
    "allOf": doubled(allOf=["NEXT", "NEXT"]),
    "anyOf": doubled(anyOf=[{"not": "NEXT"}, {"not": "NEXT"}]),
    "oneOf": doubled(oneOf=["NEXT", "NEXT"]),
    "if": doubled(**{"if": "NEXT", "then": "NEXT"}),
    "not": doubled(**{"not": {"allOf": ["NEXT", "NEXT"]}}),
    "dependent": doubled(allOf=["NEXT"], dependentSchemas={"x": "NEXT"}),
    "unevaluated": doubled(allOf=["NEXT"], unevaluatedProperties=False),
    "unevaluated items": doubled(anyOf=["NEXT"], unevaluatedItems=False),
}
OTHERS: dict[str, dict[str, Any]] = {
    "deep": {"type": "object", "x": nested(150)},
    "deeper": {"type": "object", "x": nested(500)},
    "itself": {"type": "object", "allOf": [{"$ref": "#"}]},
    "wide": {"type": "object", "properties": {f"p{n}": {} for n in range(20_000)}},
    "large": {"type": "object", "description": "x" * 400_000},
    "elsewhere": {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}},
    "patterns": {
        "type": "object",
        "properties": {f"p{n}": {"pattern": f"a{n}"} for n in range(500)},
    },
    "backtracking": {"type": "object", "properties": {"a": {"pattern": "(?=a)(a+)+$"}}},
    "back reference": {"type": "object", "properties": {"a": {"pattern": r"(a+)+\1$"}}},
    "huge pattern": {"type": "object", "properties": {"a": {"pattern": "(x{1000}){1000}"}}},
}
HOSTILE = {**SAME_VALUE, **OTHERS}
AS_BODIES = {
    "deeper": (422, "The JSON is nested too deeply."),
    "wide": (413, "more than 20000 fields and elements"),
}
"""Those that are refused before anybody asks what they are for."""


@pytest.fixture(scope="module")
def server(attacked_by_all: Target) -> Target:
    attacked_by_all.lines.clear()
    return attacked_by_all


@pytest.fixture(scope="module")
def host(server: Target) -> Iterator[Person]:
    with Person(server) as person:
        yield person


@pytest.fixture(scope="module")
def session(host: Person) -> str:
    return host.session()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_tool_of_a_client_with_such_a_schema_is_refused_at_once(
    host: Person, session: str, name: str
) -> None:
    tool = {"name": "t", "description": "x", "schema": HOSTILE[name]}
    took, status, answer = host.timed("PUT", f"/api/sessions/{session}/tools", {"tools": [tool]})
    assert took < QUICK
    code, sentence = AS_BODIES.get(name, (422, "The schema of the tool 't'"))
    assert status == code, answer
    assert sentence in answer["detail"], answer


@pytest.mark.parametrize("name", HOSTILE)
def test_a_prompt_with_such_a_schema_is_refused_at_once(
    host: Person, session: str, name: str
) -> None:
    prompt = {"message_id": str(uuid.uuid4()), "content": "x", "schema": HOSTILE[name]}
    took, status, answer = host.timed("POST", f"/api/sessions/{session}/prompts", prompt)
    assert status in (400, 413, 422), answer
    assert took < QUICK


def test_an_ordinary_tool_and_prompt_with_a_schema_are_taken(host: Person) -> None:
    session = host.session()
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a+$"}}}
    tool = {"name": "t", "description": "x", "schema": schema}
    status, answer = host.call("PUT", f"/api/sessions/{session}/tools", {"tools": [tool]})
    assert status == 200, answer
    prompt = {"message_id": str(uuid.uuid4()), "content": "x", "schema": schema}
    status, answer = host.call("POST", f"/api/sessions/{session}/prompts", prompt)
    assert status == 202, answer


def test_the_loop_has_not_stood_still_for_any_of_them(server: Target, host: Person) -> None:
    assert host.call("GET", "/api/me")[0] == 200
    assert server.stalls(0.2) == []


@pytest.mark.parametrize("name", SAME_VALUE)
def test_an_mcp_servers_tool_with_such_a_schema_is_left_out_at_once(name: str) -> None:
    begun = time.monotonic()
    tools, notices = define("evil", "bound", [Offered("t", "", SAME_VALUE[name])])
    assert time.monotonic() - begun < QUICK
    assert not tools
    assert "left out" in notices[0]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"items": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}, nested(60)),
        ({"items": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}], "minItems": 1}}, nested(60)),
        ({"items": {"type": "string"}}, [1] * 100_000),
        ({"properties": {"a": {"pattern": "(?:[ab]*a[ab]{20}){8}c"}}}, {"a": "ab" * 400_000}),
        ({"properties": {"a": {"pattern": "(?=a)(a+)+$"}}}, {"a": "a" * 40_000 + "b"}),
        ({"allOf": [{"items": {"minimum": n}} for n in range(3_000)]}, [9_999] * 20_000),
        ({"uniqueItems": True}, [[[n]] for n in range(100_000)]),
        ({"items": {"enum": [[n] for n in range(4_000)]}}, [[9_999]] * 20_000),
    ],
    ids=lambda value: str(value)[:40],
)
def test_no_value_takes_long_to_be_checked_even_with_a_schema_that_was_kept_before(
    schema: dict[str, Any], value: Any
) -> None:
    begun = time.monotonic()
    Validator(schema)(value)
    assert time.monotonic() - begun < QUICK


def test_what_a_vendor_is_sent_of_a_schema_does_not_double_with_each_definition() -> None:
    pair = {"type": "object", "additionalProperties": False, "required": ["x", "y"]}
    schema = doubled(**pair, properties={"x": "NEXT", "y": "NEXT"})
    begun = time.monotonic()
    assert narrowed({**schema, **{"$ref": "#/$defs/a0"}}) is None
    assert time.monotonic() - begun < QUICK


def test_ordinary_schemas_with_references_and_recursion_are_taken() -> None:
    leaf = {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}
    tree = {
        "type": "object",
        "$defs": {"node": {"type": "object", "properties": {"left": leaf, "right": leaf}}},
        "properties": {"root": {"$ref": "#/$defs/node"}},
        "required": ["root"],
    }
    accepted(tree)
    value: Any = None
    for _ in range(90):
        value = {"left": value, "right": None}
    assert Validator(tree)({"root": value}) == ()
    assert "root" in Validator(tree)({"root": 3})[0]


HEAVY = {
    "alternations": "|".join(f"{number:x}" for number in range(250))[:990].rstrip("|"),
    "classes": r"[^\p{L}\p{N}\p{S}N]",
    "repetitions": r"(a{1,90}){1,9}",
    "words": r"\w+",
}


@pytest.mark.parametrize("count", [19, 200, 3_000])
@pytest.mark.parametrize("kind", HEAVY)
def test_many_large_patterns_are_refused_or_compiled_in_no_time(kind: str, count: int) -> None:
    schema = {"properties": {f"p{number}": {"pattern": HEAVY[kind]} for number in range(count)}}
    started = time.thread_time()
    with suppress(ValueError):
        accepted(schema)
    assert time.thread_time() - started < 0.1
