"""From the command line to an open studio: flags become settings, and a coroutine gets a loop of its own."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from bottega.approvals.mode import MODES
from bottega.cli import logs, selector
from bottega.cli.lazy import Invocation
from bottega.cli.screen.output import note
from bottega.errors import BadUsage, Problem
from bottega.settings import Settings, load
from bottega.studio import Studio, existing_folder

T = TypeVar("T")
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def settings_of(flags: Mapping[str, Any] | None = None, folder: Path | None = None) -> Settings:
    """The settings of this call; a project's keys that do not count are named on stderr."""
    invocation = click.get_current_context().ensure_object(Invocation)
    home = Path(invocation.home).expanduser().absolute() if invocation.home else None
    settings = load(flags, home=home, folder=folder)
    for warning in settings.warnings:
        note(f"bottega: {warning}")
    return settings


def settings_to_mend(folder: Path | None = None) -> tuple[Settings, Problem | None]:
    """For who looks at the settings, or mends them: if your own file makes no sense, those without it, and why."""
    try:
        return settings_of(folder=folder), None
    except Problem as problem:
        invocation = click.get_current_context().ensure_object(Invocation)
        home = Path(invocation.home).expanduser().absolute() if invocation.home else None
        return load(home=home, folder=folder, own_file=False), problem


def studio_of(flags: Mapping[str, Any] | None = None, folder: Path | None = None) -> Studio:
    """A studio that is not open yet, for a command that may run prompts."""
    return Studio(
        settings=settings_of(flags, folder),
        admits_as="cli",
        on_undone=lambda said: note(f"bottega: {said}"),
    )


def place(folder: Path | None, session: str | None) -> Path:
    """Where the project's own settings are looked for; a session that goes on stays where it was."""
    if folder is not None and session:
        raise BadUsage(
            "A session stays in its folder.", hint="Leave out either --session or --cwd."
        )
    return existing_folder(folder or Path())


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end, with logging as the command line asks for."""
    logs.begin(click.get_current_context().ensure_object(Invocation).debug)
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector.make())) as runner:
        return runner.run(work)


def complete_agent(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """The agents whose names begin so; a shell that asks is never answered with a failure."""
    from bottega.agents.shelf import Shelf
    from bottega.storage.home import Home
    from bottega.tools.registry import Registry

    given = context.ensure_object(Invocation).home
    try:
        home = load(home=Path(given).expanduser().absolute() if given else None).home
    except Problem:
        return []
    names = Shelf(Home(home).agents, Registry).slugs
    return [name for name in names if name.startswith(incomplete)]


def mode_option(command: Decorated) -> Decorated:
    """How much the agent may do unasked."""
    return click.option(
        "--mode",
        type=click.Choice(MODES),
        help="plan: it changes nothing; ask: you are asked before anything that matters;"
        " allow: it asks for nothing.  [default: ask]",
    )(command)


def agent_options(command: Decorated) -> Decorated:
    """What chat and run have in common: who answers, and where."""
    options = (
        click.option("-m", "--model", help="The model, as `bottega models` lists it."),
        click.option(
            "-a",
            "--agent",
            help="The agent, as `bottega agents list` names it.  [default: assistant]",
            shell_complete=complete_agent,
        ),
        click.option(
            "-C",
            "--cwd",
            "--folder",
            "folder",
            type=click.Path(path_type=Path),
            help="The folder that the agent works in.  [default: here]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
