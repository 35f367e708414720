"""The one pass over an answer: takes calls, signals and thoughts out, and lets the rest flow.

Calls are taken from two places only: a fence that says `tool_call`, and a `<tool_call>` tag on lines of its own,
both with nothing around them. The third form, an answer that is nothing but the JSON, is judged at the end. All
else is text.
"""

import msgspec

from bottega.agents.reading.flow import Flow, begins_call
from bottega.agents.reading.foreign import Foreign
from bottega.agents.reading.marks import (
    ANSWERS,
    GOING,
    is_closing,
    is_signal,
    label,
    may_mean,
    starts_json,
    without_label,
)
from bottega.agents.reading.outline import Line, Outline
from bottega.agents.reading.spans import unquoted
from bottega.agents.reading.strict import Calls, Refusal, entries, is_near, value

FENCE = "tool_call"
OPEN_TAG = "<tool_call>"
CLOSE_TAG = "</tool_call>"
THOUGHT_END = "</think"
"""Some models write only the end of their thoughts."""


class Wanted(msgspec.Struct, frozen=True):
    """What is taken out of an answer; what is not wanted is text like any other."""

    calls: bool = False
    signals: bool = False
    thoughts: bool = False


class Sieve:
    """Fed with whole lines, one after the other."""

    def __init__(self, wanted: Wanted, prefix: str) -> None:
        self.calls = Calls(prefix)
        self.foreign = Foreign()
        self.complete = False
        self.thoughts: list[str] = []
        self.flow = Flow(gated=wanted.calls)
        self._wanted = wanted
        self._outline = Outline()
        self._call: list[str] | None = None
        """The lines of the call that is being read."""
        self._tagged = False
        """It is a tag, not a fence."""
        self._thought: list[str] | None = None

    @property
    def full(self) -> bool:
        """Whether all that follows is only shown."""
        return self._outline.full and self._call is None

    def flows(self, head: str) -> bool:
        """Whether a line that begins so is certainly text, so that it need not be waited for."""
        if self._call is not None or self._thought is not None:
            return False
        if self._outline.inert or self._outline.inside not in ("", ">"):
            return True
        return head.strip() != "" and not may_mean(head, self._wanted.thoughts)

    def feed(self, text: str, given: int = 0) -> None:
        """One line; `given` of its characters flowed before it was whole."""
        if self._call is not None and self._tagged:
            self._tag_line(text)
            return
        line = self._outline.feed(text)
        if self._call is not None:
            self._fence_line(line)
        elif line.kind == "open" and self._wanted.calls and _is_call(line):
            self._begin_call(tagged=False)
        elif line.kind == "prose" and self._wanted.calls and _is_tag(line):
            self._begin_call(tagged=True)
            self._tag_line(text.lstrip()[len(OPEN_TAG) :])
        elif not self._is_mark(line):
            if line.kind == "prose" and THOUGHT_END in text and THOUGHT_END in unquoted(text):
                self._all_was_thought()
            self._text(line, given)

    def end(self) -> None:
        """Nothing follows."""
        if self._call is not None:
            self._finish_call(whole=False)
        if self.full:
            self.foreign.unread()
        self._close_thought()
        held = self.flow.held
        if held and self._is_bare(held):
            self.flow.drop()
        elif self._wanted.calls and not self.calls.found:
            self.foreign.end()
        self.flow.end()

    def _all_was_thought(self) -> None:
        """A thought ends whose begin was never written: what stood before was thought, and is not done."""
        self.calls.forget()
        self.complete = False

    def _is_mark(self, line: Line) -> bool:
        """Whether a line is a signal, or has to do with a thought; it is dealt with then."""
        if line.kind not in ("prose", "comment"):
            return self._thought_goes_on(line)
        plain = not line.inside and (line.listed or line.indent < 4)
        if plain and self._wanted.signals and self._is_signal(line.text):
            self._close_thought()
            self.flow.cut()
            return True
        if plain and self._wanted.thoughts and self._is_label(line):
            return True
        return self._thought_goes_on(line)

    def _is_signal(self, text: str) -> bool:
        if is_signal(text):
            self.complete = True
            return True
        return self.complete and is_closing(text)

    def _is_label(self, line: Line) -> bool:
        found = label(line.text)
        if found is None:
            return False
        if found.word == "thought":
            self._close_thought()
            self.flow.cut()
            self._thought = [found.rest] if found.rest else []
            return True
        begins = found.word in ANSWERS and not self.flow.is_begun
        if self._thought is None and not self.thoughts and not begins:
            return False
        self._close_thought()
        if found.word not in GOING:
            return False
        self.flow.cut()
        if left := without_label(line.text, found):
            self.flow.say(left)
        return True

    def _thought_goes_on(self, line: Line) -> bool:
        if self._thought is None:
            return False
        ends = (line.kind == "blank" and self._thought) or (
            line.kind == "prose" and starts_json(line.text)
        )
        if ends:
            self._close_thought()
            return False
        if line.kind != "blank":
            self._thought.append(line.text.rstrip("\r\n"))
        return True

    def _close_thought(self) -> None:
        if self._thought is not None:
            self.thoughts.append("\n".join(self._thought).strip())
            self._thought = None

    def _text(self, line: Line, given: int) -> None:
        if self._wanted.calls:
            self.foreign.see(line)
        self.flow.say(line.text[given:] if given else line.text)

    def _begin_call(self, tagged: bool) -> None:
        self._close_thought()
        self.flow.let_go()
        self.flow.cut()
        self._call, self._tagged = [], tagged

    def _fence_line(self, line: Line) -> None:
        assert self._call is not None
        if line.kind == "close":
            self._finish_call(whole=True)
        else:
            self._call.append(line.text)

    def _tag_line(self, text: str) -> None:
        assert self._call is not None
        bare = text.rstrip()
        if bare[-len(CLOSE_TAG) :].lower() == CLOSE_TAG:
            self._call.append(bare[: -len(CLOSE_TAG)])
            self._finish_call(whole=True)
            self._outline.interrupt()
        else:
            self._call.append(text)

    def _finish_call(self, whole: bool) -> None:
        assert self._call is not None
        self.calls.add("".join(self._call), whole)
        self._call = None

    def _is_bare(self, text: str) -> bool:
        """Whether an answer is nothing but a call, or calls, in JSON; a broken one is taken too, to be answered."""
        try:
            found = value(text)
        except Refusal:
            meant = _is_broken_call(text) and not self.foreign.leads(text)
        else:
            meant = all(map(is_near, entries(found)))
        if meant:
            self.calls.add(text)
        return meant


def _is_call(line: Line) -> bool:
    return line.top and line.info.lower() == FENCE


def _is_broken_call(text: str) -> bool:
    """Whether what begins like a bare call goes on like one, or was cut off before it could."""
    cut = text.count("{") > text.count("}") and "\n\n" not in text
    return (cut and begins_call(text)) or ('"name"' in text and '"arguments"' in text)


def _is_tag(line: Line) -> bool:
    """Whether a call's tag begins here, with nothing before it, only JSON in it and nothing behind its end."""
    bare = line.text.strip()
    if not line.top or bare[: len(OPEN_TAG)].lower() != OPEN_TAG:
        return False
    held = bare[len(OPEN_TAG) :].lstrip()
    if held and held[0] not in "{[" and held.lower() != CLOSE_TAG:
        return False
    _, close, behind = held.lower().rpartition(CLOSE_TAG)
    return not close or not behind
