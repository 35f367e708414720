"""Whether bytes are a picture that a model may look at, told by how they begin."""


def image_type(head: bytes) -> str:
    """The media type; empty: no picture, or of a kind that models do not take."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else ""
