"""The user's turn with what belongs around it: the context before their words, reminders before and after.

The whole context is told once; afterwards only what has changed since, and nothing where nothing did. An aside is kept
as it was told, so that later requests begin with the same bytes.
"""

from collections.abc import Mapping, Sequence

import msgspec

from bottega.agents.prompt.reminder import Reminder, mark, said
from bottega.events.facts import Aside, Opening
from bottega.messages.aside import alone, around
from bottega.messages.message import Message
from bottega.tools.project.glance import Glance

GIT_LINES = 20
_CHANGED = 20
"""Names of new and removed entries that are told."""


class Around(msgspec.Struct, frozen=True):
    """What the user's turn stands in."""

    folder: str
    date: str
    glance: Glance = Glance()
    git: Sequence[str] = ()
    """The state of the working tree, a line each; looked at when the whole context is told."""


def known(opening: Opening) -> dict[str, str]:
    """What the model knows from the system prompt, by name."""
    markers = opening.markers
    return {
        "mode": markers.get("mode", ""),
        "date": markers.get("timestamp", "")[:10],
        **{f"instructions {file.path}": mark(file.text) for file in opening.instructions},
    }


def whole(around_it: Around) -> tuple[str, dict[str, str]]:
    """The context in full, and what is thereby known."""
    glance = around_it.glance
    lines = [f"Folder: {around_it.folder}", f"Date: {around_it.date}"]
    if glance.branch or glance.commit:
        lines.append(f"Git: {_commit(glance)}")
        lines += [f"  {line}" for line in around_it.git[:GIT_LINES]]
    if glance.lines:
        lines += ["Files:", *(f"  {line}" for line in glance.lines)]
    return _block(lines), {**_seen(glance), "date": around_it.date}


def since(around_it: Around, before: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """What of the context has changed since it was told; empty where nothing has."""
    glance = around_it.glance
    now = _seen(glance)
    lines: list[str] = []
    if now["git"] != before.get("git", now["git"]):
        lines.append(f"Git is now at: {_commit(glance) or 'nothing'}")
    files, names = before.get("files", ""), now["files"]
    if files and names and files != names:
        old, new = files.split("\n"), names.split("\n")
        lines += _named("New", [name for name in new if name not in old])
        lines += _named("Gone", [name for name in old if name not in new])
    return (_block(lines), now) if lines else ("", {})


def aside(context: tuple[str, dict[str, str]], reminders: Sequence[Reminder]) -> Aside | None:
    """Context and reminders as one aside: what is urgent stands before the user's words, the rest after them."""
    text, learnt = context
    urgent = [each for each in reminders if each.priority == "high"]
    others = [each for each in reminders if each.priority != "high"]
    before = "\n\n".join(filter(None, (text, said(urgent))))
    for each in reminders:
        learnt = {**learnt, **each.told}
    return Aside(before, said(others), learnt) if before or others else None


def told(history: list[Message], words: Aside) -> None:
    """Put the aside where the fold of the log puts it: around the user's words, or after results."""
    if history and history[-1].role == "user":
        history[-1] = around(history[-1], words.before, words.after)
    else:
        history.append(alone(words.before, words.after))


def _seen(glance: Glance) -> dict[str, str]:
    return {"git": f"{glance.branch} {glance.commit}".strip(), "files": "\n".join(glance.names)}


def _commit(glance: Glance) -> str:
    branch = f"branch {glance.branch}" if glance.branch else "no branch" if glance.commit else ""
    return ", ".join(filter(None, (branch, glance.commit and f"commit {glance.commit}")))


def _named(word: str, names: list[str]) -> list[str]:
    more = f" and {len(names) - _CHANGED} more" if len(names) > _CHANGED else ""
    return [f"{word}: {', '.join(names[:_CHANGED])}{more}"] if names else []


def _block(lines: Sequence[str]) -> str:
    return "\n".join(("<context>", *lines, "</context>")) if lines else ""
