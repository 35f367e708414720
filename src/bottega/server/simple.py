"""One exchange in the few words that simple clients know: pieces of text, steps, asks, files, errors and the end. Pure.

Whatever becomes of a prompt, its last word is one `complete`. What is told at an index is told alike each time, so a
client that comes back with the index it has goes on from there.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

import msgspec

from bottega.events import facts as f
from bottega.events import fold
from bottega.events.codec import decode
from bottega.events.event import Event
from bottega.events.layers import AgentStep

Piece = Literal["text_chunk", "stream"]
Told = dict[str, object]
Arguments = Callable[[str], Mapping[str, Any] | None]
"""The arguments of the call that the ask of that id is about."""


def piece_of(agent_type: str) -> Piece:
    """The word for a piece of text: an agent of a single pass only streams."""
    return "stream" if agent_type == "StreamAgent" else "text_chunk"


class Simple:
    """Give it the facts of a session in order, from the prompt's `prompt_queued` on or from any place before it."""

    def __init__(
        self,
        session_id: str,
        message_id: str,
        *,
        piece: Piece = "text_chunk",
        arguments: Arguments | None = None,
    ) -> None:
        self._session_id = session_id
        self._message_id = message_id
        self._exchange = message_id
        """A steer is told by the exchange that it was said into."""
        self._piece = piece
        self._arguments = arguments
        self._fold = fold.EMPTY
        self.ended = False
        """Nothing more is to come of this prompt."""

    def step(self, index: int, body: bytes) -> list[Told]:
        """What the fact at this index says in simple words, ready to be encoded; most say nothing."""
        if self.ended:
            return []
        fact = decode(index, body)
        if isinstance(fact.data, f.UserMessage) and fact.data.prompt_id == self._message_id:
            self._exchange = fact.message_id
        if fact.message_id not in (self._exchange, self._message_id):
            return []
        self._fold, seen = fold.step(self._fold, fact)
        told = [self._worded(event) for event in seen]
        return [self._signed(index, words) for words in told if words]

    def _signed(self, index: int, words: Told) -> Told:
        return {
            **words,
            "session_id": self._session_id,
            "message_id": self._message_id,
            "index": index,
        }

    def _worded(self, event: Event) -> Told:
        what: object = event.data
        rule = self._rules.get(type(what))
        return rule(self, what) if rule else {}

    def _said(self, piece: f.TextDelta) -> Told:
        return {"type": self._piece, "content": piece.text}

    def _asked(self, asked: f.ApprovalRequired) -> Told:
        called = self._fold.uses.get(asked.tool_id)
        given = called.use.input if called else None
        if (given is None or asked.detail.get("child")) and self._arguments:
            given = self._arguments(asked.approval_id)
        return {
            "type": "approval_required",
            "approval_id": asked.approval_id,
            "tool_name": asked.tool_name,
            "tool_parameters": given or {},
            "kind": asked.kind,
            "question": asked.question,
            "choices": asked.choices,
            "hash": asked.hash,
            "detail": asked.detail,
        }

    def _ended(self, response: f.ExchangeResponse) -> Told:
        self.ended = True
        return {
            "type": "complete",
            "success": response.success,
            "iterations": response.iterations,
            "final_response": response.final_response,
            "completion_reason": response.completion_reason,
        }

    def _taken_back(self, _: f.PromptCancelled) -> Told:
        return self._ended(f.ExchangeResponse(False, "user_stopped", "cancelled", 0))

    _rules: ClassVar[dict[type[Any], Callable[["Simple", Any], Told]]] = {
        f.TextDelta: _said,
        AgentStep: lambda _, step: {"type": "agent_step", **msgspec.to_builtins(step)},
        f.ApprovalRequired: _asked,
        f.StreamReset: lambda _, what: {"type": "reset", "reason": what.reason},
        f.FileReady: lambda _, what: {"type": "file_ready", "path": what.path, "size": what.size},
        f.ErrorMessage: lambda _, what: {
            "type": "error",
            "error": what.message,
            "code": what.code,
            "hint": what.hint,
        },
        f.ExchangeResponse: _ended,
        f.PromptCancelled: _taken_back,
    }
