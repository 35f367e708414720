"""Agents of the user's own, written, replaced and removed as files; and on which model each runs.

Nothing is written that could not be used; what is there already, broken or not, is replaced whole.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from bottega.agents.build import agent_of
from bottega.agents.check import check
from bottega.agents.shelf import LARGEST, Shelved
from bottega.agents.spec import Spec, WrongSpec, read
from bottega.agents.written import written
from bottega.errors import BadUsage, Conflict, Problem
from bottega.regular_file import read_regular
from bottega.runtime import Runtime
from bottega.storage.home import Home
from bottega.storage.whole import write_whole
from bottega.studio.setup.plain import check_plain

_TOLD = 20
"""Problems that are told in one sentence."""


class Judged(msgspec.Struct, frozen=True):
    """What is to be said of an agent as somebody wrote it."""

    spec: Spec | None
    problems: tuple[str, ...] = ()
    """Why it cannot be used; empty: it can."""
    notes: tuple[str, ...] = ()
    """What keeps it from being used here and now, such as a model without a key."""


def judge(runtime: Runtime, source: str | Mapping[str, Any], slug: str = "") -> Judged:
    """All that is wrong with this agent, in TOML or as a table; nothing is written."""
    try:
        check_plain(source)
        spec = read(source, slug=slug)
    except BadUsage as odd:
        return Judged(None, (odd.message,))
    except WrongSpec as wrong:
        return Judged(None, wrong.problems)
    return Judged(spec, tuple(check(spec, runtime.every_tool())), tuple(_notes(runtime, spec)))


def put(runtime: Runtime, slug: str, source: str | Mapping[str, Any]) -> Shelved:
    """Write the agent of that slug; a text is kept as it stands, comments and all."""
    judged = judge(runtime, source, slug)
    if judged.spec is None or judged.problems:
        told = "; ".join(each.rstrip(".") for each in judged.problems[:_TOLD])
        raise BadUsage(f"The agent {slug!r} cannot be used: {told}.")
    runtime.refuse_script(judged.spec.model)
    if _origin(runtime, slug) == "program":
        raise Conflict(f"The agent {slug!r} belongs to the program that runs here.")
    text = source if isinstance(source, str) else written(judged.spec)
    content = text.encode()
    if len(content) > LARGEST:
        raise BadUsage("An agent is at most 1 MB.")
    file = file_of(runtime, slug)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(file, [content])
    return runtime.shelf.find(slug)


def remove(runtime: Runtime, slug: str) -> None:
    """Remove the user's own agent of that slug; one of the house that it stood for is there again."""
    if runtime.shelf.find(slug).origin != "own":
        raise Conflict(
            f"The agent {slug!r} is not one of yours, so there is nothing to remove.",
            hint="An agent of yours of the same name takes its place.",
        )
    try:
        os.unlink(file_of(runtime, slug))
    except OSError as error:
        raise Conflict(f"The agent {slug!r} cannot be removed: {error.strerror}.") from error


def file_of(runtime: Runtime, slug: str) -> Path:
    return Home(runtime.settings.home).agents / f"{slug}.toml"


def text_of(found: Shelved) -> str:
    """The agent as TOML: as it stands in its file, broken or not, else as it would be written."""
    if found.origin == "own":
        try:
            return read_regular(found.path, LARGEST).decode("utf-8", "replace")
        except OSError:
            return ""
    return written(found.spec) if found.spec else ""


def model_of(runtime: Runtime, spec: Spec | None) -> str:
    """The model that it runs on whatever the session's; empty: the session's."""
    own = runtime.model_of(agent_of(spec)) if spec else None
    return own.model if own else ""


def _origin(runtime: Runtime, slug: str) -> str:
    return runtime.shelf.find(slug).origin if slug in runtime.shelf.slugs else ""


def _notes(runtime: Runtime, spec: Spec) -> list[str]:
    if spec.remote:
        try:
            runtime.token_for(spec.remote)
        except Problem as problem:
            return [f"remote: {problem}"]
    elif own := model_of(runtime, spec):
        try:
            runtime.model(own)
        except Problem as problem:
            return [f"model: {problem}"]
    return []
