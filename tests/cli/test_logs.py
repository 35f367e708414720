"""Log lines say what happens when, and never what was said."""

import logging

import pytest

from bottega.cli.logs import Lines
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import Text


@pytest.mark.requirement("X22", "A04")
def test_each_stage_is_one_line_with_its_time(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "bottega.stage")
    stages = Lines()
    secret = "hunter2"
    story = [
        facts.PromptQueued((Text(secret),)),
        facts.UserMessage((Text(secret),)),
        facts.MessageStart("openai/gpt-5"),
        facts.TextDelta(secret),
        facts.TextDelta(secret),
        facts.ConversationRetrying(2, 10, 1500, "overloaded"),
        facts.StreamReset("cut"),
        facts.AssistantMessage((Text(secret),), "tool_use"),
        facts.ToolIntent("1", "read_file", "hash"),
        facts.ToolResultFact("1", "read_file", (Text(secret),), is_error=True, duration_ms=3),
        facts.ApprovalRequired("a1", "tool", question=secret, detail={"diff": secret}),
        facts.ApprovalResolved("a1", "deny", note=secret),
        facts.CancelRequested(),
        facts.PromptCancelled(),
        facts.Interrupted(secret),
        facts.ChildStarted("1", "ses_1", "coder", secret),
        facts.ErrorMessage(secret, "bad_key"),
        facts.ExchangeResponse(False, "error", "error", 1, secret, duration_ms=77),
    ]
    for index, payload in enumerate(story, 1):
        stages.note(
            Event(facts.NAMES[type(payload)], 1000 + index, payload, "m", 1, 1, index=index)
        )

    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == len(story) - 1  # of the pieces, only the first is a stage
    assert lines[3] == "first piece of the answer step=1 session_index=4 at_ms=3"
    assert "tool failed name=read_file duration_ms=3" in lines[8]
    assert lines[-1].startswith("exchange completed duration_ms=77 reason=error")
    assert not any(secret in line for line in lines)


def test_without_debug_nothing_is_put_together(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bottega.stage")
    Lines().note(Event("user_message", 0, facts.UserMessage((Text("x"),)), "m"))

    assert caplog.records == []
