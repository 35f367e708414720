"""The words around what was searched for. One pass over the text, which is done in a thread.

Not SQLite's own `snippet`, which takes minutes for a text that repeats the word ten thousand times, and no regular
expression of the whole query, which tries every place of such a text anew.
"""

import re
import unicodedata

AROUND = 80
"""Characters that a snippet shows before and after its first match."""
LONGEST_MATCH = 400
"""Characters of a match that are shown."""

_TOKEN = re.compile(r"[^\W_]+")
_FOLDED = 20_000
"""Signs of which it is remembered how they look without case and accents."""

Span = tuple[int, int]


class _Folding(dict[int, int]):
    """Each sign without its case and its accents, one for one, so that places stay the same."""

    def __missing__(self, sign: int) -> int:
        bare = unicodedata.normalize("NFD", chr(sign))[0].lower()
        found = ord(bare) if len(bare) == 1 else sign
        if len(self) < _FOLDED:
            self[sign] = found
        return found


_FOLDING = _Folding()


def folded(text: str) -> str:
    return text.lower() if text.isascii() else text.translate(_FOLDING)


def tokens_of(word: str) -> list[str]:
    """What the index sees in a word."""
    return _TOKEN.findall(folded(word))


class Snippets:
    def __init__(self, words: list[str], marks: tuple[str, str]) -> None:
        self._before, self._after = marks
        found = [tokens_of(word) for word in words]
        # Words stand between single spaces here: a phrase is found by its text, and its last word may go on.
        self._phrases = [f" {' '.join(tokens)}" for tokens in found if tokens]

    def of(self, text: str) -> str:
        """The words around the first match, with each match among them between the marks."""
        start, end = _window(text, *self._first(text))
        parts = ["…" if start else ""]
        place = start
        for near, far in self._matches(text[start:end]):
            first, last = near + start, far + start
            if first >= place:
                parts += [text[place:first], self._before, text[first:last], self._after]
                place = last
        parts += [text[place:end], "…" if end < len(text) else ""]
        return " ".join("".join(parts).split())

    @staticmethod
    def plain(text: str) -> str:
        """The beginning, where there is no time to look for more."""
        end = _window(text, 0, 0)[1]
        return " ".join(text[:end].split()) + ("…" if end < len(text) else "")

    def _first(self, text: str) -> Span:
        spans, joined = _tokens(text)
        places = [joined.find(phrase) for phrase in self._phrases]
        found = [(place, phrase) for place, phrase in zip(places, self._phrases, strict=True)]
        seen = [each for each in found if each[0] >= 0]
        if not seen:
            return 0, 0
        first, last = _span(spans, joined, *min(seen))
        return first, min(last, first + LONGEST_MATCH)

    def _matches(self, text: str) -> list[Span]:
        """Each match in a short text, in order."""
        spans, joined = _tokens(text)
        found: list[Span] = []
        for phrase in self._phrases:
            place = joined.find(phrase)
            while place >= 0:
                found.append(_span(spans, joined, place, phrase))
                place = joined.find(phrase, place + 1)
        return sorted(found)


def _tokens(text: str) -> tuple[list[Span], str]:
    """Where each word is, and all of them, each behind a space."""
    plain = folded(text)
    spans = [match.span() for match in _TOKEN.finditer(plain)]
    return spans, "".join(f" {plain[start:end]}" for start, end in spans)


def _span(spans: list[Span], joined: str, place: int, phrase: str) -> Span:
    """Where in the text a phrase is that was found among its words."""
    first = joined.count(" ", 0, place)
    return spans[first][0], spans[first + phrase.count(" ") - 1][1]


def _window(text: str, first: int, last: int) -> Span:
    """Where to cut around a match: between words, if one ends near enough."""
    start, end = max(0, first - AROUND), min(len(text), last + AROUND)
    if start:
        start = max(start, text.find(" ", start, first) + 1)
    if end < len(text):
        gap = text.rfind(" ", last, end)
        end = gap if gap > last else end
    return start, end
