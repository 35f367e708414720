"""`bottega serve`: the studio at an address of this machine."""

import sys
import webbrowser
from pathlib import Path
from typing import Literal

import click

from bottega.cli import start
from bottega.cli.lazy import Invocation


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=8448, show_default=True, help="The port; 0: any that is free.")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option(
    "--log-format",
    type=click.Choice(("human", "json")),
    default="human",
    show_default=True,
    help="How lines of the log look on stderr.",
)
def command(host: str, port: int, no_open: bool, log_format: Literal["human", "json"]) -> None:
    """Start the server, and open it in a browser.

    Prints an address that signs you in: it is good once, and for a minute.
    """
    from bottega.server.house import Options
    from bottega.server.serve import serve

    def ready(address: str, link: str) -> None:
        print(f"Bottega is at {address}\nSign in: {link}", flush=True)
        if not no_open and sys.stdout.isatty():
            webbrowser.open(link)

    debug = click.get_current_context().ensure_object(Invocation).debug
    options = Options(host=host, port=port, log_format=log_format, debug=debug)
    start.run(serve(start.settings_of(), options, Path.cwd(), ready))
