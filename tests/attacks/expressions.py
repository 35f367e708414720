"""Every regular expression of the program and how it is used, out of the source and what is compiled at import."""

import ast
import importlib
import pkgutil
import re
import types
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import msgspec

import bottega
from tests.attacks.backtracking import ALL, FIRST, SEARCH, WHOLE

_METHODS = {
    **{"fullmatch": WHOLE, "match": FIRST, "search": SEARCH},
    **dict.fromkeys(("sub", "subn", "split", "findall", "finditer", "scanner"), ALL),
}
_FLAGS_AT = {"compile": 1, "sub": 4, "subn": 4, "split": 3}
_FUNCTIONS = frozenset({"compile", "template", *_METHODS})
_KEYWORDS = {"pattern": SEARCH, "also": WHOLE}
"""Arguments by which an expression is handed to something else, and how that uses it."""
_HINTS = re.compile(r"\bimport re\b|\bfrom re import\b|\b(?:pattern|also)=")


class Expression(msgspec.Struct, frozen=True):
    module: str
    text: str | bytes
    flags: int
    uses: frozenset[str]

    def __str__(self) -> str:
        return f"{self.module}: {self.text!r}"


class Place(msgspec.Struct, frozen=True):
    """Where an expression is put together only when it is needed."""

    module: str
    function: str


class _Source:
    """A module: its syntax, with the way from each part to the one around it."""

    def __init__(self, module: types.ModuleType) -> None:
        self.name = module.__name__
        self.names = vars(module)
        with open(module.__file__ or "", encoding="utf-8") as file:
            self.text = file.read()
        self.around: dict[ast.AST, ast.AST] = {}
        self.calls: list[ast.Call] = []
        self._read: dict[str, list[ast.AST]] = {}
        """Where the value of each name is read, be it of its own or an attribute."""
        passed_on = any(isinstance(each, re.Pattern) for each in self.names.values())
        if passed_on or _HINTS.search(self.text):
            self._parse()

    def _parse(self) -> None:
        for node in ast.walk(ast.parse(self.text)):
            for inner in ast.iter_child_nodes(node):
                self.around[inner] = node
            self._note(node)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            self.calls.append(node)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if not (isinstance(node, ast.Attribute) and self._is_re(node.value)):
                self._read.setdefault(name, []).append(node)

    def _is_re(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and self.names.get(node.id) is re

    def value(self, node: ast.expr | None) -> Any:
        """What an expression of the source is at the level of the module; `LookupError` where it has no value there."""
        if node is None:
            return 0
        try:
            return eval(compile(ast.Expression(node), self.name, "eval"), dict(self.names))  # noqa: S307
        except Exception as problem:
            raise LookupError from problem

    def function(self, node: ast.AST) -> str:
        """The function around it; empty at the level of the module."""
        while node in self.around:
            node = self.around[node]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                return getattr(node, "name", "lambda")
        return ""

    def of_re(self) -> Iterator[tuple[str, ast.Call]]:
        """Calls of the functions of `re`, under each name that it has here."""
        for call in self.calls:
            match call.func:
                case ast.Attribute(ast.Name(module), name) if self.names.get(module) is re:
                    if name in _FUNCTIONS:
                        yield name, call
                case ast.Name(name) if name in self.names:
                    for known in _FUNCTIONS:
                        if self.names[name] is getattr(re, known, None):
                            yield known, call
                case _:
                    pass

    def used(self, name: str, within: ast.AST | None = None) -> set[str] | None:
        """How the expression of this name is used here, `None` where it is passed on."""
        found: set[str] = set()
        for node in self._read.get(name, ()):
            if within is None or within in self._outside(node):
                use = self._use(node)
                if use is None:
                    return None
                found |= use
        return found

    def _outside(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.around:
            yield (node := self.around[node])

    def _scope(self, node: ast.AST) -> ast.AST | None:
        """What a name that is given here holds in; `None`: the module."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ListComp)
        return next((each for each in self._outside(node) if isinstance(each, kinds)), None)

    def _use(self, node: ast.AST) -> set[str] | None:  # noqa: PLR0911
        match outer := self.around[node]:
            case ast.Attribute(_, "pattern" | "flags") | ast.Compare():
                return set()
            case ast.Attribute(_, "match"):
                call = self.around[outer]
                at_a_place = isinstance(call, ast.Call) and len(call.args) > 1
                return {ALL if at_a_place else FIRST}  # perhaps at one place after another
            case ast.Attribute(_, method) if method in _METHODS:
                return {_METHODS[method]}
            case ast.Attribute(_, "get") | ast.Call(func=ast.Attribute(_, "get")):
                return self._use(outer)
            case ast.Tuple() | ast.Subscript() | ast.IfExp():
                return self._use(outer)
            case (
                ast.For(ast.Name(each) | ast.Tuple([*_, ast.Name(each)]))
                | ast.comprehension(ast.Name(each))
                | ast.Assign([ast.Name(each)])
                | ast.NamedExpr(ast.Name(each))
            ):
                return self.used(each, self._scope(outer))
            case _:
                return None

    def any_uses(self) -> set[str]:
        """Each way in which anything here is used that may be an expression."""
        return {use for name, use in _METHODS.items() if name in self._read and name != "split"}


def _sources() -> list[_Source]:
    found = [bottega]
    for module in pkgutil.walk_packages(bottega.__path__, "bottega."):
        if not module.name.endswith("__main__"):
            found.append(importlib.import_module(module.name))
    return [_Source(each) for each in found]


class Found(msgspec.Struct):
    expressions: list[Expression]
    places: set[Place]


def found() -> Found:
    sources = _sources()
    written: list[Expression] = []
    places: set[Place] = set()
    for source in sources:
        for name, call in source.of_re():
            try:
                written.append(_written(source, name, call, sources))
            except LookupError:
                if function := source.function(call):
                    places.add(Place(source.name, function))
        written.extend(_handed_over(source))
    known = {(each.text, each.flags) for each in written}
    for source in sources:
        for name, value in [*source.names.items()]:
            for each in _compiled([value]):
                if (each.pattern, each.flags) not in known:
                    uses = _uses_of(name, source, sources)
                    written.append(Expression(source.name, each.pattern, each.flags, uses))
                    known.add((each.pattern, each.flags))
    return Found(list(dict.fromkeys(written)), places)


def _written(source: _Source, name: str, call: ast.Call, sources: list[_Source]) -> Expression:
    given = {each.arg: each.value for each in call.keywords}
    at = _FLAGS_AT.get(name, 2)
    flags = given.get("flags", call.args[at] if len(call.args) > at else None)
    text = source.value(call.args[0])
    if isinstance(text, re.Pattern):
        text, flags = text.pattern, ast.Constant(text.flags)
    compiled = re.compile(text, source.value(flags))
    uses = {_METHODS[name]} if name in _METHODS else _uses(source, call, sources)
    return Expression(source.name, text, compiled.flags, frozenset(uses))


def _uses(source: _Source, call: ast.Call, sources: list[_Source]) -> frozenset[str]:
    """Of an expression that is compiled here: on the spot, under a name, or one after another out of a list."""
    outer = source.around[call]
    if isinstance(outer, ast.Attribute) and outer.attr in _METHODS:
        return frozenset({_METHODS[outer.attr]})
    while isinstance(outer, ast.List | ast.Tuple | ast.ListComp | ast.Dict):
        outer = source.around[outer]
    target = outer.targets[0] if isinstance(outer, ast.Assign) else getattr(outer, "target", None)
    if isinstance(target, ast.Name):
        return _uses_of(target.id, source, sources)
    return _all_uses(source, sources)


def _uses_of(name: str, source: _Source, sources: list[_Source]) -> frozenset[str]:
    near = [source] if name.startswith("_") else _near(source, sources)
    found: set[str] = set()
    for each in near:
        told = each.used(name)
        found |= each.any_uses() if told is None else told
    return frozenset(found) or _all_uses(source, sources)


def _all_uses(source: _Source, sources: list[_Source]) -> frozenset[str]:
    """Of an expression that is passed on: each use that there is here, and where the module is imported."""
    found = {use for each in _near(source, sources) for use in each.any_uses()}
    return frozenset(found or {ALL})


def _near(source: _Source, sources: list[_Source]) -> list[_Source]:
    """Itself, and the modules that import it."""
    of, _, last = source.name.rpartition(".")
    said = (f"from {source.name} import", f"from {of} import {last}")
    return [e for e in sources if e is source or any(each in e.text for each in said)]


def _handed_over(source: _Source) -> Iterator[Expression]:
    for call in source.calls:
        for each in call.keywords:
            if each.arg in _KEYWORDS:
                with suppress(LookupError):
                    text = source.value(each.value)
                    if isinstance(text, str):
                        uses = frozenset({_KEYWORDS[each.arg]})
                        yield Expression(source.name, text, 0, uses)


def _compiled(values: Iterable[Any], depth: int = 4) -> Iterator[re.Pattern[Any]]:
    for value in values:
        of = getattr(getattr(value, "__wrapped__", value), "__self__", None)
        if isinstance(value, re.Pattern):
            yield value
        elif isinstance(of, re.Pattern):
            yield of
        elif isinstance(value, dict) and depth:
            yield from _compiled([*value.values()], depth - 1)
        elif isinstance(value, list | tuple | set | frozenset) and depth:
            yield from _compiled([*value], depth - 1)
        elif isinstance(value, type) and value.__module__.startswith("bottega") and depth:
            yield from _compiled([*vars(value).values()], 1)
