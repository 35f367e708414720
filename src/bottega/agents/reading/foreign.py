"""Calls in the forms of others, and ours where they do not count: named, so that the model can be told; never run.

Only what stands in the text as if it was meant is named: not what is in code, in quotes or in a comment. JSON in a
fence, or behind other text, counts only at the very end of an answer: what is followed by words is an example.
"""

import re
from json import JSONDecoder
from typing import Any, cast

from bottega.agents.reading.marks import starts_json
from bottega.agents.reading.outline import Line
from bottega.agents.reading.spans import unquoted
from bottega.agents.reading.strict import Refusal, value

_CHANCE = re.compile(r"[<\[(:{]")
_ANYWHERE = (
    (re.compile(r"<[|｜][^|｜<>\s]{0,40}(?:tool|function|call|plugin|action)"), "special tokens"),
    (re.compile(r"<[|｜](?:python_tag|channel|dsml)[|｜]"), "special tokens"),
    (re.compile(r"\[/?tool_calls?\]"), "a [TOOL_CALLS] list"),
)
_AT_START = (
    (re.compile(r"</?(?:\w{1,20}:)?(?:function_calls|invoke)\b"), "<function_calls> and <invoke>"),
    (re.compile(r"<function[=_ ]"), "a <function> tag"),
    (
        re.compile(r"<(?:functioncall|toolcall|tool_code|tool_calls|tool_use|use_\w{0,20}tool)\b"),
        "a tag",
    ),
    (re.compile(r"<(?:\w{1,20}[:_])tool_call\b"), "a tag"),
    (re.compile(r"<tool[ >]"), "a <tool> tag"),
    (re.compile(r"<tool_call\b"), "a <tool_call> tag that does not stand on lines of its own"),
    (re.compile(r"(?:print\()?default_api\.\w"), "a Python call"),
    (re.compile(r"(?:to=)?functions\.\w{1,80} ?[({:<]"), "a functions.name(…) call"),
    (re.compile(r"[*_]{0,3}action input[*_]{0,3} ?:"), "Action and Action Input lines"),
)
_FENCES = frozenset(
    {
        *(
            "tool_code",
            "tool_calls",
            "tool-call",
            "tool-calls",
            "toolcall",
            "tool_use",
            "tool",
            "function",
        ),
        *(
            "function_call",
            "function_calls",
            "functions",
            "action",
            "xml_call",
            "tool_request",
        ),
    }
)
_JSON = frozenset({"", "json", "jsonc", "json5", "javascript", "js"})
_NAMES = ("name", "tool", "tool_name", "toolname", "function", "function_name", "action")
_ARGUMENTS = frozenset(
    {"arguments", "parameters", "args", "params", "input", "tool_input", "action_input"}
)
_LISTS = frozenset({"tool_calls", "tool_call", "function_call"})
_LONGEST = 400


class Foreign:
    """Looks at the lines of an answer that are no calls of ours."""

    def __init__(self) -> None:
        self.sentence = ""
        self._last: list[str] | None = None
        """The lines of the JSON that the answer may end with."""
        self._open = False
        """More lines may belong to it."""

    def see(self, line: Line) -> None:
        if line.kind == "open":
            self._fence(line)
        elif line.kind == "code" and self._open and self._last is not None:
            self._last.append(line.text)
        elif line.kind == "close":
            self._open = False
        elif line.kind == "blank":
            self._open = self._open and self._last is not None
        else:
            self._other(line)

    def leads(self, text: str) -> bool:
        """Whether JSON that looks like a call is followed by something else."""
        try:
            found, end = JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return False
        if text[end:].strip() and _is_call(found):
            self._name("JSON beside other text")
        return bool(text[end:].strip())

    def unread(self) -> None:
        """The answer was too long to be read to its end."""
        self.sentence = (
            self.sentence or "The end of your answer was not read: it has too many lines."
        )

    def end(self) -> None:
        """Nothing follows: what stands last may be meant."""
        if self._last is None or self.sentence:
            return
        try:
            found = value("".join(self._last))
        except Refusal:
            return
        if _is_call(found):
            self._name("JSON in another fence or beside other text")

    def _fence(self, line: Line) -> None:
        self._last, self._open = None, False
        word = line.info.lower().partition(" ")[0]
        if word == "tool_call":
            where = "in a list" if line.listed else "with more behind its word"
            where = "inside quotation marks" if line.inside else where
            self._name(f"a tool_call fence {where}")
        elif word in _FENCES and line.top:
            self._name(f"a fence that says {word}")
        elif word in _JSON and line.top:
            self._last, self._open = [], True

    def _other(self, line: Line) -> None:
        if line.kind == "quote":
            self._last = None
            if line.inside and line.text.lstrip().lower().startswith("<tool_call>"):
                self._name("a <tool_call> tag without an empty line before it")
            return
        if self._last is not None and self._open and line.kind == "prose":
            self._last.append(line.text)
        else:
            begins = line.kind == "prose" and line.top and starts_json(line.text)
            self._last = [line.text] if begins else None
            self._open = begins
        if line.kind == "prose" and not self.sentence:
            self._look(line)

    def _look(self, line: Line) -> None:
        if not _CHANCE.search(line.text):
            return
        start = line.text.strip()[:_LONGEST].lower()
        for pattern, form in _AT_START:
            if pattern.match(start):
                self._name(f"{form}, inside quotation marks" if line.inside else form)
                return
        if line.inside or not ("<" in line.text or "[" in line.text):
            return
        said = unquoted(line.text).lower()
        for pattern, form in _ANYWHERE:
            if pattern.search(said):
                self._name(form)

    def _name(self, form: str) -> None:
        if not self.sentence:
            self.sentence = (
                f"Your answer holds what looks like a call in a form that is not run here: {form}."
            )


def _is_call(found: Any) -> bool:
    """Whether a value is what somebody writes as a call; a tool's definition is none."""
    if isinstance(found, list):
        entries = cast("list[Any]", found)
        return bool(entries) and _is_call(entries[0])
    if not isinstance(found, dict):
        return False
    fields = {key.lower(): entry for key, entry in cast("dict[str, Any]", found).items()}
    if not _LISTS.isdisjoint(fields) or isinstance(fields.get("function"), dict):
        return True
    if "description" in fields:
        return False
    named = any(isinstance(fields.get(name), str) for name in _NAMES)
    return named and any(
        isinstance(fields.get(key), dict | str) for key in _ARGUMENTS & fields.keys()
    )
