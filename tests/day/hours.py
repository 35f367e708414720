"""A day's work as data: its prompts, who answers each, and what happens to it besides."""

import uuid

import msgspec

FIRST = "The roof of the mill must be whole by Sunday, and nobody may touch the weathercock — it is my grandmother's."
"""The user's first words: whatever happens, the model sees them to the end."""

CLAUDE = "anthropic/claude-sonnet-4-5"
CHAT = "openai-chat/gpt-4o"
RESPONSES = "openai-responses/gpt-5"
GEMINI = "gemini/gemini-3-flash-preview"
PLAIN = "openai-chat/gpt-4.1"
"""Taken for one that has no tools of its own: its calls are read from its text."""


class Hour(msgspec.Struct, frozen=True):
    """One prompt. Numbers in it count the results of its calls."""

    words: str
    model: str
    steps: int
    """Model calls that its exchange takes, about."""
    agent: str = ""
    steer: tuple[int, str] = (0, "")
    """After how many results something is said into it, and what."""
    cancel: int = 0
    plan: tuple[int, int] = (0, 0)
    """While it may only plan, from and to."""
    compact: int = 0
    """When somebody asks for a compaction; -1: when it is over."""


def day(length: int) -> list[Hour]:
    """A day of about `length` model calls."""
    part = max(4, length // 9)
    return [
        Hour(FIRST, CLAUDE, part, steer=(5, "Slate, not tiles.")),
        Hour("Now the beams.", CHAT, part, plan=(6, 10)),
        Hour("And the gutters.", CLAUDE, part, compact=-1),
        Hour("Count the nails.", RESPONSES, part, compact=8, steer=(12, "The long ones only.")),
        Hour("Ask the smith, too.", GEMINI, part * 2, cancel=part),
        Hour("Leave the smith. The chimney.", GEMINI, part),
        Hour("Put the accounts in order.", PLAIN, part),
        Hour("Think about the winter.", CLAUDE, part // 2, agent="thinker"),
        Hour("Write the sign for the door.", CHAT, 1, agent="writer"),
        Hour("Back to the roof.", CLAUDE, part),
        Hour("What is left?", RESPONSES, part // 2),
    ]


def marked(number: int, hour: Hour) -> str:
    """What is said, with what the model goes by: it is known again in every request."""
    return f"[hour {number}, {hour.steps} steps] {hour.words}"


def name(number: int) -> str:
    """The id of an hour's prompt: every life of the day gives it the same, so that it runs once."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"hour {number}"))
