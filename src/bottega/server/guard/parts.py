"""How many parts the JSON of a body has, counted as it comes: making objects of them takes the loop's time.

What stands inside of texts does not count, so that a long text may hold anything.
"""

FEW_KEYS, MOST_KEYS = 1000, 12_000
"""Names of fields that a body may have: where only fields of ours are named, and where schemas are sent."""
MOST_VALUES = 50_000
"""Values in lists, and fields."""

_WITH_SCHEMAS = ("/prompts", "/chat/", "/tools", "/agents", "/mcp")


def keys_of(path: str) -> int:
    """The names of fields that a body sent to this path may have."""
    return MOST_KEYS if any(each in path for each in _WITH_SCHEMAS) else FEW_KEYS


class Parts:
    def __init__(self, most_keys: int) -> None:
        self._most_keys = most_keys
        self._keys = self._values = 0
        self._is_inside = False
        self._begun = b""

    def add(self, piece: bytes) -> bool:
        """Count what came; False: it is too much."""
        piece = self._begun + piece
        plain = piece.replace(b"\\\\", b"").replace(b'\\"', b"")
        self._begun = b"\\" if plain.endswith(b"\\") else b""  # what it escapes is still to come
        texts = plain[: len(plain) - len(self._begun)].split(b'"')
        outside = b" ".join(texts[self._is_inside :: 2])
        self._is_inside ^= len(texts) % 2 == 0
        self._keys += outside.count(b":")
        self._values += outside.count(b",")
        return self._keys <= self._most_keys and self._values <= MOST_VALUES
