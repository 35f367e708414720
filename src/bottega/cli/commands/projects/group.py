"""`bottega projects`: the folders that people may work in over the server. Only somebody at this machine adds one."""

from pathlib import Path

import click

from bottega.accounts.people import People
from bottega.cli import start
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.output import note, out, print_json
from bottega.cli.screen.page import Page
from bottega.errors import BadUsage
from bottega.projects.projects import Projects
from bottega.studio import Studio

SHORT = 8
"""So much of the end of an id names it: its beginning is the time."""
LEAST = 4
"""Letters of an id that may stand for it."""


@click.group("projects", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List, add and remove the folders that people may work in.

    A server's start folder is a project of the host's. Others are added here, for the host or another person, and
    never over the network.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_command)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def list_command(as_json: bool = False) -> None:
    """List the projects, and whose they are."""
    start.run(_list(start.studio_of(), as_json))


async def _list(studio: Studio, as_json: bool) -> None:
    async with studio:
        database = studio.runtime.database
        projects, people = Projects(database).all(), People(database).list()
    names = {person.n: person.name for person in people}
    if as_json:
        print_json(
            [
                {
                    "id": each.id,
                    "name": each.name,
                    "person": names[each.owner],
                    "folder": each.folder,
                }
                for each in projects
            ]
        )
        return
    page = Page(studio.settings.environment)
    if not projects:
        page.say("There are no projects. `bottega projects add FOLDER` makes one.")
        return
    head = ("id", "name", "person", "folder")
    page.table(
        [
            [
                (each.id[-SHORT:], "cyan"),
                one_line(each.name),
                names[each.owner],
                (one_line(each.folder), "dim"),
            ]
            for each in projects
        ],
        head,
        spare=(2,),
    )


@command.command("add")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--name", default="", help="What it is called; the folder's name if left out.")
@click.option("--for", "person", help="Whose it is; the host's if left out.")
def add_command(folder: Path, name: str, person: str | None) -> None:
    """Let a person work in a folder.

    All that is in it can be read and changed over the server by that person, and by agents that the person uses.
    """
    start.run(_add(start.studio_of(), folder, name, person))


async def _add(studio: Studio, folder: Path, name: str, person: str | None) -> None:
    async with studio:
        database = studio.runtime.database
        people = People(database)
        whose = people.named(person) if person else people.host()
        added = await Projects(database).add(folder, whose.n, name)
    out(added.id)
    note(f"{added.folder} is a project of {whose.name}'s.")


@command.command("remove")
@click.argument("project_id", metavar="ID")
def remove_command(project_id: str) -> None:
    """Take a project back; its folder stays as it is.

    What runs there is ended at once, in a running server too. Its sessions can be read, and go on once the folder is
    added again for the same person.

    ID is as `bottega projects list` shows it, or more of it.
    """
    start.run(_remove(start.studio_of(), project_id))


def _whole(projects: Projects, some: str) -> str:
    """The id that begins or ends so, if there is one such."""
    ids = [each.id for each in projects.all()]
    found = [
        each
        for each in ids
        if len(some) >= LEAST and (each.startswith(some) or each.endswith(some))
    ]
    if len(found) > 1:
        raise BadUsage(
            f"More than one project begins or ends with {some!r}.", hint="Give more of its id."
        )
    return found[0] if found else some


async def _remove(studio: Studio, project_id: str) -> None:
    async with studio:
        projects = Projects(studio.runtime.database)
        project = projects.get(_whole(projects, project_id))
        await studio.opened.remove(project)
    note(f"{project.folder} is no project any more.")
