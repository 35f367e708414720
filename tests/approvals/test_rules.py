"""Rules: last match wins, denial beats every mode, and a call is as bad as the worst it touches."""

from typing import Any

import msgspec
import pytest

from bottega.approvals.mode import MODES, Mode
from bottega.approvals.rule import Rule, hidden, is_hidden, parse_rule
from bottega.approvals.subject import Subject
from bottega.approvals.touch import Touch
from bottega.approvals.verdict import judge
from bottega.errors import Misconfigured
from tests.approvals.subjects import READ, WRITE, command, fetching, gate, reading, rule, writing


def test_the_last_rule_that_matches_wins() -> None:
    deny, allow = rule("deny", command="git *"), rule("allow", command="git status")

    assert judge(command("git status"), gate(deny, allow)).decision == "allow"
    assert judge(command("git push"), gate(deny, allow)).decision == "deny"
    assert judge(command("git status"), gate(allow, deny)).decision == "deny"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("subject", "denial"),
    [
        (command("rm x"), rule("deny", command="rm *")),
        (reading("secrets/key"), rule("deny", path="secrets/**")),
        (writing("a.pem"), rule("deny", path="*.pem")),
        (fetching("https://evil.example/x"), rule("deny", url="evil.example")),
        (Subject("todo_write", frozenset({"state"})), rule("deny", tool="todo_*")),
    ],
)
def test_a_denial_beats_every_mode_and_names_its_rule(
    mode: Mode, subject: Subject, denial: Rule
) -> None:
    verdict = judge(subject, gate(denial, mode=mode))

    assert verdict.decision == "deny"
    assert verdict.reason == f"rule: {denial}"


def test_a_rule_is_told_as_it_was_written() -> None:
    assert str(rule("deny", path="secrets/**")) == "deny path secrets/**"
    told = str(Rule(verdict="allow", tool="bash_exec", command="npm i", network=True))
    assert told == "allow tool bash_exec command npm i with network"


def test_an_allowing_rule_lets_run_in_ask_mode_and_never_lifts_plan_mode() -> None:
    for subject, allow in [
        (command("npm test"), rule("allow", command="npm test")),
        (writing("src/a.py"), rule("allow", path="src/**")),
        (fetching("https://docs.example/"), rule("allow", url="docs.example")),
        (Subject("mcp__x", READ, known=False), rule("allow", tool="mcp__*")),
    ]:
        assert judge(subject, gate(allow)).decision == "allow"
        assert judge(subject, gate(allow, mode="plan")).decision == "blocked"


@pytest.mark.parametrize("mode", MODES)
def test_an_asking_rule_asks_even_for_what_is_free(mode: Mode) -> None:
    verdict = judge(reading("payroll.csv"), gate(rule("ask", path="payroll.csv"), mode=mode))

    assert verdict.decision == "ask"
    assert verdict.reason == "rule: ask path payroll.csv"


def test_a_call_gets_the_worst_of_its_paths() -> None:
    rules = (rule("allow", path="src/**"), rule("deny", path="src/secret/**"))

    assert judge(writing("src/a", "src/b"), gate(*rules)).decision == "allow"
    assert judge(writing("src/a", "docs/b"), gate(*rules)).decision == "ask"
    assert judge(writing("src/a", "docs/b", "src/secret/c"), gate(*rules)).decision == "deny"


def test_a_rule_is_about_the_tools_it_names() -> None:
    denial = Rule(verdict="deny", tool="write_*", path="docs/**")

    assert judge(writing("docs/a"), gate(denial)).decision == "deny"
    assert judge(reading("docs/a"), gate(denial)).decision == "allow"


def test_a_folder_that_holds_something_denied_may_be_searched_without_it() -> None:
    rules = (rule("deny", path="secrets/**"), rule("deny", path="*.pem"))

    for tool in ("list_dir", "grep", "glob"):
        assert judge(reading(".", tool=tool), gate(*rules)).decision == "allow"
        assert judge(reading("secrets", tool=tool), gate(*rules)).decision == "deny"
        assert hidden(rules, tool) == ("secrets/**", "*.pem")
        assert is_hidden(rules, tool, "a/b.PEM")
        assert not is_hidden(rules, tool, "a/b.py")


def test_what_is_hidden_follows_the_rules_to_their_end() -> None:
    rules = (
        rule("deny", path="secrets/**"),
        rule("allow", path="secrets/public.txt"),
        Rule(verdict="deny", tool="grep", path="logs"),
    )

    assert is_hidden(rules, "grep", "secrets/key")
    assert not is_hidden(rules, "grep", "secrets/public.txt")
    assert is_hidden(rules, "grep", "logs/a") is True
    assert is_hidden(rules, "glob", "logs/a") is False
    assert judge(reading("secrets/public.txt"), gate(*rules)).decision == "allow"


def test_writing_to_all_of_the_workspace_is_asked_about_if_a_part_of_it_is_denied() -> None:
    verdict = judge(writing("."), gate(rule("deny", path="secrets/**"), mode="allow"))

    assert verdict.decision == "ask"


def test_allow_mode_asks_before_commands_that_could_reach_a_denied_path_unseen() -> None:
    denial = rule("deny", path="secrets/**")

    asked = judge(command("cat x"), gate(denial, mode="allow", masked=False))

    assert (asked.decision, asked.offers[0].pattern) == ("ask", "cat x")
    assert asked.reason == "it could be what a rule is about: deny path secrets/**"
    assert judge(command("cat x"), gate(denial, mode="allow", masked=True)).decision == "allow"
    named = gate(rule("allow", command="cat x"), denial, mode="allow", masked=False)
    assert judge(command("cat x"), named).decision == "allow"
    stranger = Subject("mcp__x", READ | WRITE, known=False)
    assert judge(stranger, gate(denial, mode="allow")).decision == "ask"


def test_a_wide_allowance_holds_no_command_where_allow_mode_does_not() -> None:
    wide = rule("allow", tool="bash_exec")

    assert judge(command("ls"), gate(wide)).decision == "allow"
    assert judge(command("ls", sandbox="none"), gate(wide)).decision == "ask"
    assert judge(command("ls"), gate(wide, trusted=False)).decision == "ask"


def test_the_network_is_allowed_to_a_command_only_by_a_rule_that_says_so() -> None:
    plain = rule("allow", command="npm install")
    online = Rule(verdict="allow", command="npm install", network=True)
    never = Rule(verdict="deny", network=True)

    assert judge(command("npm install"), gate(plain)).decision == "allow"
    assert judge(command("npm install", network=True), gate(plain)).decision == "ask"
    assert judge(command("npm install", network=True), gate(online)).decision == "allow"
    assert judge(command("npm install", network=True), gate(never, mode="allow")).decision == "deny"
    assert judge(command("npm install"), gate(never, mode="allow")).decision == "allow"
    assert judge(fetching("https://a.example"), gate(never, mode="allow")).decision == "deny"


def test_a_denied_address_makes_commands_with_network_a_question() -> None:
    denial = rule("deny", url="evil.example")

    assert judge(command("curl x", network=True), gate(denial, mode="allow")).decision == "ask"
    assert judge(command("curl x"), gate(denial, mode="allow")).decision == "allow"
    stranger = Subject("mcp__web", frozenset({"network"}), known=False)
    assert judge(stranger, gate(denial, mode="allow")).decision == "ask"


def test_denied_commands_make_tools_of_others_a_question() -> None:
    denial = rule("deny", command="rm *")

    assert judge(Subject("mcp__x", READ, known=False), gate(denial, mode="allow")).decision == "ask"
    assert judge(writing("a"), gate(denial, mode="allow")).decision == "allow"


def test_no_pattern_allows_what_is_typed_into_an_open_shell() -> None:
    typed = Subject("shell_exec", READ, touch=Touch(command="git status", shell="s"))

    assert judge(typed, gate(rule("allow", command="git *"))).decision == "ask"
    assert judge(typed, gate(rule("allow", command="git status"))).decision == "ask"
    assert judge(typed, gate(rule("deny", command="git *"), mode="allow")).decision == "deny"


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"verdict": "maybe", "tool": "x"}, "invalid enum value 'maybe'"),
        ({"tool": "x"}, "missing required field `verdict`"),
        ({"verdict": "deny", "pth": "x"}, "unknown field `pth`"),
        ({"verdict": "deny"}, "names a tool, path, command or url"),
        ({"verdict": "deny", "path": "a", "url": "b"}, "one of path, command and url"),
        ({"verdict": "deny", "path": "!a"}, "write a later rule that allows it"),
        ({"verdict": "deny", "path": "../a"}, "made of dots"),
        ({"verdict": "deny", "path": "~/a"}, "patterns begin at the workspace"),
        ({"verdict": "deny", "path": "a[b]"}, "it has a bracket"),
        ({"verdict": "deny", "path": "a\\"}, "ends in a backslash"),
        ({"verdict": "deny", "path": "a\nb"}, "control character"),
        ({"verdict": "deny", "path": "/"}, "empty"),
        ({"verdict": "deny", "tool": "a[b"}, "it has a bracket"),
        ({"verdict": "deny", "url": "ftp://x"}, "no address"),
        ({"verdict": "deny", "url": "a b"}, "no address"),
        ({"verdict": "deny", "command": "a; b"}, "not the words of one command"),
        ({"verdict": "allow", "command": "a * | b"}, "not the words of one command"),
        ({"verdict": "allow", "command": "a\u00a0b"}, "cannot be seen"),
        ({"verdict": "allow", "command": " "}, "not the words of one command"),
        ({"verdict": 3}, "got `int`"),
    ],
)
def test_a_rule_that_makes_no_sense_is_told_with_its_reason(
    table: dict[str, Any], told: str
) -> None:
    with pytest.raises(Misconfigured) as caught:
        parse_rule(table)

    assert told in caught.value.message
    assert caught.value.hint


def test_a_rule_goes_through_a_file_unchanged() -> None:
    made = Rule(verdict="allow", tool="bash_exec", command="npm run *", network=True)

    assert parse_rule(msgspec.to_builtins(made)) == made
