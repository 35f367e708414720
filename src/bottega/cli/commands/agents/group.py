"""`bottega agents`: who can work here, what each may do, and agents of your own."""

import os
from pathlib import Path

import click
import msgspec

from bottega.agents.check import check
from bottega.agents.shelf import Shelved, from_file
from bottega.agents.spec import WrongSpec, is_slug, sentence, slug_of
from bottega.agents.written import starter, written
from bottega.cli import start
from bottega.cli.commands.agents import told
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.output import note, out, print_json
from bottega.cli.screen.page import Page
from bottega.errors import BadUsage, Conflict, Problem
from bottega.runtime import Runtime
from bottega.storage.home import Home
from bottega.studio import Studio
from bottega.studio.setup import agents


@click.group("agents")
def command() -> None:
    """List, show, write and check agents.

    An agent is a file: what it is told, its type, its tools, how much it may do. `bottega chat --agent NAME` works
    with one; `/agent NAME` changes it inside a conversation.
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def list_command(as_json: bool) -> None:
    """List who can be chosen, and what each is good for."""
    start.run(_list(start.studio_of(folder=Path()), as_json))


async def _list(studio: Studio, as_json: bool) -> None:
    async with studio:
        shelved, usual = studio.agents(), studio.settings.values.agent
        models = {each.slug: agents.model_of(studio.runtime, each.spec) for each in shelved}
    if as_json:
        print_json([told.as_json(each, models[each.slug]) for each in shelved])
        return
    page = Page(studio.settings.environment)
    for each in shelved:
        told.line(each, models[each.slug], each.slug == usual, page)


@command.command("show")
@click.argument("name", shell_complete=start.complete_agent)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def show_command(name: str, as_json: bool) -> None:
    """Show one agent: its prompt, its tools, its limits."""
    start.run(_show(start.studio_of(folder=Path()), name, as_json))


async def _show(studio: Studio, name: str, as_json: bool) -> None:
    async with studio:
        found = studio.runtime.shelf.find(name)
        spec = found.usable()
        model = agents.model_of(studio.runtime, spec)
    if as_json:
        print_json({**told.as_json(found, model), "system_prompt": spec.system_prompt})
        return
    page = Page(studio.settings.environment)
    told.page_of(found, spec, model, page)


@command.command("new")
@click.argument("name")
@click.option(
    "--from",
    "pattern",
    help="Begin with a copy of this agent.",
    shell_complete=start.complete_agent,
)
def new_command(name: str, pattern: str | None) -> None:
    """Write an agent of your own, to go on with in an editor.

    \b
    bottega agents new tester
    bottega agents new my-coder --from coder
    """
    if not is_slug(name):
        better = slug_of(name)
        raise BadUsage(
            f"{name[:60]!r} is no name for an agent: small letters, digits and single dashes.",
            hint=f"Try: bottega agents new {better}" if better else "Try: my-agent",
        )
    start.run(_new(start.studio_of(folder=Path()), name, pattern))


async def _new(studio: Studio, name: str, pattern: str | None) -> None:
    async with studio:
        runtime = studio.runtime
        spec = starter(name)
        if pattern:
            spec = msgspec.structs.replace(
                runtime.shelf.find(pattern).usable(), slug=name, name=spec.name
            )
        file = Home(studio.settings.home).agents / f"{name}.toml"
        _write_new(file, written(spec))
    out(str(file))
    note(
        f"Written. Change it in an editor, then: bottega agents validate {name}"
        f" && bottega chat --agent {name}"
    )


@command.command("validate")
@click.argument("names", nargs=-1, metavar="[NAME|PATH]...", shell_complete=start.complete_agent)
def validate_command(names: tuple[str, ...]) -> int:
    """Check agents, and tell all that is wrong with each.

    Without a name, all of your own. Exit code 1 if one of them cannot be used.
    """
    return start.run(_validate(start.studio_of(folder=Path()), names))


async def _validate(studio: Studio, names: tuple[str, ...]) -> int:
    page = Page(studio.settings.environment)
    async with studio:
        runtime = studio.runtime
        found = [_found(runtime, name) for name in names]
        if not names:
            found = [each for each in runtime.shelf.all() if each.origin == "own"]
        if not found:
            page.say("You have no agents of your own. `bottega agents new NAME` writes one.")
        for each in found:
            _print_checked(each, runtime, page)
    return 1 if any(each.problems for each in found) else 0


@command.command("approve")
@click.argument("name", shell_complete=start.complete_agent)
def approve_command(name: str) -> None:
    """Let a remote agent send its token to its address, as it is written down now."""
    start.run(_approve(start.studio_of(folder=Path()), name))


async def _approve(studio: Studio, name: str) -> None:
    page = Page(studio.settings.environment)
    async with studio:
        remote = studio.runtime.shelf.find(name).usable().remote
        if remote is None:
            raise BadUsage(
                f"The agent {name!r} works here: it sends no token, so there is nothing to approve."
            )
        studio.runtime.approved.approve(name, remote)
    page.say(f"address: {one_line(remote.address, 500)}")
    page.say(f"token: {one_line(remote.token_name)}")
    if remote.people:
        page.say(f"shared with: {one_line(', '.join(remote.people), 500)}")
    note(f"Approved. Try it with: bottega run --agent {name} hello")


def _found(runtime: Runtime, name: str) -> Shelved:
    """An agent by its name, or the file that a path leads to."""
    if "/" not in name and not name.endswith(".toml"):
        return runtime.shelf.find(name)
    path = Path(name).expanduser()
    try:
        spec = from_file(path)
    except WrongSpec as problem:
        return Shelved(path.stem, "own", None, str(path), problem.problems)
    return Shelved(spec.slug, "own", spec, str(path), tuple(check(spec, runtime.every_tool())))


def _print_checked(each: Shelved, runtime: Runtime, page: Page) -> None:
    where = f"  {one_line(each.path, 500)}" if each.path else ""
    sign = ("✗ ", "tool.failed") if each.problems else ("✓ ", "tool.done")
    page.say(sign, (one_line(each.slug), "bold"), (where, "dim"))
    for problem in each.problems:
        told.indented(page, sentence(problem))
    if each.spec and (own := agents.model_of(runtime, each.spec)):
        try:
            runtime.model(own)
        except Problem as problem:
            told.indented(page, f"! model: {problem}")


def _write_new(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise Conflict(
            f"There is already a file {str(file)!r}.",
            hint="Change that one, or choose another name.",
        ) from None
    except OSError as error:
        raise Conflict(f"The file {str(file)!r} cannot be written: {error.strerror}.") from error
    with os.fdopen(handle, "w", encoding="utf-8") as opened:
        opened.write(text)
