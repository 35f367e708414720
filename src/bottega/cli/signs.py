"""What is written where a terminal, a file or a pipe cannot say a sign: the nearest letter, else a question mark.

A tick and a cross must not become the same. Nothing that is written fails.
"""

import codecs
import sys
from io import TextIOWrapper

ERRORS = "bottega.signs"

_NEAREST = {
    **{"✓": "+", "✗": "x", "●": "*", "•": "*", "·": "-", "■": "#", "⊘": "o", "↺": "~", "›": ">"},
    **{"│": "|", "─": "-", "−": "-", "–": "-", "—": "-", "…": "...", "→": "->", "×": "x", "«": '"'},
    **{"“": '"', "”": '"', "‘": "'", "’": "'", "█": "#", "»": '"', "\u00a0": " "},
}


def install() -> None:
    """Have standard output and errors write so; one that is closed takes everything and keeps nothing."""
    codecs.register_error(ERRORS, _replaced)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # `>&-`: there is nothing at all
            setattr(sys, name, open("/dev/null", "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    wanted = error.object[error.start : error.end]
    return "".join(_NEAREST.get(letter, "?") for letter in wanted), error.end
