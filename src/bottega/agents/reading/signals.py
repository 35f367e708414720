"""The four words for a finished task: each on a line of its own, in any case, outside code and quotes.

A line may have blanks around the signal (up to three before it, as more is code), simple emphasis
(`**TASK_COMPLETE**`) and one full stop or exclamation mark. Anything else on the line makes it prose.
`<task_complete>` may be written as an empty or a self-closed element; where it is a pair around other lines, those
stay and both tags go.
"""

from bottega.agents.reading.answer import Wanted, read


def signalled(text: str) -> tuple[bool, str]:
    """Whether an answer says that the task is complete, and the answer without the lines that say so."""
    found = read(text, wanted=Wanted(signals=True))
    return found.complete, found.shown
