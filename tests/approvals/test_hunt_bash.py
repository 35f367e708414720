"""The hunt for a command that is let through and then does more: real bash is the judge of what a command does.

Whatever is let through unasked is run in bash, with stand-ins for all programs; what they and the folder saw must be
what the rules allow, word for word.
"""

import random
import shutil
from pathlib import Path

import pytest

from bottega.approvals.matching import Gate
from bottega.approvals.rule import Rule
from bottega.approvals.shell.read import read
from bottega.approvals.verdict import judge
from tests.approvals import generated
from tests.approvals.subjects import command
from tests.approvals.tracer import UNTOUCHED, Trace, traced
from tests.hunt import SEED, examples

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None,
    reason="nothing here is run outside bubblewrap, which is not there",
)

PATTERNS = [
    *("a *", "b x", "git status *", "npm test", "echo *", "cd *", ": *", "true"),
    # What runs other commands is allowed as well, and must not let them pass.
    *("env *", "sudo *", "xargs *", "timeout *", "nohup *", "eval *", "exec *", "command *", ". *"),
    *("builtin *", "source *", "export *", "set *", "trap *", "alias *", "printf *", "test *"),
    *("hash *", "enable *", "shopt *", "unset *", "let *", "read *", "/bin/bash *"),
    *("declare *", "sh *"),
]
ALLOWING = Gate(mode="ask", rules=tuple(Rule(verdict="allow", command=each) for each in PATTERNS))
DENYING = Gate(mode="allow", rules=(Rule(verdict="deny", command="rm *"),), trusted=True)


def may_start(call: tuple[str, ...]) -> bool:
    """What the patterns say, said a second time."""
    name, *words = call
    return (
        name == "a"
        or (name == "b" and words == ["x"])
        or (name == "git" and words[:1] == ["status"])
        or (name == "npm" and words == ["test"])
    )


def let_through(gate: Gate, seed: int, number: int, folder: Path) -> list[tuple[str, Trace]]:
    """The commands out of so many that this gate lets through, with what each really did."""
    dice = random.Random(seed)
    made = [generated.command(dice) for _ in range(number)]
    passed = [each for each in made if judge(command(each), gate).decision == "allow"]
    found = list(zip(passed, traced(passed, folder), strict=True))
    started = sum(len(trace.started) for _, trace in found)
    print(f"seed {seed}: {number} commands, {len(passed)} let through, {started} programs started")
    assert len(passed) > number / 20, "it is no hunt if hardly anything is let through"
    assert started > len(passed) / 5
    return found


@pytest.mark.fuzz
def test_whatever_patterns_let_through_runs_nothing_else_in_bash(tmp_path: Path) -> None:
    found = let_through(ALLOWING, SEED, examples(600, 50_000), tmp_path)

    assert [(text, trace) for text, trace in found if not _is_covered(text, trace)] == []


def _is_covered(text: str, trace: Trace) -> bool:
    told = {tuple(word.text for word in part) for part in read(text).parts}
    return trace.files == UNTOUCHED and all(
        may_start(call) and call in told for call in trace.started
    )


@pytest.mark.fuzz
def test_what_a_rule_denies_never_runs_in_allow_mode(tmp_path: Path) -> None:
    found = let_through(DENYING, SEED + 1, examples(300, 50_000), tmp_path)

    def ran(trace: Trace) -> bool:
        gone = UNTOUCHED.keys() - trace.files.keys()
        return bool(gone) or any(call[0] == "rm" for call in trace.started)

    assert [(text, trace) for text, trace in found if ran(trace)] == []


def test_the_tracer_notices_every_program_and_every_file(tmp_path: Path) -> None:
    traces = traced(["a $(rm 'p q') *; sudo -n c 1", "b > f; (c &)", "/bin/rm y"], tmp_path)

    assert traces[0].started == [
        *(("rm", "p q"), ("a", "-n", "sub", "x", "y"), ("sudo", "-n", "c", "1"), ("c", "1")),
    ]
    assert sorted(traces[1].started) == [("b",), ("c",)]
    assert traces[1].files.keys() - UNTOUCHED.keys() == {"f"}
    assert UNTOUCHED.keys() - traces[2].files.keys() == {"y"}
