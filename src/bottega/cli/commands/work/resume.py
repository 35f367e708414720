"""`bottega resume`: go on with what waited."""

import click

from bottega.cli import start
from bottega.cli.commands.work.ending import Output, shown_to_the_end
from bottega.cli.looking import differences
from bottega.errors import NotFound
from bottega.studio import Studio


@click.command("resume")
@click.argument("session")
@click.option("--json", "as_json", is_flag=True, help="Print every event, one JSON object a line.")
def command(session: str, as_json: bool) -> int:
    """Go on with an exchange that waited for an answer.

    SESSION is an id, or its beginning or end, as `bottega sessions` lists it. The exchange is shown to its end, or to
    the next thing that it asks; exit codes are those of `bottega run`.

    \b
    bottega run "tidy up"             # ends with exit code 4
    bottega approve 3f9a01bc allow
    bottega resume 5d7e88f2
    """
    output = Output(as_json)
    return start.run(_resume(start.studio_of(output.flags), session, output))


async def _resume(studio: Studio, session_id: str, output: Output) -> int:
    async with studio:
        session = await studio.take(session_id)
        answer = session.resume(wait=output.asks)
        if answer is None:
            raise NotFound(
                "Nothing in this session waits to go on.",
                hint=f'`bottega run --session {session_id} "…"` says something new in it.',
            )
        after = session.row.last_index
        environment, look = studio.settings.environment, differences(studio.runtime)
        return await shown_to_the_end(environment, session, answer, output, look, after=after)
