"""`bottega people`: who may use this home, and how they come in. Only somebody at this machine can say that."""

import asyncio
import sys
import time

import click

from bottega.accounts.passes import LASTS, Passes
from bottega.accounts.people import People, Person
from bottega.accounts.secret import secret
from bottega.cli import start
from bottega.cli.nearby import here
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import ago, count
from bottega.cli.screen.output import confirm, note, out, print_json
from bottega.cli.screen.page import Page
from bottega.errors import BadUsage, Conflict, NotFound
from bottega.runtime import Runtime
from bottega.sessions.care import retention
from bottega.sessions.session import now
from bottega.settings import Settings
from bottega.storage.serving import Serving
from bottega.studio import Studio

MINUTE = 60_000
PATIENCE = 15.0
"""Seconds that what runs in the projects of somebody who is removed has to end."""
AGAIN = 0.1
"""Seconds between two tries."""


@click.group("people")
def command() -> None:
    """Add, list and remove people, and let them in.

    Each has sessions and projects of their own, and sees nobody else's. The host, whose home it is, is there from the
    beginning.
    """


_minutes = click.option(
    "--minutes",
    type=click.IntRange(1, 1440),
    default=LASTS["link"] // MINUTE,
    show_default=True,
    help="How long the link is good.",
)


@command.command("add")
@click.argument("name")
@_minutes
def add_command(name: str, minutes: int) -> None:
    """Add a person, and print a link that signs them in."""
    start.run(_add(start.studio_of(), name, minutes))


async def _add(studio: Studio, name: str, minutes: int) -> None:
    async with studio:
        person = await studio.runtime.sharing.add(name)
        name = one_line(person.name)
        folder = f'a folder to work in: bottega projects add FOLDER --for "{name}"'
        note(f"Added {name}. Give them {folder}")
        server = here(studio.settings)
        if server is None:
            note(
                "No server runs in this home. Once `bottega serve` does, let them in with:"
                f' bottega people link "{name}"'
            )
            return
        await _print_link(studio, person, server, minutes)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def list_command(as_json: bool) -> None:
    """List everyone, the host first."""
    start.run(_list(start.studio_of(), as_json))


async def _list(studio: Studio, as_json: bool) -> None:
    async with studio:
        people = People(studio.runtime.database)
        rows = [(person, people.sessions_of(person)) for person in people.list()]
    if as_json:
        print_json(
            [
                {"id": each.id, "name": each.name, "seen_at": each.seen_at, "sessions": sessions}
                for each, sessions in rows
            ]
        )
        return
    at = now()
    Page(studio.settings.environment).table(
        [
            [
                (one_line(each.name), "bold"),
                count(sessions, "session"),
                (f"seen {ago(each.seen_at, at)}" if each.seen_at else "never seen", "dim"),
            ]
            for each, sessions in rows
        ]
    )


@command.command("link")
@click.argument("name", default="host")
@_minutes
def link_command(name: str, minutes: int) -> None:
    """Print a link that signs a person in; without a name, the host.

    It is good once. Whoever opens it is that person.
    """
    start.run(_link(start.studio_of(), name, minutes))


async def _link(studio: Studio, name: str, minutes: int) -> None:
    async with studio:
        person = People(studio.runtime.database).named(name)
        server = here(studio.settings)
        if server is None:
            raise NotFound(
                "No server runs in this home.",
                hint="Start one with `bottega serve`, then ask again.",
            )
        await _print_link(studio, person, server, minutes)


@command.command("token", short_help="Print a token for programs of a person.")
@click.argument("name", default="host")
def token_command(name: str) -> None:
    """Print a token for programs of a person; without a name, of the host.

    It is told this once and good for a year. `Authorization: Bearer TOKEN` carries it.
    """
    start.run(_token(start.studio_of(), name))


async def _token(studio: Studio, name: str) -> None:
    async with studio:
        person = People(studio.runtime.database).named(name)
        out(await _passes(studio).give(person, "token"))


@command.command("revoke", short_help="End all tokens and logins of a person.")
@click.argument("name")
def revoke_command(name: str) -> None:
    """End all tokens, logins and links of a person: they come in by a new link or token only.

    Their sessions stay, and what runs goes on. `bottega projects remove` ends what runs in a project.
    """
    start.run(_revoke(start.studio_of(), name))


async def _revoke(studio: Studio, name: str) -> None:
    async with studio:
        person = People(studio.runtime.database).named(name)
        ended = await _passes(studio).revoke_all(person)
        note(f"Tokens, logins and links of {one_line(person.name)} that were ended: {ended:,}.")


@command.command("remove")
@click.argument("name")
@click.option("--with-sessions", is_flag=True, help="Delete their sessions for good, too.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def remove_command(name: str, with_sessions: bool, yes: bool) -> int:
    """Remove a person: from then on nothing lets them in, and what they have running ends.

    Whoever still has sessions stays, unless those are deleted too.
    """
    return start.run(_remove(start.studio_of(), name, with_sessions, yes))


async def _remove(studio: Studio, name: str, with_sessions: bool, yes: bool) -> int:
    async with studio:
        people = People(studio.runtime.database)
        person = people.named(name)
        sessions = people.sessions_of(person) if with_sessions and not person.is_host else 0
        shown = one_line(person.name) + (f" and {count(sessions, 'session')}" if sessions else "")
        if not yes and not _confirmed(f"Remove {shown} for good?"):
            note("Nobody was removed.")
            return 1
        if sessions:
            await people.shut_out(person)
            await _delete_sessions(studio.runtime, person)
        await people.remove(person)
        note(f"Removed {shown}.")
        if named := studio.runtime.sharing.naming(person.name):
            note(
                f"Their name still stands in `people` of {one_line(', '.join(named), 500)}: take it out there."
            )
    return 0


async def _delete_sessions(runtime: Runtime, person: Person) -> None:
    until = time.monotonic() + PATIENCE
    while rows := await runtime.sessions.list(owner=person.n):
        for row in rows:
            try:
                await retention.delete(runtime.database, runtime.log, runtime.blobs, row)
            except NotFound:  # with the one that had handed it its task
                continue
            except Conflict as running:
                if time.monotonic() > until:
                    raise Conflict(
                        f"{one_line(person.name)!r} is shut out, but {running.message}",
                        hint="End that worker, then say the same again.",
                    ) from running
                await asyncio.sleep(AGAIN)


def _confirmed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise BadUsage("Nobody is there to be asked.", hint="Say --yes to remove without asking.")
    return confirm(question)


def _passes(studio: Studio) -> Passes:
    return Passes(studio.runtime.database, _secret(studio.settings))


def _secret(settings: Settings) -> bytes:
    return secret(settings.home, settings.environment.get("BOTTEGA_SECRET", ""))


async def _print_link(studio: Studio, person: Person, server: Serving, minutes: int) -> None:
    link = await _passes(studio).give(person, "link", lasts=minutes * MINUTE)
    out(f"{server.address}/sign-in#{link}")
    note(f"Good once, and for {count(minutes, 'minute')}.")
