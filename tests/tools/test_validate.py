import subprocess
import sys
from typing import Any

import pytest

from bottega.tools.validate import Validator, joined

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "mode": {"enum": ["fast", "slow"]},
        "files": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"line": {"type": "integer", "minimum": 1}},
                "required": ["line"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}


@pytest.mark.requirement("A31")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, ["path is missing"]),
        ({"path": 3}, ["path:", '"string"', "given: 3"]),
        ({"path": ""}, ["path:", "shorter than 1"]),
        ({"path": "a", "mode": "x"}, ["mode:", '"fast" or "slow"', "'x'"]),
        ({"path": "a", "count": "x"}, ["count:", '"integer"', '"null"']),
        ({"path": "a", "files": [{"line": 1}, {"line": 0}]}, ["files[1].line:", "minimum of 1"]),
        ({"path": "a", "files": [{}]}, ["files[0].line is missing"]),
        ({"path": "a", "pth": 1}, ["'pth' is not known", "path, count, mode, files"]),
        ({"path": "a", "files": [{"line": 1, "x": 1}]}, ["files[0]:", "'x'", "known are line"]),
    ],
)
def test_a_wrong_argument_is_named_with_what_was_expected(
    arguments: dict[str, Any], words: list[str]
) -> None:
    errors = Validator(SCHEMA)(arguments)
    assert len(errors) == 1
    for word in words:
        assert word in errors[0]


def test_valid_arguments_have_no_errors() -> None:
    assert Validator(SCHEMA)({"path": "a", "count": None, "files": [{"line": 3}]}) == ()


def test_several_errors_are_joined_and_many_are_counted() -> None:
    errors = Validator(SCHEMA)({"count": "x", "mode": 1})
    assert len(errors) == 3
    assert joined(errors) == "; ".join(errors)
    assert joined(tuple("abcdefg")) == "a; b; c; d; e; and 2 more"


def test_a_long_value_is_not_repeated_in_full() -> None:
    (error,) = Validator(SCHEMA)({"path": "a", "mode": "x" * 100_000})
    assert len(error) < 300


def test_a_schema_that_is_none_is_said_so() -> None:
    with pytest.raises(ValueError, match=r"schema\.type: "):
        Validator({"type": "bogus"})({})


def test_nothing_that_a_schema_refers_to_is_fetched() -> None:
    with pytest.raises(ValueError, match="leads out of it"):
        Validator({"$ref": "http://127.0.0.1:9/schema"})({})


def test_the_validator_is_not_imported_before_the_first_call() -> None:
    program = (
        "import sys\n"
        "from bottega.tools.builtin import builtin_registry\n"
        "registry = builtin_registry()\n"
        "assert 'jsonschema_rs' not in sys.modules\n"
        "registry.get('list_dir').validator({})\n"
        "assert 'jsonschema_rs' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_stands_behind_a_reference_is_explained_too() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"point": {"$ref": "#/$defs/Point"}},
        "$defs": {
            "Point": {
                "type": "object",
                "properties": {"x": {"type": "integer"}},
                "additionalProperties": False,
            }
        },
    }
    (error,) = Validator(schema)({"point": {"y": 1}})
    assert error.startswith("point: 'y' is not known here")
