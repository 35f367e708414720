"""What each mode lets run, by what a tool may do and never by a list of names alone."""

import msgspec
import pytest

from bottega.approvals.grant import parse_grant
from bottega.approvals.matching import Gate
from bottega.approvals.mode import MODES, Mode, checked_mode
from bottega.approvals.subject import Subject
from bottega.approvals.touch import Touch
from bottega.approvals.verdict import BLOCKED, judge
from bottega.errors import BadUsage
from bottega.tools.builtin import builtin_registry
from tests.approvals.subjects import command, fetching, gate, reading, rule, writing

REGISTRY = builtin_registry()
FREE = (
    *("read_file", "get_project_info", "todo_read", "todo_write"),
    *("shell_close", "list_dir", "glob", "grep", "ask_user", "read_output", "delegate", "recall"),
)
ASKED = (
    *("write_file", "patch_file", "multi_edit", "bash_exec", "shell_exec"),
    *("web_fetch", "shell_open"),
)
TOUCHES = {
    "web_fetch": Touch(url="https://example.org/", network=True),
    "bash_exec": Touch(command="make"),
    "shell_exec": Touch(command="make", shell="sh_1"),
    "write_file": Touch(writes=("a",)),
}


def subject(name: str) -> Subject:
    tool = REGISTRY.get(name)
    touch = TOUCHES.get(name, Touch())
    return Subject(name, frozenset(tool.effects), touch=touch, sandbox="bubblewrap")


def test_every_tool_of_the_house_is_in_one_of_the_two_lists() -> None:
    assert set(REGISTRY.names) == {*FREE, *ASKED}


@pytest.mark.requirement("T43")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FREE)
def test_what_does_no_harm_runs_in_every_mode(name: str, mode: Mode) -> None:
    assert judge(subject(name), gate(mode=mode)).decision == "allow"


@pytest.mark.requirement("T40", "C8")
@pytest.mark.parametrize("name", ASKED)
def test_plan_mode_blocks_what_could_change_something_and_says_so(name: str) -> None:
    verdict = judge(subject(name), gate(mode="plan"))
    assert verdict.decision == "blocked"
    assert verdict.reason.startswith(BLOCKED)


@pytest.mark.requirement("T41", "C8")
@pytest.mark.parametrize("name", ASKED)
def test_ask_mode_asks_before_it(name: str) -> None:
    assert judge(subject(name), gate(mode="ask")).decision == "ask"


@pytest.mark.requirement("T42")
@pytest.mark.parametrize("name", ASKED)
def test_allow_mode_runs_it(name: str) -> None:
    assert judge(subject(name), gate(mode="allow")).decision == "allow"


@pytest.mark.requirement("C8")
@pytest.mark.parametrize(
    ("effects", "known"),
    [
        ({"write"}, True),
        ({"execute"}, True),
        ({"network"}, True),
        ({"read", "network"}, True),
        ({"read"}, False),
        (set[str](), True),
        ({"made up"}, True),
    ],
)
def test_a_tool_that_nobody_thought_of_is_judged_by_its_effects(
    effects: set[str], known: bool
) -> None:
    made_up = Subject("new_tool", frozenset(effects), known, sandbox="bubblewrap")
    assert judge(made_up, gate(mode="plan")).decision == "blocked"
    assert judge(made_up, gate(mode="ask")).decision == "ask"


def test_a_stranger_cannot_take_the_name_of_a_harmless_tool() -> None:
    stranger = Subject("read_file", frozenset({"read"}), known=False)
    assert judge(stranger, gate()).decision == "ask"


@pytest.mark.parametrize(
    ("sandbox", "trusted", "why"),
    [
        ("none", True, "not sandboxed"),
        ("landlock", True, "Landlock alone"),
        ("bubblewrap", False, "self-test"),
    ],
)
def test_allow_mode_is_off_for_commands_that_no_sandbox_is_known_to_hold(
    sandbox: str, trusted: bool, why: str
) -> None:
    run = command("make", sandbox=sandbox)  # type: ignore[arg-type]
    verdict = judge(run, gate(mode="allow", trusted=trusted))
    assert verdict.decision == "ask"
    assert why in verdict.reason


def test_each_approval_of_a_bare_command_says_that_it_is_not_sandboxed() -> None:
    assert "not sandboxed" in judge(command("make", sandbox="none"), gate()).reason


def test_the_last_rule_that_matches_counts_and_plan_mode_beats_what_rules_allow() -> None:
    rules = (rule("allow", path="src/**"), rule("deny", path="src/secret/**"))
    assert judge(writing("src/a.py"), gate(*rules)).decision == "allow"
    assert judge(writing("src/secret/a"), gate(*rules)).decision == "deny"
    assert judge(writing("src/secret/a"), gate(*rules[::-1])).decision == "allow"
    assert judge(writing("src/a.py"), gate(*rules, mode="plan")).decision == "blocked"
    assert judge(writing("src/secret/a"), gate(*rules, mode="allow")).decision == "deny"


def test_a_call_gets_the_worst_of_its_paths() -> None:
    rules = (rule("allow", path="src/**"), rule("deny", path="*.pem"))
    assert judge(writing("src/a", "src/b"), gate(*rules)).decision == "allow"
    assert judge(writing("src/a", "doc/b"), gate(*rules)).decision == "ask"
    assert judge(writing("src/a", "src/key.pem"), gate(*rules)).decision == "deny"


@pytest.mark.parametrize("path", ["secrets/key", "SECRETS/key", "Secrets/KEY", "secrets/a/b/c"])
def test_what_is_denied_is_denied_in_any_spelling(path: str) -> None:
    assert judge(reading(path), gate(rule("deny", path="secrets/**"))).decision == "deny"


def test_a_rule_may_ask_for_what_is_free_otherwise() -> None:
    assert judge(reading(".env"), gate(rule("ask", path=".env"))).decision == "ask"


def test_a_page_is_allowed_by_its_address() -> None:
    allowing = gate(rule("allow", url="https://docs.example.org/**"))
    assert judge(fetching("https://docs.example.org/a"), allowing).decision == "allow"
    for other in ("https://docs.example.org.evil.net/a", "http://docs.example.org/a"):
        assert judge(fetching(other), allowing).decision == "ask", other


def test_what_is_offered_would_really_let_the_call_run() -> None:
    for asked in (command("git status --short"), writing("src/a.py"), fetching("https://a.org/x")):
        verdict = judge(asked, gate())
        assert verdict.offers
        for offer in verdict.offers:
            granted = Gate("ask", (), (parse_grant(str(offer)),), trusted=True)
            assert judge(asked, granted).decision == "allow", offer


def test_there_are_three_modes_and_another_word_is_refused() -> None:
    assert [checked_mode(mode) for mode in MODES] == ["plan", "ask", "allow"]
    with pytest.raises(BadUsage, match="no mode"):
        checked_mode("yolo")


def test_what_would_run_outside_is_asked_about_whatever_allows_it() -> None:
    call = msgspec.structs.replace(writing("hooks/x"), danger="git would run it")
    allowed = gate(rule("allow", path="hooks/x"), rule("allow", tool="write_file"), mode="allow")
    granted = (parse_grant("write_file"), parse_grant("write_file(hooks/x)"))
    verdict = judge(call, msgspec.structs.replace(allowed, grants=granted))
    assert (verdict.decision, verdict.reason, verdict.offers) == ("ask", "git would run it", ())
    assert judge(call, gate(rule("deny", path="hooks/**"), mode="allow")).decision == "deny"
    assert judge(call, gate(mode="plan")).decision == "blocked"
