"""What a word may be where a pattern says only `*`: an operand inside the folder, or an option known to do no harm.

Every other one is asked about: it may run a program, read its orders from a file, write somewhere else, or work in
another folder. A pattern that spells an option covers it, since a person wrote it.
"""

import re
from collections.abc import Sequence

from bottega.approvals.shell.harmless import BY_SUBCOMMAND, PROGRAMS, TESTS, Harmless

_NOTHING = Harmless(assigns=False)
"""Of a program that nobody wrote a list for."""
_ECHOES = frozenset({"echo", "true", "false", ":"})
"""Whatever they are given, they do nothing with it but say it."""
_OUTSIDE = re.compile(r"[/~]|(?:.*[^a-z])?file:|.*[=,@+:](?:~|/(?!/))", re.DOTALL | re.IGNORECASE)
"""A path from elsewhere, by itself or after what names its kind, as in `git+file:///x` or `host:/x`."""
_FINE = frozenset({"/dev/null", "-"})


def is_harmless(program: str, words: Sequence[str], at: int) -> bool:
    """Whether the word there is an operand inside the folder, or an option that is known to do no harm.

    `words` begin with the program's own name, `program` is that without its folder.
    """
    if program in _ECHOES:
        return True
    table, first = _table(program, words)
    word = words[at]
    if at < first:  # a subcommand
        return word in BY_SUBCOMMAND[program]
    if program == "tar" and (at == 1 or ":" in word):
        return ":" not in word and _is_bundle(word.removeprefix("-"), table)
    if "--" in words[:at] and table.passes:
        table = TESTS
    if word.startswith("-") and word not in _FINE:
        return _is_option(word, table)
    if table.searches and _is_searched(words, at, first):
        return True
    is_odd = program == "git" and "::" in word
    return _is_operand(word, table) and not is_odd and _fits(word, words[first:at], table)


def _fits(word: str, before: Sequence[str], table: Harmless) -> bool:
    """Whether an operand may stand there."""
    if not table.begins and not table.reads:
        return True
    place = _operands(before, table)
    if table.begins and not place:
        return re.fullmatch(table.begins, word) is not None
    return not table.reads or place < table.reads


def _operands(words: Sequence[str], table: Harmless) -> int:
    """How many there are; the value of an option that stands in the next word is none."""
    return sum(
        not word.startswith("-")
        and not (at and re.fullmatch(rf"-[{table.flags}]*[{table.valued or '-'}]", words[at - 1]))
        for at, word in enumerate(words)
    )


def _table(program: str, words: Sequence[str]) -> tuple[Harmless, int]:
    """What is known of the program, or of its subcommand, and where the words begin that this is about."""
    if program not in BY_SUBCOMMAND:
        return PROGRAMS.get(program, _NOTHING), 1
    return BY_SUBCOMMAND[program].get(words[1] if len(words) > 1 else "", _NOTHING), 2


def _is_option(word: str, table: Harmless) -> bool:
    if word == "--" or (table.also and re.fullmatch(table.also, word)):
        return True
    if table.digits and word[1:].isdigit():
        return True
    if word.startswith("--") or table.names:
        name, _, value = word.lstrip("-").partition("=")
        return name in table.long and (not value or _is_operand(value, table))
    for place, letter in enumerate(word[1:], 2):
        if letter in table.valued:
            return not word[place:] or _is_operand(word[place:], table)
        if letter not in table.flags:
            return False
    return True


def _is_bundle(word: str, table: Harmless) -> bool:
    """The first word of tar: every letter counts, as values stand in words of their own, with or without a dash."""
    if word.startswith("-"):
        return _is_option(f"-{word}", table)
    return all(letter in table.flags + table.valued for letter in word)


def _is_operand(word: str, table: Harmless) -> bool:
    """It stays inside the folder, and hides neither an assignment nor a file with further options."""
    if word in _FINE:
        return True
    if (
        _OUTSIDE.match(word)
        or ".." in word.split("/")
        or (table.spells and set(word) & set("{}[]"))
    ):
        return False
    return (table.at or not word.startswith("@")) and (table.assigns or "=" not in word)


def _is_searched(words: Sequence[str], at: int, first: int) -> bool:
    """It is what is looked for: the first operand, unless an option says what that is."""
    options = [word for word in words[first:] if word.startswith("-")]
    if any(re.match(r"--(?:e|reg|fi)|-(?!-)[^-]*[ef]", word) for word in options):
        return False
    return all(word.startswith("-") for word in words[first:at])
