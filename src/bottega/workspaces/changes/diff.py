"""The difference between two contents of a file, in the form that `patch` and `git apply` take.

Only a newline ends a line. What two contents have in common at both ends is set aside first; of the middle, so much is
compared as a bounded number of steps allows, and the rest counts as replaced, so no file makes this slow.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

import msgspec

from bottega.alike import Bounded, Budget

_LINES = 3_000
"""Of the middle; beyond, lines are not matched with each other."""
_CONTEXT = 3
_UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
"""By its byte order mark, which stays in the text."""
_QUOTED = re.compile(r'["\\\x00-\x1f\x7f]')

_Opcode = tuple[str, int, int, int, int]


class Difference(msgspec.Struct, frozen=True):
    path: str
    before: bytes | None
    after: bytes | None
    to_be_read: bool = False
    """By a person, not by `patch`: text is also what is written in UTF-16, or has NUL characters in it."""

    @property
    def is_binary(self) -> bool:
        return any(
            side is not None and self._text(side) is None for side in (self.before, self.after)
        )

    def counts(self, budget: Budget | None = None) -> tuple[int, int]:
        """Lines added and removed; none of a binary file. A budget is for several files together."""
        return self.compared(budget).counts()

    def lines(self, budget: Budget | None = None) -> Iterator[bytes]:
        """The whole of it, line by line, each with its end."""
        return self.compared(budget).lines()

    def compared(self, budget: Budget | None = None) -> "Compared":
        """Both sides, compared once, for whoever needs the counts and the lines."""
        before, after = self._text(self.before or b""), self._text(self.after or b"")
        if before is None or after is None:
            return Compared(self.path, self.before, self.after, None, [], [])
        a, b = _split(before), _split(after)
        codes = _opcodes(a, b, budget or Budget())
        return Compared(self.path, self.before, self.after, codes, a, b)

    def _text(self, side: bytes) -> bytes | None:
        """What is compared, in UTF-8; None: it is no text."""
        if not self.to_be_read and b"\0" in side:
            return None
        codec = _UTF_16.get(side[:2], "utf-8") if self.to_be_read else "utf-8"
        try:
            return side.decode(codec).encode()
        except UnicodeDecodeError:
            return None


class Compared(msgspec.Struct, frozen=True):
    path: str
    before: bytes | None
    after: bytes | None
    codes: list[_Opcode] | None
    """None: one of the sides is no text."""
    a: list[bytes]
    b: list[bytes]

    def counts(self) -> tuple[int, int]:
        changed = [code for code in self.codes or () if code[0] != "equal"]
        return sum(j2 - j1 for *_, j1, j2 in changed), sum(i2 - i1 for _, i1, i2, *_ in changed)

    def lines(self) -> Iterator[bytes]:
        old, new = _named("a/", self.path), _named("b/", self.path)
        yield f"diff --git {old} {new}\n".encode()
        if self.before is None:
            yield b"new file mode 100644\n"
        if self.after is None:
            yield b"deleted file mode 100644\n"
        old = "/dev/null" if self.before is None else old
        new = "/dev/null" if self.after is None else new
        if self.codes is None:
            yield f"Binary files {old} and {new} differ\n".encode()
            return
        matcher = SequenceMatcher(None, "", "")  # only to put together what is near
        matcher.opcodes = self.codes  # pyright: ignore[reportAttributeAccessIssue]
        groups = list(matcher.get_grouped_opcodes(_CONTEXT))
        if groups:
            yield f"--- {old}\n+++ {new}\n".encode()
        for group in groups:
            yield from _hunk(group, self.a, self.b)


def _hunk(group: list[_Opcode], a: list[bytes], b: list[bytes]) -> Iterator[bytes]:
    first, last = group[0], group[-1]
    yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n".encode()
    for tag, i1, i2, j1, j2 in group:
        if tag == "equal":
            yield from (_ended(b" " + line) for line in a[i1:i2])
            continue
        yield from (_ended(b"-" + line) for line in a[i1:i2])
        yield from (_ended(b"+" + line) for line in b[j1:j2])


def _opcodes(a: list[bytes], b: list[bytes], budget: Budget) -> list[_Opcode]:
    shorter = min(len(a), len(b))
    start = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    shorter -= start
    end = next((i for i in range(shorter) if a[-1 - i] != b[-1 - i]), shorter)
    middle_a, middle_b = a[start : len(a) - end], b[start : len(b) - end]
    codes: list[_Opcode] = [("equal", 0, start, 0, start)] if start else []
    codes += (
        (tag, i + start, k + start, j + start, m + start)
        for tag, i, k, j, m in _middle(middle_a, middle_b, budget)
    )
    if end:
        codes.append(("equal", len(a) - end, len(a), len(b) - end, len(b)))
    return codes


def _middle(a: list[bytes], b: list[bytes], budget: Budget) -> list[_Opcode]:
    if not a and not b:
        return []
    if not a or not b or max(len(a), len(b)) > _LINES:
        return [("replace", 0, len(a), 0, len(b))]
    return [*Bounded(a, b, budget).get_opcodes()]


def _split(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _range(start: int, stop: int) -> str:
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _named(side: str, path: str) -> str:
    name = side + path
    if not _QUOTED.search(name):
        return name
    return '"' + _QUOTED.sub(lambda found: _escaped(found[0]), name) + '"'


def _escaped(sign: str) -> str:
    return "\\" + sign if sign in '"\\' else f"\\{ord(sign):03o}"
