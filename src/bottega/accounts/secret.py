"""The home's secret: the key of all that is hashed or signed here. Made at first start, or given; never a weak one."""

import hashlib
import hmac
import os
import secrets
from collections import Counter
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from bottega.errors import Misconfigured
from bottega.storage.sqlite import sync_folder

SHORTEST = 32
"""Characters that a given secret has at least."""

_EXAMPLES = ("secret", "change", "example", "password", "default")


def secret(home: Path, given: str = "") -> bytes:
    """The given secret, refused if it is weak, else the home's own; the first to ask makes it."""
    if given:
        return _checked(given)
    path = home / "secret"
    with suppress(FileNotFoundError):
        return _checked(path.read_text("ascii").strip())
    part = path.with_name(f"secret.{os.getpid()}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(48))
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):  # another process was quicker: its is the home's
        os.link(part, path)
    part.unlink()
    sync_folder(home)
    return _checked(path.read_text("ascii").strip())


def mark_of(secret: bytes) -> str:
    """Tells one secret from another, and nothing of either."""
    return hmac.new(secret, b"which secret is it", hashlib.sha256).hexdigest()[:8]


def _checked(given: str) -> bytes:
    if len(given) < SHORTEST or len(set(given)) < SHORTEST // 3 or _is_pattern(given):
        raise Misconfigured(
            f"The secret is weak: it takes {SHORTEST} characters or more, and no pattern.",
            hint="Leave BOTTEGA_SECRET out to have one made, or set it to 48 random characters.",
        )
    return given.encode()


def _is_pattern(given: str) -> bool:
    """Whether it is somebody's words, as in examples, or mostly steps of the same kind, as in `abcdef`."""
    steps = Counter(ord(after) - ord(before) for before, after in pairwise(given))
    known = any(word in given.lower() for word in _EXAMPLES)
    return known or max(steps.values()) > len(given) // 2
