"""`bottega work`: one worker process of a server, which `bottega serve --workers` starts and looks after."""

import click

from bottega.cli import start


@click.command("work", hidden=True)
@click.option("--owned", is_flag=True, help="End when stdin is closed.")
def command(owned: bool) -> None:
    """Run what servers admitted in this home.

    Prints its id once it is at work, and ends by SIGTERM: what runs has a moment to finish, the rest goes on elsewhere.
    """
    from bottega.server.staff.stop import end_with
    from bottega.server.staff.work import work

    if owned:
        end_with(0)
    start.run(work(start.settings_of(), lambda worker: print(worker, flush=True)))
