"""What of an answer may be shown while it is still being written.

However the text is cut into pieces, what is shown in the end is what `read` gives as `shown`, and nothing is taken
back. What waits is: blanks before the next word; a line that may still become a call, a signal or a label; a call
up to its end; a thought up to its end; and an answer that begins like a bare call, up to the answer's end. Any
other line flows as it comes.
"""

from collections.abc import Sequence

from bottega.agents.reading.answer import Reading, reading
from bottega.agents.reading.sieve import Sieve, Wanted

_HEAD = 80


class Shown:
    """Fed with pieces of an answer, in order; gives back what may be shown."""

    def __init__(self, wanted: Wanted, prefix: str = "call_") -> None:
        self._sieve = Sieve(wanted, prefix)
        self._parts: list[str] = []
        """The line that is not whole yet."""
        self._head = ""
        self._given = 0
        """How many of its characters flowed already."""
        self._length = 0
        self._shown: list[str] = []

    def feed(self, piece: str) -> str:
        """More of the answer; what may be shown now."""
        if self._given and "\n" not in piece:  # nearly every piece: more of a line that flows
            self._parts.append(piece)
            self._given = self._length = self._length + len(piece)
            text = self._sieve.flow.onward(piece)
            if text:
                self._shown.append(text)
            return text
        *whole, last = piece.split("\n")
        for part in whole:
            self._more(part + "\n")
            self._line()
        if last:
            self._more(last)
            self._early()
        return self._take()

    def rest(self) -> str:
        """The answer is over; what was still held back."""
        if self._parts:
            self._line()
        self._sieve.end()
        return self._take()

    @property
    def thoughts(self) -> Sequence[str]:
        """The thoughts that have come to their end; it grows."""
        return self._sieve.thoughts

    def reading(self) -> Reading:
        """All that was found, after `rest`."""
        return reading(self._sieve, "".join(self._shown))

    def _more(self, part: str) -> None:
        self._parts.append(part)
        self._length += len(part)
        if len(self._head) < _HEAD:
            self._head = (self._head + part)[:_HEAD]

    def _line(self) -> None:
        text = "".join(self._parts)
        self._sieve.feed(text, self._given)
        self._parts.clear()
        self._head, self._given, self._length = "", 0, 0

    def _early(self) -> None:
        """Let the begin of a line flow if it is text whatever follows."""
        if self._given or self._sieve.flows(self._head):
            new = self._parts[-1] if self._given else "".join(self._parts)
            self._sieve.flow.say(new)
            self._given = self._length

    def _take(self) -> str:
        text = self._sieve.flow.take()
        if text:
            self._shown.append(text)
        return text
