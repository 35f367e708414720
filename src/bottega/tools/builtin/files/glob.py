"""`glob`: files by a pattern for their paths; what the workspace's ignore files hide stays hidden unless asked for."""

from typing import Any

from bottega.approvals.touch import Touch
from bottega.tools.context import Context
from bottega.tools.searching.hits import Paths
from bottega.tools.searching.pattern import Pattern, is_hidden, last_name
from bottega.tools.searching.place import place
from bottega.tools.searching.ripgrep import Search, is_there, late, search
from bottega.tools.tool import Outcome, Tool, success
from bottega.workspaces.confine import Root

_LIMIT = 200
_MOST = 1_000
_ROOM = 8_500
"""Characters for all paths together, below what a result may have."""


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    pattern: str = arguments["pattern"]
    folder = await place(arguments, context, folder=True)
    hidden = arguments.get("hidden", is_hidden(pattern))
    found = _Found(pattern, folder, hidden)
    name = last_name(pattern)
    by_name = (f"--type-add=meant:{name}", "--type=meant") if name else ()
    order = "--sort=path" if arguments.get("sort") == "path" else "--sortr=modified"
    wanted = Search(
        ("--files", order, *by_name),
        folder,
        hidden=hidden,
        ignored=arguments.get("ignored", False),
        hide=tuple(context.settings.get("hide", ())),
    )
    seen = await search(context.root, wanted, found.take)
    return _told(context.root, found, arguments, late(wanted.seconds) if seen.late else "")


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    return Touch(reads=(root.canonical(arguments.get("path") or "."),))


class _Found:
    """The paths that the pattern means, in the order in which they come."""

    def __init__(self, pattern: str, folder: str, hidden: bool) -> None:
        self._pattern = Pattern(pattern)
        self._hidden = hidden
        self._within = "" if folder == "." else f"{folder}/"
        self._all = Paths()
        self.paths: list[str] = []
        self.total = 0

    def take(self, piece: bytes) -> bool:
        for path in self._all.take(piece):
            below = path.removeprefix(self._within)
            # ripgrep shows hidden files whose names match the type that it was given.
            if self._pattern.matches(below) and (self._hidden or not is_hidden(below)):
                self.total += 1
                if len(self.paths) < _MOST:
                    self.paths.append(path)
        return True


def _told(root: Root, found: _Found, arguments: dict[str, Any], note: str) -> Outcome:
    shown: list[str] = []
    room = _ROOM
    for path in found.paths[: arguments.get("limit", _LIMIT)]:
        room -= len(path) + 3
        if room < 0:
            break
        if is_there(root, path):
            shown.append(path)
    result: dict[str, Any] = {"files": shown, "total": found.total}
    if found.total > len(shown):
        note = (
            f"{note} {found.total - len(shown):,} more are not shown; narrow the pattern.".strip()
        )
    return success({**result, "note": note} if note else result)


GLOB = Tool(
    name="glob",
    description=(
        "Find files of the workspace by a pattern for their paths, the last changed first. "
        "`*` and `?` stand for parts of a name, `**` for any folders, `{a,b}` for either. "
        "A pattern without a slash is looked for in every folder. "
        "Hidden files and those that .gitignore names are left out unless asked for."
    ),
    schema={
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "maxLength": 1000,
            },
            "path": {
                "type": "string",
                "description": "The folder to look in; the workspace itself if left out.",
            },
            "hidden": {"type": "boolean", "description": "Hidden files too."},
            "ignored": {"type": "boolean", "description": "Files that .gitignore names too."},
            "sort": {
                "type": "string",
                "enum": ["recent", "path"],
                "description": "recent if left out.",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": _MOST},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
    category="FILE_OPS",
    effects=frozenset({"read"}),
    run=run,
    touch=touch,
    examples=({"pattern": "**/*.py"}, {"pattern": "*.{ts,tsx}", "path": "src", "sort": "path"}),
)
