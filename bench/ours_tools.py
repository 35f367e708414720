"""Tools: the validation of arguments (six properties, one of them a list of three objects), and reads at the same time.

Reads are measured by the clock, as whole calls: 12 files of 1 MB, one after the other and all at once. What is on the
disk is in memory; so the gain is what the threads do beside each other (reading, hashing), and never more than there
are cores.
"""

import tempfile
import time
import timeit
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from bottega.messages.block import ToolUse
from bottega.tools.builtin import builtin_registry
from bottega.tools.call import call
from bottega.tools.context import Context
from bottega.tools.schedule import Claim, run_all
from bottega.tools.tool import Outcome, Tool
from bottega.tools.validate import Validator
from bottega.workspaces.confine import Root
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


FILES = 12
READ = Claim(frozenset({"read"}))


class Reader:
    """As much of a context as reading needs."""

    judged = None
    settings: Mapping[str, Any] = {}

    def __init__(self, root: Root) -> None:
        self.root = root

    def saw(self, path: str, digest: str) -> None: ...


async def reads(_: str, quick: bool) -> Figures:
    line = "some words of a plain text file, line after line\n"
    with tempfile.TemporaryDirectory() as made:
        for number in range(FILES):
            (Path(made) / f"{number}.txt").write_text((line * 30_000)[:1_000_000])
        with Root(made) as root:
            context, tries = cast("Context", Reader(root)), 10 if quick else 40
            apart: list[float] = []
            together: list[float] = []
            for _ in range(tries):
                apart.append(await twelve(context, 1))
                together.append(await twelve(context, FILES))
    best = min(apart), min(together)
    return {
        "reads.apart": best[0] * 1e3,
        "reads.together": best[1] * 1e3,
        "reads.gain": best[0] / best[1],
    }


async def twelve(context: Context, at_once: int) -> float:
    """Seconds for all of them, so many at once."""
    registry = builtin_registry()

    async def intend(_: Tool) -> None: ...

    async def one(use: ToolUse) -> Outcome:
        outcome = await call(use, registry, context, intend)
        assert outcome.status == "success", outcome
        return outcome

    uses = [ToolUse(str(n), "read_file", {"file_path": f"{n}.txt"}) for n in range(FILES)]
    begin = time.perf_counter()
    await run_all([(use, READ) for use in uses], one, at_once)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(tools=tools, reads=reads)
