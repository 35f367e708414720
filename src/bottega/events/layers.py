"""The four layers in which a reader may take an interest, and the payloads of what is derived."""

from typing import Any, Literal

import msgspec

from bottega.messages.block import Block
from bottega.messages.message import StopReason, Usage

Layer = Literal["stream", "state", "message", "exchange"]


class Nothing(msgspec.Struct, frozen=True):
    """The name of the event says it all."""


class BlockStart(msgspec.Struct, frozen=True):
    block: int


class BlockStop(msgspec.Struct, frozen=True):
    block: int


class ToolBlockStart(msgspec.Struct, frozen=True):
    block: int
    id: str
    name: str


class ToolBlockStop(msgspec.Struct, frozen=True):
    block: int
    id: str


class ToolCall(msgspec.Struct, frozen=True):
    id: str
    name: str
    input: dict[str, Any]


class MessageDelta(msgspec.Struct, frozen=True):
    stop_reason: StopReason


class ToolState(msgspec.Struct, frozen=True):
    tool_id: str
    name: str


class ToolOutput(msgspec.Struct, frozen=True):
    type: Literal["text", "error-text"]
    value: str


class ToolUseMessage(msgspec.Struct, frozen=True):
    """A call and its result as one message: the output is empty until the result is there."""

    id: str
    tool_call: ToolCall
    tool_result: ToolOutput
    complete: bool
    role: Literal["tool-use"] = "tool-use"


class StepResult(msgspec.Struct, frozen=True):
    tool_id: str
    name: str
    content: str
    is_error: bool


class AgentStep(msgspec.Struct, frozen=True):
    iteration: int
    thought: str
    tool_calls: tuple[ToolCall, ...]
    tool_results: tuple[StepResult, ...]
    response_text: str
    is_complete: bool


class ExchangeRequest(msgspec.Struct, frozen=True):
    content: tuple[Block, ...]


LAYERS: dict[str, Layer] = {
    "message_start": "stream",
    "text_content_block_start": "stream",
    "text_delta": "stream",
    "text_content_block_stop": "stream",
    "reasoning_delta": "stream",
    "tool_use_content_block_start": "stream",
    "input_json_delta": "stream",
    "tool_use_content_block_stop": "stream",
    "tool_call": "stream",
    "tool_output_delta": "stream",
    "tool_result": "stream",
    "usage": "stream",
    "message_delta": "stream",
    "message_stop": "stream",
    "stream_reset": "stream",
    "prompt_queued": "state",
    "prompt_edited": "state",
    "prompt_moved": "state",
    "prompt_cancelled": "state",
    "conversation_queued": "state",
    "conversation_start": "state",
    "conversation_thinking": "state",
    "conversation_responding": "state",
    "conversation_retrying": "state",
    "tool_planned": "state",
    "tool_intent": "state",
    "tool_executing": "state",
    "tool_completed": "state",
    "approval_required": "state",
    "approval_resolved": "state",
    "todos_changed": "state",
    "mode_changed": "state",
    "model_changed": "state",
    "agent_changed": "state",
    "session_reset": "state",
    "session_cleared": "state",
    "child_started": "state",
    "remote_started": "state",
    "opening": "state",
    "aside": "state",
    "cancel_requested": "state",
    "interrupted": "state",
    "conversation_end": "state",
    "user_message": "message",
    "assistant_message": "message",
    "tool_use_message": "message",
    "agent_step": "message",
    "file_ready": "message",
    "error_message": "message",
    "compaction": "message",
    "compaction_undone": "message",
    "exchange_request": "exchange",
    "exchange_response": "exchange",
}
"""Every event type, and the layer a reader finds it in."""

DERIVED: dict[str, type[msgspec.Struct]] = {
    "text_content_block_start": BlockStart,
    "text_content_block_stop": BlockStop,
    "tool_use_content_block_start": ToolBlockStart,
    "tool_use_content_block_stop": ToolBlockStop,
    "tool_call": ToolCall,
    "usage": Usage,
    "message_delta": MessageDelta,
    "message_stop": Nothing,
    "conversation_queued": Nothing,
    "conversation_start": Nothing,
    "conversation_thinking": Nothing,
    "conversation_responding": Nothing,
    "tool_planned": ToolState,
    "tool_executing": ToolState,
    "tool_completed": ToolState,
    "conversation_end": Nothing,
    "tool_use_message": ToolUseMessage,
    "agent_step": AgentStep,
    "exchange_request": ExchangeRequest,
}
