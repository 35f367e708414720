"""What can go wrong with a server, as a model and a person are told."""

from bottega.errors import Problem

_SHOWN = 600


class Unavailable(Problem):
    """The server cannot be used now."""

    code = "mcp_unavailable"


class TooSlow(Problem):
    """The server did not answer in time."""

    code = "timeout"


class Refusal(Problem):
    """The server answered, and refused, or said what makes no sense."""

    code = "mcp_error"


class Unknown(Refusal):
    """The server knows no such request."""


def plain(text: str, longest: int = _SHOWN) -> str:
    """A stranger's text without anything that cannot be seen, cut to a length at which it can be read."""
    looked = text[: 8 * longest]  # it may be megabytes
    seen = "".join(
        each if each.isprintable() or each in "\n\t" else _space(each) for each in looked
    )
    is_whole = len(seen) <= longest and len(looked) == len(text)
    return seen if is_whole else f"{seen[:longest]}…"


def _space(each: str) -> str:
    return " " if each.isspace() else ""
