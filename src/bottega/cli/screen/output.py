"""What commands write to standard output and to errors: the one way there beside `Terminal`, which cleans as well.

A sentence is one line, whatever is in it: a name with a line end in it must not look like two lines of ours. Programs
that read get JSON in which nothing is left that a terminal would obey; bytes are handed on as they are only to
somebody who is no terminal.
"""

import sys
from collections.abc import Iterable
from typing import Any, TextIO

import click

from bottega.cli.screen.clean import clean
from bottega.cli.screen.terminal import safe
from bottega.printable import printable_json


def out(sentence: str) -> None:
    """One line on standard output."""
    _line(sys.stdout, sentence)


def note(sentence: str) -> None:
    """One line on standard error: what is said beside the result."""
    _line(sys.stderr, sentence)


def out_text(text: str) -> None:
    """Text with lines of its own, on standard output."""
    sys.stdout.write(f"{clean(text)}\n")


def note_text(text: str) -> None:
    """Text with lines of its own, on standard error."""
    sys.stderr.write(f"{clean(text)}\n")
    sys.stderr.flush()


def lines(drawn: Iterable[str]) -> None:
    """Lines of the painter's, or plain ones."""
    sys.stdout.write("".join(f"{safe(line)}\n" for line in drawn))


def print_json(value: Any) -> None:
    """For programs: indented by two, so that people can read it too."""
    import msgspec  # only commands that print JSON need it

    json_line(msgspec.json.format(msgspec.json.encode(value), indent=2))


def json_line(encoded: bytes) -> None:
    """One JSON value that is encoded already."""
    sys.stdout.flush()
    sys.stdout.buffer.write(printable_json(encoded) + b"\n")


def raw(pieces: Iterable[bytes]) -> None:
    """A file's bytes: as they are for a program that reads them, clean where a terminal shows them."""
    flush()
    shown = sys.stdout.isatty()
    for piece in pieces:
        sys.stdout.buffer.write(_shown(piece) if shown else piece)
    flush()


def flush() -> None:
    sys.stdout.flush()
    sys.stdout.buffer.flush()


def confirm(question: str) -> bool:
    """Whether a person says yes."""
    return click.confirm(one_line(question), err=True)


def secret(question: str) -> str:
    """What a person types, which is not shown."""
    return click.prompt(one_line(question), hide_input=True, err=True, type=str)


def one_line(text: str) -> str:
    """Clean, with its line ends as spaces; unlike `clean.one_line`, spaces inside stay as they are."""
    return " ".join(clean(text).splitlines())


def _line(stream: TextIO, sentence: str) -> None:
    stream.write(f"{one_line(sentence)}\n")
    stream.flush()


def _shown(piece: bytes) -> bytes:
    text = piece.decode("utf-8", "replace")
    return clean(text).encode("utf-8", "replace")
