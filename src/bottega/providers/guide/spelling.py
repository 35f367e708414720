"""Mends the first word of a request, where it is one slip away from a word that the guide knows."""

import re

_VERBS = (
    *("list", "read", "show", "open", "view", "print", "display", "search", "find", "grep"),
    *("create", "write", "make", "save", "execute", "help", "hello", "explore", "describe"),
    *("explain", "what", "what's", "thanks"),
)
_OTHER_WORDS = (
    "ready lost last least line lines need load fine mind kind news road real lead hell held shop "
    "shot slow snow know sake safe cave gave wave lake take ones opens that then than hand head "
    "dead bread shoe shows list read where white wheat chat hat whats bind wind fund hold held "
    "rest test best left lift lots like life does done down your into also maybe male mate"
)
_WORDS = frozenset(_OTHER_WORDS.split())


def corrected(text: str) -> tuple[str, tuple[str, str]]:
    """The text with its first word mended, and that word before and after."""
    match = re.match(r"[A-Za-z']{4,10}\b", text)
    if match is None:
        return text, ("", "")
    word = match[0].casefold()
    if word in _VERBS or word in _WORDS:
        return text, ("", "")
    for verb in _VERBS:
        if one_slip(word, verb):
            return verb + text[match.end() :], (match[0], verb)
    return text, ("", "")


def one_slip(word: str, other: str) -> bool:
    """Whether one letter missing, added, changed or swapped makes one word the other."""
    if abs(len(word) - len(other)) > 1 or word == other:
        return False
    start = 0
    while start < min(len(word), len(other)) and word[start] == other[start]:
        start += 1
    rest, left = word[start:], other[start:]
    if len(rest) == len(left):
        return rest[1:] == left[1:] or (rest[:2] == left[1::-1] and rest[2:] == left[2:])
    return rest[1:] == left or rest == left[1:]
