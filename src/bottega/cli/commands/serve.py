"""`bottega serve`: the studio at an address of this machine."""

import sys
import webbrowser
from pathlib import Path

import click

from bottega.cli import start


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=8448, show_default=True, help="The port; 0: any that is free.")
@click.option(
    "--workers",
    type=click.IntRange(0, 64),
    default=0,
    help="Run agents in so many processes of their own.  [default: in the server's own]",
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
def command(host: str, port: int, workers: int, no_open: bool) -> None:
    """Start the server, and open it in a browser.

    Prints an address that signs you in: it is good once, and for a minute.
    """
    from bottega.server.house import Options
    from bottega.server.serve import serve

    def ready(address: str, link: str) -> None:
        print(f"Bottega is at {address}\nSign in: {link}", flush=True)
        if not no_open and sys.stdout.isatty():
            webbrowser.open(link)

    options = Options(host=host, port=port, workers=workers)
    start.run(serve(start.settings_of(), options, Path.cwd(), ready))
