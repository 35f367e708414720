"""One thing at a time out of an answer: what the tests of a part look at."""

from bottega.agents.reading.answer import Reading, Wanted, read


def read_calls(text: str, prefix: str) -> Reading:
    """The calls of an answer and what is left of it; signals and thoughts are text here."""
    return read(text, prefix, Wanted(calls=True))


def signalled(text: str) -> tuple[bool, str]:
    """Whether an answer says that the task is complete, and the answer without the lines that say so."""
    found = read(text, wanted=Wanted(signals=True))
    return found.complete, found.shown


def extracted(text: str) -> tuple[str, str]:
    """The thoughts of an answer, and the answer without them; calls are left where they stand."""
    found = read(text, wanted=Wanted(thoughts=True))
    return found.thought, found.shown
