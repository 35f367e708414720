"""Bytes that are cut anywhere, as text: no character is torn, and what is none becomes a sign for that."""

_LONGEST = 4


def whole(chunk: bytes, *, last: bool) -> int:
    """How many bytes of the chunk are whole characters; all of them where nothing more comes."""
    if last:
        return len(chunk)
    for back in range(1, min(_LONGEST, len(chunk)) + 1):
        byte = chunk[-back]
        if byte & 0xC0 == 0x80:
            continue
        needed = 2 if byte & 0xE0 == 0xC0 else 3 if byte & 0xF0 == 0xE0 else 4
        return len(chunk) - back if byte & 0xC0 == 0xC0 and needed > back else len(chunk)
    return len(chunk)


def torn(chunk: bytes) -> int:
    """How many bytes at the begin are the rest of a character whose first byte is not there."""
    return next((n for n, byte in enumerate(chunk[:_LONGEST]) if byte & 0xC0 != 0x80), 0)
