"""What leaves a history that is too long, planned before anything is done: old noise, then all but the last turns.

Pure. The user's words are never among it, a call and its result are never parted, and the last steps stay whole unless
nothing else would make room.
"""

from collections.abc import Sequence

import msgspec

from bottega.agents.context.measure import message_tokens, words_tokens
from bottega.agents.context.noise import Told, noise
from bottega.messages.block import ToolResult, ToolUse
from bottega.messages.message import Message

ENOUGH = 60
"""Percent of the window: below it, cutting noise alone is enough."""
KEEP = 20
"""Percent of the window that the last turns may take."""
STEPS = 2
"""Steps that stay as they are, however long."""
WORTH = 10
"""Percent of the window that a summary has to win, or it would be written anew at every step."""
STUB = 30
"""Tokens of what is said of a cut result."""
HUGE = 5
"""Percent of the window above which a single result of the last steps may go, if nothing else helps."""


class Aim(msgspec.Struct, frozen=True):
    window: int
    fixed: float = 0.0
    """The guess of what comes before messages: rules, instructions, tools."""
    factor: float = 1.0
    """Tokens of this model to one of our guesses."""
    summed: bool = False
    """Have a summary even where cutting noise would do: somebody asked for it."""
    pressed: bool = False
    """The provider refused the request: what it really takes is less than we believe."""


class Draft(msgspec.Struct, frozen=True):
    """A compaction that is still to be written down."""

    upto: int
    """0: only `cut`."""
    cut: tuple[int, ...]
    replaced: tuple[Told, ...]
    """What the summary is to stand for, the user's words among it."""
    before: int
    left: int
    """Tokens that stay, without the summary."""
    room: int
    """Tokens that the summary must stay below to be of use."""
    dropped: dict[str, int]


def draft(told: Sequence[Told], aim: Aim) -> Draft | None:
    """What to drop of this history; None: there is nothing that could go."""
    sizes = [message_tokens(message) * aim.factor for _, message in told]
    words = [words_of(message) * aim.factor for _, message in told]
    fixed = aim.fixed * aim.factor
    before = fixed + sum(sizes)
    target = aim.window * ENOUGH / 100
    if aim.pressed:
        target = min(target, before / 2)
    keep = min(aim.window * KEEP / 100, target / 2)
    if aim.summed:
        keep = min(keep, sum(sizes) / 4)
    last = boundary(told, sizes, keep)
    cut = set(noise(told, last))
    light = _weight(told, sizes, cut) + fixed
    if light <= target and cut and not aim.summed:
        return _drafted(told, sizes, words, fixed, 0, cut, before)
    worth = before / 50 if aim.summed or aim.pressed else aim.window * WORTH / 100
    if last and sum(sizes[:last]) - sum(words[:last]) > max(STUB * 4, worth):
        light = _weight(told[last:], sizes[last:], cut) + fixed + sum(words[:last])
    else:
        last = 0
    if light > target:
        cut |= _huge(told, sizes, last, aim, light - target)
    cut = {index for index in cut if not last or index > told[last - 1][0]}
    return _drafted(told, sizes, words, fixed, last, cut, before) if cut or last else None


def boundary(told: Sequence[Told], sizes: Sequence[float], keep: float) -> int:
    """The place of the first message of the last turns, which stay as they are."""
    place, steps, taken = len(told), 0, 0.0
    for number in range(len(told) - 1, -1, -1):
        taken += sizes[number]
        if taken > keep and steps >= STEPS:
            break
        role = told[number][1].role
        steps += role == "assistant"
        if role != "tool":
            place = number
    return _whole(told, place)


def _whole(told: Sequence[Told], place: int) -> int:
    """No later than `place`, and so that no result stands without its call."""
    wanted = _results(told[place:]) - _calls(told[place:])
    while place and wanted:
        place -= 1
        wanted = (wanted | _results(told[place : place + 1])) - _calls(told[place : place + 1])
    return place


def _results(told: Sequence[Told]) -> set[str]:
    return {
        b.tool_id for _, m in told for b in m.content if isinstance(b, ToolResult) and not b.server
    }


def _calls(told: Sequence[Told]) -> set[str]:
    return {b.id for _, m in told for b in m.content if isinstance(b, ToolUse)}


def _weight(told: Sequence[Told], sizes: Sequence[float], cut: set[int]) -> float:
    return sum(
        min(size, STUB) if index in cut else size
        for (index, _), size in zip(told, sizes, strict=True)
    )


def words_of(message: Message) -> float:
    """The guess of what the user said and showed in this message."""
    return words_tokens(message) if message.role == "user" else 0.0


def _huge(
    told: Sequence[Told], sizes: Sequence[float], last: int, aim: Aim, wanted: float
) -> set[int]:
    """The largest results of what stays, as many as are needed; one of them may be all that is too long."""
    least = aim.window * HUGE / 100
    results = [
        (size, told[place][0])
        for place, size in enumerate(sizes)
        if place >= last and size > least and told[place][1].role == "tool"
    ]
    found: set[int] = set()
    for size, index in sorted(results, reverse=True):
        if wanted <= 0:
            break
        found.add(index)
        wanted -= size - STUB
    return found


def _drafted(  # noqa: PLR0917 - each is worked out once, above
    told: Sequence[Told],
    sizes: Sequence[float],
    words: Sequence[float],
    fixed: float,
    last: int,
    cut: set[int],
    before: float,
) -> Draft:
    left = fixed + _weight(told[last:], sizes[last:], cut) + sum(words[:last])
    gone = [message for _, message in told[:last]]
    dropped = {
        "messages": sum(message.role == "assistant" for message in gone),
        "results": len(cut) + sum(message.role == "tool" for message in gone),
    }
    return Draft(
        upto=told[last - 1][0] if last else 0,
        cut=tuple(sorted(cut)),
        replaced=tuple(told[:last]),
        before=round(before),
        left=round(left),
        room=round(sum(sizes[:last]) - sum(words[:last])),
        dropped={name: count for name, count in dropped.items() if count},
    )
