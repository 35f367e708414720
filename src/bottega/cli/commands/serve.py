"""`bottega serve`: the studio at an address of this machine."""

import sys
from pathlib import Path
from typing import Any

import click

from bottega.cli import start
from bottega.cli.browser import open_address
from bottega.cli.lazy import Invocation
from bottega.cli.screen.output import note, out

_FILE = click.Path(exists=True, dir_okay=False)


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    default=8448,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port; 0: any that is free.",
)
@click.option(
    "--workers",
    type=click.IntRange(0, 64),
    default=0,
    help="Run agents in so many processes of their own.  [default: in the server's own]",
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option(
    "--allow-host",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="Another name that the server is asked for by, as NAME or NAME:PORT.",
)
@click.option("--tls-cert", type=_FILE, help="The certificate, for https.")
@click.option("--tls-key", type=_FILE, help="The certificate's key.")
@click.option(
    "--trust-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy in front: what it says of client, scheme and host counts.",
)
@click.option(
    "--base-path", default="", metavar="/PATH", help="What every path of the server begins with."
)
@click.option(
    "--log-format",
    type=click.Choice(("human", "json")),
    default="human",
    show_default=True,
    help="How lines of the log look on stderr.",
)
def command(no_open: bool, **given: Any) -> None:
    """Start the server, and open it in a browser.

    Prints an address that signs you in: it is good once, and for a minute. Only this machine can reach the server,
    unless --host says otherwise.
    """
    from bottega.server.house import Options
    from bottega.server.options import warnings
    from bottega.server.serve import serve

    def ready(address: str, link: str) -> None:
        for line in about:
            out(line)
        out(f"Bottega is at {address}")
        out(f"Sign in: {link}")
        if not no_open and sys.stdout.isatty():
            open_address(link, settings.environment)

    debug = click.get_current_context().ensure_object(Invocation).debug
    chosen = {name: value for name, value in given.items() if value is not None}
    options = Options(debug=debug, **chosen)
    for warning in warnings(options):
        note(f"bottega: {warning}")
    settings = start.settings_of()
    folder, about = _folder(settings.home)
    start.run(serve(settings, options, folder, ready))


def _folder(home: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder to begin in, and what to say of it: this one, unless it is the program itself."""
    from bottega.projects import sample
    from bottega.workspaces import own_code

    here = Path.cwd()
    if not own_code.is_home_of_program(str(here.resolve())):
        return here, ()
    made = sample.make(home)
    return made, (
        f"This folder holds the program itself, which no agent may change. Begin in {made} instead,",
        "a sample project, or open a folder of yours with: bottega projects add FOLDER",
    )
