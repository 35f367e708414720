"""Lines that mean something by themselves: signals, labels, the begin of JSON.

Only the line is looked at; whether it stands in code or in a quote is the outline's business. A signal may have blanks
around it (up to three before it, as more is code), simple emphasis (`**TASK_COMPLETE**`) and one full stop or
exclamation mark; anything else on the line makes it prose. `<task_complete>` may be an empty or a self-closed element;
where it is a pair around other lines, those stay and both tags go.
"""

import re

import msgspec

SIGNALS = ("TASK_COMPLETE", "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
CLOSING = "</task_complete>"
LABELS = ("thought", "action", "final answer", "answer", "observation", "explanation")
ANSWERS = frozenset({"answer", "final answer"})
"""Labels that also go where they begin an answer without a thought."""
GOING = frozenset({"action", "answer", "final answer"})
"""Labels that are part of a thought's form and go with it."""

_LONGEST = 120
_EMPHASIS = ("", "*", "**", "***", "_", "__")
_STOPS = (("", ""), (".", ""), ("!", ""), ("", "."), ("", "!"))
_WORDS = frozenset(
    f"{mark}{word.lower()}{stop}{mark}{after}"
    for mark in _EMPHASIS
    for word in SIGNALS
    for stop, after in _STOPS
)
_TAGS = frozenset(
    {"<task_complete>", "<task_complete/>", "<task_complete />", "<task_complete></task_complete>"}
)
_COMMENT = re.compile(r"<!--\s*task complete\s*-->")
_LABEL = re.compile(
    r"(?P<head>#{1,6} {1,4})?(?P<open>[*_]{0,3})(?P<word>" + "|".join(LABELS) + r")"
    r"(?: \d{1,4})?(?P<inner>:?)(?P<close>[*_]{0,3})(?P<outer>:?)(?P<rest>[^\r\n]*)",
    re.IGNORECASE,
)


class Label(msgspec.Struct, frozen=True, gc=False):
    word: str
    rest: str
    """What follows on the same line."""


def is_signal(text: str) -> bool:
    """Whether a line says nothing but that the task is complete."""
    word = text.strip()
    if len(word) > _LONGEST:
        return False
    word = word.lower()
    return word in _WORDS or word in _TAGS or _COMMENT.fullmatch(word) is not None


def is_closing(text: str) -> bool:
    """Whether a line is the end tag of a signal that was opened before."""
    return text.strip().lower() == CLOSING


def label(text: str) -> Label | None:
    """The label that a line begins with: a word and a colon; no colon where the line is a heading, or nothing else."""
    found = _LABEL.match(text.strip())
    if found is None or found["open"] != found["close"]:
        return None
    rest = found["rest"].strip()
    colon = found["inner"] or found["outer"]
    if not colon and (rest or not (found["head"] or found["open"])):
        return None
    return Label(found["word"].lower(), rest)


def without_label(text: str, found: Label) -> str:
    """What stays of a line whose label goes: nothing if there is only the label, all if it names an action."""
    if not found.rest:
        return ""
    if found.word == "action":
        return text
    return found.rest + text[len(text.rstrip("\r\n")) :]


def starts_json(text: str) -> bool:
    """Whether a line is the begin of a JSON value."""
    bare = text.strip()
    return bare.startswith(("{", "[{")) or bare == "["


_HELD = ("```", "~~~", "<tool_call", "<task_complete", CLOSING, "<!--")


def may_mean(head: str, labels: bool) -> bool:
    """Whether a line that begins so may still turn out to be a mark: true in doubt."""
    word = head.strip().lstrip("*_# ").lower()
    if any(mark.startswith(word) or word.startswith(mark) for mark in _HELD):
        return True
    if any(_goes_on(signal.lower(), word, "*_.! ") for signal in SIGNALS):
        return True
    return labels and any(_goes_on(mark, word, ":*_ 0123456789") for mark in LABELS)


def _goes_on(mark: str, word: str, after: str) -> bool:
    if word.startswith(mark):
        return word[len(mark) :].strip(after) == "" or (":" in after and word[len(mark)] in after)
    return mark.startswith(word)
