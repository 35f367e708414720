"""What may befall a session: prompts, steps, crashes, cancels, steers, switches, compactions, resets.

To let something else happen in a life, add a function to `HAPPENINGS`.
"""

import json
from collections.abc import Callable
from random import Random

from bottega.agents.context import compact
from bottega.agents.context.compact import Aim
from bottega.events import facts
from bottega.messages.block import Block, Text, ToolUse
from bottega.messages.message import Usage
from bottega.sessions.told.history import indexed
from tests.wire.lives import IDS, MEDIA, WIRES, Life, provided, thought


def asks(life: Life) -> None:
    media = [life.dice.choice(MEDIA)] if life.chance(0.15) else []
    life.hear(*(Text(life.text()) for _ in range(life.dice.choice((1, 1, 1, 2, 0)))), *media)


def steps(life: Life) -> None:
    """One step that went well: calls side by side, and all their results."""
    calls = [life.call() for _ in range(life.dice.choice((1, 1, 2, 3, 5)))]
    life.answer(*life.opening(), *calls)
    results = [life.result(call.id) for call in calls]
    life.give(*results)


def ends(life: Life) -> None:
    life.answer(*life.opening(), Text(life.text()))


def crashes(life: Life) -> None:
    """A step of which some results never came, and the others in any order; some twice."""
    calls = [life.call() for _ in range(life.dice.choice((1, 2, 4)))]
    life.answer(*life.opening(), *calls)
    come = [life.result(call.id) for call in calls if life.chance(0.5)]
    come += [life.result(call.id) for call in calls if life.chance(0.1)]
    life.dice.shuffle(come)
    for result in come:
        life.give(result)


def cancels(life: Life) -> None:
    """An answer that was cut anywhere: in a thought, in a text, or before anything was said."""
    said = life.opening()
    if life.chance(0.5):
        said.append(thought(life))
    life.answer(*said)


def steers(life: Life) -> None:
    steps(life)
    life.hear(Text(life.text()))
    steps(life)


def switches(life: Life) -> None:
    life.wire = life.dice.choice(WIRES)
    life.in_text = life.chance(0.2)


def searches(life: Life) -> None:
    """The provider ran a tool itself; the answer may have been cut before its result."""
    use, found = provided(life.wire, life.fresh())
    blocks: list[Block] = [*life.opening(), use]
    if life.chance(0.7):
        blocks.append(found)
    if life.chance(0.6):
        blocks.append(Text(life.text()))
    life.answer(*blocks)


def floods(life: Life) -> None:
    """A hundred calls at once, and a name without end."""
    calls = [life.call() for _ in range(100)]
    calls.append(ToolUse("long", "n" * 5000, {}))
    life.answer(*calls)
    for call in calls[: life.dice.randrange(101)]:
        life.give(life.result(call.id))


def draws(life: Life) -> None:
    """A picture in an answer."""
    life.answer(*life.opening(), life.dice.choice(MEDIA))


def strays(life: Life) -> None:
    """A result that nobody waits for."""
    life.give(life.result(life.dice.choice(IDS)))


def tells(life: Life) -> None:
    """Something is told beside what the user said, or after results."""
    before, after = (life.text() if life.chance(0.6) else "" for _ in range(2))
    life.note(facts.Aside(before, after, {"date": "today"}))


def breaks_off(life: Life) -> None:
    """Pieces of an answer that never became whole; the history knows nothing of them."""
    life.note(facts.MessageStart(life.model))
    life.note(facts.TextDelta(life.text()))
    life.note(facts.StreamReset("interrupted"))
    life.note(facts.Interrupted("The process that ran this exchange ended."))


def compacts(life: Life) -> None:
    """A compaction as our own code plans it."""
    window = life.dice.choice((100, 300, 1_000, 4_000))
    aim = Aim(window, summed=life.chance(0.4), pressed=life.chance(0.3))
    if draft := compact.draft(indexed(life.log), aim):
        summary = life.text() if draft.upto else ""
        life.note(facts.Compaction(draft.upto, summary, True, draft.cut, "full", usage=Usage(9, 1)))


def cuts(life: Life) -> None:
    """A compaction as an older program, or none that we know, may have written it: anywhere."""
    upto = life.dice.choice((0, life.dice.randrange(len(life.log) + 1)))
    cut = {life.dice.randrange(1, len(life.log) + 2) for _ in range(life.dice.randrange(4))}
    verbatim = life.chance(0.8)
    life.note(facts.Compaction(upto, life.text(), verbatim, tuple(sorted(cut)), "asked"))


def undoes(life: Life) -> None:
    """A compaction counts no longer, the last or any; or what is undone was none."""
    made = [index for index, body in life.log if body.startswith(b'{"type":"compaction"')]
    life.note(facts.CompactionUndone(life.dice.choice((*made, *made[-1:] * 3, 1))))


def begins_anew(life: Life) -> None:
    life.note(facts.SessionReset() if life.chance(0.7) else facts.SessionCleared())
    if life.chance(0.8):
        asks(life)


def writes_files(life: Life) -> None:
    """A single pass: its files are saved by calls that it never made."""
    many = life.dice.randrange(4)
    page = f"```html page.html\n{life.text()}\n```"
    saving = {"file_path": "page.html", "content": life.text()}
    calls = [ToolUse(f"file_1_{number}", "write_file", saving) for number in range(1, many + 1)]
    life.answer(*([Text(page)] if life.chance(0.9) else []), *calls)
    come = life.dice.randrange(many + 1) if life.chance(0.2) else many
    life.give(*(life.result(call.id) for call in calls[:come]))


def delegates(life: Life) -> None:
    """A task for another agent, whose answer is a result like any other."""
    call = ToolUse(f"call_{life.fresh()}", "delegate", {"agent": "coder", "task": life.text()})
    life.answer(*life.opening(), call)
    life.note(facts.ChildStarted(call.id, "ses_child", "coder", "a task"))
    if life.chance(0.8):
        told = json.dumps({"success": True, "answer": life.text()})
        content, usage = (Text(told),), Usage(100, 10)
        life.note(facts.ToolResultFact(call.id, "delegate", content, usage=usage, cost=3))


Happening = Callable[[Life], None]
HAPPENINGS: list[tuple[Happening, int]] = [
    (asks, 30),
    (steps, 30),
    (ends, 20),
    (crashes, 10),
    (cancels, 8),
    (steers, 5),
    (switches, 12),
    (searches, 5),
    (draws, 2),
    (strays, 2),
    (floods, 1),
    (tells, 20),
    (breaks_off, 3),
    (compacts, 8),
    (cuts, 3),
    (undoes, 3),
    (begins_anew, 2),
    (writes_files, 4),
    (delegates, 3),
]
"""What may happen, and how often."""


def lived(dice: Random) -> Life:
    """A session's life, ended anywhere: a crash leaves what was written until then."""
    life = Life(dice)
    asks(life)
    happenings, weights = zip(*HAPPENINGS, strict=True)
    for happening in dice.choices(happenings, weights, k=dice.randrange(1, 18)):
        happening(life)
    if life.chance(0.5):
        del life.log[dice.randrange(1, len(life.log) + 1) :]
    return life
