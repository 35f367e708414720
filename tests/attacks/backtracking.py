"""Tells from a regular expression alone whether a text could make it take longer than the text is long.

Python tries one way after another to fit an expression to a text. If a piece of text can be read in two ways, and leads
each time from a repetition into itself or into a later one, then a text with that piece n times can be read in n, n² or
2ⁿ ways, and all are tried before the match fails. An expression is taken as an automaton here, and such a piece looked
for in it: the criteria of Weber and Seidl for ambiguity that is not bounded. `search` and its like are a repetition of
anything before the expression. What cannot be told exactly is taken for worse than it is, never for better.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache, cached_property
from itertools import product
from typing import Any, NamedTuple, TypeVar

import msgspec

from tests.attacks.automaton import EDGE, Automaton

WHOLE, FIRST, SEARCH, ALL = "fullmatch", "match", "search", "all"
"""How an expression is used; the last stands for each that goes on after a match."""
S = TypeVar("S", bound=Hashable)


class Slow(NamedTuple):
    """A text that takes long: the start, then the piece again and again, then something that fits nothing."""

    start: str
    piece: str
    exponential: bool

    def text(self, length: int, end: str = "") -> str:
        return self.start + self.piece * (length // len(self.piece)) + end


class State(NamedTuple):
    """The letter that was read last, and where: before the expression, or at a node of it."""

    node: int
    letter: int


class Edge(msgspec.Struct, frozen=True):
    letter: int
    target: State
    ways: int
    """In how many ways the same step can be taken."""
    accepts: bool
    """Whether the expression could end before this letter: nothing more is tried, then."""


_BEFORE = -1
"""The place of a `search` that has not begun to match."""


class Graph:
    """The automaton without its empty steps, for one way to use it."""

    def __init__(self, expression: str | bytes, flags: int, use: str) -> None:
        self._automaton = Automaton(expression, flags)
        self.use = use
        self.letters = self._automaton.alphabet.letters
        self.first = State(_BEFORE - 1, EDGE)
        self.edges: dict[State, list[Edge]] = {}
        self._closures: dict[tuple[int, int, int], tuple[dict[int, int], bool]] = {}
        waiting = [self.first]
        while waiting:
            state = waiting.pop()
            if state not in self.edges:
                self.edges[state] = found = [*self._from(state)]
                waiting.extend(edge.target for edge in found)
        if use == WHOLE:
            self._forget(self._universal())

    def _from(self, state: State) -> Iterator[Edge]:
        inside = state.node >= 0
        node = self._automaton.reads[state.node][1] if inside else self._automaton.start
        for letter in range(len(self.letters)):
            found, accepts = self._closure(node, state.letter, letter)
            accepts = accepts and self.use != WHOLE
            for target, ways in found.items():
                yield Edge(letter, self._state(target, letter), ways, accepts)
            if state.node < 0 and self.use in (SEARCH, ALL):
                yield Edge(letter, self._state(_BEFORE, letter), 1, False)

    def _state(self, node: int, letter: int) -> State:
        return State(node, letter if self._automaton.looks_back else EDGE - 1)

    def _closure(self, node: int, before: int, after: int) -> tuple[dict[int, int], bool]:
        key = (node, before, after)
        if key not in self._closures:
            ways: dict[int, int] = {}
            ends = [False]
            self._walk(node, before, after, True, set(), ways, ends)
            self._closures[key] = (ways, ends[0])
        return self._closures[key]

    def _walk(
        self, node: int, before: int, after: int, sure: bool, taken: set[Any], ways: Any, ends: Any
    ) -> None:
        """Each way along empty steps, none of them twice, to a node that reads the letter after."""
        automaton = self._automaton
        if node == automaton.end:
            ends[0] |= sure
        if node in automaton.reads:
            if after in automaton.reads[node][0]:
                ways[node] = ways.get(node, 0) + 1
            return
        for index, step in enumerate(automaton.steps[node]):
            holds = True if step.condition is None else step.condition.holds(before, after)
            if holds is False or (node, index) in taken:
                continue
            taken.add((node, index))
            self._walk(step.target, before, after, sure and bool(holds), taken, ways, ends)
            taken.discard((node, index))

    def _universal(self) -> set[State]:
        """States from which every text fits: all letters lead from one of them to another, and each may be the last."""
        found = {state for state in self.edges if state.node >= 0 and self._may_end(state)}
        while True:
            left = {state for state in found if self._goes_on(state, found)}
            if left == found:
                return found
            found = left

    def _may_end(self, state: State) -> bool:
        node = self._automaton.reads[state.node][1]
        return self._closure(node, state.letter, EDGE)[1]

    def _goes_on(self, state: State, known: set[State]) -> bool:
        """Whether each letter leads on to one of those that are known."""
        letters = {edge.letter for edge in self.edges[state] if edge.target in known}
        return len(letters) == len(self.letters)

    def _forget(self, states: set[State]) -> None:
        for state in self.edges:
            kept = [edge for edge in self.edges[state] if edge.target not in states]
            self.edges[state] = [] if state in states else kept

    def loops(self) -> list[set[State]]:
        """Sets of states that lead to one another, without an edge at which the match could end."""
        return [each for each in _components(self._following) if self._is_loop(each)]

    def _following(self) -> dict[State, list[State]]:
        return {s: [e.target for e in edges if not e.accepts] for s, edges in self.edges.items()}

    def _is_loop(self, states: set[State]) -> bool:
        return any(e.target in states and not e.accepts for s in states for e in self.edges[s])

    def by_letter(
        self, state: State, inside: set[State], *, may_accept: bool = False
    ) -> dict[int, list[State]]:
        """Where the edges to these states lead, for each letter."""
        found: dict[int, list[State]] = {}
        for edge in self.edges[state]:
            if edge.target in inside and (may_accept or not edge.accepts):
                found.setdefault(edge.letter, []).append(edge.target)
        return found

    @cached_property
    def _sources(self) -> dict[State, set[State]]:
        found: dict[State, set[State]] = {}
        for state, edges in self.edges.items():
            for edge in edges:
                found.setdefault(edge.target, set()).add(state)
        return found

    def leading_to(self, states: set[State]) -> set[State]:
        """These, and all from which they can be reached."""
        found, waiting = set(states), [*states]
        while waiting:
            fresh = self._sources.get(waiting.pop(), set()) - found
            found |= fresh
            waiting.extend(fresh)
        return found

    def spelled(self, letters: Iterable[int]) -> str:
        return "".join(self.letters[letter] for letter in letters)

    def way_to(self, state: State) -> str:
        return self.spelled(
            _path(self.first, state, lambda s: ((e.letter, e.target) for e in self.edges[s])) or ()
        )


def _components(following: Callable[[], dict[State, list[State]]]) -> list[set[State]]:
    """Strongly connected components (Tarjan), without recursion."""
    graph = following()
    index: dict[State, int] = {}
    low: dict[State, int] = {}
    stack: list[State] = []
    on_stack: set[State] = set()
    found: list[set[State]] = []
    for root in graph:
        if root in index:
            continue
        work: list[tuple[State, Iterator[State]]] = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            state, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(graph[target])))
                    break
                if target in on_stack:
                    low[state] = min(low[state], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
                if low[state] == index[state]:
                    component: set[State] = set()
                    while state not in component:
                        component.add(stack.pop())
                    on_stack -= component
                    found.append(component)
    return found


def _path(start: S, end: S, following: Callable[[S], Iterable[tuple[int, S]]]) -> list[int] | None:
    """The letters of a shortest way from one to the other, of one step at least."""
    came: dict[S, tuple[S, int]] = {}
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        for letter, target in following(at):
            if target not in came:
                came[target] = (at, letter)
                if target == end:
                    return _letters(came, start, end)
                waiting.append(target)
    return None


def _letters(came: dict[S, tuple[S, int]], start: S, end: S) -> list[int]:
    at, letter = came[end]
    letters = [letter]
    while at != start:
        at, letter = came[at]
        letters.append(letter)
    return letters[::-1]


Triple = tuple[State, State, State]


def _exponential(graph: Graph, loop: set[State]) -> Slow | None:
    """Whether one piece leads from a state of the loop back to it in two ways."""
    inside = {s: [e for e in graph.edges[s] if e.target in loop and not e.accepts] for s in loop}
    for state, edges in inside.items():
        for edge in edges:
            if edge.ways > 1:
                back = [] if edge.target == state else _way(inside, edge.target, state)
                return Slow(graph.way_to(state), graph.spelled([edge.letter, *back]), True)
    return _apart(graph, {s: graph.by_letter(s, loop) for s in loop})


def _apart(graph: Graph, inside: dict[State, dict[int, list[State]]]) -> Slow | None:
    """Whether two ways with the same letters leave a state, part, and come back to it together."""

    def both(pair: tuple[State, State]) -> Iterator[tuple[int, tuple[State, State]]]:
        for letter, ones in inside[pair[0]].items():
            for each in product(ones, inside[pair[1]].get(letter, ())):
                yield letter, each

    for state in inside:
        start = (state, state)
        for pair in _reached(start, both):
            if pair[0] != pair[1] and (back := _path(pair, start, both)):
                there = _path(start, pair, both) or []
                return Slow(graph.way_to(state), graph.spelled([*there, *back]), True)
    return None


def _polynomial(graph: Graph, first: set[State], last: set[State]) -> Slow | None:
    """Whether one piece leads from a state back to it, on to a state of a later loop, and there back to that."""
    between = graph.leading_to(last)
    if not first & between:
        return None
    staying = {s: graph.by_letter(s, first) for s in first}
    ending = {s: graph.by_letter(s, last) for s in last}

    @cache
    def going(state: State) -> dict[int, list[State]]:
        return graph.by_letter(state, between, may_accept=graph.use == ALL)

    def three(triple: Triple) -> Iterator[tuple[int, Triple]]:
        for letter, ones in staying[triple[0]].items():
            others = ending[triple[2]].get(letter, ())
            middles = going(triple[1]).get(letter, ()) if others else ()
            yield from ((letter, each) for each in product(ones, middles, others))

    for start, end in product(first, last):
        if start.letter == end.letter and (
            piece := _path((start, start, end), (start, end, end), three)
        ):
            return Slow(graph.way_to(start), graph.spelled(piece), False)
    return None


def _way(inside: dict[State, list[Edge]], start: State, end: State) -> list[int]:
    return _path(start, end, lambda s: ((e.letter, e.target) for e in inside[s])) or []


def _reached(start: S, following: Callable[[S], Iterable[tuple[int, S]]]) -> set[S]:
    seen: set[S] = set()
    waiting = [start]
    while waiting:
        for _, target in following(waiting.pop()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def slow(graph: Graph) -> Slow | None:
    """A text for which such a match takes longer than it is long, if there could be one."""
    loops = graph.loops()
    for loop in loops:
        if found := _exponential(graph, loop):
            return found
    for first in loops:
        for last in loops:
            if first is not last and (found := _polynomial(graph, first, last)):
                return found
    return None


def pumped(graph: Graph) -> Iterator[Slow]:
    """For each repetition a text that goes on in it."""
    for loop in graph.loops():
        inside = {s: [e for e in graph.edges[s] if e.target in loop] for s in loop}
        state = min(loop)
        if piece := _way(inside, state, state):
            yield Slow(graph.way_to(state), graph.spelled(piece), False)
