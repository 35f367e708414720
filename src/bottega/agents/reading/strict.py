"""Calls from JSON: what is exactly `{"name": …, "arguments": {…}}`, and nothing that is merely near it.

What is not quite that becomes a malformed call, which is answered and never run. Nothing is mended: a key given
twice, a comma too many, a number that is none, half a character are all refused.
"""

import json
import re
from typing import Any, NoReturn, cast

import msgspec

from bottega.messages.block import ToolUse
from bottega.messages.json_size import MOST_MESSAGE, Crowded, check_size
from bottega.providers.protocol.loose_json import REFUSALS, shallow

MOST_CALLS = 100
"""More calls than this in one answer are not read; the last one says so."""
LONGEST_NAME = 128
LONGEST_QUOTE = 2_000
"""How much of a malformed call is kept."""
UNREADABLE = "unreadable_call"
TOO_MANY = f"more than {MOST_CALLS} calls in one answer"
CUT = " … (cut)"
KEYS = frozenset({"name", "arguments", "id"})

_NAME = re.compile(r'"name"\s{0,20}:\s{0,20}"([\w.:/-]{1,64})"', re.ASCII)


class Refusal(Exception):  # noqa: N818
    """Why a text is no call, as the end of a sentence that begins with “because”."""


class Calls:
    """The calls of one answer, in order, with ids made from a prefix."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._uses: list[ToolUse] = []

    @property
    def found(self) -> tuple[ToolUse, ...]:
        return tuple(self._uses)

    def add(self, written: str, whole: bool = True) -> None:
        """Take what stood in one block: a call, a list of calls, or what is malformed."""
        if len(self._uses) > MOST_CALLS:
            return
        try:
            if not whole:
                raise Refusal("it was not closed")
            found = value(written)
        except Refusal:
            self._malformed(written, _name_in(written))
            return
        several = entries(found)
        for entry in several[: MOST_CALLS + 1]:
            self._entry(entry, written if len(several) == 1 else "")

    def forget(self) -> None:
        """What was found so far was not meant."""
        self._uses.clear()

    def _entry(self, entry: Any, written: str) -> None:
        try:
            name, arguments = call(entry)
        except Refusal:
            self._malformed(written or _rewritten(entry), _name_of(entry))
            return
        if self._room():
            self._uses.append(ToolUse(self._id(), name, arguments))

    def _malformed(self, written: str, name: str) -> None:
        if self._room():
            self._uses.append(ToolUse(self._id(), name, malformed=quoted(written)))

    def _room(self) -> bool:
        """Whether one more is taken; the first that is not leaves a word."""
        if len(self._uses) == MOST_CALLS:
            self._uses.append(ToolUse(self._id(), UNREADABLE, malformed=TOO_MANY))
        return len(self._uses) < MOST_CALLS

    def _id(self) -> str:
        return f"{self._prefix}{len(self._uses) + 1}"


def value(written: str) -> Any:
    """The JSON value that a text is; `Refusal` if it is none, or one that means two things."""
    try:
        check_size(written, MOST_MESSAGE)
        found = msgspec.json.decode(written.strip())
        json.loads(written, object_pairs_hook=_once)
    except Refusal:
        raise
    except Crowded as crowded:
        raise Refusal(f"it is {crowded}") from None
    except RecursionError:
        raise Refusal("it nests too deeply") from None
    except REFUSALS as error:
        raise Refusal(f"it is not valid JSON ({_where(written, error)})") from None
    if not shallow(found):
        raise Refusal("it nests too deeply")
    return found


def entries(found: Any) -> list[Any]:
    """The calls that a value is meant to be: a list's entries, or itself."""
    return cast("list[Any]", found) if isinstance(found, list) and found else [found]


def call(entry: Any) -> tuple[str, dict[str, Any]]:
    """The name and the arguments of what is exactly a call."""
    if not isinstance(entry, dict):
        raise Refusal("it is not a JSON object")
    fields = cast("dict[str, Any]", entry)
    if others := sorted(fields.keys() - KEYS):
        raise Refusal(f"it has other keys than name and arguments: {others[0][:40]}")
    if "name" not in fields or "arguments" not in fields:
        missing = "name" if "name" not in fields else "arguments"
        raise Refusal(f"it has no “{missing}”")
    name, arguments = fields["name"], fields["arguments"]
    if not _is_name(name):
        raise Refusal("its name is not a short plain text")
    if not isinstance(arguments, dict):
        raise Refusal("its arguments are not a JSON object")
    return name, cast("dict[str, Any]", arguments)


def is_near(entry: Any) -> bool:
    """Whether a value has the keys of a call and no others, whatever is under them."""
    if not isinstance(entry, dict):
        return False
    keys = cast("dict[str, Any]", entry).keys()
    return {"name", "arguments"} <= keys <= KEYS


def why(malformed: str) -> str:
    """What is wrong with a malformed call, as the end of a sentence that begins with “because”."""
    if malformed == TOO_MANY:
        return f"one answer may hold {MOST_CALLS} calls"
    if malformed.endswith(CUT):
        return "it is long, and not a call in strict JSON"
    try:
        for entry in entries(value(malformed)):
            call(entry)
    except Refusal as refusal:
        return str(refusal)
    return "it was not closed"


def quoted(written: str) -> str:
    """A malformed call as it is kept: never empty, never long, and always fit to be stored."""
    text = written.strip()[: LONGEST_QUOTE + 1].encode("utf-8", "replace").decode("utf-8")
    if len(text) > LONGEST_QUOTE:
        text = text[:LONGEST_QUOTE] + CUT
    return text or "(nothing)"


def _is_name(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()


def _once(pairs: list[tuple[str, Any]]) -> None:
    if len(pairs) > 1 and len({key for key, _ in pairs}) < len(pairs):
        raise Refusal("a key stands in it twice")


def _where(written: str, error: Exception) -> str:
    try:
        json.loads(written, parse_constant=_no_constant)
    except json.JSONDecodeError as found:
        return f"{found.msg}, line {found.lineno}, column {found.colno}"
    except REFUSALS:
        pass
    return str(error)[:80]


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _name_of(entry: Any) -> str:
    name = cast("dict[str, Any]", entry).get("name") if isinstance(entry, dict) else None
    return name if _is_name(name) and isinstance(name, str) else UNREADABLE


def _name_in(written: str) -> str:
    found = _NAME.search(written[:4_000])
    return found[1] if found else UNREADABLE


def _rewritten(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False)
