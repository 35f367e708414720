"""The OpenAPI document knows every route and every event."""

import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from bottega.events.facts import FACTS
from bottega.server.document import components
from bottega.server.simple import Simple
from tests.server.api.test_simple import GOLDEN, rows
from tests.server.api.using import Api


@pytest.fixture(scope="module")
def schemas() -> dict[str, Any]:
    return components()


def checker(schemas: dict[str, Any], name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(
        {"components": {"schemas": schemas}, "$ref": f"#/components/schemas/{name}"}
    )


async def test_every_reference_leads_somewhere_and_every_operation_has_its_own_name(
    api: Api,
) -> None:
    async with api.client() as client:
        document = await client.get("/api/openapi.json")
    assert document["openapi"].startswith("3.1")
    known = document["components"]["schemas"]
    text = msgspec.json.encode(document).decode()
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert named <= set(known)
    operations = [each for path in document["paths"].values() for each in path.values()]
    for each in operations:
        assert {"403", "421", "429", "500", "503"} <= set(each["responses"]), each["operationId"]
    names = [each["operationId"] for each in operations]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z_]+", name) for name in names)
    inside = [
        each
        for path, found in document["paths"].items()
        if path.startswith("/api")
        for each in found.values()
    ]
    for each in inside:
        assert {"400", "401", "422"} <= set(each["responses"])
        for status, response in each["responses"].items():
            if status >= "4":
                assert list(response["content"]) == ["application/problem+json"]


@pytest.mark.requirement("X02")
def test_every_fact_has_a_schema_that_the_logs_fit(schemas: dict[str, Any]) -> None:
    names = {
        kind: "".join(word.capitalize() for word in kind.split("_")) + "Event" for kind in FACTS
    }
    assert set(names.values()) <= set(schemas)
    seen: set[str] = set()
    checkers = {kind: checker(schemas, name) for kind, name in names.items()}
    for path in GOLDEN:
        for _, raw in rows(path):
            body = msgspec.json.decode(raw)
            checkers[body["type"]].validate(body)
            seen.add(body["type"])
    assert seen == set(FACTS), "golden logs hold every fact there is"


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_simple_event_fits_its_schema(schemas: dict[str, Any], path: Path) -> None:
    check = checker(schemas, "SimpleEvent")
    stored = rows(path)
    message_id = next(filter(None, (msgspec.json.decode(b).get("message_id") for _, b in stored)))
    simple = Simple("ses_1", message_id)
    for index, body in stored:
        for told in simple.step(index, body):
            check.validate(msgspec.json.decode(msgspec.json.encode(told)))


def test_a_body_that_is_wrong_does_not_fit(schemas: dict[str, Any]) -> None:
    check = checker(schemas, "TextDeltaEvent")
    assert check.is_valid({"type": "text_delta", "at": 1, "data": {"text": "a"}})
    assert not check.is_valid({"type": "text_delta", "at": 1, "data": {"text": 7}})
