"""The lines around an answer: its price, why it failed, why it stopped."""

from collections.abc import Callable

from bottega.cli.screen.clean import clean, one_line
from bottega.cli.screen.figures import duration, money, tokens
from bottega.cli.screen.tools import Part
from bottega.events import facts
from bottega.messages.message import Usage
from bottega.sessions.told.transcript import compacted as told_compaction

Fill = Callable[[str, int], float | None]
"""How full that model's window is with so many tokens, in percent; None: nobody knows."""
WORTH_SAYING = 50
"""Percent of the window from which on it is said how full it is."""


def footer(end: facts.ExchangeResponse, model: str, full: float | None = None) -> str:
    """`openai/gpt-5 · 1.2k in, 340 out · $0.0012 · 3.4 s · context 63 % full`"""
    said = [one_line(model)] if model else []
    if end.usage != Usage():
        said.append(f"{tokens(end.usage.input_tokens)} in, {tokens(end.usage.output_tokens)} out")
    if end.iterations:
        said.append(money(end.cost))
    said.append(duration(end.duration_ms))
    if full is not None and full >= WORTH_SAYING:
        said.append(f"context {full:.0f} % full")
    return " · ".join(said)


TAKEN_BACK = "Taken back before its turn came."

_ENDINGS = {
    "cancelled": "Stopped. What was said so far is kept.",
    "interrupted": "Interrupted: the program that ran this ended before the answer was complete.",
    "refusal": "The model declined to answer.",
    "max_tokens": "The answer was cut off at the model's output limit; say “go on” to continue.",
}


def ending(end: facts.ExchangeResponse) -> str:
    """Why an exchange did not end well, where no error has said so already."""
    return "" if end.success else _ENDINGS.get(end.stop_reason, "")


def compacted(what: facts.Compaction) -> list[Part]:
    """That the model sees less from here on, and how to have it otherwise."""
    return [("⇣ ", "accent"), (f"{told_compaction(what)} /compact undo brings it back.", "dim")]


ROWS = 3
"""Rows that a thought may take to be shown whole."""


def thought(text: str, lead: str, width: int) -> str:
    """A thought that is over: whole if it is short, else its first line."""
    lines = [line.strip() for line in clean(text).split("\n") if line.strip(" *#\n")]
    if not lines:
        return ""
    whole = f"{lead}{one_line(' '.join(lines).strip(' *#'))}"
    if len(whole) <= ROWS * (width - 6):
        return whole
    return f"{lead}{one_line(lines[0].strip(' *#'), max(20, width - len(lead)))}"


def held(answer: facts.AssistantMessage) -> int:
    """Tokens that the next request has at least: what was asked and what was answered."""
    usage = answer.usage
    return usage.input_tokens + max(0, usage.output_tokens - usage.reasoning_tokens)


def retry(retrying: facts.ConversationRetrying, left: float) -> list[Part]:
    """A wait before the next try, counted down."""
    reason = one_line(retrying.reason).rstrip(".")
    wait = f" in {max(0, round(left))} s" if left >= 0.5 else ""
    return [
        ("↺ ", "accent"),
        (f"{reason}. Try {retrying.number} of {retrying.of}{wait}", "dim"),
    ]


def problem(error: facts.ErrorMessage) -> tuple[str, str]:
    """What went wrong, and what to do."""
    message = clean(error.message).strip() or "Unexpected error"
    ended = message.endswith((".", "!", "?", ":", ")", "…"))
    return message if ended else f"{message}.", clean(error.hint).strip()
