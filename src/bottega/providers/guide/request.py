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
"""Longer words are no request, but for what is to be written or run. Some of the patterns take a time that grows with
the square of what they see: they see no more than this, with single blanks."""
_POLITE = re.compile(
    r"(?:(?:please|pls|hey|hi|hello|ok|okay|so|now|then|well|guide|bottega|just|and|also|first"
    r"|(?:can|could|would|will)\s+(?:you|we|i)|i(?:\s+want|'d\s+like|\s+would\s+like|\s+need)"
    r"(?:\s+you)?\s+to|let'?s|go\s+ahead\s+and|try\s+to|help\s+me(?:\s+to)?)\b[,!.:]*\s+)+",
    re.IGNORECASE,
)
_AFTER = re.compile(r"[ ,](?:please|pls|thanks|thank you|for me|now|then)\Z", re.IGNORECASE)
_JOINT = re.compile(r" ?(?:;|\n|,? and then |,? then |,? and |, ) ?", re.IGNORECASE)

_THINGS = r"(?:files?|folders?|director(?:y|ies)|contents?|entries|things|stuff|listing|tree)"
_FILL = r"(?: (?:me|all|every|of|the|my|your|a|an|these|those|full|complete))*"

_LIST = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:ls|dir|ll|tree)(?: -\w+)*(?: (?P<path>[^\s-]\S*))?",
        rf"(?:list|show|display|print|give|see|view){_FILL} {_THINGS}"
        r"(?: (?:are )?(?:here|there))?"
        r"(?: (?:of|in|inside|under|from|at|on|that are in) (?P<path>.+?))?",
        r"list(?: (?:me|the|my))*(?: (?P<path>[^\s]+|[\"'`].+[\"'`]))?(?: (?:folder|dir))?",
        rf"(?:what|which)(?:['’]?s| is| are)?(?: (?:the|all))*(?: {_THINGS})?(?: are| is)?"
        r"(?: there)? (?:in|inside|under|within) (?P<path>.+?)",
        rf"(?:what|which) {_THINGS}(?: (?:do|are|can|have|exist|is)\b.*)?(?P<path>)",
        r"what(?:['’]?s| is) (?:here|around(?: here)?)(?P<path>)",
        r"(?:show|tell)(?: me)? what(?:['’]?s| is) (?:in|inside) (?P<path>.+?)",
    )
]
_TOUR = re.compile(
    r"(?:(?:take a |have a )?look around|explore|(?:give me |take )?(?:a )?tour"
    r"|(?:explain|describe|summari[sz]e|explore|show me|tell me about|what(?:['’]?s| is| does)"
    r"|look at|introduce(?: me to)?|give me an? (?:overview|summary) of|walk me through)"
    r" (?:this|the|my|our) (?:project|repo|repository|code ?base|code|folder|workspace)"
    r"(?: (?:about|do|for|all about))?)",
    re.IGNORECASE,
)
_READ = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<verb>read|cat|open|view|show|print|display|head|see|check|look at|look into)"
        r"(?: (?:me|the|my|a|file|contents?|of|text|in|inside|what is|what['’]s))*"
        r" (?P<path>.+?)(?: file)?",
        r"what(?:['’]?s| is| does) (?:in |inside )?(?:the )?(?:file )?(?P<path>\S+)"
        r"(?: file)?(?: (?:say|contain|hold|look like)s?)?(?P<verb>)",
        r"(?P<path>\S+)(?P<verb>)",
    )
]
_SEARCH = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:search|look|hunt)(?: (?:through|in)? ?(?:the |all )*(?:files|code|project))?"
        r" for (?P<text>.+?)(?: (?:in|inside|under|within) (?P<path>\S+))?",
        r"(?:search|grep|rg|find)(?: for)? (?!(?:me|us|out|an?)\s)(?P<text>.+?)"
        r"(?: (?:in|inside|under|within) (?P<path>\S+))?",
        r"where(?:['’]?s| is| are| do we use) (?P<text>.+?)"
        r" (?:used|defined|declared|called|mentioned)(?P<path>)",
    )
]
_NAMED = r"(?:\s+(?:me|a|an|the|new|text|empty|file|called|named))*"
_WRITE = re.compile(
    rf"(?:create|make|write|add|save|put){_NAMED}\s+(?P<path>\S+?),?\s+"
    r"(?:with(?:\s+(?:the\s+)?(?:contents?|text|words?|lines?))?|containing|saying"
    r"|(?:that|which)\s+(?:says|contains|reads))(?:\s*:\s+|\s+)(?P<text>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_WRITE_TO = re.compile(
    r"(?:write|save|put) (?P<text>.+) (?:to|into|in) (?:the |a )?(?:file )?(?P<path>\S+)",
    re.IGNORECASE,
)
_TOUCH = re.compile(rf"(?:create|make|touch){_NAMED}\s+(?P<path>\S+)", re.IGNORECASE)
_RUN = re.compile(r"(?:(?:run|execute|exec)\s+|[$!]\s*)(?P<text>\S.*)", re.IGNORECASE)
_LINES = re.compile(
    r"(?<![ ,(])[ ,(]*\b(?P<open>from )?(?:lines?) (?P<start>\d{1,7})"
    r"(?: ?(?:-|–|—|to|through|until|till|\.{2,9}|and) ?(?:line )?(?P<end>\d{1,7}))?"
    r"(?P<on> on(?:wards?)?)?\)?(?=\s|$|,)(?: (?:of|from|in)\b)?",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r" ?(?:the )?\b(?:first|top) (?P<end>\d{1,7}) lines?\b(?: (?:of|from|in)\b)?",
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
        lines = "\n".join(map(_single_blanks, said.splitlines()))
        parts = [part for part in _JOINT.split(lines) if part.strip()]
        several = [action(part) for part in parts]
        wanted = [each for each in several if each is not None and each.do in ("list", "read")]
        if len(parts) > 1 and len(wanted) == len(parts):
            return wanted
    return [one] if one is not None else []


def action(text: str) -> Action | None:
    """The one thing that these words ask for, if it is one of the things there are patterns for."""
    core = _POLITE.sub("", text.strip(), count=1) if _POLITE.match(text.strip()) else text.strip()
    core, meant = corrected(core)
    found = _to_write(core) or _to_run(core)
    if found is None and len(core) <= _LONGEST:
        found = _to_look(_bare(core))
    return msgspec.structs.replace(found, meant=meant) if found else None


def _single_blanks(text: str) -> str:
    return " ".join(text.split())


def _bare(core: str) -> str:
    """The words without what is said at the end to be polite."""
    words = _single_blanks(core).rstrip(" ?!.…,;")
    while found := _AFTER.search(words):
        words = words[: found.start()].rstrip(" ,")
    return words


def _to_write(core: str) -> Action | None:
    match = _WRITE.fullmatch(core)
    if match is None and len(core) <= _LONGEST:
        match = _WRITE_TO.fullmatch(core)
    if match is not None:
        path = taken(match["path"])
        return Action("write", path, _content(match["text"])) if is_path(path) else None
    match = _TOUCH.fullmatch(_bare(core)) if len(core) <= _LONGEST else None
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
