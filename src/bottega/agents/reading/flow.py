"""What is left of an answer on its way to a reader: nothing is changed but the gaps where a block was taken out.

Blanks at the end of what was said so far wait until it is known what follows. A text that may turn out to be
nothing but a call in JSON waits as a whole. In which pieces the text came makes no difference.
"""

_HEADS = ('{"name":', '{"arguments":', '{"id":')
_FIRST = (*_HEADS, *(f"[{head}" for head in _HEADS))
_LONGEST = max(map(len, _FIRST))


def begins_call(text: str) -> bool:
    """Whether a text begins with the first key of a call."""
    return "".join(text.split()).startswith(_FIRST)


class Flow:
    def __init__(self, gated: bool) -> None:
        self._ready: list[str] = []
        self._blanks: list[str] = []
        self._before: list[str] | None = None
        """The blanks before the block that was taken out here; None if none was."""
        self._begun = False
        self._gate: Gate | None = Gate() if gated else None

    def say(self, text: str) -> None:
        """More of the text, whole lines or parts of them."""
        bare = text.rstrip()
        if not bare:
            self._blanks.append(text)
            return
        if self._blanks or self._before is not None:
            text = self._gap(text)
            bare = text.rstrip()
        self._begun = True
        self._out(bare)
        if len(bare) < len(text):
            self._blanks.append(text[len(bare) :])

    def onward(self, text: str) -> str:
        """`say` and `take` in one, and quickly so where nothing is in the way."""
        if self._gate is not None or self._before is not None or self._ready:
            self.say(text)
            return self.take()
        bare = text.rstrip()
        blanks = self._blanks
        if not bare:
            blanks.append(text)
            return ""
        rest = text[len(bare) :]
        if blanks:
            bare = "".join(blanks) + bare
            blanks.clear()
        if rest:
            blanks.append(rest)
        self._begun = True
        return bare

    def cut(self) -> None:
        """A block stood here and was taken out."""
        if self._before is None:
            self._before = []
        self._before += self._blanks
        self._blanks.clear()

    def let_go(self) -> None:
        """The text is not nothing but a call: what waits for that may go."""
        if self._gate is not None:
            self._ready += self._gate.held
            self._gate = None

    @property
    def is_begun(self) -> bool:
        """Something was said already."""
        return self._begun

    def take(self) -> str:
        """What may be shown and was not given before."""
        text = "".join(self._ready)
        self._ready.clear()
        return text

    @property
    def held(self) -> str:
        """What may be nothing but a call; empty if it was let go."""
        return "".join(self._gate.held) if self._gate is not None else ""

    def drop(self) -> None:
        """What was held is a call: it is not shown, nor are the blanks around it."""
        self._gate = None
        self._blanks.clear()

    def end(self) -> None:
        """Nothing follows: blanks stay where they were written, and go where they led to a block."""
        self.let_go()
        if self._before is None:
            self._ready += self._blanks
        self._blanks.clear()

    def _gap(self, text: str) -> str:
        """The text with what parts it from the text before."""
        after = "".join(self._blanks)
        self._blanks.clear()
        if self._before is None:
            return after + text
        after += text[: len(text) - len(text.lstrip())]
        text = text.lstrip()
        before, self._before = "".join(self._before), None
        _, newline, indent = after.rpartition("\n")
        if not newline:
            indent = after
        if not self._begun:
            return indent + text
        end = "\r\n" if "\r\n" in before or "\r\n" in after else "\n"
        apart = before.count("\n") > 1 or bool(newline)
        return (end * 2 if apart else end) + indent + text

    def _out(self, text: str) -> None:
        if self._gate is None:
            self._ready.append(text)
            return
        self._gate.hold(text)
        if not self._gate.closed:
            self.let_go()


class Gate:
    """Holds a text while it may be nothing but a call."""

    def __init__(self) -> None:
        self.held: list[str] = []
        self._head = ""

    def hold(self, text: str) -> None:
        self.held.append(text)
        if len(self._head) < _LONGEST:
            self._head = (self._head + "".join(text.split()))[:_LONGEST]

    @property
    def closed(self) -> bool:
        head = self._head
        return any(head.startswith(first) or first.startswith(head) for first in _FIRST)
