"""Severity: high. A model, or a guest who edits an ask, gives a command of 100 KB that is made to be hard to judge:
that costs little, and a denial among very many parts still is one."""

import time
from collections.abc import Iterator

import pytest

from bottega.approvals.grant import Grant
from bottega.approvals.matching import Gate
from bottega.approvals.rule import Rule
from bottega.approvals.shell.read import MOST_CLEAR, MOST_PARTS, read
from bottega.approvals.verdict import judge
from tests.approvals.subjects import command, gate, rule

MOST = 0.05
LONGEST = 99_900
UNITS = (
    "a;", "a|", "a&&", "cd a; ", "cd a && ", "nice ", "timeout 1 ", "env ", "a ", "(", "$(", "`", "{", "\n", "a\n",
    "<<E\n", "[[ ", "é", "é;", "a\u0301;", "\u200b", "'a'\\b", "sh 'a;b' ", "sh -c \"", "x=1 ", "# \n", "a \\\n",
    "find . -exec ", "if ", "git -C x ", "!", "${a:-",
)  # fmt: skip
RULES = (
    rule("deny", command="git push *"),
    rule("ask", command="rm *"),
    rule("deny", path="secrets/**"),
    rule("allow", command="npm run *"),
)
GRANTS = tuple(Grant("bash_exec", f"echo {'a' * 50}{n}*") for n in range(200))


def commands(unit: str) -> Iterator[str]:
    for size in (1_999, 19_999, LONGEST):
        for before in ("", "echo ", "sh -c '"):
            yield (before + unit * (size // len(unit)))[:size]


def cost(text: str, by: Gate) -> float:
    began = time.thread_time()
    judge(command(text), by)
    return time.thread_time() - began


@pytest.mark.parametrize("unit", UNITS)
def test_no_command_costs_much_to_judge(unit: str) -> None:
    by = Gate("ask", RULES, GRANTS, trusted=True)
    slow = {text[:20] for text in commands(unit) if min(cost(text, by) for _ in range(2)) > MOST}
    assert not slow


@pytest.mark.parametrize("join", [" && ", "; ", "\n", " | "])
def test_nor_do_very_many_different_ones(join: str) -> None:
    by = Gate("ask", RULES, GRANTS, trusted=True)
    for many in (MOST_CLEAR, MOST_PARTS, 10 * MOST_PARTS, LONGEST // 10):
        text = join.join(f"echo {n}" for n in range(many))[:LONGEST]
        assert min(cost(text, by) for _ in range(2)) < MOST


HIDDEN = (
    "git push x",
    "gi't' push",
    "/usr/bin/GIT push",
    "g\\it push",
    "git\\\n push",
    "ｇit push",
)


@pytest.mark.parametrize("hidden", HIDDEN)
def test_a_denied_one_among_very_many_is_denied(hidden: str) -> None:
    many = [f"echo {n}" for n in range(10 * MOST_PARTS)]
    text = "; ".join([*many, hidden, *many])
    denied = judge(command(text), gate(RULES[0], mode="allow"))
    assert denied.decision == "deny"
    assert "git push" in denied.reason


def test_very_many_are_covered_by_no_pattern_and_doubted_by_every_rule() -> None:
    text = "; ".join(["npm run x"] * (MOST_PARTS + 1))
    assert not read(text).clear
    assert read("; ".join(f"npm run {n}" for n in range(MOST_CLEAR))).clear
    assert not read("; ".join(f"npm run {n}" for n in range(MOST_CLEAR + 1))).clear
    allows: tuple[Rule, ...] = (rule("allow", command="npm run *"),)
    granted = Gate("ask", allows, (Grant("bash_exec", "npm run *"),), trusted=True)
    assert judge(command(text), granted).decision == "ask"
    assert judge(command(text), gate(RULES[0], mode="allow")).decision == "ask"
    assert judge(command(text), gate(mode="allow")).decision == "allow"


def test_a_long_text_in_quotes_is_still_one_command() -> None:
    message = "; ".join(["some words (of a message)"] * 500)
    assert len(read(f"git commit -m '{message}'").parts) == 1
