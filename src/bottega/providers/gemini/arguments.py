"""Arguments that come one leaf at a time, each with the path of its place: `$.files[0].path`."""

import re
from typing import Any, cast

from bottega.providers.protocol.loose_json import MAX_DEPTH

_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,4})\]|\['([^']*)'\]|\["([^"]*)"\]""")
_VALUES = ("stringValue", "numberValue", "boolValue")


class Leaves:
    """The object that the leaves build; strings may come in several pieces."""

    def __init__(self) -> None:
        self._object: dict[str, Any] = {}
        self.broken = False
        """A leaf had no place in the object: what was built is not what the model meant."""

    @property
    def value(self) -> dict[str, Any]:
        return _whole(self._object)

    def add(self, leaves: list[Any]) -> None:
        for leaf in leaves:
            if not isinstance(leaf, dict) or not self._put(cast("dict[str, Any]", leaf)):
                self.broken = True

    def _put(self, leaf: dict[str, Any]) -> bool:
        path = _steps(leaf.get("jsonPath"))
        if not path:
            return False
        value: Any = next((leaf[name] for name in _VALUES if leaf.get(name) is not None), None)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        place: Any = self._object
        for step, following in zip(path, path[1:], strict=False):
            place = _child(place, step, [] if isinstance(following, int) else {})
        return _set(place, path[-1], value)


class _Pieces(list[str]):
    """A string that may come in several pieces: put together once."""


def _whole(found: Any) -> Any:
    if isinstance(found, _Pieces):
        return "".join(found)
    if isinstance(found, dict):
        return {name: _whole(value) for name, value in cast("dict[str, Any]", found).items()}
    return [_whole(each) for each in cast("list[Any]", found)] if isinstance(found, list) else found


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
        if len(steps) > MAX_DEPTH:
            return []
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
    before = _child(place, step, None)
    if isinstance(value, str):
        if isinstance(before, _Pieces):
            before.append(value)
            return True
        value = _Pieces((value,))
    if isinstance(place, dict) and isinstance(step, str):
        place[step] = value
        return True
    if isinstance(place, list) and isinstance(step, int):
        items = cast("list[Any]", place)
        if step < len(items):
            items[step] = value
            return True
    return False
