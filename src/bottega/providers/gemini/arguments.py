"""Arguments that come one leaf at a time, each with the path of its place: `$.files[0].path`."""

import re
from typing import Any, cast

from bottega.providers.protocol.tally import Tally

_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,4})\]|\['([^']*)'\]|\["([^"]*)"\]""")
_VALUES = ("stringValue", "numberValue", "boolValue")


class _Text:
    """A string that has come in several pieces."""

    __slots__ = ("pieces",)

    def __init__(self, first: str) -> None:
        self.pieces = [first]


class Leaves:
    """The object that the leaves build; strings may come in several pieces."""

    def __init__(self, tally: Tally) -> None:
        self._value: dict[str, Any] = {}
        self._tally = tally
        self._texts: list[tuple[Any, str | int, _Text]] = []
        """Where in it strings are that grow."""
        self.broken = False
        """A leaf had no place in the object: what was built is not what the model meant."""

    def add(self, leaves: list[Any]) -> None:
        for leaf in leaves:
            if not isinstance(leaf, dict) or not self._put(cast("dict[str, Any]", leaf)):
                self.broken = True

    def whole(self) -> dict[str, Any]:
        """What was built, with its strings put together."""
        for place, step, text in self._texts:
            if _child(place, step, None) is text:
                _set(place, step, "".join(text.pieces))
        self._texts.clear()
        return self._value

    def _put(self, leaf: dict[str, Any]) -> bool:
        path = _steps(leaf.get("jsonPath"))
        if not path:
            return False
        value: Any = next((leaf[name] for name in _VALUES if leaf.get(name) is not None), None)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        place: Any = self._value
        for step, following in zip(path, path[1:], strict=False):
            place = _child(place, step, [] if isinstance(following, int) else {})
        before = _child(place, path[-1], None)
        if not isinstance(value, str) or not isinstance(before, str | _Text):
            self._tally.add(len(path))
            return _set(place, path[-1], value)
        if isinstance(before, str):
            before = _Text(before)
            self._texts.append((place, path[-1], before))
            _set(place, path[-1], before)
        before.pieces.append(value)
        return True


def _steps(path: Any) -> list[str | int]:
    if not isinstance(path, str) or not path.startswith("$"):
        return []
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            return []
        name, number, single, double = found.groups()
        steps.append(int(number) if number is not None else name or single or double or "")
        at = found.end()
    return steps


def _child(place: Any, step: str | int, empty: Any) -> Any:
    """What stands at `step`, made if nothing does; None where the shapes do not fit."""
    if isinstance(place, dict) and isinstance(step, str):
        return cast("dict[str, Any]", place).setdefault(step, empty)
    if isinstance(place, list) and isinstance(step, int):
        items = cast("list[Any]", place)
        if step == len(items):
            items.append(empty)
        return items[step] if step < len(items) else None
    return None


def _set(place: Any, step: str | int, value: Any) -> bool:
    if isinstance(place, dict) and isinstance(step, str):
        place[step] = value
        return True
    if isinstance(place, list) and isinstance(step, int):
        items = cast("list[Any]", place)
        if step < len(items):
            items[step] = value
            return True
    return False
