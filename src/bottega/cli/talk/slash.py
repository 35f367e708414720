"""What a line that begins with a slash means. Pure."""

import re
import textwrap
from typing import NamedTuple

from bottega.alike import close

COMMANDS = {
    "help": "Show these commands.",
    "model": "Show who answers, or choose: /model openai/gpt-5",
    "agent": "Show who works, or choose: /agent coder",
    "agents": "List the agents that can be chosen.",
    "mode": "Show the mode, or choose: /mode plan, /mode ask, /mode allow.",
    "asks": "Show what waits for your answer.",
    "changes": "Show what the agent has changed in this session; /changes PATH, in one file.",
    "context": "Show how full the model's context is, and with what.",
    "compact": "Have a summary stand for what is old; /compact undo brings it back.",
    "reset": "Let the model begin anew; what was said is kept.",
    "clear": "Delete all that was said in this session, for good.",
    "new": "Begin a new session.",
    "sessions": "List the last sessions; /sessions 2 goes on with the second.",
    "exit": "Leave; so do Ctrl-D, and Ctrl-C on an empty line.",
}

_KEYS = (
    "Alt-Enter, or a backslash before Enter, begins a new line. Ctrl-C stops an answer.",
    "Shift-Tab changes the mode: plan (nothing is changed), ask (you are asked before anything that matters),"
    " allow (nothing is asked).",
)

_SHAPE = re.compile(r"/([a-zA-Z?]+)(?:\s+(.*))?", re.DOTALL)
_OTHERWISE = {"quit": "exit", "q": "exit", "?": "help", "h": "help", "models": "model"}


class Slash(NamedTuple):
    name: str
    """One of `COMMANDS`, or empty if there is none of that name."""
    argument: str
    typed: str


def parse(line: str) -> Slash | None:
    """The command in this line; None if it is a prompt, as `/etc/hosts, what is it?` is one."""
    found = _SHAPE.fullmatch(line)
    if not found:
        return None
    typed = found[1].lower()
    name = _OTHERWISE.get(typed, typed)
    return Slash(name if name in COMMANDS else "", (found[2] or "").strip(), typed)


def unknown(typed: str) -> str:
    """What to say to a command that is not there."""
    near = close(typed[:200], [*COMMANDS, *_OTHERWISE], 1, 0.5)
    meant = f" Did you mean /{_OTHERWISE.get(near[0], near[0])}?" if near else ""
    return f"There is no command /{typed}.{meant} /help lists them."


def overview(width: int = 80) -> str:
    """The commands, and keys that do something; no line is wider than `width`, and none breaks inside a word."""
    widest = max(map(len, COMMANDS))
    beneath = " " * min(widest + 3, width // 3)
    rows = [(f"/{name.ljust(widest)}  {told}", beneath) for name, told in COMMANDS.items()]
    rows += [("", ""), *((line, "") for line in _KEYS)]
    return "\n".join(
        textwrap.fill(text, max(20, width), subsequent_indent=indent, break_on_hyphens=False)
        for text, indent in rows
    )
