"""The validation of a tool's arguments: six properties, one of them a list of three objects."""

import timeit

from bottega.tools.validate import Validator
from stopwatch import Figures, main

TEXT = {"type": "string"}
EDIT = {
    "type": "object",
    "properties": {"old": TEXT, "new": TEXT, "all": {"type": "boolean"}},
    "required": ["old", "new"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {
        "path": TEXT,
        "edits": {"type": "array", "items": EDIT, "minItems": 1},
        "mode": {"type": "string", "enum": ["strict", "loose"]},
        "limit": {"type": "integer", "minimum": 1},
        "dry_run": {"type": "boolean"},
        "note": TEXT,
    },
    "required": ["path", "edits"],
    "additionalProperties": False,
}
ARGUMENTS = {
    "path": "src/house.py",
    "edits": [{"old": f"line {i}", "new": f"better line {i}", "all": False} for i in range(3)],
    "mode": "strict",
    "limit": 10,
    "dry_run": False,
    "note": "tidy",
}


def tools(_: str, quick: bool) -> Figures:
    validate = Validator(SCHEMA)
    assert not validate(ARGUMENTS)
    assert validate({**ARGUMENTS, "limit": 0})
    times = 10_000 if quick else 100_000
    return {
        "tools.validate": timeit.timeit(lambda: validate(ARGUMENTS), number=times) / times * 1e6
    }


if __name__ == "__main__":
    main(tools=tools)
