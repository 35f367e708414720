"""Pairs of texts that a plain comparison takes very long for."""


def interleaved(lines: int, kinds: int = 50) -> tuple[bytes, bytes]:
    """No two neighbours match: each look for the longest run takes off one line."""
    a = ["A", *(f"{i % kinds}" for i in range(lines))]
    b = ["B", *(x for i in range(lines // 2) for x in (f"{i % kinds}", f"j{i}"))]
    return "\n".join(a).encode(), "\n".join(b).encode()


def scattered(letters: int) -> tuple[str, str]:
    a, b = interleaved(letters, 10)
    return a.decode().replace("\n", ""), b.decode().replace("\n", "")
