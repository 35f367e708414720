"""What a program printed and how it ended, in the words that a model reads."""

import re
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from bottega.tools.bound import joined
from bottega.workspaces.outputs.glimpse import Glimpse

ROOM = 8_500
"""Characters for all streams together, below what a result may have."""


def printed(streams: Mapping[str, Glimpse], where: Mapping[str, str]) -> dict[str, str]:
    """Each stream whole, or its two ends where all together are too long; `where` says where the rest of each is."""
    room, texts = ROOM, dict[str, str]()
    for left, name in enumerate(sorted(streams, key=lambda each: streams[each].total)):
        ends = streams[name].ends(room // (len(streams) - left))
        room -= len(ends.head) + len(ends.tail)
        texts[name] = ends.head
        if ends.left:
            texts[name] = joined(ends.head, ends.tail, ends.total, where[name])
    return {name: texts[name] for name in streams}


def kept(output_id: str) -> str:
    """Where all of it is, in the words that stand where it was cut."""
    return f"read_output with output_id {output_id!r} has it."


def is_cut(streams: Mapping[str, Glimpse]) -> bool:
    """Whether `printed` would leave something out."""
    return sum(each.total for each in streams.values()) > ROOM


def ending(code: int) -> tuple[int, str]:
    """The exit code as a shell has it, and in words if a signal ended the program."""
    if code >= 0:
        words = _signal(code - 128) if code > 128 else ""
        return code, f"An exit code of {code} mostly means: {words}." if words else ""
    words = _signal(-code)
    return 128 - code, f"It was ended by {words or f'signal {-code}'}."


def _signal(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return ""
    return f"signal {number}, {name} ({signal.strsignal(number)})"


_OFFLINE = re.compile(
    r"could not resolve|couldn't resolve|unable to resolve|failed to resolve|temporary failure (?:in name )?resol"
    r"|name or service not known|no address associated with|nodename nor servname|getaddrinfo|EAI_AGAIN|ENOTFOUND"
    r"|name resolution|no such host|server misbehaving|network is unreachable|ENETUNREACH|no route to host|EHOSTUNREACH"
    r"|failed to establish a new connection|NewConnectionError|could not connect to server|failed to connect to"
    r"|unable to access 'https?:|network is down|dns error|unable to connect to|socket: (?:operation not|permission)"
    r"|could not (?:fetch|download)",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"connection refused|ECONNREFUSED", re.IGNORECASE)
_NEAR = re.compile(r"\b(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0)\b|::1\b")
_SILENT = re.compile(r"\bcurl\b")
_UNREACHED = (5, 6, 7)
"""How curl ends when it finds nobody, even if it was told to be silent."""


def offline(command: str, code: int | None, texts: Mapping[str, str]) -> str:
    """What to do, where a command that had no network seems to have failed for that; empty elsewhere."""
    if code == 0:
        return ""
    lines = [line for text in texts.values() for line in text.splitlines()]
    if (
        any(_OFFLINE.search(line) and not _NEAR.search(line) for line in lines)
        or any(_REFUSED.search(line) and not _NEAR.search(line) for line in lines)
        or (code in _UNREACHED and _SILENT.search(command) and not _NEAR.search(command))
    ):
        return (
            "Commands have no network unless they ask for it, and this one seems to have failed for that. "
            "If it needs the network, run it again with network: true."
        )
    return ""


def note_undone(result: dict[str, Any], undone: Sequence[str]) -> None:
    """Say, with a command's result, what of it did not last."""
    if undone:
        more = f" And {len(undone) - _UNDONE} more." if len(undone) > _UNDONE else ""
        said = " ".join(undone[:_UNDONE]) + more
        result["note"] = f"{result['note']} {said}" if "note" in result else said


_UNDONE = 10
"""Sentences of what was undone that are told with one result."""
