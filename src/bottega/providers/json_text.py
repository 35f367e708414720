"""JSON as models and servers really write it: half surrogate pairs, arguments that are no object.

msgspec is quick and strict. What it refuses for a lone surrogate is read again the slow way, and
nothing that it could not encode again (a lone surrogate, a number without end, a nest without
bottom) ever gets past here.
"""

import json
from collections.abc import Iterable
from typing import Any, cast

import msgspec

MAX_DEPTH = 200
"""Arguments nested deeper than this could not be stored in the log and read back."""

_encode = msgspec.json.encode


class Growing:
    """Text that comes in pieces. A high surrogate at a piece's end waits for its low half."""

    __slots__ = ("_held", "parts")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._held = ""

    def add(self, piece: str) -> str:
        """Take a piece; return what may be shown now."""
        if self._held or not piece.isascii():
            piece = self._joined(piece)
        if piece:
            self.parts.append(piece)
        return piece

    def end(self) -> str:
        """No more pieces: return what is left to show, which is a half that found no other half."""
        left, self._held = ("\ufffd" if self._held else ""), ""
        if left:
            self.parts.append(left)
        return left

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def _joined(self, piece: str) -> str:
        if not self._held and not _has_half(piece):
            return piece
        piece = self._held + piece
        self._held = piece[-1] if piece and "\ud800" <= piece[-1] <= "\udbff" else ""
        return mended_text(piece[:-1] if self._held else piece)


def _has_half(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def mended_text(text: str) -> str:
    """The text with its surrogate pairs joined; a lone half becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def mended(value: Any) -> Any:
    """The same JSON value without halves of surrogate pairs."""
    if isinstance(value, str):
        return mended_text(value) if _has_half(value) else value
    if isinstance(value, list):
        return [mended(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {mended(key): mended(item) for key, item in items}
    return value


def read(text: bytes | str) -> Any:
    """The value, halves of surrogate pairs kept; raises `ValueError` where it is no JSON."""
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits} is out of range")
    return number


def encode(value: Any) -> bytes:
    """The bytes to send; half surrogate pairs in what a person or a tool wrote become U+FFFD."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(mended(msgspec.to_builtins(value)))


def arguments(text: str) -> tuple[dict[str, Any], str]:
    """A call's arguments, and the text itself where it is no JSON object; nothing means `{}`."""
    if not text.strip():
        return {}, ""
    try:
        found = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        try:
            found = mended(read(text))
        except (ValueError, RecursionError):
            return {}, text
    return (found, "") if is_object(found) else ({}, text)


def is_object(found: Any) -> bool:
    """Whether this is a JSON object that can be stored."""
    return isinstance(found, dict) and not _deeper(cast("dict[str, Any]", found), MAX_DEPTH)


def _deeper(value: dict[str, Any], limit: int) -> bool:
    level: list[Any] = [value]
    for _ in range(limit):
        level = [child for item in level for child in _children(item)]
        if not level:
            return False
    return True


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


def word(found: Any) -> str:
    """A string from what may be anything."""
    return found if isinstance(found, str) else ""


def objects(found: Any) -> list[dict[str, Any]]:
    """The objects of a list, from what may be anything."""
    if not isinstance(found, list):
        return []
    return [item for item in cast("list[Any]", found) if isinstance(item, dict)]
