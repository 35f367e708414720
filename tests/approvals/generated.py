"""Commands made up by dice: plain ones, ones that hide something, and ones with characters changed."""

import random
from collections.abc import Callable

PROGRAMS = [
    *("a", "a", "a", "b", "c", "git", "git status", "git status", "npm", "echo", "cd", ":", "rm"),
    *("a", "a", "git status", "true", "echo", "git 'status'"),
    *("'q r'", '"a"', "\\a", "a''"),
]
ODD_PROGRAMS = [
    *("env", "sudo", "xargs", "timeout 1", "nohup", "eval", "exec", "command", "builtin", "."),
    *("source", "export", "set", "trap", "alias", "printf", "test", "hash", "enable", "shopt"),
    *("unset", "let", "read", "$X", "$(echo rm)", "`echo rm`", "{rm,x}", "r?", "~", "é", "A=1 a"),
    *("PATH=. a", "X=rm;$X", "/bin/rm", "/bin/bash -c", "if", "then", "do", "time", "!", "{", "}"),
    *("coproc", "[", "[[", "((", "function", "r''m", "$'rm'", '$"rm"', "r\\\nm", "\\r\\m", "rm\t"),
    *("declare -x", "local", "2>&1", "command -p", "exec -a x", "1a=2", "a[0]=x", "f() rm;", "-"),
]
WORDS = [
    *("x", "-n", "status", "push", "test", "a.b", "--k=v", "'q r'", '"d q"', "a\\ b", "1", "''"),
    *('""', "'a;rm'", '"a && rm"', "a#b", "'$(rm)'", "\\$x", '"it\'s"', "@", "%1", "^", "+x", ","),
    *(
        "x/y",
        "é",
        "'é'",
        "!",
        "!!",
        "\\;",
        "'\n'",
        '"a\\\nb"',
        '"\\$x"',
        '"\\n"',
        "\\\n",
        "--",
        "=",
    ),
    *("a=b", ":", "in", "do", "0x1", "-1", "a\\'b", '"\'"', "'\"'", "status", "x", "test"),
]
ODD_WORDS = [
    *("$X", "$(rm y)", "`rm y`", "*", "~", "{x,y}", "$'x'", '"$(rm)"', "${X:-rm}", "${X:=$(rm)}"),
    *("<(rm)", ">(rm)", "$((1+$(rm)))", "[xy]", "?", "a\rb", "\u00a0x", "x\u00a0rm", "> f", ">f"),
    *(">>f", "2> f", "&> f", "< x", "<<< rm", "<<E\n$(rm)\nE\n", "<<'E'\n$(rm)\nE\n"),
    *("<<-E\n\trm\n\tE\n", "#", "# rm", "\v", "\u2028", "\u200b", "&", "()", '"`rm`"', "\x01"),
    *("'a[$(rm)]'", "-v 'a[$(rm)]'", "$[$(rm)]", "!(x)", "@(x)", "'rm y'", "EXIT", "-exec rm"),
    *("a=$(rm)", "$'\\'' rm", "'\\'' ; rm '", '"\\"" ; rm "', "\\' ; rm", "a\\\\", "{rm,y}"),
    *("+(rm)", "\\\r", "*(rm)", "a=~", "~+", "x{", "a}", "\\é", "$", '"$"', '"!"', "^rm^a"),
]
JOINS = [
    *("; ", ";", " && ", "&&", " || ", " | ", "|", "\n", " \n\n", " & ", "&", " |& ", ";;", "\r"),
    *(" ; # x\n", "\\\n", "|\n", "; ;", "&\\\n&", "|\\\n|", " #\\\n"),
]
PLAIN_JOINS = ["; ", ";", " && ", "&&", " || ", " | ", "|", "\n", " # rm\n", " \\\n&& ", "|\n"]
CHARACTERS = [
    *" \t\n\r;&|()<>$`'\"\\{}[]*?~#!=%^,@+-:./x\0\u00a0é",
    *("rm", " rm ", "$(", "&&", "||", "<<", ";rm "),
]


def command(dice: random.Random) -> str:
    """One command; about half of them hold nothing but plain words."""
    made = _plain(dice) if dice.random() < 0.55 else _odd(dice)
    if dice.random() < 0.35:
        for _ in range(dice.randint(1, 3)):
            made = _changed(made, dice)
    return made


def _plain(dice: random.Random) -> str:
    return _chain(dice, lambda: _simple(dice, PROGRAMS, WORDS), PLAIN_JOINS)


def _odd(dice: random.Random) -> str:
    def one() -> str:
        programs = PROGRAMS if dice.random() < 0.5 else ODD_PROGRAMS
        words = WORDS if dice.random() < 0.5 else WORDS + ODD_WORDS * 2
        made = _simple(dice, programs, words)
        if dice.random() < 0.6:
            return made
        other = _simple(dice, PROGRAMS, WORDS)
        return dice.choice(SHAPES).replace("ONE", made).replace("TWO", other)

    return _chain(dice, one, JOINS)


def _chain(dice: random.Random, one: Callable[[], str], joins: list[str]) -> str:
    made = one()
    for _ in range(dice.choice([0, 0, 0, 1, 1, 2, 4])):
        made += dice.choice(joins) + one()
    return made


def _simple(dice: random.Random, programs: list[str], words: list[str]) -> str:
    length = dice.choice([0, 1, 1, 2, 3])
    said = [dice.choice(programs), *(dice.choice(words) for _ in range(length))]
    return dice.choice([" ", " ", " ", "  ", "\t", " \\\n "]).join(said)


SHAPES = [
    *("(ONE)", "{ ONE; }", "! ONE", "time ONE", "A=1 ONE", "A=$(ONE) TWO", "TWO $(ONE)", "ONE &"),
    *(
        'TWO "`ONE`"',
        "TWO <(ONE)",
        "ONE > f",
        "ONE 2>&1",
        "{ ONE; } > f",
        "(ONE) | TWO",
        "TWO # ONE",
    ),
    *("if TWO; then ONE; else TWO; fi", "for i in 1 2; do ONE; done", "until a; do ONE; done"),
    *("case x in x) ONE;; *) TWO;; esac", "select i in a; do ONE; done", "TWO; #\\\nONE"),
    *("for ((i=0;i<1;i++)); do ONE; done", "[[ -n $(ONE) ]] && TWO", "(( $(ONE) ))"),
    *("f() { ONE; }; f x", "git() { rm TWO; }; git status", "function f { ONE; }\nTWO\nf"),
    *(
        "a() (ONE)\na x",
        "a () { rm; } ; a x",
        "function a() { rm; }; a",
        "a() if true; then rm; fi; a",
    ),
    *("coproc ONE", "coproc N { ONE; }", "exec ONE", "command ONE", "builtin ONE", "env ONE"),
    *("eval 'ONE'", 'eval "ONE"', "trap 'ONE' EXIT", "trap 'ONE' DEBUG; TWO", "sudo -u x ONE"),
    *("alias a='ONE'\na x", "shopt -s expand_aliases\nalias a=rm\na TWO", "echo x | xargs ONE"),
    *("sh -c 'ONE'", "/bin/bash -c 'ONE'", "/bin/bash <<< 'ONE'", "/bin/bash <<E\nONE\nE"),
    *("echo 'ONE' | /bin/bash", "TWO <<E\nONE\nE", "TWO <<E\n$(ONE)\nE", "TWO <<'E'\n$(ONE)\nE"),
    *("TWO <<E | ONE\nx\nE", "TWO <<E; ONE\nx\nE\n", "TWO <<\\E\nx\nE\nONE", 'TWO <<"E"\nONE\nE'),
    *("printf -v 'a[$(ONE)]' x; TWO", "X='ONE'; $X", 'set -- rm; "$@"; TWO', "IFS=x; ONE"),
    *("export PATH=.; ONE", "BASH_ENV=x ONE", "hash -p /bin/rm a; a x; TWO", "TWO ${X:-$(ONE)}"),
    *("TWO $(cat <<E\n$(ONE)\nE\n)", "TWO <<A <<B\nx\nA\nONE\nB\n", "TWO <<E\\\nF\nONE\nEF\nONE"),
    *("mapfile -C 'ONE' -c 1 <<< x", "TWO $'a\\'; ONE; \\''", 'TWO "a\\\\"; ONE', "TWO 'a\\'; ONE"),
    *("while read -r i; do ONE; done < x", "enable -n echo; echo x; TWO", "a=(TWO $(ONE))"),
]


def _changed(text: str, dice: random.Random) -> str:
    at = dice.randint(0, len(text))
    roll = dice.random()
    if roll < 0.5:
        return text[:at] + dice.choice(CHARACTERS) + text[at:]
    if roll < 0.75:
        return text[:at] + text[at + 1 :]
    if roll < 0.9:
        return text[:at] + dice.choice(CHARACTERS) + text[at + 1 :]
    return text[:at] + text[at // 2 :]
