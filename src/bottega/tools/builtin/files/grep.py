"""`grep`: lines, files or counts that match a regular expression; the search program's own, which takes linear time."""

from collections.abc import Callable
from typing import Any

from bottega.approvals.touch import Touch
from bottega.tools.context import Context
from bottega.tools.searching.hits import Counts, Hit, Hits, Paths
from bottega.tools.searching.pattern import Pattern, is_hidden, last_name
from bottega.tools.searching.place import place
from bottega.tools.searching.ripgrep import Search, is_there, late, search
from bottega.tools.tool import Outcome, Tool, success
from bottega.workspaces.confine import Root
from bottega.workspaces.outputs.drain import in_thread

_LIMIT = 100
_ROOM = 8_500
"""Characters for all that is shown, below what a result may have."""
_WIDTH = 400
_MODES = {
    "content": ("--line-number", f"--max-columns={_WIDTH}", "--max-columns-preview"),
    "files": ("--files-with-matches",),
    "count": ("--count",),
}


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    path = await place(arguments, context)
    mode = arguments.get("output_mode", "content")
    hidden = arguments.get("hidden", is_hidden(arguments.get("glob", "")))
    found = _Found(arguments, mode, path, hidden)
    wanted = Search(
        tuple(_options(arguments, mode)),
        path,
        hidden=hidden,
        ignored=arguments.get("ignored", False),
        hide=tuple(context.settings.get("hide", ())),
    )
    seen = await search(context.root, wanted, found.take)
    await in_thread(lambda: found.drop(lambda each: _is_gone(each, context)))
    return _told(found, mode, late(wanted.seconds) if seen.late else "")


def _is_gone(path: str, context: Context) -> bool:
    return not is_there(context.root, path) or context.is_denied(path)


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    return Touch(reads=(root.canonical(arguments.get("path") or "."),))


def _options(arguments: dict[str, Any], mode: str) -> list[str]:
    options = ["--no-heading", "--with-filename", "--sort=path", *_MODES[mode]]
    if arguments.get("ignore_case"):
        options.append("--ignore-case")
    if arguments.get("literal"):
        options.append("--fixed-strings")
    if mode == "content":
        beside = arguments.get("context", 0)
        options.append(f"--before-context={arguments.get('before', beside)}")
        options.append(f"--after-context={arguments.get('after', beside)}")
        options.append("--no-context-separator")
    name = last_name(arguments.get("glob", ""))
    if name:
        options += (f"--type-add=meant:{name}", "--type=meant")
    return [*options, f"--regexp={arguments['pattern']}"]


class _Found:
    """What was found, as much as there is room for; says when it is enough."""

    def __init__(self, arguments: dict[str, Any], mode: str, path: str, hidden: bool) -> None:
        self._path, self._hidden = path, hidden
        self._pattern = Pattern(arguments["glob"]) if arguments.get("glob") else None
        self._within = "" if path == "." else f"{path}/"
        self._take = self._lines if mode == "content" else self._files
        self._mode = mode
        self._hits = Hits()
        self._counts = Counts()
        self._paths = Paths()
        self._left: int = arguments.get("limit", _LIMIT)
        self._room = _ROOM
        self.files: dict[str, list[str]] = {}
        self.counts: dict[str, int] = {}
        self.matches = 0
        self.full = False

    def take(self, piece: bytes) -> bool:
        self._take(piece)
        return not self.full

    def _lines(self, piece: bytes) -> None:
        for hit in self._hits.take(piece):
            if self._is_meant(hit.path):
                self._add(hit)
            if self.full:
                return

    def _add(self, hit: Hit) -> None:
        if hit.is_match and not self._left:
            self.full = True
            return
        line = f"{hit.line}{':' if hit.is_match else '-'} {hit.text}"
        cost = len(line) + 4 + (0 if hit.path in self.files else len(hit.path) + 30)
        if cost > self._room:
            self.full = True
            return
        self._room -= cost
        self._left -= hit.is_match
        self.matches += hit.is_match
        self.files.setdefault(hit.path, []).append(line)

    def _files(self, piece: bytes) -> None:
        for path, count in self._counted(piece):
            if not self._is_meant(path):
                continue
            self._room -= len(path) + 10
            if self._room < 0 or not self._left:
                self.full = True
                return
            self._left -= 1
            self.counts[path] = count

    def _counted(self, piece: bytes) -> list[tuple[str, int]]:
        if self._mode == "count":
            return self._counts.take(piece)
        return [(path, 1) for path in self._paths.take(piece)]

    def drop(self, is_gone: Callable[[str], bool]) -> None:
        for path in list(filter(is_gone, (*self.files, *self.counts))):
            lines = self.files.pop(path, [])
            self.matches -= sum(line.partition(" ")[0].endswith(":") for line in lines)
            self.counts.pop(path, None)

    def _is_meant(self, path: str) -> bool:
        below = path.removeprefix(self._within)
        # ripgrep shows hidden files whose names match the type that it was given.
        if is_hidden(below) and not self._hidden and path != self._path:
            return False
        return self._pattern is None or self._pattern.matches(below)


def _told(found: _Found, mode: str, note: str) -> Outcome:
    result: dict[str, Any]
    if mode == "content":
        result = {
            "matches": found.matches,
            "files": [{"path": path, "lines": lines} for path, lines in found.files.items()],
        }
    elif mode == "files":
        result = {"files": list(found.counts)}
    else:
        result = {"counts": found.counts, "matches": sum(found.counts.values())}
    if found.full:
        note = "There is more than is shown here; narrow the pattern, path or glob."
    return success({**result, "note": note} if note else result)


GREP = Tool(
    name="grep",
    description=(
        "Search the files of the workspace for a regular expression (Rust's syntax), line by line. "
        "Lines come as `number: text`, lines beside them as `number- text`. "
        "Hidden files, those that .gitignore names, binary ones and those over 100 MB are left out."
    ),
    schema={
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1, "maxLength": 10_000},
            "path": {
                "type": "string",
                "description": "The folder or file to search; the workspace itself if left out.",
            },
            "glob": {
                "type": "string",
                "maxLength": 1000,
                "description": "Only files whose path matches, such as *.py or src/**/*.ts.",
            },
            "ignore_case": {"type": "boolean"},
            "literal": {"type": "boolean", "description": "The pattern is plain text."},
            "output_mode": {
                "type": "string",
                "enum": ["content", "files", "count"],
                "description": "Lines, names of files, or lines counted by file; content if left out.",
            },
            "context": {
                "type": "integer",
                "minimum": 0,
                "maximum": 20,
                "description": "Lines to show on either side of a match.",
            },
            "before": {"type": "integer", "minimum": 0, "maximum": 20},
            "after": {"type": "integer", "minimum": 0, "maximum": 20},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000,
                "description": "Matches or files to show; 100 if left out.",
            },
            "hidden": {"type": "boolean", "description": "Hidden files too."},
            "ignored": {"type": "boolean", "description": "Files that .gitignore names too."},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
    category="FILE_OPS",
    effects=frozenset({"read"}),
    run=run,
    touch=touch,
    examples=(
        {"pattern": r"def \w+_total\(", "glob": "*.py", "context": 2},
        {"pattern": "TODO", "literal": True, "output_mode": "count"},
    ),
)
