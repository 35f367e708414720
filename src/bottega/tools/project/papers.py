"""What a project says to those who work on it: instructions for agents, the readme; the first part of each."""

from bottega.errors import Problem
from bottega.tools.project.opened import Denied, beginning, nothing
from bottega.workspaces.confine import Root

_PAPERS = (
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md"),
    *("CONTRIBUTING.md", "README.md", "README.rst", "README.txt", "README"),
)
_EACH = 1_500
_ALL = 4_500


def papers(root: Root, denied: Denied = nothing) -> dict[str, str]:
    """By name; a paper under two names is told once, and there is room for so many words."""
    told: dict[str, str] = {}
    known: set[str] = set()
    room = _ALL
    for name in _PAPERS:
        try:
            at = root.canonical(name)
        except (Problem, OSError):  # a link that leads out
            continue
        if at in known or room <= 0 or denied(name):
            continue
        body = beginning(root, at, 4 * _EACH, denied)
        if body is None or b"\0" in body:
            continue
        known.add(at)
        words = body.decode(errors="ignore")
        most = min(_EACH, room)
        told[name] = words if len(words) <= most else words[:most] + "…"
        room -= len(told[name])
    return told
