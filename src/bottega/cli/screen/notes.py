"""The lines around an answer: its price, why it failed, why it stopped."""

from bottega.cli.screen.clean import clean, one_line
from bottega.cli.screen.figures import duration, money, tokens
from bottega.cli.screen.tools import Part
from bottega.events import facts
from bottega.messages.message import Usage


def footer(end: facts.ExchangeResponse, model: str) -> str:
    """`openai/gpt-5 · 1.2k in, 340 out · $0.0012 · 3.4 s`"""
    said = [one_line(model)] if model else []
    if end.usage != Usage():
        said.append(f"{tokens(end.usage.input_tokens)} in, {tokens(end.usage.output_tokens)} out")
    if end.iterations:
        said.append(money(end.cost))
    said.append(duration(end.duration_ms))
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
