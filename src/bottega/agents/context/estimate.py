"""How many tokens a text is, without a tokenizer: pieces are counted as most of them cut text.

Words, numbers, marks and gaps are told apart by one pass of a pattern; signs of scripts without spaces count each by
itself. The guess is near enough to be made good by one factor a model (`calibrate`); a long text is guessed from parts.
"""

import re
from statistics import median

import msgspec

WHOLE = 16_384
"""Characters up to which every one is looked at."""
_SAMPLES, _SAMPLE = 16, 1_024
_SHORT = 200
"""Characters up to which a text is counted as quickly as it is looked up."""
_MOST_KNOWN = 20_000

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_PIECE = re.compile(
    r" ?[A-Za-z]{1,8}"
    r"|\d{1,3}"
    rf"|[{_UNSPACED}]"
    r"| ?[\u00c0-\u052f]{1,3}"
    rf"| ?[^\W\d_A-Za-z\u00c0-\u052f{_UNSPACED}]{{1,2}}"
    r"| ?[^\w\s]{1,4}[\r\n]*"
    r"|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
    r"|_+"
)

MEDIA = {"image": 1_200, "audio": 1_500, "document": 4_000}
"""Tokens that one such thing is taken for: what it really costs depends on what is in it."""


def tokens(text: str) -> float:
    """About how many tokens most models make of this text. A history is counted again and again, each text once."""
    if len(text) <= _SHORT:
        return float(len(_PIECE.findall(text)))
    key = hash(text), len(text)
    if (known := _known.get(key)) is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[key] = _counted(text)
    return known


_known: dict[tuple[int, int], float] = {}


def _counted(text: str) -> float:
    size = len(text)
    if size <= WHOLE:
        return float(len(_PIECE.findall(text)))
    gap = (size - _SAMPLE) // (_SAMPLES - 1)
    counted = sum(
        len(_PIECE.findall(text[place : place + _SAMPLE]))
        for place in range(0, gap * (_SAMPLES - 1) + 1, gap)
    )
    return counted * size / (_SAMPLES * _SAMPLE)


class Calibration(msgspec.Struct):
    """What a model's own counts say of our guesses: one factor, which a single odd answer cannot move far."""

    ratios: list[float] = []

    def note(self, guessed: float, counted: int) -> None:
        """The provider counted this where we guessed that; what is too small to say anything is left out."""
        if guessed >= _LEAST and counted >= _LEAST:
            self.ratios.append(min(_MOST, max(1 / _MOST, counted / guessed)))
            del self.ratios[:-_KEPT]

    @property
    def factor(self) -> float:
        return median(self.ratios) if self.ratios else 1.0


_LEAST = 20
_MOST = 6.0
_KEPT = 9
