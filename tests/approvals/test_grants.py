"""Grants: what "allow all" covers for the rest of a session, and what it must never cover."""

import pytest

from bottega.approvals.grant import Grant, parse_grant
from bottega.approvals.matching import Gate
from bottega.approvals.subject import Subject
from bottega.approvals.touch import Touch
from bottega.approvals.verdict import judge
from bottega.errors import BadUsage
from tests.approvals.subjects import READ, WRITE, command, fetching, gate, rule, writing


def granted(*texts: str, trusted: bool = True) -> Gate:
    return Gate(grants=tuple(map(parse_grant, texts)), trusted=trusted, masked=True)


def offered(subject: Subject, by: Gate | None = None) -> list[str]:
    return [str(each) for each in judge(subject, by or gate()).offers]


@pytest.mark.parametrize(
    "text",
    [
        *("bash_exec", "bash_exec(git status)", "bash_exec(git status *)", "bash_exec+network"),
        *("bash_exec+network(npm i)", "write_file(/src/a (1).py)", "mcp__a-b.c(x)", "x((()"),
    ],
)
def test_a_grant_is_its_text_and_back(text: str) -> None:
    assert str(parse_grant(text)) == text


@pytest.mark.parametrize("text", ["", "()", "a()", "(x)", "a b", "a(x", "a+x", "a(x)b"])
def test_what_is_no_grant_is_told(text: str) -> None:
    with pytest.raises(BadUsage, match="is no grant"):
        parse_grant(text)


def test_a_tool_that_was_granted_runs_and_no_other_does() -> None:
    by = granted("write_file")

    assert judge(writing("a"), by).decision == "allow"
    assert judge(writing("a"), by).reason == "granted: write_file"
    assert judge(writing("a", tool="patch_file"), by).decision == "ask"
    assert judge(command("ls"), by).decision == "ask"


@pytest.mark.parametrize(
    "text", ["git status", "git  'status'", "git status # look", "git status\n"]
)
def test_a_granted_command_runs_in_every_spelling_of_the_same_words(text: str) -> None:
    assert judge(command(text), granted("bash_exec(git status)")).decision == "allow"


@pytest.mark.parametrize(
    "text",
    [
        *("git status -s", "git push", "git", "git statusx", "GIT status", "./git status"),
        *("git status; rm x", "git status && rm x", "git status || rm x", "git status | rm x"),
        *(
            "git status & rm x",
            "git status\nrm x",
            "git status > x",
            "git status >> x",
            "git status < x",
        ),
        *(
            "git status 2>&1",
            "git status 2>/dev/null",
            "git status &",
            "A=1 git status",
            "(git status)",
        ),
        *(
            "git status $(rm)",
            "git `rm`",
            'git "$(rm)"',
            "git status <(rm)",
            "git $X",
            "git *",
            "git ?tatus",
        ),
        *(
            "git s{tatus,how}",
            "git ~",
            "git $'status'",
            "env git status",
            "sudo git status",
            "exec git status",
        ),
        *(
            "git() { rm; }; git status",
            "alias git=rm; git status",
            "PATH=. git status",
            "eval git status",
        ),
        *(
            "git\u00a0status",
            "git\rstatus",
            "git status\r",
            "! git status",
            "time git status",
            "{ git status; }",
        ),
        *(
            "cd /tmp && git status",
            "git status <<E\n$(rm)\nE",
            "git status <<< x",
            "if git status; then rm; fi",
        ),
    ],
)
def test_a_granted_command_covers_no_other(text: str) -> None:
    assert judge(command(text), granted("bash_exec(git status)")).decision == "ask"


def test_a_chain_runs_if_every_part_of_it_was_granted() -> None:
    by = granted("bash_exec(git status *)", "bash_exec(npm test)")

    assert judge(command("git status -s && npm test; git status"), by).decision == "allow"
    assert judge(command("git status -s && npm test; npm run x"), by).decision == "ask"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "git log --output=x",
            "git log --outp x",
            "git log -c x",
            "git grep -O",
            "git diff --ext-diff",
        ),
        *("git --git-dir=x log", "git -C x log", "git -c core.pager=rm log", "git bisect run rm"),
        *(
            "find . -exec rm x",
            "find . -delete",
            "python -c x",
            "python",
            "python -",
            "python3.11 -Ic x",
        ),
        *(
            "node -e x",
            "perl -ne x",
            "ruby --eval x",
            "tar --to-command=rm x",
            "tar --checkpoint-a=x",
        ),
        *(
            "sort -o x y",
            "make SHELL=x",
            "make -f x",
            "npm exec x",
            "docker run x",
            "cargo run",
            "uv run x",
        ),
        *(
            "awk x",
            "sed x",
            "tee x",
            "xargs rm",
            "ssh h rm",
            "sh x",
            "vim x",
            "env x",
            "timeout 1 rm",
        ),
        *(
            "printf -v a x",
            "test -v x",
            "export A=1",
            "set -e",
            "trap x EXIT",
            "source x",
            ". x",
            "exec x",
        ),
    ],
)
def test_a_star_covers_no_words_that_run_or_write_something_else(text: str) -> None:
    program = text.partition(" ")[0]
    patterns = (f"{program} *", "*")

    for pattern in patterns:
        assert judge(command(text), granted(f"bash_exec({pattern})")).decision == "ask"
        assert judge(command(text), gate(rule("allow", command=pattern))).decision == "ask"


@pytest.mark.parametrize(
    "text",
    [
        *("git log --oneline -5", "git diff HEAD^ -- a", "find . -name x", "python x.py y"),
        *("npm test -- --watch", "cargo test x", "ls -la", "rg -n x src", "echo a b", "cd x"),
        *("tar xf a.tar", "sort -u x", "make all", "python -m pytest -q"),
    ],
)
def test_a_star_covers_the_usual_words(text: str) -> None:
    first, second, *_ = (*text.split(), "")
    pattern = f"{first} -m pytest *" if second == "-m" else f"{first} *"

    assert judge(command(text), granted(f"bash_exec({pattern})")).decision == "allow"


@pytest.mark.parametrize(
    "text",
    ["sudo apt update", "npm test 2>&1 | tail -5", "for i in a b; do echo $i; done", "ls $HOME"],
)
def test_a_rule_may_name_a_whole_command_and_a_grant_may_not(text: str) -> None:
    by = gate(rule("allow", command=text))

    assert judge(command(text), by).decision == "allow"
    assert judge(command(f" {text}\n"), by).decision == "allow"
    assert judge(command(f"{text}; rm x"), by).decision == "ask"
    assert judge(command(f"{text} x"), by).decision == "ask"
    assert judge(command(text), granted(f"bash_exec({text})")).decision == "ask"


def test_a_rule_with_a_star_is_never_taken_for_a_whole_command() -> None:
    assert judge(command("head *"), gate(rule("allow", command="head *"))).decision == "ask"


def test_the_network_is_granted_apart() -> None:
    by = granted("bash_exec(npm install)", "bash_exec")

    assert judge(command("npm install"), by).decision == "allow"
    assert judge(command("npm install", network=True), by).decision == "ask"
    online = granted("bash_exec+network(npm install)")
    assert judge(command("npm install", network=True), online).decision == "allow"
    assert judge(command("npm install"), online).decision == "allow"
    assert offered(command("npm install", network=True)) == [
        *(
            "bash_exec+network",
            "bash_exec+network(npm install *)",
            "bash_exec+network(npm install)",
        ),
    ]


def test_no_denial_and_no_plan_mode_is_lifted_by_a_grant() -> None:
    grants = granted("bash_exec", "bash_exec(rm x)").grants

    by = Gate("ask", (rule("deny", command="rm *"),), grants, trusted=True)
    assert judge(command("rm x"), by).decision == "deny"
    assert judge(command("rm x"), Gate("plan", (), grants, trusted=True)).decision == "blocked"


def test_a_rule_that_asks_is_lifted_by_a_grant_as_precise_as_it() -> None:
    ask = rule("ask", command="git push *")

    assert judge(command("git push"), Gate("allow", (ask,), trusted=True)).offers == (
        *(Grant("bash_exec", "git push *"), Grant("bash_exec", "git push")),
    )
    wide = Gate("ask", (ask,), (Grant("bash_exec"),), trusted=True)
    assert judge(command("git push"), wide).decision == "ask"
    assert judge(command("git pull"), wide).decision == "allow"
    named = Gate("ask", (ask,), (Grant("bash_exec", "git push"),), trusted=True)
    assert judge(command("git push"), named).decision == "allow"


def test_commands_are_granted_by_pattern_only_where_no_sandbox_holds_them() -> None:
    bare = command("git status", sandbox="none")

    assert offered(bare) == ["bash_exec(git status *)", "bash_exec(git status)"]
    assert judge(bare, granted("bash_exec")).decision == "ask"
    assert judge(bare, granted("bash_exec(git status)")).decision == "allow"
    assert judge(command("ls"), granted("bash_exec", trusted=False)).decision == "ask"


@pytest.mark.parametrize(
    ("subject", "patterns"),
    [
        (command("git status -s"), ["git status *", "git status -s"]),
        (command("ls 'a b'"), ["ls 'a b'"]),
        (command("grep 'a*' x"), ["grep 'a*' x"]),
        (command("npm run build"), ["npm run *", "npm run build"]),
        (command("git -C x log"), ["git -C x log"]),
        (command("git status > x"), []),
        (command("sudo ls"), []),
        (command("a; b"), []),
        (command("a $X"), []),
        (command(""), []),
        (command("# nothing"), []),
        (command("echo " + "x" * 2000), []),
        (writing("src/a/b.py"), ["/src/a/**", "/src/a/b.py"]),
        (writing("a [1]*.py"), ["/a \\[1]\\*.py"]),
        (writing("a", "b"), []),
        (fetching("https://example.org/docs?q=1"), ["https://example.org"]),
        (fetching("http://127.0.0.1:8080/x"), ["http://127.0.0.1:8080"]),
        (fetching("https://u@example.org/"), []),
        (Subject("mcp__x", READ, known=False), []),
        (
            Subject(
                "shell_exec", WRITE, touch=Touch(command="ls", shell="s"), sandbox="bubblewrap"
            ),
            [],
        ),
    ],
)
def test_what_is_offered_is_the_tool_and_what_would_cover_this_call_precisely(
    subject: Subject, patterns: list[str]
) -> None:
    tool = subject.tool

    assert offered(subject) == [tool, *(f"{tool}({each})" for each in patterns)]
    for text in offered(subject):
        assert judge(subject, granted(text)).decision == "allow"


def test_only_what_is_not_yet_covered_is_offered() -> None:
    by = granted("bash_exec(ls x)")

    assert offered(command("ls x && npm test"), by) == [
        *("bash_exec", "bash_exec(npm test *)", "bash_exec(npm test)"),
    ]


def test_a_granted_place_covers_what_is_beneath_it_and_nothing_beside() -> None:
    by = granted("write_file(/src/a/**)")

    assert judge(writing("src/a/b/c"), by).decision == "allow"
    assert judge(writing("src/ab"), by).decision == "ask"
    assert judge(writing("SRC/a/b"), by).decision == "ask"
    assert judge(writing("src/a/b", "src/c"), by).decision == "ask"


def test_a_granted_site_covers_that_site_alone() -> None:
    by = granted("web_fetch(https://example.org)")

    assert judge(fetching("https://example.org/x"), by).decision == "allow"
    assert judge(fetching("https://example.org.evil.example/x"), by).decision == "ask"
    assert judge(fetching("http://example.org/x"), by).decision == "ask"


def test_a_pattern_of_another_kind_covers_nothing() -> None:
    assert judge(fetching("https://a.example/"), granted("web_fetch(a b)")).decision == "ask"
    assert judge(writing("a"), granted("write_file(!a)")).decision == "ask"
    assert judge(command("a"), granted("bash_exec(a; b)")).decision == "ask"
    assert judge(Subject("x", READ, known=False), granted("x(a)")).decision == "ask"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("python *", "python -c x"),
        ("python -u *", "python -u -c x"),
        ("python -m *", "python -m x -c y; id"),
        ("python -W ignore *", "python -W ignore -c x"),
        ("node *", "node -e x"),
    ],
)
def test_a_star_never_covers_code_that_an_interpreter_is_given(pattern: str, text: str) -> None:
    assert judge(command(text), granted(f"bash_exec({pattern})")).decision == "ask"
