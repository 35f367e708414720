"""What the user wants, out of plain words: an action for a tool, or a topic to talk about.

Patterns, not understanding. What fits none of them is a `None`, never a guess.
"""

import re
from typing import Literal

import msgspec

from bottega.providers.guide.paths import is_path, is_root, is_word, looks_like_a_file, taken
from bottega.providers.guide.spelling import corrected

Deed = Literal["list", "read", "search", "write", "run", "tour"]


class Action(msgspec.Struct, frozen=True):
    do: Deed
    path: str = ""
    text: str = ""
    """What to search for, to write, or to run."""
    start: int = 0
    end: int = 0
    meant: tuple[str, str] = ("", "")
    """A word as it was written, and as it was understood."""


_LONGEST = 1_000
"""Longer words are no request; and some patterns take a time that grows with its square."""
_POLITE = re.compile(
    r"(?:(?:please|pls|hey|hi|hello|ok|okay|so|now|then|well|guide|bottega|just|and|also|first"
    r"|(?:can|could|would|will)\s+(?:you|we|i)|i(?:\s+want|'d\s+like|\s+would\s+like|\s+need)"
    r"(?:\s+you)?\s+to|let'?s|go\s+ahead\s+and|try\s+to|help\s+me(?:\s+to)?)\b[,!.:]*\s+)+",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:[\s,]+(?:please|pls|thanks|thank\s+you|for\s+me|now|then))*[\s?!.…,;]*$", re.IGNORECASE
)
_JOINT = re.compile(
    r"\s*(?:;|\n|,?\s+and\s+then\s+|,?\s+then\s+|,?\s+and\s+|,\s+)\s*", re.IGNORECASE
)

_THINGS = r"(?:files?|folders?|director(?:y|ies)|contents?|entries|things|stuff|listing|tree)"
_FILL = r"(?:\s+(?:me|all|every|of|the|my|your|a|an|these|those|full|complete))*"

_LIST = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:ls|dir|ll|tree)(?:\s+-\w+)*(?:\s+(?P<path>[^\s-]\S*))?",
        rf"(?:list|show|display|print|give|see|view){_FILL}\s+{_THINGS}"
        r"(?:\s+(?:are\s+)?(?:here|there))?"
        r"(?:\s+(?:of|in|inside|under|from|at|on|that\s+are\s+in)\s+(?P<path>.+?))?",
        r"list(?:\s+(?:me|the|my))*(?:\s+(?P<path>[^\s]+|[\"'`].+[\"'`]))?(?:\s+(?:folder|dir))?",
        rf"(?:what|which)(?:['’]?s|\s+is|\s+are)?(?:\s+(?:the|all))*(?:\s+{_THINGS})?(?:\s+are|\s+is)?"
        r"(?:\s+there)?\s+(?:in|inside|under|within)\s+(?P<path>.+?)",
        rf"(?:what|which)\s+{_THINGS}(?:\s+(?:do|are|can|have|exist|is)\b.*)?(?P<path>)",
        r"what(?:['’]?s|\s+is)\s+(?:here|around(?:\s+here)?)(?P<path>)",
        r"(?:show|tell)(?:\s+me)?\s+what(?:['’]?s|\s+is)\s+(?:in|inside)\s+(?P<path>.+?)",
    )
]
_TOUR = re.compile(
    r"(?:(?:take\s+a\s+|have\s+a\s+)?look\s+around|explore|(?:give\s+me\s+|take\s+)?(?:a\s+)?tour"
    r"|(?:explain|describe|summari[sz]e|explore|show\s+me|tell\s+me\s+about|what(?:['’]?s|\s+is|\s+does)"
    r"|look\s+at|introduce(?:\s+me\s+to)?|give\s+me\s+an?\s+(?:overview|summary)\s+of|walk\s+me\s+through)"
    r"\s+(?:this|the|my|our)\s+(?:project|repo|repository|code\s?base|code|folder|workspace)"
    r"(?:\s+(?:about|do|for|all\s+about))?)",
    re.IGNORECASE,
)
_READ = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<verb>read|cat|open|view|show|print|display|head|see|check|look\s+at|look\s+into)"
        r"(?:\s+(?:me|the|my|a|file|contents?|of|text|in|inside|what\s+is|what['’]s))*"
        r"\s+(?P<path>.+?)(?:\s+file)?",
        r"what(?:['’]?s|\s+is|\s+does)\s+(?:in\s+|inside\s+)?(?:the\s+)?(?:file\s+)?(?P<path>\S+)"
        r"(?:\s+file)?(?:\s+(?:say|contain|hold|look\s+like)s?)?(?P<verb>)",
        r"(?P<path>\S+)(?P<verb>)",
    )
]
_SEARCH = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:search|look|hunt)(?:\s+(?:through|in)?\s*(?:the\s+|all\s+)*(?:files|code|project))?"
        r"\s+for\s+(?P<text>.+?)(?:\s+(?:in|inside|under|within)\s+(?P<path>\S+))?",
        r"(?:search|grep|rg|find)(?:\s+for)?\s+(?!(?:me|us|out|an?)\s)(?P<text>.+?)"
        r"(?:\s+(?:in|inside|under|within)\s+(?P<path>\S+))?",
        r"where(?:['’]?s|\s+is|\s+are|\s+do\s+we\s+use)\s+(?P<text>.+?)"
        r"\s+(?:used|defined|declared|called|mentioned)(?P<path>)",
    )
]
_NAMED = r"(?:\s+(?:me|a|an|the|new|text|empty|file|called|named))*"
_WRITE = re.compile(
    rf"(?:create|make|write|add|save|put){_NAMED}\s+(?P<path>\S+?),?\s+"
    r"(?:with(?:\s+(?:the\s+)?(?:contents?|text|words?|lines?))?|containing|saying"
    r"|(?:that|which)\s+(?:says|contains|reads))\s*:?\s+(?P<text>.+)",
    re.IGNORECASE | re.DOTALL,
)
_WRITE_TO = re.compile(
    r"(?:write|save|put)\s+(?P<text>.+)\s+(?:to|into|in)\s+(?:the\s+|a\s+)?(?:file\s+)?(?P<path>\S+)",
    re.IGNORECASE,
)
_TOUCH = re.compile(rf"(?:create|make|touch){_NAMED}\s+(?P<path>\S+)", re.IGNORECASE)
_RUN = re.compile(r"(?:(?:run|execute|exec)\s+|[$!]\s*)(?P<text>.+)", re.IGNORECASE)
_LINES = re.compile(
    r"[\s,(]*\b(?P<open>from\s+)?(?:lines?)\s+(?P<start>\d{1,7})"
    r"(?:\s*(?:-|–|—|to|through|until|till|\.\.+|and)\s*(?:line\s+)?(?P<end>\d{1,7}))?"
    r"(?P<on>\s+on(?:wards?)?)?\)?(?=\s|$|,)(?:\s+(?:of|from|in)\b)?",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\s*(?:the\s+)?\b(?:first|top)\s+(?P<end>\d{1,7})\s+lines?\b(?:\s+(?:of|from|in)\b)?",
    re.IGNORECASE,
)
_COLON = re.compile(r"(?<=\w):(?P<start>\d{1,7})(?:-(?P<end>\d{1,7}))?$")


def actions(text: str) -> list[Action]:
    """What to do, in order; empty where the words ask for nothing that a tool could do."""
    said = text.strip()
    if not said:
        return []
    one = action(said)
    if one is not None and one.do in ("write", "run"):
        return [one]
    if len(said) <= _LONGEST:
        parts = [part for part in _JOINT.split(said) if part.strip()]
        several = [action(part) for part in parts]
        wanted = [each for each in several if each is not None and each.do in ("list", "read")]
        if len(parts) > 1 and len(wanted) == len(parts):
            return wanted
    return [one] if one is not None else []


def action(text: str) -> Action | None:
    """The one thing that these words ask for, if it is one of the things there are patterns for."""
    core = _POLITE.sub("", text.strip(), count=1) if _POLITE.match(text.strip()) else text.strip()
    core, meant = corrected(core)
    bare = _AFTER.sub("", core[:_LONGEST])
    found = _to_write(core) or _to_run(core)
    if found is None and len(core) <= _LONGEST:
        found = _to_look(bare)
    return msgspec.structs.replace(found, meant=meant) if found else None


def _to_write(core: str) -> Action | None:
    match = _WRITE.fullmatch(core)
    if match is None and len(core) <= _LONGEST:
        match = _WRITE_TO.fullmatch(core)
    if match is not None:
        path = taken(match["path"])
        return Action("write", path, _content(match["text"])) if is_path(path) else None
    match = _TOUCH.fullmatch(_AFTER.sub("", core[:_LONGEST]))
    path = taken(match["path"]) if match else ""
    return Action("write", path) if is_path(path) else None


def _to_run(core: str) -> Action | None:
    match = _RUN.fullmatch(core)
    if match is None:
        return None
    command = match["text"].strip().strip("`").strip()
    vague = re.match(r"(?:the|my|a|some|it|that|this|tests?|all)\b", command, re.IGNORECASE)
    return Action("run", text="" if vague else command)


def _to_look(bare: str) -> Action | None:
    if _TOUR.fullmatch(bare):
        return Action("tour", ".")
    words, start, end = _lines(bare)
    return (
        (None if start or end else _to_list(words))
        or _to_search(words)
        or _to_read(words, start, end)
    )


def _lines(bare: str) -> tuple[str, int, int]:
    match = _LINES.search(bare) or _FIRST.search(bare) or _COLON.search(bare)
    if match is None:
        return bare, 0, 0
    found = match.groupdict()
    words = f"{bare[: match.start()]} {bare[match.end() :]}".strip()
    start, end = int(found.get("start") or 1), int(found.get("end") or 0)
    if not end and not found.get("open") and not found.get("on"):
        end = start
    return words, start, end


def _to_list(words: str) -> Action | None:
    for pattern in _LIST:
        match = pattern.fullmatch(words)
        if match is None:
            continue
        if not match["path"] or is_root(match["path"]):
            return Action("list", ".")
        path = taken(match["path"])
        if looks_like_a_file(path):
            return Action("read", path)
        if is_path(path) or is_word(path):
            return Action("list", path)
    return None


def _to_search(words: str) -> Action | None:
    for pattern in _SEARCH:
        match = pattern.fullmatch(words)
        if match is not None:
            inside = match["path"] or ""
            text = match["text"].strip().strip("\"'`“”")
            return Action("search", "" if is_root(inside) else taken(inside), text)
    return None


def _to_read(words: str, start: int, end: int) -> Action | None:
    for pattern in _READ:
        match = pattern.fullmatch(words)
        if match is None:
            continue
        path, verb = taken(match["path"]), match["verb"].casefold()
        if looks_like_a_file(path) or (verb == "read" and is_word(path)):
            return Action("read", path, start=start, end=end)
        if path.endswith("/") or (verb in ("open", "show", "view") and is_word(path)):
            return Action("list", "." if is_root(path) else path)
    return None


def _content(text: str) -> str:
    text = text.strip()
    fenced = re.fullmatch(r"```\w*\n(.*?)\n?```", text, re.DOTALL)
    if fenced:
        text = fenced[1]
    elif len(text) > 1 and text[0] + text[-1] in ('""', "''", "``", "“”"):
        text = text[1:-1]
    return text if text.endswith("\n") else text + "\n"
