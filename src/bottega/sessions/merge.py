"""Neighbouring deltas of one kind become one: fewer rows, the same text."""

from collections.abc import Sequence

import msgspec

from bottega.events import facts
from bottega.events.event import Carried, Event

_Texts = facts.TextDelta | facts.ReasoningDelta | facts.ToolOutputDelta


def weight(event: Event) -> int:
    """How many characters of memory an event holds until it is durable; only deltas can pile up."""
    payload = event.data
    if isinstance(payload, _Texts):
        return len(payload.text)
    return len(payload.partial_json) if isinstance(payload, facts.InputJsonDelta) else 0


def merged(events: Sequence[Event]) -> list[Event]:
    """The same events with runs of deltas that belong together joined; everything else as it was."""
    out: list[Event] = []
    run: list[Event] = []
    for event in events:
        if run and not _joins(run[-1], event):
            out.append(_joined(run))
            run = []
        run.append(event)
    if run:
        out.append(_joined(run))
    return out


def _joins(last: Event, event: Event) -> bool:
    if last.type != event.type or event.type not in facts.DELTAS or isinstance(event, Carried):
        return False
    if (last.message_id, last.step, last.attempt) != (event.message_id, event.step, event.attempt):
        return False
    a, b = last.data, event.data
    if isinstance(a, facts.InputJsonDelta) and isinstance(b, facts.InputJsonDelta):
        return a.block == b.block
    if isinstance(a, facts.ToolOutputDelta) and isinstance(b, facts.ToolOutputDelta):
        return a.tool_id == b.tool_id
    return True


def _joined(run: list[Event]) -> Event:
    first = run[0]
    if len(run) == 1:
        return first
    payload = first.data
    if isinstance(payload, facts.InputJsonDelta):
        whole = "".join(event.data.partial_json for event in run)
        payload = msgspec.structs.replace(payload, partial_json=whole)
    else:
        payload = msgspec.structs.replace(payload, text="".join(event.data.text for event in run))
    return msgspec.structs.replace(first, data=payload)
