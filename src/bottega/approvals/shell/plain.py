"""The strict reader: a chain of plain commands, word for word as bash would run them, or nothing.

Plain is what no expansion, redirection, assignment or keyword touches: letters, quotes, `;`, `&&`, `||`, `|`, lines
and comments. Whatever else stands in a text makes all of it not plain, so what is read here is read exactly.
"""

import re
import sys
import unicodedata
from typing import NamedTuple

_BARE = r"A-Za-z0-9_%+,./:=@^!#\-"
_QUOTED = r"""\\[ -~\n]|'[^']*'|"(?:[^"\\$`]|\\[\s\S])*\""""
_TOKENS = r"""
  (?P<blank>(?:[ \t]|\\\n)+)
| (?P<comment>\#[^\n]*)
| (?P<line>\n)
| (?P<end>;(?![;&]))
| (?P<join>&&|\|\||\|(?!&))
| (?P<word>(?:[%s]|%s)+)
"""
_TOKEN = re.compile(_TOKENS % (_BARE, _QUOTED), re.VERBOSE)
_WILD_TOKEN = re.compile(_TOKENS % (_BARE + "*?", _QUOTED), re.VERBOSE)
_PIECE = re.compile(_QUOTED + r"|[\s\S]")
_KEPT_SLASH = re.compile(r'\\([$`"\\\n])')
_UNUSUAL = re.compile(r"[^ -~\n\t]")
_SPECIAL = re.compile(r"[*?\\\[]")

RESERVED = frozenset(
    {
        *(
            "if",
            "then",
            "elif",
            "else",
            "fi",
            "for",
            "while",
            "until",
            "do",
            "done",
            "case",
            "esac",
        ),
        *("in", "function", "select", "time", "coproc", "{", "}", "!", "[[", "]]"),
    }
)


def odd_character(text: str) -> str:
    """The first character that readers of a command may not agree on; empty: there is none.

    Unseen characters, blanks that are no space, carriage returns, halves of characters.
    """
    unusual = (found[0] for found in _UNUSUAL.finditer(text))
    return next((char for char in unusual if unicodedata.category(char)[0] in "CZ"), "")


class Simple(NamedTuple):
    """A plain command, and where in the text it stands."""

    words: list[str]
    start: int
    end: int


def chain(text: str, *, wild: bool = False, most: int = sys.maxsize) -> list[Simple] | None:
    """The commands of a chain; None: the text is not plain, or has more than `most` words.

    `wild` reads a pattern: `*` and `?` outside quotes are kept, and literal ones are escaped by a backslash.
    """
    token = _WILD_TOKEN if wild else _TOKEN
    found: list[Simple] = []
    words: list[str] = []
    start = end = at = count = 0
    owed = False  # something has to follow `&&`, `||` or `|`
    while at < len(text):
        match = token.match(text, at)
        if match is None:
            return None
        kind, at = match.lastgroup, match.end()
        if kind == "word":
            start, end = start if words else match.start(), at
            words.append(_value(match[0], wild))
            if (count := count + 1) > most:
                return None
        elif kind in ("line", "end", "join"):
            if not words and kind != "line":
                return None
            if words:
                found.append(Simple(words, start, end))
                words, owed = [], kind == "join"
    if words:
        found.append(Simple(words, start, end))
    elif owed:
        return None
    return found if found and all(_is_command(each.words) for each in found) else None


def word(text: str) -> str | None:
    """What one word is after its quotes are gone; None: it is more than a plain word."""
    found = _TOKEN.fullmatch(text)
    return _value(text, False) if found and found.lastgroup == "word" else None


def _is_command(words: list[str]) -> bool:
    return bool(words[0]) and "=" not in words[0] and words[0] not in RESERVED


def _value(raw: str, wild: bool) -> str:
    if not wild and not any(each in raw for each in "\\'\""):
        return raw
    return "".join(_piece(found[0], wild) for found in _PIECE.finditer(raw))


def _piece(piece: str, wild: bool) -> str:
    if piece == "\\\n":
        return ""
    if len(piece) == 1:
        return piece
    if piece[0] == "\\":
        value = piece[1]
    elif piece[0] == "'":
        value = piece[1:-1]
    else:
        value = _KEPT_SLASH.sub(lambda found: found[1].strip("\n"), piece[1:-1])
    return _SPECIAL.sub(r"\\\g<0>", value) if wild else value
