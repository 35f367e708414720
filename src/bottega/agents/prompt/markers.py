"""The nine markers that a prompt may hold. What else stands in braces stays, and a value is never substituted again."""

import re
from collections.abc import Mapping

MARKERS = (
    "mode",
    "mode_instructions",
    "project_name",
    "project_description",
    "timestamp",
    "user_name",
    "project_path",
    "git_branch",
    "tool_list",
)

_NAMED = re.compile(r"(?<![{$])\{([a-z][a-z0-9_]*)\}(?!\})")
"""`{{name}}` and `${name}` are no markers: a prompt may speak of templates."""


def substituted(prompt: str, values: Mapping[str, str]) -> str:
    """The prompt with its markers' values put in, in one pass; a marker without a value becomes nothing."""

    def value(found: re.Match[str]) -> str:
        return values.get(found[1], "") if found[1] in MARKERS else found[0]

    return _NAMED.sub(value, prompt)


def used(prompt: str) -> frozenset[str]:
    """The markers that a prompt holds."""
    return frozenset(_NAMED.findall(prompt)).intersection(MARKERS)


def unknown(prompt: str) -> tuple[str, ...]:
    """What looks like a marker and is none, in the order of the prompt."""
    return tuple(dict.fromkeys(name for name in _NAMED.findall(prompt) if name not in MARKERS))
