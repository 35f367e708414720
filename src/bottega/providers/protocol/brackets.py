"""Whether a JSON text that comes in pieces may be whole by now, for the price of its length, not of each try."""

_PIECE = 64 * 1024


class Brackets:
    def __init__(self) -> None:
        self._depth = 0
        self._in_string = 0
        self._escape = ""
        """A backslash at the end, which waits for what it escapes."""

    @property
    def are_closed(self) -> bool:
        return not (self._depth or self._in_string or self._escape)

    def add(self, text: str) -> None:
        for at in range(0, len(text), _PIECE):
            self._add(self._escape + text[at : at + _PIECE])

    def _add(self, piece: str) -> None:
        odd = (len(piece) - len(piece.rstrip("\\"))) % 2
        self._escape = piece[len(piece) - odd :]
        piece = piece[: len(piece) - odd]
        parts = piece.replace("\\\\", "").replace('\\"', "").split('"')
        outside = "".join(parts[self._in_string :: 2])
        self._in_string = (self._in_string + len(parts) - 1) % 2
        opened = outside.count("{") + outside.count("[")
        self._depth += opened - outside.count("}") - outside.count("]")
