"""How many steps it takes to check one value against one schema, counted before it is done.

Counted is as if nothing were ever skipped. Each pair of a subschema and a part of the value is counted once, however
often it will be visited, so that counting stays cheap where checking would not.
"""

from collections.abc import Iterator
from typing import Any, cast

from bottega.tools.schemas.bounds import AGAIN, Node, Outline, looks_again

MOST_PAIRS = 100_000
MOST_PARTS = 50_000
"""Values in the value that is checked."""
MOST_STEPS = 500_000
DEEPEST = 100
"""Levels of lists and objects in each other that a value may have."""
_FRAMES = 400
_SLOW = 10
"""Steps that a pattern may take for each character."""


class TooMuch(ValueError):
    """The value cannot be checked in bounded time."""


def parts_of(value: Any, most: int) -> int:
    """How many values are in this one, itself too; counted no further than `most`."""
    waiting, count = [value], 0
    while waiting and count <= most:
        each = waiting.pop()
        count += 1
        if isinstance(each, dict):
            waiting += cast("Node", each).values()
        elif isinstance(each, list):
            waiting += cast("list[Any]", each)
    return count


def depth_of(value: Any) -> int:
    """How many lists and objects stand in each other; counted only as far as it matters."""
    level, depth = [value], 0
    while depth <= DEEPEST:
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            break
        depth += 1
    return depth


def steps_for(outline: Outline, value: Any) -> int:
    """The steps that checking this value takes at most; raises TooMuch if there are too many."""
    if (parts := parts_of(value, MOST_PARTS)) > MOST_PARTS:
        raise TooMuch(f"it has more than {MOST_PARTS} parts")
    if depth_of(value) > DEEPEST:
        raise TooMuch(f"it is nested more than {DEEPEST} levels deep")
    if not outline.has_references and not outline.patterns and not outline.name_patterns:
        steps = outline.nodes * parts
        if steps <= MOST_STEPS:
            return steps
    try:
        return _Count(outline).of(outline.schema, value, 0)
    except RecursionError:
        raise TooMuch("it is nested too deeply for this schema") from None


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        return iter(cast("Node", value).values())
    return iter(cast("list[Any]", value) if isinstance(value, list) else ())


def _refuse(steps: int) -> None:
    if steps > MOST_STEPS:
        raise TooMuch("checking it against this schema would take too long")


class _Count:
    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._known: dict[tuple[int, int], int] = {}
        self._sizes: dict[int, int] = {}

    def of(self, node: Any, value: Any, frames: int) -> int:
        if not isinstance(node, dict):
            return 1
        node = cast("Node", node)
        key = id(node), id(value)
        if (known := self._known.get(key)) is not None:
            return known
        if frames > _FRAMES or len(self._known) >= MOST_PAIRS:
            raise TooMuch("it is too large for this schema")
        here = 0
        for each in self._outline.in_place(node):
            here += self.of(each, value, frames + 1)
            _refuse(here)
        if looks_again(node):
            here *= AGAIN
        steps = 1 + len(node) + here + self._own(node, value) + self._parts(node, value, frames + 1)
        _refuse(steps)
        self._known[key] = steps
        return steps

    def _own(self, node: Node, value: Any) -> int:
        """What keywords cost that look at more than one thing."""
        steps = sum(self._size(node[name]) for name in ("enum", "const") if name in node)
        if isinstance(value, str) and "pattern" in node:
            steps += 1 + len(value) * _SLOW
        if node.get("uniqueItems") and isinstance(value, list):
            steps += 4 * self._size(cast("list[Any]", value))
        return steps

    def _size(self, value: Any) -> int:
        if id(value) not in self._sizes:
            self._sizes[id(value)] = parts_of(value, MOST_STEPS)
        return self._sizes[id(value)]

    def _parts(self, node: Node, value: Any, frames: int) -> int:
        if isinstance(value, dict):
            return self._entries(node, cast("Node", value), frames)
        if isinstance(value, list):
            return self._items(node, cast("list[Any]", value), frames)
        return 0

    def _entries(self, node: Node, value: Node, frames: int) -> int:
        named: Node = node.get("properties") or {}
        patterns: Node = node.get("patternProperties") or {}
        rest = [
            node[name] for name in ("additionalProperties", "unevaluatedProperties") if name in node
        ]
        steps = 0
        for name, each in value.items():
            if name in named:
                steps += self.of(named[name], each, frames)
            steps += sum(self.of(part, each, frames) for part in patterns.values())
            steps += len(name) * len(patterns) * _SLOW
            steps += sum(self.of(part, each, frames) for part in rest)
            if "propertyNames" in node:
                steps += self.of(node["propertyNames"], name, frames)
            _refuse(steps)
        return steps

    def _items(self, node: Node, value: list[Any], frames: int) -> int:
        listed = node.get("prefixItems") or node.get("items")
        firsts = cast("list[Any]", listed) if isinstance(listed, list) else []
        every = [
            node[name]
            for name in ("items", "additionalItems", "unevaluatedItems", "contains")
            if isinstance(node.get(name), dict)
        ]
        steps = 0
        for first, each in zip(firsts, value, strict=False):
            steps += self.of(first, each, frames)
        for each in value:
            steps += 1 + sum(self.of(part, each, frames) for part in every)
            _refuse(steps)
        return steps
