"""What a conversation says of itself: who answers and why, where, and what a mode means."""

from pathlib import Path

from bottega.approvals.mode import Mode
from bottega.runtime import Chosen

MODES: dict[Mode, str] = {
    "plan": "it looks and plans; nothing is changed, run or fetched.",
    "ask": "it asks before anything that matters.",
    "allow": "it asks for nothing.",
}


def why(chosen: Chosen) -> str:
    if chosen.model != "guide":
        return "" if chosen.why in ("asked for", "set in the flag") else f" — {chosen.why}."
    if chosen.why != "no key is configured":
        return " — the built-in guide answers."
    return (
        " — no key is configured, so the built-in guide answers."
        " Add a model with `bottega keys set openai`, or use one of Ollama's: --model ollama/NAME."
    )


def short(folder: Path) -> str:
    try:
        return str("~" / folder.absolute().relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(folder.absolute())
