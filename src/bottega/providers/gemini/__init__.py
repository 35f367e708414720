"""The generateContent protocol of Google's Gemini models."""

from typing import Any, cast

import msgspec

from bottega.messages.json_size import MOST_ARGUMENTS, check_size
from bottega.providers.gemini.answer import Answer
from bottega.providers.gemini.request import to_wire
from bottega.providers.protocol.explain import explain_body
from bottega.providers.provider import Decoder, Failed, Request

__all__ = ["decoder", "explain", "name", "to_wire"]

name = "gemini"


def decoder(request: Request) -> Decoder:
    """What turns one answer into stream events."""
    return Answer()


def explain(status: int, body: bytes, headers: dict[str, str]) -> Failed:
    """What an HTTP error of this protocol means; the time to wait may stand in its body."""
    failed = explain_body("The provider", status, body, headers)
    if failed.retry_after is None:
        failed = msgspec.structs.replace(failed, retry_after=_retry_delay(body))
    return failed


def _retry_delay(body: bytes) -> float | None:
    """The `retryDelay` among an error's details, such as `34s` or `0.5s`."""
    try:
        check_size(body, MOST_ARGUMENTS)
        found: Any = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return None
    for step in (0, "error", "details"):
        if isinstance(found, list) and step == 0:
            found = cast("list[Any]", found)[0] if found else None
        elif isinstance(found, dict) and isinstance(step, str):
            found = cast("dict[str, Any]", found).get(step)
    for detail in cast("list[Any]", found) if isinstance(found, list) else ():
        delay = cast("dict[str, Any]", detail).get("retryDelay") if isinstance(detail, dict) else ""
        if isinstance(delay, str) and delay.endswith("s"):
            return _seconds(delay[:-1])
    return None


def _seconds(text: str) -> float | None:
    try:
        return max(0.0, min(float(text), 86_400.0))
    except ValueError:
        return None
