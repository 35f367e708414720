"""The stages of an exchange, for who looks for a fault: names, numbers and times, never what was said."""

from typing import NamedTuple

from bottega.events import facts
from bottega.events.event import Event

Fields = dict[str, str | int]


class Stage(NamedTuple):
    name: str
    fields: Fields

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.fields.items())])


class Stages:
    """Tells the stages of one session's exchanges, with the time since the prompt was admitted."""

    def __init__(self) -> None:
        self._at = 0
        self._first = True

    def note(self, event: Event) -> Stage | None:
        """The stage that begins or ends with this event, if one does."""
        if isinstance(event.data, facts.PromptQueued) or not self._at:
            self._at = event.at
        found = self._begun(event) or _ended(event) or _beside(event)
        if found is None:
            return None
        name, fields = found
        return Stage(name, {**fields, "session_index": event.index, "at_ms": event.at - self._at})

    def _begun(self, event: Event) -> tuple[str, Fields] | None:  # noqa: PLR0911 - a table
        match event.data:
            case facts.PromptQueued():
                return "prompt admitted", {"message_id": event.message_id}
            case facts.UserMessage() as said:
                return ("steered" if said.steer else "exchange started"), {}
            case facts.MessageStart() as start:
                self._first = True
                told: Fields = {"step": event.step, "attempt": event.attempt, "model": start.model}
                return "request sent", told
            case facts.TextDelta() | facts.ReasoningDelta() | facts.InputJsonDelta() if self._first:
                self._first = False
                return "first piece of the answer", {"step": event.step}
            case facts.ToolIntent() as intent:
                return "tool started", {"name": intent.name, "tool_id": intent.tool_id}
            case facts.ApprovalRequired() as ask:
                return "asked", {"kind": ask.kind, "ask_id": ask.approval_id, "name": ask.tool_name}
            case _:
                return None


def _ended(event: Event) -> tuple[str, Fields] | None:
    match event.data:
        case facts.AssistantMessage() as answer:
            return "answer complete", {
                "step": event.step,
                "stop": answer.stop_reason,
                "input_tokens": answer.usage.input_tokens,
                "output_tokens": answer.usage.output_tokens,
            }
        case facts.ToolResultFact() as result:
            state = "failed" if result.is_error else "completed"
            return f"tool {state}", {"name": result.name, "duration_ms": result.duration_ms}
        case facts.ApprovalResolved() as reply:
            return "answered", {"ask_id": reply.approval_id, "answer": reply.answer}
        case facts.ErrorMessage() as error:
            return "error", {"code": error.code}
        case facts.ExchangeResponse() as end:
            reason, took = end.completion_reason, end.duration_ms
            return "exchange completed", {"duration_ms": took, "reason": reason}
        case _:
            return None


def _beside(event: Event) -> tuple[str, Fields] | None:  # noqa: PLR0911 - a table
    match event.data:
        case facts.ConversationRetrying() as retrying:
            return "retrying", {"number": retrying.number, "delay_ms": retrying.delay_ms}
        case facts.StreamReset():
            return "stream reset", {}
        case facts.CancelRequested():
            return "cancel requested", {}
        case facts.PromptCancelled():
            return "prompt taken back", {}
        case facts.Interrupted():
            return "interrupted", {}
        case facts.ChildStarted() as child:
            return "child started", {"child": child.session_id, "agent": child.agent}
        case facts.RemoteStarted() as remote:
            return "remote started", {"address": remote.address, "agent": remote.agent}
        case _:
            return None
