"""What must be added to a log that nobody will go on with, so that it says how everything in it ended."""

from typing import Any

from bottega.events import facts as f
from bottega.events.event import Event
from bottega.messages.block import Text, ToolUse, plain_text, tool_uses
from bottega.messages.message import Usage

UNKNOWN = "Interrupted: the outcome of this call is unknown."
NOT_RUN = "Interrupted before this call was run."
EXPORTED = "The session was exported before this exchange had ended."
SAFE = ("ask", "plan")
"""Modes that allow nothing by themselves."""


class _Open:
    """The exchange that has no end yet."""

    def __init__(self, prompt: Event) -> None:
        self.message_id = prompt.message_id
        self.began = self.last = prompt.at
        self.calls: dict[str, ToolUse] = {}
        self.begun: set[str] = set()
        self.usage = Usage()
        self.cost: int | None = 0
        self.step = 0
        self.said = ""
        self.streamed: list[str] = []

    def add(self, fact: Event) -> None:
        self.last = fact.at
        what = fact.data
        if isinstance(what, f.TextDelta):
            self.streamed.append(what.text)
        elif isinstance(what, f.MessageStart | f.StreamReset):
            self.streamed = []
            self.step = max(self.step, fact.step)
        elif isinstance(what, f.AssistantMessage):
            self.streamed = []
            self.said = plain_text(what.content) or self.said
            self.calls |= {use.id: use for use in tool_uses(what.content)}
            self._spend(what.usage, what.cost)
            self.step = fact.step
        elif isinstance(what, f.ToolIntent):
            self.begun.add(what.tool_id)
        elif isinstance(what, f.ToolResultFact):
            self.calls.pop(what.tool_id, None)
            self._spend(what.usage, what.cost)
        elif isinstance(what, f.Compaction):
            self._spend(what.usage, what.cost)

    def _spend(self, usage: Usage, cost: int | None) -> None:
        self.usage += usage
        self.cost = None if cost is None or self.cost is None else self.cost + cost


class Closing:
    """Reads a log and knows what is open at its end: an exchange, its calls, asks, prompts that wait."""

    def __init__(self) -> None:
        self._open: _Open | None = None
        self._waiting: dict[str, None] = {}
        self._asks: dict[str, Event] = {}
        self._mode = ""

    def add(self, event: Event) -> None:
        what = event.data
        if isinstance(what, f.PromptQueued):
            self._waiting[event.message_id] = None
        elif isinstance(what, f.PromptCancelled):
            self._waiting.pop(event.message_id, None)
        elif isinstance(what, f.UserMessage):  # a steer was queued under an id of its own
            self._waiting.pop(what.prompt_id or event.message_id, None)
        elif isinstance(what, f.ApprovalRequired):
            self._asks[what.approval_id] = event
        elif isinstance(what, f.ApprovalResolved):
            self._asks.pop(what.approval_id, None)
        elif isinstance(what, f.ModeChanged):
            self._mode = what.mode
        if isinstance(what, f.UserMessage) and not what.steer:
            self._open = _Open(event)
        elif isinstance(what, f.ExchangeResponse):
            self._open = None
        elif self._open:
            self._open.add(event)

    def facts(self, at: int, reason: str = EXPORTED) -> list[Event]:
        """The facts that end what is open, and a mode that would allow something."""
        ends = [
            Event("approval_resolved", at, _nobodys(asked.data), asked.message_id)
            for asked in self._asks.values()
        ]
        ends += _ends(self._open, at, reason) if self._open else []
        ends += [Event("prompt_cancelled", at, f.PromptCancelled(), name) for name in self._waiting]
        if self._mode and self._mode not in SAFE:
            ends.append(Event("mode_changed", at, f.ModeChanged(SAFE[0])))
        return ends


def _nobodys(asked: f.ApprovalRequired) -> f.ApprovalResolved:
    return f.ApprovalResolved(asked.approval_id, "closed", asked.hash, tool_id=asked.tool_id)


def _ends(open_: _Open, at: int, reason: str) -> list[Event]:
    streamed = "".join(open_.streamed)
    response = f.ExchangeResponse(
        success=False,
        completion_reason="interrupted",
        stop_reason="interrupted",
        iterations=open_.step,
        final_response=streamed or open_.said,
        usage=open_.usage,
        cost=open_.cost,
        duration_ms=max(0, open_.last - open_.began),
    )
    told: list[tuple[str, Any]] = [("interrupted", f.Interrupted(reason))]
    if streamed:
        # Nothing that was shown is lost: it becomes part of the history, and its deltas may be trimmed.
        # Nobody said what it used, so it adds nothing to what is known.
        partial = f.AssistantMessage((Text(streamed),), "interrupted", cost=0)
        told.append(("assistant_message", partial))
    results = [("tool_result", _result(use, use.id in open_.begun)) for use in open_.calls.values()]
    return [
        Event(name, at, payload, open_.message_id, open_.step)
        for name, payload in [*told, *results, ("exchange_response", response)]
    ]


def _result(use: ToolUse, begun: bool) -> f.ToolResultFact:
    return f.ToolResultFact(use.id, use.name, (Text(UNKNOWN if begun else NOT_RUN),), is_error=True)
