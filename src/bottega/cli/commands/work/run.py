"""`bottega run`: one prompt, without a person at the keyboard."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from bottega.approvals.mode import Mode
from bottega.cli import start
from bottega.cli.commands.work.ending import Output, shown_to_the_end
from bottega.cli.commands.work.wish import Wish
from bottega.cli.looking import differences
from bottega.errors import BadUsage
from bottega.studio import Session, Studio


@click.command("run")
@click.argument("prompt", required=False)
@start.agent_options
@start.mode_option
@click.option("-s", "--session", help="Go on with this session instead of a new one.")
@click.option("--json", "as_json", is_flag=True, help="Print every event, one JSON object a line.")
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Print text as it comes, also what is said between tools.  [default: on a terminal]",
)
@click.option(
    "--schema",
    metavar="FILE|JSON",
    help="Have the answer fit this JSON schema, and print that JSON value alone.",
)
@click.option("--limits", help="How far it may go: default (50 model calls) or strict (8).")
@click.option("--effort", help="How hard the model thinks: none, minimal, low, medium, high, max.")
@click.option("--temperature", type=float, help="How freely the model chooses words.")
@click.option("--max-output", type=click.IntRange(1), help="The most tokens of one answer.")
@click.option(
    "--at", metavar="ADDRESS", default="", help="In a server elsewhere; needs BOTTEGA_TOKEN."
)
def command(
    prompt: str | None,
    folder: Path | None,
    mode: Mode | None,
    session: str | None,
    as_json: bool,
    stream: bool | None,
    schema: str | None,
    **flags: Any,
) -> int:
    """Run one prompt to its end and print the answer.

    PROMPT is what to do; `-`, or nothing at all, reads it from standard input. Only the final answer goes to standard
    output. Ctrl-C, or a kill, stops the exchange properly: what was said so far is stored.

    In ask mode you are asked as in `bottega chat`. Where there is no terminal, it ends with exit code 4 and says what
    waits: `bottega approve ID allow` answers it, `bottega resume SESSION` goes on.

    With --at it runs in a server elsewhere, in this folder if a project there has it, and what waits is answered with
    `bottega attach --at ADDRESS`.

    Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a limit was reached, 4 an answer is waited for, 130 stopped by
    Ctrl-C, 143 by a kill.

    \b
    bottega run "what does this project do?"
    bottega run --mode plan "how would you add a cache?"
    bottega run --mode allow "make the tests pass" < /dev/null
    bottega run --schema '{"type": "array", "items": {"type": "string"}}' "which files have tests?"
    """
    text = _read() if prompt in (None, "-") else str(prompt)
    if not text.strip():
        raise BadUsage("The prompt is empty.", hint="Say what the agent should do.")
    if schema is not None and stream:
        raise BadUsage("--schema prints one value at the end: there is nothing to --stream.")
    form = _schema(schema) if schema is not None else None
    output = Output(as_json, stream, value=form is not None)
    wish = Wish(text, session, folder, mode, form)
    if at := flags.pop("at"):
        from bottega.cli.commands.work.afar import run_at

        return start.run(run_at(start.settings_of(flags), at, wish, output))
    studio = start.studio_of({**flags, **output.flags}, start.place(folder, session))
    return start.run(_run(studio, wish, output))


async def _run(studio: Studio, wish: Wish, output: Output) -> int:
    from bottega.agents.output import checked

    async with studio:
        if wish.schema is not None and not wish.session:  # refused before there is a session
            checked(wish.schema, studio.runtime.agent(studio.settings.values.agent))
        session = await _session(studio, wish)
        chosen = studio.settings.source("model") == "flag"
        model = studio.settings.values.model if chosen else ""
        named = wish.session and studio.settings.source("agent") == "flag"
        agent = studio.settings.values.agent if named else ""
        answer = session.prompt(
            wish.text, model=model, agent=agent, wait=output.asks, schema=wish.schema
        )
        environment, look = studio.settings.environment, differences(studio.runtime)
        return await shown_to_the_end(environment, session, answer, output, look)


async def _session(studio: Studio, wish: Wish) -> Session:
    if not wish.session:
        return await studio.start(folder=wish.folder or Path(), mode=wish.mode or "")
    session = await studio.resume(wish.session)
    if wish.mode:
        await session.change_mode(wish.mode)
    return session


def _schema(given: str) -> dict[str, Any]:
    """The schema itself, or the file that holds it."""
    is_json = given.lstrip().startswith("{")
    try:
        written = given if is_json else Path(given).read_text("utf-8")
        return msgspec.json.decode(written, type=dict[str, Any])
    except OSError as error:
        raise BadUsage(
            f"The schema {given!r} cannot be read: {error.strerror}.",
            hint="Name a file, or write the JSON itself.",
        ) from error
    except (ValueError, RecursionError) as error:
        what = "The schema" if is_json else f"The schema in {given!r}"
        raise BadUsage(f"{what} is no JSON object: {error}.") from error


def _read() -> str:
    if sys.stdin.isatty():
        raise BadUsage(
            "There is no prompt.", hint='Write it after the command: bottega run "list the files".'
        )
    return sys.stdin.buffer.read().decode("utf-8", "replace")
