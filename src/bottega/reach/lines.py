"""Server-sent events out of bytes: the index of each, and its body as it was stored."""

import msgspec

LAST = 2**53 - 1
"""The largest index that there can be."""


class Sent(msgspec.Struct, frozen=True):
    index: int
    """0 where there is none; beyond `LAST` where what stood there can be none."""
    name: str
    """Empty for a fact."""
    body: bytes


class Lines:
    """Feed it pieces of a body; it returns the events that are complete. Comments only show that somebody is there."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._searched = 0
        self._index, self._name = 0, ""
        self._data: list[bytes] = []
        self._size = 0

    @property
    def held(self) -> int:
        """Bytes of the event that is not yet complete."""
        return len(self._rest) + self._size

    def feed(self, piece: bytes) -> list[Sent]:
        self._rest += piece
        found: list[Sent] = []
        start = 0
        # A long line comes in many pieces: only what is new is searched for its end.
        while (end := self._rest.find(b"\n", max(start, self._searched))) >= 0:
            self._take(bytes(self._rest[start:end]).removesuffix(b"\r"), found)
            start = end + 1
        del self._rest[:start]
        self._searched = len(self._rest)
        return found

    def _take(self, line: bytes, found: list[Sent]) -> None:
        if not line:
            if self._data:
                found.append(Sent(self._index, self._name, b"\n".join(self._data)))
            self._index, self._name, self._data, self._size = 0, "", [], 0
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
            self._size += len(value) + 8  # a line takes room, whatever it holds
        elif field == b"id" and value.isdigit():
            self._index = int(value) if len(value) <= len(str(LAST)) else LAST + 1
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
