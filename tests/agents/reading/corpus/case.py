"""One answer of the corpus, and what has to become of it."""

from typing import Any

import msgspec

Call = tuple[str, dict[str, Any]]


class Case(msgspec.Struct, frozen=True):
    text: str
    left: str
    """What a person reads."""
    calls: tuple[Call, ...] = ()
    """What is run, in order."""
    malformed: tuple[str, ...] = ()
    """The names of what is answered and not run."""
    foreign: bool = False
    """The model is told that this form is not run."""
    complete: bool = False


def call(name: str, /, **arguments: Any) -> Call:
    return name, arguments


def runs(text: str, left: str, *calls: Call, complete: bool = False) -> Case:
    """An answer with calls that have to be found."""
    return Case(text, left, calls, complete=complete)


def prose(text: str, foreign: bool = False) -> Case:
    """An answer that is shown as it is, to the last byte."""
    return Case(text, text, foreign=foreign)


def vendor(text: str) -> Case:
    """Somebody else's form: shown, named, never run."""
    return prose(text, foreign=True)


def broken(text: str, left: str, *names: str) -> Case:
    """A call that is not quite one: answered, never run."""
    return Case(text, left, malformed=names)


def done(text: str, left: str) -> Case:
    """The task is said to be complete."""
    return Case(text, left, complete=True)


READ = '{"name": "read_file", "arguments": {"path": "a.py"}}'
RM = '{"name": "bash_exec", "arguments": {"command": "rm -rf build"}}'
A_PY = call("read_file", path="a.py")
GONE = call("bash_exec", command="rm -rf build")


def fence(body: str = READ, mark: str = "```", word: str = "tool_call") -> str:
    return f"{mark}{word}\n{body}\n{mark}\n"


def tag(body: str = READ) -> str:
    return f"<tool_call>\n{body}\n</tool_call>\n"
