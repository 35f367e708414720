"""`bottega work`: one worker process of a server, which `bottega serve --workers` starts and looks after."""

from typing import Literal

import click

from bottega.cli import start
from bottega.cli.lazy import Invocation
from bottega.cli.screen.output import out


@click.command("work", hidden=True)
@click.option("--owned", is_flag=True, help="Do what stdin says, and end when it is closed.")
@click.option("--log-format", type=click.Choice(("human", "json")), default="human")
def command(owned: bool, log_format: Literal["human", "json"]) -> None:
    """Run what servers admitted in this home.

    Prints its id once it is at work, and ends by SIGTERM: what runs has a moment to finish, the rest goes on elsewhere.
    """
    from bottega.server.work import work

    def ready(worker: str) -> None:
        out(worker)

    debug = click.get_current_context().ensure_object(Invocation).debug
    start.run(work(start.settings_of(), ready, owned=owned, log_format=log_format, debug=debug))
