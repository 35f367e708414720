"""What every answer tells the browser: run nothing that is not ours, show this in no frame, guess no type."""

from starlette.types import Message

Headers = tuple[tuple[bytes, bytes], ...]

_EVERY: Headers = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
API: Headers = (
    *_EVERY,
    # A file of a workspace is somebody's text, even if it is a page: opened in a browser it is nothing of ours.
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; sandbox"),
    (b"cache-control", b"no-store"),
)
PAGE: Headers = (
    *_EVERY,
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        b" base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"cache-control", b"no-cache"),
)


def dressed(message: Message, headers: Headers) -> None:
    """Add to the start of an answer what it must say; where its route has said one of these, that stays."""
    said = message.setdefault("headers", [])
    names = {name for name, _ in said}
    message["headers"] = [*said, *(pair for pair in headers if pair[0] not in names)]
