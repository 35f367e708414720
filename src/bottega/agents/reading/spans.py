"""Inside a line: inline code and quotation marks, which may run on through the lines of a paragraph.

Reading is linear: a mark is looked at once. A mark that never finds its partner stays open up to the paragraph's end.
"""

import re

_MARKS = re.compile(r"`+|[\"“”]|<!--|-->")
_ANY = re.compile(r"[`\"“<]")
_PARTNERS = {'"': '"', "“": "”", "<!--": "-->"}


def left_open(text: str, inside: str) -> str:
    """What is open behind this text, if `inside` was open before it; empty if nothing is."""
    if not inside and not _ANY.search(text):
        return ""
    for found in _MARKS.finditer(text):
        mark = found[0]
        if not inside:
            inside = mark if mark[0] in '`"“' or mark == "<!--" else ""
        elif mark == _PARTNERS.get(inside, inside):
            inside = ""
    return inside


def unquoted(text: str) -> str:
    """A line without its inline code and its quoted words: what it says in its own voice."""
    if not _ANY.search(text):
        return text
    kept: list[str] = []
    inside, start = "", 0
    for found in _MARKS.finditer(text):
        mark = found[0]
        if not inside and (mark[0] in '`"“' or mark == "<!--"):
            kept.append(text[start : found.start()])
            inside, start = mark, found.start()
        elif inside and mark == _PARTNERS.get(inside, inside):
            inside, start = "", found.end()
    kept.append("" if inside else text[start:])
    return " ".join(kept)
