"""A file's text while it is edited, apart from how it is written down: encoding, byte order mark, line endings.

What no patch touches comes out byte for byte as it went in, mixed line endings and a missing last one included.
"""

from collections.abc import Iterable, Iterator

import msgspec

from bottega.errors import BadUsage
from bottega.tools.reading import Binary

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_HEAD = 8192
_NO_ONES = bytes.maketrans(b"\1", b"\2")
_ENDS = bytes.maketrans(b"\n", b"\0")
_OTHERS = bytes(set(range(256)) - set(b"\n\1"))


class Written(msgspec.Struct, frozen=True):
    text: str
    """Every line ends with a plain newline here."""
    crlf: bytes
    """One byte for each newline of the text: 1 where a carriage return stands before it."""
    mark: bytes = b""
    codec: str = "utf-8"

    def body(self) -> bytes:
        """The bytes of the file; raises `BadUsage` for text that cannot be written down."""
        try:
            return self.mark + self._ended().encode(self.codec)
        except UnicodeEncodeError as problem:
            raise BadUsage(
                f"The text holds {problem.object[problem.start]!r}, which is no valid character."
            ) from None

    def replaced(self, spans: Iterable[tuple[int, int]], new: str) -> "Written":
        """With `new` for each of the spans (in order, apart); its lines end as those that go, or beside it."""
        text, crlf = self.text, self.crlf
        added = new.count("\n")
        pieces: list[str] = []
        marks: list[bytes] = []
        at = line = 0
        for start, end in spans:
            first = line + text.count("\n", at, start)
            last = first + text.count("\n", start, end)
            beside = (
                crlf[first:last][-1:]
                or crlf[first : first + 1]
                or crlf[max(first - 1, 0) : first]
                or b"\0"
            )
            pieces += (text[at:start], new)
            marks += (crlf[line:first], (crlf[first:last] + beside * added)[:added])
            at, line = end, last
        whole, ends = "".join((*pieces, text[at:])), b"".join((*marks, crlf[line:]))
        return msgspec.structs.replace(self, text=whole, crlf=ends)

    def replaced_all(self, old: str, new: str) -> "Written":
        """With `new` for every `old`; quick where all lines end alike."""
        if any(self.crlf) and not all(self.crlf):
            return self.replaced(_spans(self.text, old), new)
        text = self.text.replace(old, new)
        ends = (self.crlf[:1] or b"\0") * text.count("\n")
        return msgspec.structs.replace(self, text=text, crlf=ends)

    def filled(self, text: str) -> "Written":
        """The same file with another text, whose line endings are its own."""
        text = text.removeprefix("\ufeff") if self.mark else text
        return msgspec.structs.replace(self, text=plain(text), crlf=_endings(text))

    def _ended(self) -> str:
        if not any(self.crlf):
            return self.text
        if all(self.crlf):
            return self.text.replace("\n", "\r\n")
        lines = self.text.split("\n")
        ends = ("\r\n" if each else "\n" for each in self.crlf)
        return "".join(line + end for line, end in zip(lines, (*ends, ""), strict=True))


EMPTY = Written("", b"")


def written(body: bytes, path: str) -> Written:
    """The text in these bytes; raises `Binary` where it cannot be told for certain."""
    mark, codec = next((each for each in _MARKS if body.startswith(each[0])), (b"", "utf-8"))
    if not mark and b"\0" in body[:_HEAD]:
        raise Binary(f"The file {path!r} is binary ({len(body):,} bytes); only text can be edited.")
    try:
        raw = body[len(mark) :].decode(codec)
    except UnicodeDecodeError:
        raise Binary(
            f"The file {path!r} is neither UTF-8 nor UTF-16; editing would damage it.",
            hint="Change it with a command that knows its encoding.",
        ) from None
    return Written(plain(raw), _endings(raw), mark, codec)


def _spans(text: str, old: str) -> Iterator[tuple[int, int]]:
    at = text.find(old)
    while at >= 0:
        yield at, at + len(old)
        at = text.find(old, at + len(old))


def plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _endings(raw: str) -> bytes:
    if "\r\n" not in raw:
        return bytes(raw.count("\n"))
    # Not line by line: a text may be nothing but ends of lines.
    body = raw.encode("utf-8", "surrogatepass").translate(_NO_ONES).replace(b"\r\n", b"\1")
    return body.translate(_ENDS, _OTHERS)
