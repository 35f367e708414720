"""The words that Markdown and the page have in common."""

import re
import time

from bottega.messages.block import Text
from bottega.messages.message import StopReason
from bottega.printable import UNPRINTABLE
from bottega.sessions.told.transcript import End, Notice, Use

# Whole escape sequences of a terminal, then any other sign that it would obey, or that hides.
_CONTROL = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[" + UNPRINTABLE + "]"
)

_STATES = {
    "streaming": "broken off",
    "planned": "not run",
    "running": "not finished",
    "done": "done",
    "failed": "failed",
    "unknown": "outcome unknown",
}

_TOPICS = {
    "assistant_message": "Note",
    "compaction": "Summary of what came before",
    "compaction_undone": "Note",
    "session_reset": "Note",
    "session_cleared": "Note",
    "file_ready": "File",
    "mode_changed": "Mode",
    "model_changed": "Model",
    "agent_changed": "Agent",
    "approval_required": "Asked",
    "approval_resolved": "Answered",
    "conversation_retrying": "Retried",
    "remote_started": "Elsewhere",
    "interrupted": "Interrupted",
    "error_message": "Error",
}

_STOPS: dict[StopReason, str] = {
    "cancelled": "Stopped",
    "interrupted": "Interrupted",
    "limit": "A limit was reached",
    "error": "Failed",
    "refusal": "The model refused",
    "max_tokens": "The answer reached its greatest length",
}


def clean(text: str) -> str:
    """Text without what would steer a terminal."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def moment(at: int) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at / 1000))
    except (OverflowError, OSError, ValueError):
        return ""  # an imported event may bear any number


def state(use: Use) -> str:
    took = f" in {_span(use.duration_ms)}" if use.duration_ms else ""
    return _STATES[use.state] + took


def target(use: Use) -> str:
    """What a tool was used on: the first text among its arguments, on one line and not too long."""
    texts = (value for value in use.input.values() if isinstance(value, str))
    line = " ".join(clean(next(texts, "")).split())
    return line if len(line) <= 80 else f"{line[:50]}…{line[-29:]}"


def handed_on(use: Use) -> str:
    """Where the log of a task is that was handed to another agent: it is not part of an export."""
    return f"Its log is a session of its own, {clean(use.child)}, which is not in this export."


def output(use: Use) -> str:
    parts = [
        part.text if isinstance(part, Text) else f"[{part.name or part.media_type}]"
        for part in use.output
    ]
    return clean("".join(parts))


def topic(notice: Notice) -> str:
    if notice.topic == "compaction" and notice.detail:
        return "Note"
    return _TOPICS.get(notice.topic, "Note")


def told(notice: Notice) -> str:
    return clean(f"{notice.text} {notice.hint}".strip())


def ending(end: End) -> str:
    """Why an exchange ended before its time; empty if it did not."""
    response = end.response
    return "" if response.success else _STOPS.get(response.stop_reason, "Not completed") + "."


def _span(ms: int) -> str:
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"
