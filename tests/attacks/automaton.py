"""A regular expression as an automaton: nodes with steps that read nothing, and nodes that read one letter.

Characters that the expression does not tell apart are one letter. What cannot be told exactly (a look at more than one
character, a group that is to come again) is taken as if it might hold or not.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from re import _constants as sre  # pyright: ignore[reportAttributeAccessIssue]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any, NamedTuple

COPIES = 64
"""A repetition of one character up to so often is not taken for one without an end."""
EDGE = -1
"""In place of a character: before the first and after the last."""
_SAMPLE = "".join(map(chr, range(256))) + "ſK٣中…–—’“”‘→\u2028\u3000\u0301\U0001f600"


class _Condition(NamedTuple):
    """What has to hold between two characters, as far as these two tell."""

    holds: Callable[[int, int], bool | None]


class _Step(NamedTuple):
    target: int
    condition: _Condition | None = None


class _Alphabet:
    """Characters that no part of an expression tells apart are one letter."""

    def __init__(self, tree: Any, flags: int, of_bytes: bool) -> None:
        self._ascii = int(re.ASCII) if of_bytes or flags & re.ASCII else 0
        parts = {repr(part): part for part in _characters(tree, flags)}
        letters = dict.fromkeys([*_SAMPLE, *_around(part for part, _ in parts.values())])
        groups: dict[tuple[bool, ...], str] = {}
        for letter in sorted(letters, key=_readable):
            if not of_bytes or ord(letter) < 256:
                told = tuple(self._fits(part, letter) for part in parts.values())
                groups.setdefault((*told, letter == "\n", self._is_word(letter)), letter)
        self.letters = [*groups.values()]
        self.words = [self._is_word(letter) for letter in self.letters]
        self._sets = {
            key: frozenset(i for i, each in enumerate(self.letters) if self._fits(part, each))
            for key, part in parts.items()
        }

    def of(self, part: Any, flags: int) -> frozenset[int]:
        return self._sets[repr((tuple(part), flags & _FLAGS))]

    def _is_word(self, letter: str) -> bool:
        return _is_of("w", letter, self._ascii)

    def _fits(self, part: Any, letter: str) -> bool:
        (kind, value), flags = part
        if kind is sre.ANY:
            return letter != "\n" or bool(flags & _DOTALL)
        same = _same(letter) if flags & _IGNORECASE else letter
        if kind is not sre.IN:
            return (chr(value) in same) == (kind is sre.LITERAL)
        negated = value[0][0] is sre.NEGATE
        return any(self._is_one(i, each) for i in value[negated:] for each in same) != negated

    def _is_one(self, item: Any, letter: str) -> bool:
        kind, value = item
        if kind is sre.LITERAL:
            return ord(letter) == value
        if kind is sre.RANGE:
            return value[0] <= ord(letter) <= value[1]
        name = str(value).rpartition("_")[2].lower()[0]
        return _is_of(name, letter, self._ascii) != ("NOT" in str(value))


_IGNORECASE, _DOTALL = int(re.IGNORECASE), int(re.DOTALL)


@cache
def _same(letter: str) -> str:
    """The letter, small and large."""
    return "".join({e for e in (letter, letter.lower(), letter.upper()) if len(e) == 1})


@cache
def _is_of(kind: str, letter: str, flags: int) -> bool:
    return bool(re.match(rf"\{kind}", letter, flags))


def _readable(letter: str) -> tuple[bool, int]:
    return not letter.isalnum(), ord(letter)


_ONE = (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY)


_FLAGS = _IGNORECASE | _DOTALL
"""What may be set for a part of an expression, and changes which characters fit."""


def _characters(tree: Any, flags: int) -> Iterator[Any]:
    """Each part of an expression that is one character, with the flags that hold there."""
    for kind, value in tree:
        if kind in _ONE:
            yield (kind, value), flags & _FLAGS
        else:
            within = _flags(flags, value) if kind is sre.SUBPATTERN else flags
            for inner in _inner(kind, value):
                yield from _characters(inner, within)


def _flags(flags: int, group: Any) -> int:
    """Those that hold in a group: it may set and unset some for itself."""
    return (flags | group[1]) & ~group[2]


def _inner(kind: Any, value: Any) -> list[Any]:  # noqa: PLR0911
    match kind:
        case sre.BRANCH:
            return list(value[1])
        case sre.SUBPATTERN:
            return [value[3]]
        case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
            return [value[2]]
        case sre.ASSERT | sre.ASSERT_NOT:
            return [value[1]]
        case sre.ATOMIC_GROUP:
            return [value]
        case sre.GROUPREF_EXISTS:
            return [each for each in value[1:] if each is not None]
        case sre.AT | sre.GROUPREF:
            return []
        case _:
            raise NotImplementedError(kind)


def _around(parts: Iterable[Any]) -> Iterator[str]:
    """Characters at which the membership in one of these may change."""
    for kind, value in parts:
        for item in value if kind is sre.IN else [(kind, value)]:
            if item[0] in (sre.LITERAL, sre.NOT_LITERAL, sre.RANGE):
                ends = item[1] if item[0] is sre.RANGE else (item[1], item[1])
                for code in (ends[0] - 1, *ends, ends[1] + 1):
                    if 0 <= code < 0x110000:
                        yield chr(code)


class Automaton:
    """An expression as nodes, with steps that read nothing, and nodes that read one letter."""

    def __init__(self, expression: str | bytes, flags: int) -> None:
        tree = parser.parse(expression, flags & ~re.DEBUG)
        self._flags = int(tree.state.flags)
        of_bytes = isinstance(expression, bytes)
        self.alphabet = _Alphabet(tree, self._flags, of_bytes)
        self.steps: list[list[_Step]] = []
        self.reads: dict[int, tuple[frozenset[int], int]] = {}
        self.looks_back = False
        self.end = self._node()
        self.nothing = self._node()
        self.start = self._sequence(list(tree), self.end)

    def _node(self, *steps: _Step) -> int:
        self.steps.append(list(steps))
        return len(self.steps) - 1

    def _letter(self, letters: frozenset[int], then: int) -> int:
        node = self._node()
        self.reads[node] = (letters, then)
        return node

    def _sequence(self, parts: list[Any], then: int) -> int:
        for part in reversed(parts):
            then = self._part(part, then)
        return then

    def _part(self, part: Any, then: int) -> int:  # noqa: C901, PLR0911
        kind, value = part
        match kind:
            case _ if kind in _ONE:
                return self._letter(self.alphabet.of(part, self._flags), then)
            case sre.BRANCH:
                return self._node(*(_Step(self._sequence(list(e), then)) for e in value[1]))
            case sre.SUBPATTERN:
                outside, self._flags = self._flags, _flags(self._flags, value)
                first = self._sequence(list(value[3]), then)
                self._flags = outside
                return first
            case sre.ATOMIC_GROUP:
                return self._atomic(list(value), then)
            case sre.MAX_REPEAT | sre.MIN_REPEAT:
                return self._repeated(*value[:2], list(value[2]), then, final=False)
            case sre.POSSESSIVE_REPEAT:
                return self._repeated(*value[:2], list(value[2]), then, final=True)
            case sre.AT:
                return self._node(_Step(then, self._place(value)))
            case sre.ASSERT | sre.ASSERT_NOT:
                return self._look(kind is sre.ASSERT, value[0], list(value[1]), then)
            case sre.GROUPREF:
                return self._anything(then)
            case sre.GROUPREF_EXISTS:
                both = [list(each or []) for each in value[1:]]
                return self._node(*(_Step(self._sequence(each, then)) for each in both))
            case _:
                raise NotImplementedError(kind)

    def _anything(self, then: int) -> int:
        """In place of what was found before: it may be any text."""
        loop = self._node()
        every = frozenset(range(len(self.alphabet.letters)))
        unsure = _Condition(lambda _before, _after: None)
        self.steps[loop] = [_Step(self._letter(every, loop)), _Step(then, unsure)]
        return loop

    def _atomic(self, parts: list[Any], then: int) -> int:
        if len(parts) == 1 and parts[0][0] in (sre.MAX_REPEAT, sre.POSSESSIVE_REPEAT):
            least, most, body = parts[0][1]
            return self._repeated(least, most, list(body), then, final=True)
        return self._sequence(parts, then)

    def _repeated(self, least: Any, most: Any, body: list[Any], then: int, final: bool) -> int:
        while len(body) == 1 and body[0][0] is sre.SUBPATTERN and not any(body[0][1][1:3]):
            body = list(body[0][1][3])
        one = len(body) == 1 and body[0][0] in _ONE
        longest = COPIES if one else 8
        leave = None
        if final and one:
            inside = self.alphabet.of(body[0], self._flags)
            leave = _Condition(lambda _before, after: after not in inside)
        if most is sre.MAXREPEAT or most > longest:
            loop = self._node()
            self.steps[loop] = [_Step(self._sequence(body, loop)), _Step(then, leave)]
            first, optional = loop, 0
        else:
            first, optional = then, most - least
        for _ in range(optional):
            first = self._node(_Step(self._sequence(body, first)), _Step(then, leave))
        for _ in range(min(least, longest)):
            first = self._sequence(body, first)
        return first

    def _place(self, place: Any) -> _Condition:
        newline = self.alphabet.letters.index("\n")
        words = self.alphabet.words
        many = bool(self._flags & re.MULTILINE)
        match place:
            case sre.AT_BEGINNING_STRING:
                return _Condition(lambda before, _: before == EDGE)
            case sre.AT_BEGINNING:
                self.looks_back |= many
                return _Condition(lambda before, _: before == EDGE or (many and before == newline))
            case sre.AT_END_STRING:
                return _Condition(lambda _, after: after == EDGE)
            case sre.AT_END:
                maybe = True if many else None
                return _Condition(lambda _, after: after == EDGE or (after == newline and maybe))
            case sre.AT_BOUNDARY | sre.AT_NON_BOUNDARY:
                self.looks_back = True
                wanted = place is sre.AT_BOUNDARY

                def differ(before: int, after: int) -> bool:
                    left, right = (each != EDGE and words[each] for each in (before, after))
                    return (left != right) == wanted

                return _Condition(differ)
            case _:
                raise NotImplementedError(place)

    def _look(self, wanted: bool, direction: int, body: list[Any], then: int) -> int:
        """What is looked at ahead or behind: exact for one character, otherwise taken as if it may hold or not."""
        self.looks_back |= direction < 0
        flags = self._flags

        def holds(before: int, after: int) -> bool | None:
            found = self._begins(body, after if direction > 0 else before, direction, flags)
            return found if found is None else found == wanted

        steps = [_Step(then, _Condition(holds))]
        if direction > 0 and _repeats(body):
            steps.append(_Step(self._sequence(body, self.nothing)))
        return self._node(*steps)

    def _begins(self, body: list[Any], letter: int, direction: int, flags: int) -> bool | None:  # noqa: PLR0911
        """Whether the text goes on in this way, as far as its next letter tells."""
        if not body:
            return True
        kind, value = near = body[0 if direction > 0 else -1]
        rest = body[1:] if direction > 0 else body[:-1]
        if rest and direction < 0 and kind not in _ONE:
            return None
        match kind:
            case _ if kind in _ONE:
                fits = letter != EDGE and letter in self.alphabet.of(near, flags)
                return None if fits and rest else fits
            case sre.BRANCH:
                told = [self._begins([*e, *rest], letter, direction, flags) for e in value[1]]
                return _any(told)
            case sre.SUBPATTERN:
                inner = _flags(flags, value)
                if inner & _FLAGS != flags & _FLAGS:
                    return None
                return self._begins([*value[3], *rest], letter, direction, flags)
            case sre.AT if value is sre.AT_END_STRING or value is sre.AT_END:
                newline = letter != EDGE and self.alphabet.letters[letter] == "\n"
                return True if letter == EDGE else None if newline else False
            case sre.MAX_REPEAT | sre.MIN_REPEAT if value[0] > 0:
                begins = self._begins([*value[2]], letter, direction, flags)
                return False if begins is False else None
            case _:
                return None


def _any(told: list[bool | None]) -> bool | None:
    return True if True in told else None if None in told else False


def _repeats(parts: Iterable[Any]) -> bool:
    """Whether some part of it may be as long as the text is."""
    for kind, value in parts:
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT) and value[1] > COPIES:
            return True
        if kind is sre.GROUPREF or any(_repeats(inner) for inner in _inner_of(kind, value)):
            return True
    return False


def _inner_of(kind: Any, value: Any) -> list[Any]:
    return [] if kind in _ONE else _inner(kind, value)
