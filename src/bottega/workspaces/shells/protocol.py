"""How a command is given to a POSIX shell on a terminal, and how its end is known.

The command goes in as text that the shell reads line by line and then evaluates, so that no quote, here-document or
control character in it can be mistaken for anything else. The shell prints a mark before it and one with the exit code
after it: an escape sequence that terminals ignore, with a word that is new for every command. The second mark also
stands in the prompt, for a command that is broken off. What the terminal may echo contains no mark, only how one is
written; and what came before the first mark is no output of the command.
"""

import re
import secrets

import msgspec

_NUMBER = b"\x1b]7117;"
_LONGEST = 64
"""More bytes than any mark has."""
_PIECE = 1_000
"""Characters of a line on its way in: a terminal takes lines of up to 4,095 bytes."""
_SHOWN = 200

_READ = (
    "__bottega_was=$? __bottega_text=; while IFS= \\command read -r __bottega_line && "
    '[ -n "$__bottega_line" ]; do __bottega_text=$__bottega_text$__bottega_line; done; '
    'eval "$(\\command printf %b "$__bottega_text")"\n'
)
_SCRIPT = """\
PS1=$(\\command printf '\\033]7117;%s;\\044?\\007$ ' {word}) PS2=
\\command printf '%s\\n\\033]7117;%s;\\007' {shown} {word} >/dev/tty
(exit $__bottega_was)
eval {command}
__bottega_was=$?; \\command printf '\\033]7117;%s;%d\\007' {word} $__bottega_was >/dev/tty; (exit $__bottega_was)"""


class Mark(msgspec.Struct, frozen=True):
    word: str
    exit_code: int | None
    """None: the command begins."""


def new_word() -> str:
    return secrets.token_hex(8)


def to_lines(command: str, word: str) -> str:
    """What is typed into the shell to run it."""
    first = command.strip().split("\n", 1)[0]
    shown = "".join(each if each.isprintable() else " " for each in first[:_SHOWN])
    script = _SCRIPT.format(word=word, shown=quoted(shown), command=quoted(command))
    text = "".join(map(_typed, script))
    lines = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
    return _READ + "\n".join(lines) + "\n\n"


def quoted(text: str) -> str:
    """One word of a shell, whatever it contains."""
    return "'" + text.replace("'", "'\\''") + "'"


def _typed(letter: str) -> str:
    """A character that no terminal acts upon, for `printf %b`."""
    if letter == "\\" or letter < " " or letter == "\x7f":
        return f"\\0{ord(letter):03o}"
    return letter


class Marks:
    """Finds marks in bytes as they come, wherever they are cut."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, chunk: bytes) -> list[bytes | Mark]:
        """What came, in order, without the marks themselves."""
        chunk = self._held + chunk
        found: list[bytes | Mark] = []
        at = 0
        for each in _MARK.finditer(chunk):
            if each.start() > at:
                found.append(chunk[at : each.start()])
            found.append(Mark(each[1].decode(), int(each[2]) if each[2] else None))
            at = each.end()
        rest = chunk[at:]
        held = _begun(rest)
        self._held = rest[len(rest) - held :]
        if held < len(rest):
            found.append(rest[: len(rest) - held])
        return found


_MARK = re.compile(re.escape(_NUMBER) + rb"([0-9a-f]{16});([0-9]{1,3})?\x07")


def _begun(rest: bytes) -> int:
    """How many bytes at the end may be the first of a mark."""
    at = rest.rfind(b"\x1b")
    if at < 0:
        return 0
    end = rest[at:]
    if len(end) < len(_NUMBER):
        return len(end) if _NUMBER.startswith(end) else 0
    return len(end) if end.startswith(_NUMBER) and len(end) < _LONGEST and b"\x07" not in end else 0
