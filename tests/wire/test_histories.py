"""No session, whatever befell it, ever makes a request that its provider refuses."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, TypeVar
from zlib import crc32

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.errors import Unsupported
from bottega.events.codec import decode
from bottega.messages.block import (
    Audio,
    Block,
    Document,
    Image,
    Origin,
    Reasoning,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.providers.protocol.surrogates import mend
from bottega.sessions.feed import Row
from bottega.sessions.told.compacted import LATER, SUMMARY
from bottega.sessions.told.history import replay
from tests.hunt import SEED, examples
from tests.messages.histories import poisoned
from tests.wire.happenings import lived
from tests.wire.lives import SEAL, WIRES, provided
from tests.wire.places import PLACES, History, Place, check, sent
from tests.wire.verdict import Rejected, strings

_replace = msgspec.structs.replace
SHARE = 60
"""Into how many tests the long hunt is cut, so that they run side by side."""


def is_refused(place: Place, history: History, model: str, words: Iterable[str]) -> str:
    """Why the provider would refuse this, or which words it would not hear; empty if all is well."""
    try:
        body = sent(place, history, model)
        check(place, body)
    except Rejected as refusal:
        return str(refusal)
    except Unsupported:
        return ""
    told = "\0".join(strings(body))
    lost = [word for word in words if word.strip() and mend(word) not in told]
    return f"lost: {lost[0]!r}" if lost else ""


def said(history: History) -> list[str]:
    """What the user said in it, and was told beside it."""
    messages = [message for message in history if message.role == "user"]
    return [b.text for message in messages for b in message.content if isinstance(b, Text)]


def own_words(rows: Sequence[Row]) -> list[str]:
    """What the user said, of all that the model still has to know: read from the log without the fold."""
    facts = [decode(index, body) for index, body in rows]
    ends = [n for n, e in enumerate(facts) if e.type in ("session_reset", "session_cleared")]
    facts = facts[ends[-1] + 1 :] if ends else facts
    undone = {e.data.compaction for e in facts if e.type == "compaction_undone"}
    made = [e for e in facts if e.type == "compaction" and e.index not in undone and e.data.upto]
    # Once there were summaries that stood for the user's words, too.
    upto = made[-1].data.upto if made and not made[-1].data.verbatim else 0
    heard = [e.data.content for e in facts if e.type == "user_message" and e.index > upto]
    return [block.text for content in heard for block in content if isinstance(block, Text)]


_Part = TypeVar("_Part")


def smallest(parts: Sequence[_Part], refused: Callable[[Sequence[_Part]], str]) -> Sequence[_Part]:
    """The same with all left out that its refusal does not need."""
    at = 0
    while at < len(parts):
        less = [*parts[:at], *parts[at + 1 :]]
        if less and refused(less):
            parts = less
        else:
            at += 1
    return parts


def judge(parts: Sequence[_Part], refused: Callable[[Sequence[_Part]], str], what: str) -> None:
    if why := refused(parts):
        pytest.fail(f"{what}: {why}\n" + "\n".join(map(repr, smallest(parts, refused))))


@pytest.mark.fuzz
@pytest.mark.requirement("A27", "C3")
@pytest.mark.parametrize("share", range(SHARE))
def test_no_life_of_a_session_makes_an_invalid_request(share: int) -> None:
    """Crash, cancel, calls side by side, compaction, a switch from wire to wire: all as the dice have it."""
    for number in range(share, examples(1_500, 100_000), SHARE):
        life = lived(Random(f"{SEED}:{number}"))
        place = life.dice.choice(PLACES)
        way = life.dice.choices(("calls", "text"), (6, 4))[0]
        place = place._replace(way=way)
        # Mostly the model that spoke last goes on; otherwise another one takes over.
        model = life.model if place.wire == life.wire and life.chance(0.8) else "another/one"

        def refused(rows: Sequence[Row], place: Place = place, model: str = model) -> str:
            history = tuple(replay(rows))
            words = [*said(history), *own_words(rows)]
            # After a reset nothing is asked before something is said.
            return is_refused(place, history, model, words) if history else ""

        judge(life.log, refused, f"Life {SEED}:{number} to {place.model} by {way}")


hunted = settings(max_examples=examples(300, 20_000), deadline=None, database=None)


@pytest.mark.fuzz
@given(poison=poisoned(*WIRES), pick=st.integers(0, 11))
@hunted
def test_not_even_a_poisonous_history_makes_an_invalid_request(
    poison: tuple[Origin, History], pick: int
) -> None:
    origin, history = poison
    places = [place for place in PLACES if place.wire == origin]
    if history:
        real = tuple(_replace(m, content=_real(m.content)) for m in history)
        place = places[pick % len(places)]
        judge(real, lambda less: is_refused(place, tuple(less), "", said(tuple(less))), "Poison")


def _real(content: tuple[Block, ...]) -> tuple[Block, ...]:
    """Blocks whose sealed parts are such as a decoder keeps, and whose media are what they say."""
    return tuple(map(_real_block, content))


def _real_block(block: Block) -> Any:
    match block:
        case Image() | Audio() | Document():
            return Image(block.media_type, "aGk=")
        case ToolUse() | ToolResult() if block.server and block.origin:
            call = block.id if isinstance(block, ToolUse) else block.tool_id
            use, found = provided(block.origin, crc32(repr(call).encode()))
            return _replace(block, raw=(use if isinstance(block, ToolUse) else found).raw)
        case ToolResult():
            return _replace(block, raw=None, content=_real(block.content))
        case ToolUse() | Reasoning():
            return _replace(block, raw=None, signature=block.signature and SEAL)
        case Text():
            seal = "commentary" if block.origin == "openai-responses" else SEAL
            return _replace(block, signature=block.signature and seal)
        case _:
            return block


def test_the_dice_let_everything_happen() -> None:
    """A hunt that meets no crash, no switch or no refusal of ours would show nothing."""
    met: Counter[str] = Counter(dict.fromkeys(AFTER_ALL, 0))
    for number in range(400):
        life = lived(Random(f"{SEED}:{number}"))
        history = tuple(replay(life.log))
        blocks = [block for message in history for block in message.content]
        calls = {block.id for block in blocks if isinstance(block, ToolUse)}
        results = [block.tool_id for block in blocks if isinstance(block, ToolResult)]
        met["crash"] += not calls <= set(results)
        met["stray"] += not set(results) <= calls
        met["twice"] += len(results) != len(set(results))
        met["switch"] += len({m.model for m in history if m.model}) > 1
        met["thought"] += any(isinstance(block, Reasoning) for block in blocks)
        met["aloud"] += any(isinstance(block, Reasoning) and block.said for block in blocks)
        met["flood"] += any(len(message.content) > 100 for message in history)
        told = "".join(block.text for block in blocks if isinstance(block, Text) and block.aside)
        met["aside"] += bool(told)
        met["summary"] += SUMMARY in told
        met["words kept"] += LATER in told
        met["cut"] += "Cut to save room" in str([b for b in blocks if isinstance(b, ToolResult)])
        met["text call"] += any(call.startswith("text_") for call in calls)
        met["file"] += any(call.startswith("file_") for call in calls)
        types = {decode(index, body).type for index, body in life.log}
        met.update(types & AFTER_ALL)
        try:
            sent(life.dice.choice(PLACES), history, life.model)
        except Unsupported:
            met["unsupported"] += 1
        else:
            met["sent"] += 1
    assert [name for name, count in met.items() if not count] == []
    assert met["sent"] > 260


AFTER_ALL = {"compaction", "compaction_undone", "session_reset", "session_cleared", "child_started"}
