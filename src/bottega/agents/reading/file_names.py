"""Which file a code block is: its name in the fence, in its first line, or in the line before it.

A name is a path that looks like one: no blanks, no address, an ending or a name that every project knows. What is
only a language, a shell or a pattern is none. The path is given as it was written; where it may lead is decided
elsewhere.
"""

import re

_SHELLS = frozenset(
    {
        *(
            "bash",
            "sh",
            "shell",
            "zsh",
            "fish",
            "console",
            "terminal",
            "powershell",
        ),
        *(
            "ps1",
            "pwsh",
            "cmd",
            "bat",
            "shell-session",
            "shellsession",
            "diff",
            "patch",
        ),
        *(
            "output",
            "log",
            "tool_call",
            "tool_result",
        ),
    }
)
"""What is run, shown or changed, and only saved where the fence itself names a file."""
_BARE = frozenset(
    {
        "dockerfile",
        "makefile",
        "readme",
        "license",
        "procfile",
        "gemfile",
        "rakefile",
        "jenkinsfile",
    }
    | {"caddyfile", "vagrantfile", "changelog", "containerfile", "justfile", "cname", "codeowners"}
)
_PATH = re.compile(
    r"(?:\./|/)?(?:[\w@+()\[\]$~-][\w.@+()\[\]$~-]*|\.[\w-][\w.-]*|\.\.)(?:/[^/\s:*?\"'`<>|,;{}\\]+)*"
)
_ENDING = re.compile(r"[^.]\.[A-Za-z][A-Za-z0-9_-]{0,14}$")
_KEY = re.compile(
    r"\b(?:title|filename|file|path|name)\s?=\s?(?:\"([^\"]{1,300})\"|'([^']{1,300})'|([^\s\"'}]{1,300}))"
)
_COMMENT = re.compile(
    r"\s{0,8}(?://|#|--|;|%|<!--|/\*\*?)\s{0,8}(?:(?:file|filename|path)\s?:\s?)?(?P<name>[^\s]{1,300})\s{0,8}(?:-->|\*/)?\s{0,8}$",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:#{1,6}\s|\d{1,3}[.)]\s|[-*+]\s)\s{0,4}")
_WORD = re.compile(r"^(?:file|filename|path|datei)\s?:\s?", re.IGNORECASE)
_LANGUAGES = frozenset(
    {"node.js", "next.js", "vue.js", "react.js", "express.js", "asp.net", "vb.net", "d3.js"}
)


def is_path(name: str) -> bool:
    """Whether a word is plainly the path of a file."""
    if not 0 < len(name) <= 300 or "://" in name or "..." in name or name.endswith(("/", ".")):
        return False
    if not _PATH.fullmatch(name):
        return False
    last = name.rpartition("/")[2]
    if last.lower() in _BARE or (last.startswith(".") and len(last) > 2 and last[1] != "."):
        return True
    return _ENDING.search(last) is not None


def in_info(info: str) -> str:
    """The file that an opening fence names; empty if none."""
    if named := _KEY.search(info):
        name = next(filter(None, named.groups()), "")
        return name if is_path(name) else ""
    words = info.split(None, 2)
    if not words:
        return ""
    language, colon, name = words[0].partition(":")
    if colon and language and is_path(name):
        return name
    for word in words[:2]:
        bare = word.strip("`\"'()")
        if is_path(bare) and (bare.lower() not in _LANGUAGES):
            return bare
    return ""


def is_saved(info: str) -> bool:
    """Whether a block of this kind may be a file that its fence does not name: what a shell runs is none."""
    return re.split(r"[\s:{]", info.strip().lower(), maxsplit=1)[0] not in _SHELLS


def in_first_line(text: str) -> str:
    """The file that a comment in the first line names."""
    found = _COMMENT.match(text[:400].rstrip("\r\n"))
    if found is None:
        return ""
    name = found["name"].removesuffix("*/").removesuffix("-->")
    return name if is_path(name) else ""


def in_line_before(text: str) -> str:
    """The file that a line right before the fence is about: nothing but its name, however it is set off."""
    bare = _LEADING.sub("", text[:400].strip())
    marked = bare != text.strip()
    word = _WORD.match(bare.lstrip("*_"))
    name = _unmarked(_WORD.sub("", bare.lstrip("*_")) if word else bare)
    marked = marked or word is not None or name != bare.rstrip(":")
    return name if marked and is_path(name) else ""


def _unmarked(text: str) -> str:
    """A name without the stars, backticks, colons and brackets around it."""
    name = text.strip()
    for _ in range(4):
        name = name.strip("*`").strip().removesuffix(":").strip()
    if name.startswith(("(", "[")) and name.endswith((")", "]")):
        name = name[1:-1]
    return name.strip("`*")
