"""Readers of commands: every command in a text is found, and only plain ones are read as exact."""

import random
import sys

import pytest

from bottega.approvals.shell import plain
from bottega.approvals.shell.read import MOST_CLEAR, MOST_READ, read
from bottega.approvals.verdict import judge
from tests.approvals import generated
from tests.approvals.subjects import command, gate, rule
from tests.effort import seconds
from tests.hunt import LONG, SEED, examples

RM = gate(rule("deny", command="rm *"), mode="allow")


def words(text: str) -> list[list[str]]:
    return [[word.text for word in part] for part in read(text).parts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("git status", [["git", "status"]]),
        ("a;b;", [["a"], ["b"]]),
        ("a && b || c | d\ne", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("a |\n\n b", [["a"], ["b"]]),
        ("\n# first\na # then; b\n", [["a"]]),
        ("a b#c 'd e' \"f g\" h\\ i", [["a", "b#c", "d e", "f g", "h i"]]),
        ("a 'it''s' \"it's\" \"\\\"\\$\\x\"", [["a", "its", "it's", '"$\\x']]),
        ("a \\\n  b", [["a", "b"]]),
        ("a'' '' \"\"", [["a", "", ""]]),
        ("a 'x;y' \"&& z\"", [["a", "x;y", "&& z"]]),
        ("a 'é' b", [["a", "é", "b"]]),
        ("a --k=v x=y %1 ^ @ +", [["a", "--k=v", "x=y", "%1", "^", "@", "+"]]),
        ("a 'x\ny'", [["a", "x\ny"]]),
    ],
)
def test_a_plain_chain_is_read_exactly(text: str, expected: list[list[str]]) -> None:
    assert words(text) == expected
    assert read(text).clear


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "# a",
            "a $x",
            "a `b`",
            "a $(b)",
            'a "$x"',
            'a "`b`"',
            "a *",
            "a ?",
            "a [x]",
            "a {b,c}",
        ),
        *(
            "a ~",
            "a=1",
            "a=1 b",
            "a > b",
            "a < b",
            "a 2>&1",
            "a &",
            "a & b",
            "(a)",
            "{ a; }",
            "! a",
            "a |& b",
        ),
        *(
            "if a; then b; fi",
            "for i in a; do b; done",
            "while a; do b; done",
            "case a in b) c;; esac",
        ),
        *(
            "f() { a; }",
            "function f { a; }",
            "time a",
            "coproc a",
            "[[ a ]]",
            "((a))",
            "a <<E\nE",
            "a <<< b",
        ),
        *(
            "; a",
            "a ;; b",
            "a && && b",
            "a &&",
            "| a",
            "a 'b",
            'a "b',
            "a\\",
            "a é",
            "'' a",
            "=a",
            "a;;",
            "a;&b",
        ),
        *(
            "a\rb",
            "a\u00a0b",
            "a\u2003b",
            "a\u200bb",
            "a\vb",
            "a\fb",
            "a\0b",
            "a\x1b[0m",
            "a\u202eb",
            "a\ud800",
        ),
        *("a $'b'", 'a $"b"', "a !(b)", "a @(b)", "a <(b)", "cd x; ./a", "sub/a; cd x", "a\\é"),
    ],
)
def test_whatever_is_more_than_plain_words_is_not_clear(text: str) -> None:
    assert not read(text).clear


@pytest.mark.parametrize(
    "text",
    [
        *(
            "a; rm x",
            "a && rm x",
            "a || rm x",
            "a | rm x",
            "a |& rm x",
            "a & rm x",
            "a\nrm x",
            "(rm x)",
        ),
        *(
            "{ rm x; }",
            "! rm x",
            "time rm x",
            "if rm x; then a; fi",
            "if a; then rm x; fi",
            "a=1 rm x",
        ),
        *(
            "if a; then b; elif c; then rm x; fi",
            "if a; then b; else rm x; fi",
            "while rm x; do a; done",
        ),
        *("for i in a; do rm $i; done", "for i in $(rm x); do a; done", "until a; do rm x; done"),
        *("for ((;;)); do rm x; done", "select i in a; do rm x; done", "case a in b) rm x;; esac"),
        *(
            "case $(rm x) in b) a;; esac",
            "f() { rm x; }",
            "function f { rm x; }",
            "a $(rm x)",
            "a `rm x`",
        ),
        *(
            'a "$(rm x)"',
            'a "`rm x`"',
            "a <(rm x)",
            "a >(rm x)",
            "a $((1 + $(rm x)))",
            "((a = $(rm x)))",
        ),
        *(
            "a ${b:-$(rm x)}",
            "a=$(rm x)",
            "a=(b $(rm x))",
            "a[$(rm x)]=1",
            "[[ -n $(rm x) ]]",
            "[ $(rm x) ]",
        ),
        *(
            "a <<E\n$(rm x)\nE",
            "a <<E | rm x\nb\nE",
            "a <<'E' && rm x\nb\nE",
            "a <<< $(rm x)",
            "a > $(rm x)",
        ),
        *(
            "rm x > a",
            "> a rm x",
            "2>&1 rm x",
            "rm x <<E\nE",
            "export A=$(rm x)",
            "coproc rm x",
            "rm\\\n x",
        ),
        *(
            "'rm' x",
            '"rm" x',
            "\\rm x",
            "r''m x",
            "/bin/rm x",
            "../rm x",
            "RM x",
            "r\\\nm x",
            "rm",
            "rm\tx",
        ),
        *(
            "sudo rm x",
            "sudo -u a rm x",
            "env A=1 rm x",
            "xargs rm",
            "nohup rm x",
            "timeout 5 rm x",
            "exec rm x",
        ),
        *(
            "command rm x",
            "builtin rm x",
            "eval rm x",
            "eval 'rm x'",
            "sh -c 'rm x'",
            "bash -lc 'a; rm x'",
        ),
        *(
            "sh -c 'sh -c \"rm x\"'",
            "find . -exec rm {} +",
            "find . -ok rm",
            "trap 'rm x' EXIT",
            "busybox rm x",
        ),
        *(
            "parallel rm",
            "ssh host rm x",
            "watch rm x",
            "nice -n 5 rm x",
            "git bisect run rm x",
            "npx rm x",
        ),
    ],
)
def test_a_denied_command_is_found_wherever_it_stands(text: str) -> None:
    assert judge(command(text), RM).decision == "deny"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "$X x",
            "$(echo rm) x",
            "`echo rm` x",
            "r? x",
            "{rm,x}",
            "~/rm",
            "$'rm' x",
            '$"rm" x',
            "r$X x",
        ),
        *(
            "sudo $X",
            "python -c 'x'",
            "perl -e 'x'",
            "a | sh",
            "sh < x",
            ". ./x",
            "source x",
            "alias a=b",
        ),
        *("a | ((", "a 'b", "if", "rm\u00a0x", "rm\rx", "a\x00", "a > rm", "a <<E\nrm x\nE"),
    ],
)
def test_what_may_be_a_denied_command_is_asked_about(text: str) -> None:
    assert judge(command(text), RM).decision in ("ask", "deny")


@pytest.mark.parametrize(
    "text", ["ls $X", "git rm x", "a rm x", 'echo "rm x"', "echo '; rm x'", "a --rm", "rmdir x"]
)
def test_what_only_speaks_of_a_denied_command_runs(text: str) -> None:
    assert judge(command(text), RM).decision == "allow"


def test_a_denied_subcommand_is_asked_about_if_other_words_stand_between() -> None:
    by = gate(rule("deny", command="git push"), mode="allow")

    assert judge(command("git push origin"), by).decision == "deny"
    assert judge(command("git --no-pager push origin"), by).decision == "ask"
    assert judge(command("git $X"), by).decision == "ask"
    assert judge(command("git pull"), by).decision == "allow"


def test_without_a_rule_on_commands_allow_mode_asks_about_none() -> None:
    assert judge(command("$X | (("), gate(mode="allow")).decision == "allow"


@pytest.mark.parametrize("join", ["; ", " && ", " || ", " | ", "\n"])
@pytest.mark.parametrize("number", [1, 2, 50, 51, 5000])
def test_a_command_of_many_parts_has_the_verdict_of_its_worst(join: str, number: int) -> None:
    fine = ["a x"] * number
    allow = (rule("allow", command="a *"),)
    for at in {number // 2, number} if number < 5000 else {number}:
        for worst, decision in (
            ("rm x", "deny"),
            ("rm $X", "deny"),
            ("b", "ask"),
            ("a y", "allow" if number < MOST_CLEAR else "ask"),
        ):
            text = join.join([*fine[:at], worst, *fine[at:]])
            verdict = judge(command(text), gate(*allow, rule("deny", command="rm *")))
            assert verdict.decision == decision


def test_ten_times_as_many_parts_take_about_ten_times_as_long() -> None:
    by = gate(rule("allow", command="git status *"))

    def judging(number: int) -> float:
        text = " && ".join(f"git status {each}" for each in range(number))
        assert judge(command(text), by).decision == "allow"
        return seconds(lambda: judge(command(text), by))

    small, large = judging(MOST_CLEAR // 10), judging(MOST_CLEAR)
    assert large < 40 * small
    assert large < 2


UNITS = [
    *(
        "(",
        "$(",
        "{ ",
        "`",
        "'",
        '"',
        "((",
        "[[ ",
        "<<a\n",
        "<(",
        "${x:-",
        "\\",
        "a=(",
        "if ",
        "case x in ",
    ),
    *(
        "$((",
        '"$(',
        "a;",
        "$",
        "[",
        "a|",
        "a | ",
        "a&",
        "<<<",
        "! ",
        "f()",
        "for i in ",
        "&&",
        "||",
        "\n",
    ),
    *(
        "#",
        "a[",
        "x=",
        "1>",
        "}",
        ")",
        "$[",
        '"${',
        "[[ a && (",
        "é",
        "a ",
        "sh 'a|' ",
        "sudo ",
        "rm ",
        "\r",
    ),
    *("a \\\n", "a #\n", "a;;", "-exec rm ", "sh -c '" + "a|" * 1000 + "' ; ", "'a;' "),
]


@pytest.mark.fuzz
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit[:12])
def test_no_command_takes_long_to_judge(unit: str) -> None:
    for before in ("", "sh ", "sh -c '") if LONG else ("",):
        short, long = (_judging(before, unit, size) for size in (1_999, MOST_READ))
        assert long < 70 * max(short, 0.03), "the parser's mending grows without bounds"
        assert sys.gettrace() or max(short, long) < 2  # traced, everything is slower


def _judging(before: str, unit: str, size: int) -> float:
    text = (before + unit * (size // len(unit) + 1))[:size]
    by = gate(rule("deny", command="rm *"), rule("allow", command="a *"))
    return seconds(lambda: judge(command(text), by), times=1)


def test_a_command_too_long_to_be_shown_is_refused_rather_than_asked_about() -> None:
    text = "echo " + "x" * 1_000_000

    verdict = judge(command(text), gate())

    assert verdict.decision == "deny"
    assert "1,000,005 characters long" in verdict.reason
    assert judge(command(text + "; rm y"), RM).reason == "rule: deny command rm *"


@pytest.mark.fuzz
def test_no_text_makes_a_reader_fail() -> None:
    dice = random.Random(SEED)
    for _ in range(examples(1_500, 50_000)):
        text = generated.command(dice) + "".join(
            chr(dice.choice([*range(128), 0xA0, 0xE9, 0x202E, 0x1F600, 0xD800]))
            for _ in range(dice.randint(0, 4))
        )
        reading = read(text)
        assert not (reading.clear and plain.odd_character(text))
        assert not (reading.clear and set(text) & set("$`*?[]{}()<>~")) or _quoted(text)


def _quoted(text: str) -> bool:
    """Whether what would be expanded stands in quotes or behind a backslash."""
    return any(each in text for each in "'\"\\#")
