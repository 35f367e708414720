"""Server-sent events out of bytes, whatever the size of the pieces and the kind of line ends."""

MAX_EVENT = 32 * 1024 * 1024
"""An event larger than this is no event but an attack or a mistake."""


_LINE = 8
"""Bytes that a line takes besides what it holds."""


class TooLong(ValueError):
    """One event, or one line, is larger than `MAX_EVENT`."""


class Splitter:
    """Feed it pieces of a body; it returns the events that are complete, as (event name, data)."""

    def __init__(self) -> None:
        self._rest = b""
        self._more = bytearray()
        """What came of a long line after `_rest`: put together once, when the line ends."""
        self._name = ""
        self._lines: list[bytes] = []
        self._size = 0
        self._at_start = True

    @property
    def held(self) -> int:
        """Bytes of the event that is not yet complete."""
        return len(self._rest) + len(self._more) + self._size

    def feed(self, piece: bytes) -> list[tuple[str, bytes]]:
        if self._at_start and piece:
            piece = self._without_mark(piece)
        if self._goes_on(piece):
            return []
        buffer = b"".join((self._rest, self._more, piece)) if self._rest else piece
        self._more.clear()
        if b"\r" in buffer:
            buffer, held = self._normalised(buffer)
        else:
            held = b""
        lines = buffer.split(b"\n")
        self._rest = lines.pop() + held
        if len(self._rest) > MAX_EVENT:
            raise TooLong(f"an event of more than {MAX_EVENT} bytes")
        events: list[tuple[str, bytes]] = []
        for line in lines:
            self._take(line, events)
        return events

    def end(self) -> list[tuple[str, bytes]]:
        """The body ended; many servers leave out the empty line after the last event."""
        events: list[tuple[str, bytes]] = []
        rest = self._rest + self._more
        self._rest = b""
        self._more.clear()
        for line in (rest.rstrip(b"\r"), b""):
            self._take(line, events)
        return events

    def _goes_on(self, piece: bytes) -> bool:
        """Keep a piece that only lengthens the line that waits: to split it again each time is quadratic."""
        if not self._rest or self._rest[-1] == 13 or b"\n" in piece or b"\r" in piece:
            return False
        self._more += piece
        if len(self._rest) + len(self._more) > MAX_EVENT:
            raise TooLong(f"an event of more than {MAX_EVENT} bytes")
        return True

    def _without_mark(self, piece: bytes) -> bytes:
        """The byte order mark may itself come in pieces."""
        whole = self._rest + piece
        self._rest = b""
        if len(whole) < 3 and b"\xef\xbb\xbf".startswith(whole):
            self._rest = whole
            return b""
        self._at_start = False
        return whole.removeprefix(b"\xef\xbb\xbf")

    @staticmethod
    def _normalised(buffer: bytes) -> tuple[bytes, bytes]:
        """Line ends as LF; a CR at the very end waits, as its LF may come with the next piece."""
        held = b"\r" if buffer.endswith(b"\r") else b""
        body = buffer[: len(buffer) - len(held)]
        return body.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), held

    def _take(self, line: bytes, events: list[tuple[str, bytes]]) -> None:
        if not line:
            if self._lines:
                data = self._lines[0] if len(self._lines) == 1 else b"\n".join(self._lines)
                events.append((self._name, data))
            self._lines, self._name, self._size = [], "", 0
            return
        if line.startswith(b"data:"):
            value = line[6:] if line[5:6] == b" " else line[5:]
            self._size += len(value) + _LINE
            if self._size > MAX_EVENT:
                raise TooLong(f"an event of more than {MAX_EVENT} bytes")
            self._lines.append(value)
        elif line.startswith(b"event:"):
            self._name = line[6:].strip().decode("utf-8", "replace")
