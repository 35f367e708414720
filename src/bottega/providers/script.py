"""A script for the scripted provider: what it says turn by turn, in Python, JSON or TOML.

`turns` are played in order, one for each answer of the conversation. A rule's turns are played
instead where its `when` fits the last words of the user, one for each answer since those words.
"""

import os
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NoReturn

import msgspec
from msgspec import Meta

from bottega.errors import Misconfigured
from bottega.messages.message import StopReason, Usage
from bottega.regular_file import read_regular

LARGEST = 4 * 1024 * 1024
"""Bytes of a script."""
_LONGEST = 200
"""Characters of a pattern."""
_SEARCHED = 2_000
"""Characters of the user's words that a pattern is searched in."""
_REPEATED = re.compile(r"[*+?}]")
_NESTED = re.compile(r"\)\s*[*+{]|\\[1-9]|\(\?P=")
"""A group that is repeated, or what stood in one again: these may take for ever."""

Milliseconds = Annotated[float, Meta(ge=0, le=600_000)]
Seconds = Annotated[float, Meta(ge=0, le=600)]


class _Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    pass


class Say(_Step, frozen=True, tag="say"):
    text: str
    pace_ms: Milliseconds = 0
    """The wait before each piece."""
    pieces: int = 0
    """In how many pieces; 0 means word by word."""


class Think(_Step, frozen=True, tag="think"):
    text: str
    pace_ms: Milliseconds = 0
    pieces: int = 0


class Call(_Step, frozen=True, tag="call"):
    name: str
    input: dict[str, Any] = {}
    malformed: str = ""
    """Arguments that are no JSON object, as a model may write them."""
    id: str = ""
    """Made from the place in the conversation if left out."""
    pace_ms: Milliseconds = 0
    pieces: int = 1


class Fail(_Step, frozen=True, tag="fail"):
    """The answer ends as a failure."""

    code: str = "server_error"
    message: str = "The script says that this call fails."
    retryable: bool = False
    status: int = 0
    retry_after: float | None = None
    hint: str = ""
    no_response: bool = False


class Retry(_Step, frozen=True, tag="retry"):
    """The transport would say that it tries again; the delay is really waited."""

    number: int = 2
    of: int = 3
    delay: Seconds = 0
    reason: str = "The script says so."


class ResetStep(_Step, frozen=True, tag="reset"):
    """What was streamed so far is void."""

    reason: str = "The script says so."


class Cut(_Step, frozen=True, tag="cut"):
    """The stream breaks off here."""


class Stop(_Step, frozen=True, tag="stop"):
    """The answer ends here, for this reason."""

    reason: StopReason = "end_turn"
    usage: Usage | None = None


class Pause(_Step, frozen=True, tag="pause"):
    ms: Milliseconds


class Gate(_Step, frozen=True, tag="gate"):
    """Waits until this file exists, so that a test decides when the answer goes on."""

    path: str


Step = Say | Think | Call | Fail | Retry | ResetStep | Cut | Stop | Pause | Gate


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    steps: tuple[Step, ...]
    usage: Usage | None = None
    """Estimated from the texts if left out."""


Turns = tuple[Turn | tuple[Step, ...], ...]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    when: str
    """A part of the user's words, or between slashes a plain regular expression; in any case."""
    turns: Turns

    def __post_init__(self) -> None:
        pattern = self._pattern()
        try:
            re.compile(pattern)
        except re.error as problem:
            raise ValueError(f"`when` {self.when!r} is no regular expression: {problem}") from None
        if len(self.when) > _LONGEST or (self._is_regex and _may_take_long(pattern)):
            raise ValueError(f"`when` {self.when[:_LONGEST]!r} is too long, or could take too long")

    def fits(self, text: str) -> bool:
        if not self._is_regex:
            return self.when.casefold() in text.casefold()
        return re.search(self._pattern(), text[:_SEARCHED], re.IGNORECASE) is not None

    @property
    def _is_regex(self) -> bool:
        return len(self.when) > 2 and self.when[0] == self.when[-1] == "/"

    def _pattern(self) -> str:
        return self.when[1:-1] if self._is_regex else re.escape(self.when)


def _may_take_long(pattern: str) -> bool:
    """Whether matching could take more than the square of the text's length."""
    return bool(_NESTED.search(pattern)) or len(_REPEATED.findall(pattern)) > 3


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    turns: Turns = ()
    rules: tuple[Rule, ...] = ()
    after: Literal["end", "repeat"] = "end"
    """After the last turn: say that the script is over, or play the turns again."""
    model: str = "scripted"

    def turn(self, answers: int, since_user: int, text: str) -> Turn:
        """The turn after `answers` in all, `since_user` of them after the user's last words."""
        for rule in self.rules:
            if rule.fits(text):
                return self._chosen(rule.turns, since_user, f"for {rule.when!r} ")
        return self._chosen(self.turns, answers, "")

    def _chosen(self, turns: Turns, index: int, which: str) -> Turn:
        if index >= len(turns):
            if self.after == "end" or not turns:
                said = f"The script {which}has no more turns: it has {len(turns)}."
                return Turn((Say(said),))
            index %= len(turns)
        chosen = turns[index]
        return chosen if isinstance(chosen, Turn) else Turn(chosen)


def script(turns: Sequence[Turn | Sequence[Step]], **options: Any) -> Script:
    """A script out of plain lists."""
    made = tuple(turn if isinstance(turn, Turn) else Turn(tuple(turn)) for turn in turns)
    return Script(made, **options)


def load(path: str | os.PathLike[str]) -> Script:
    """Read a script; raises `Misconfigured` that names the field that is wrong.

    Waits for the disk: use a thread.
    """
    try:
        body = read_regular(path, LARGEST)
    except (OSError, ValueError) as problem:
        _wrong(path, f"cannot be read: {getattr(problem, 'strerror', None) or problem}")
    return parsed(body, path)


def parsed(body: bytes, path: str | os.PathLike[str]) -> Script:
    """A file holds a script, or just its list of turns; `.toml` is TOML, all else JSON."""
    try:
        if os.fspath(path).endswith(".toml"):
            return msgspec.toml.decode(body, type=Script)
        found = msgspec.json.decode(body, type=Script | Turns)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        _wrong(path, f"is not valid: {problem}")
    return found if isinstance(found, Script) else Script(found)


def _wrong(path: str | os.PathLike[str], why: str) -> NoReturn:
    raise Misconfigured(f"The script {os.fspath(path)!r} {why}.") from None
