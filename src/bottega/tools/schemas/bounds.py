"""What a JSON schema may be before anything compiles it: small, shallow, whole, without endless references.

A schema may come from anybody. Checking a value against it takes as many steps as there are ways through its
references, which a few lines can make more than any machine will ever count: they are counted here first, each part
once, so that counting itself is linear.
"""

import re
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import unquote

import msgspec

LARGEST = 256 * 1024
"""Bytes of the schema as JSON."""
MOST_NODES = 10_000
"""Objects, lists and values in it."""
DEEPEST = 64
"""Levels of objects and lists in each other."""
MOST_PATTERNS, LONGEST_PATTERN = 200, 1000
MOST_COMPILED = 20_000
"""Letters of all its patterns; what is made larger when it is compiled counts as `_LARGER` of them."""
_LARGER, _SWELLS = 250, re.compile(r"\\[pPwWdDsSbB]|\[|\{")
MOST_STEPS = 20_000
"""Subschemas that are looked at for one value, all references followed."""

IN_PLACE = ("$ref", "$dynamicRef", "$recursiveRef")
_ONE = ("not", "if", "then", "else")
_MANY = ("allOf", "anyOf", "oneOf")
_NAMED = ("dependentSchemas", "dependencies")
_DOWN_ONE = (
    *("items", "additionalItems", "unevaluatedItems", "contains"),
    *("additionalProperties", "unevaluatedProperties", "propertyNames"),
)
_DOWN_NAMED = ("properties", "patternProperties")
_SAME_VALUE = frozenset({*IN_PLACE, *_ONE, *_MANY, *_NAMED})
_PARTS = frozenset({*_DOWN_ONE, *_DOWN_NAMED, "prefixItems"})
AGAIN = 3
"""How often `unevaluated…` looks at what stands beside it."""
_DATA = frozenset({"const", "enum", "default", "examples", "example"})
"""Keywords below which stands data, whatever it looks like."""

Node = dict[str, Any]


class Complex(ValueError):
    """The schema is valid perhaps, but it is more than is checked here."""


def _weight(pattern: str) -> int:
    return len(pattern) + _LARGER * sum(1 for _ in _SWELLS.finditer(pattern))


class Outline:
    """A schema that is within the bounds: where its references lead, and what stands below what."""

    def __init__(self, schema: Node) -> None:
        if (size := len(msgspec.json.encode(schema))) > LARGEST:
            raise Complex(f"it has {size} bytes, and {LARGEST} are allowed")
        self.schema = schema
        self.nodes = 0
        self.has_references = False
        self.patterns: set[str] = set()
        self.name_patterns: set[str] = set()
        self._compiled = 0
        """How large they are, each as often as it stands there: each is compiled so often."""
        self._anchors: dict[str, Node] = {}
        self._in_place: dict[int, list[Node]] = {}
        self._base = str(schema.get("$id") or schema.get("id") or "").rstrip("#")
        self._scan()
        self._refuse_patterns()
        self._refuse_loops()
        self._refuse_expansion()

    def target(self, node: Node, keyword: str) -> Node | None:
        """What a reference of this node leads to; None: nowhere, or to a schema that is merely true or false."""
        where = node.get(keyword)
        if not isinstance(where, str):
            return None
        if self._base and where.startswith(f"{self._base}#"):
            where = where[len(self._base) :]
        if where in ("#", "", self._base):
            return self.schema
        if not where.startswith("#"):
            raise Complex(
                f"{keyword} {where[:100]!r} leads out of it; put what it means into $defs"
            )
        if not where.startswith("#/"):
            return self._anchors.get(where[1:])
        found: Any = self.schema
        for step in unquote(where[2:]).split("/"):
            found = _entry(found, step.replace("~1", "/").replace("~0", "~"))
        return cast("Node", found) if isinstance(found, dict) else None

    def in_place(self, node: Node) -> list[Node]:
        """Subschemas that see the same value as this one."""
        if _SAME_VALUE.isdisjoint(node):
            return []
        if (known := self._in_place.get(id(node))) is None:
            known = self._in_place[id(node)] = list(self._find_in_place(node))
        return known

    def _find_in_place(self, node: Node) -> Iterator[Node]:
        for keyword in IN_PLACE:
            if keyword in node and (found := self.target(node, keyword)) is not None:
                yield found
        for keyword in _ONE:
            yield from _objects((node.get(keyword),))
        for keyword in _MANY:
            if isinstance(listed := node.get(keyword), list):
                yield from _objects(cast("list[Any]", listed))
        for keyword in _NAMED:
            if isinstance(named := node.get(keyword), dict):
                yield from _objects(cast("Node", named).values())

    def _below(self, node: Node) -> Iterator[Node]:
        """Subschemas that see parts of the value."""
        if _PARTS.isdisjoint(node):
            return
        for keyword in _DOWN_ONE:
            yield from _objects((node.get(keyword),))
        for keyword in ("prefixItems", "items"):
            if isinstance(listed := node.get(keyword), list):
                yield from _objects(cast("list[Any]", listed))
        for keyword in _DOWN_NAMED:
            if isinstance(named := node.get(keyword), dict):
                yield from _objects(cast("Node", named).values())

    def _scan(self) -> None:
        """Look at every part once, references not followed."""
        waiting: list[tuple[Any, int, bool]] = [(self.schema, 1, True)]
        while waiting:
            value, depth, is_schema = waiting.pop()
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise Complex(f"it has more than {MOST_NODES} parts")
            if depth > DEEPEST:
                raise Complex(f"it is nested more than {DEEPEST} levels deep")
            if isinstance(value, dict):
                node = cast("Node", value)
                if is_schema:
                    self._note(node)
                waiting += [
                    (each, depth + 1, is_schema and name not in _DATA)
                    for name, each in node.items()
                ]
            elif isinstance(value, list):
                waiting += [(each, depth + 1, is_schema) for each in cast("list[Any]", value)]

    def _note(self, node: Node) -> None:
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(name := node.get(keyword), str):
                self._anchor(name, node)
        for keyword in ("$id", "id"):
            name = node.get(keyword)
            if node is self.schema or not isinstance(name, str):
                continue
            if name.startswith("#"):
                self._anchor(name[1:], node)
            elif keyword == "$id":
                raise Complex(f"a part of it has an $id of its own, {name[:100]!r}; leave it out")
        if any(isinstance(node.get(keyword), str) for keyword in IN_PLACE):
            self.has_references = True
        if looks_again(node):
            self.has_references = True  # what they look at is looked at again, level by level
        self._note_patterns(node)

    def _anchor(self, name: str, node: Node) -> None:
        if self._anchors.setdefault(name, node) is not node:
            raise Complex(f"two parts of it have the anchor {name[:100]!r}")

    def _note_patterns(self, node: Node) -> None:
        if isinstance(pattern := node.get("pattern"), str):
            self.patterns.add(pattern)
            self._compiled += _weight(pattern)
        if isinstance(named := node.get("patternProperties"), dict):
            self.name_patterns |= set(cast("Node", named))
            self._compiled += sum(map(_weight, cast("Node", named)))

    def _refuse_patterns(self) -> None:
        every = self.patterns | self.name_patterns
        if len(every) > MOST_PATTERNS:
            raise Complex(f"it has more than {MOST_PATTERNS} patterns")
        if any(len(each) > LONGEST_PATTERN for each in every):
            raise Complex(f"one of its patterns has more than {LONGEST_PATTERN} characters")
        if self._compiled > MOST_COMPILED:
            raise Complex("its patterns are too large together: shorten them, or leave some out")

    def _refuse_loops(self) -> None:
        """A reference that leads back to itself without going down into the value means nothing."""
        done: set[int] = set()
        for start in self._all():
            if id(start) in done:
                continue
            path = {id(start)}
            stack = [(start, iter(self.in_place(start)))]
            while stack:
                node, rest = stack[-1]
                if (following := next(rest, None)) is None:
                    stack.pop()
                    path.discard(id(node))
                    done.add(id(node))
                elif id(following) in path:
                    raise Complex("one of its references leads back to itself")
                elif id(following) not in done:
                    path.add(id(following))
                    stack.append((following, iter(self.in_place(following))))
                if len(stack) > 4 * DEEPEST:
                    raise Complex("its references lead on to each other too often")

    def _refuse_expansion(self) -> None:
        """How many subschemas see one value: for each part once, from the bottom up."""
        steps: dict[int, int] = {}
        for start in self._all():
            stack = [start]
            while stack:
                node = stack[-1]
                parts = self.in_place(node)
                if unknown := [each for each in parts if id(each) not in steps]:
                    stack += unknown
                    continue
                stack.pop()
                again = AGAIN if looks_again(node) else 1
                steps[id(node)] = 1 + again * sum(steps[id(each)] for each in parts)
                if steps[id(node)] > MOST_STEPS:
                    raise Complex(
                        f"its references lead to more than {MOST_STEPS} checks of a single value"
                    )

    def _all(self) -> Iterator[Node]:
        """Every subschema that can be reached, each once."""
        seen = {id(self.schema)}
        waiting = [self.schema]
        while waiting:
            node = waiting.pop()
            yield node
            for each in (*self.in_place(node), *self._below(node)):
                if id(each) not in seen:
                    seen.add(id(each))
                    waiting.append(each)


def looks_again(node: Node) -> bool:
    """Whether what stands beside is looked at once more, to learn what is left."""
    return "unevaluatedProperties" in node or "unevaluatedItems" in node


def _objects(values: Any) -> Iterator[Node]:
    return (cast("Node", each) for each in values if isinstance(each, dict))


def _entry(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return cast("Node", value).get(step)
    if isinstance(value, list) and step.isdecimal() and len(step) < 8:
        listed = cast("list[Any]", value)
        return listed[int(step)] if int(step) < len(listed) else None
    return None
