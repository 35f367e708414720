"""`bottega approve`: answer something that waits, from anywhere."""

from typing import Any, NamedTuple

import click
import msgspec

from bottega.approvals.mode import Mode
from bottega.cli import start
from bottega.cli.asking import pending
from bottega.cli.commands.work.asks import as_object
from bottega.cli.commands.work.ending import Output, shown_to_the_end
from bottega.cli.looking import differences
from bottega.cli.screen.output import flush, note, print_json
from bottega.cli.screen.page import Page
from bottega.errors import BadUsage, Conflict
from bottega.sessions.asks import TOLD, Ask, Word
from bottega.studio import Studio

TOO_LATE = 5
"""The exit code where somebody else has answered already."""

_MEANT: dict[str, Word] = {"allow": "allow_once", "all": "allow_all"}
ANSWERS = (
    *("allow", "all", "deny", "edit", "stop", "answer", "accept", "discard", "result", "raise"),
    "continue",
)


class Said(NamedTuple):
    word: str
    note: str
    grant: str
    given: str
    mode: Mode


@click.command("approve")
@click.argument("ask_id", metavar="ID")
@click.argument("answer", metavar="allow|all|deny|…", type=click.Choice(ANSWERS))
@click.option("--note", default="", help="A word to the model, or the answer to its question.")
@click.option("--grant", default="", help="With `all`: what is allowed, as it was offered.")
@click.option("--input", "given", default="", help="With `edit`: the arguments to run, as JSON.")
@click.option(
    "--mode",
    type=click.Choice(["ask", "allow"]),
    default="ask",
    help="With `accept`: how the plan is carried out.  [default: ask]",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was answered as JSON.")
def command(ask_id: str, answer: str, as_json: bool, **said: Any) -> int:
    """Answer something that waits.

    ID is as `bottega asks` lists it. What is answered is shown first. A call is allowed by `allow` (this once) or `all`
    (from now on in this session; --grant says what), refused by `deny`, changed by `edit --input JSON`; `stop` ends the
    exchange. A question takes `answer --note TEXT`, a plan `accept` or `discard`,
    a limit `raise`, an exchange whose process ended `continue`.

    The first answer counts: exit code 5 says that somebody else was quicker. The exchange goes on where it still runs,
    or with `bottega resume SESSION`.

    \b
    bottega approve 3f9a01bc allow
    bottega approve 3f9a01bc deny --note "not in this folder"
    bottega approve 3f9a01bc all --grant "bash_exec(git status)"
    """
    output = Output(as_json)
    return start.run(_approve(start.studio_of(output.flags), ask_id, Said(answer, **said), output))


async def _approve(studio: Studio, ask_id: str, said: Said, output: Output) -> int:
    async with studio:
        ask = studio.runtime.asks.get(ask_id)
        row = studio.runtime.sessions.numbered(ask.session)
        session = studio.find(row.id)
        word, given = _word(ask, said), _input(said)
        _check_grant(ask, said)
        _check_note(said)
        page = Page(studio.settings.environment)
        if output.as_json:
            print_json({**as_object(row, ask), "answer": word})
        else:
            rows = pending.body(ask, row, page.terminal.width)
            page.lines([each for parts in rows for each in page.painter.parts(parts, page.width)])
        flush()
        if ask.reply is not None:
            return _late(ask.reply.word)
        if word == "accept":
            answer = await session.accept_plan(said.mode, edited=said.note, wait=output.asks)
            environment, look = studio.settings.environment, differences(studio.runtime)
            return await shown_to_the_end(environment, session, answer, output, look)
        try:
            await session.answer(
                ask, word, note=said.note, input=given, grant=said.grant, shown=ask.asked.hash
            )
        except Conflict:
            return _late("")
        if not output.as_json:
            more = f" Go on with: bottega resume {row.id[-pending.SHORT :]}"
            page.say((f"{TOLD[word]}.", "bold"), more if word != "discard" else "")
        return 0


def _word(ask: Ask, said: Said) -> Word:
    may = pending.answers(ask)
    for word in may:
        if word == _MEANT.get(said.word, said.word):
            return word
    names: dict[str, str] = {meant: name for name, meant in _MEANT.items()}
    hint = f"It takes: {', '.join(names.get(each, each) for each in may)}."
    raise BadUsage(f"{said.word!r} is no answer to this.", hint=hint)


def _check_note(said: Said) -> None:
    if said.word == "answer" and not said.note.strip():
        raise BadUsage("The answer is missing.", hint="Give it with --note TEXT.")


def _input(said: Said) -> dict[str, Any] | None:
    if said.word not in ("edit", "result"):
        if said.given:
            raise BadUsage("--input goes with `edit` and `result` only.")
        return None
    if not said.given:
        hint = "Give all arguments of the call." if said.word == "edit" else "Give what it found."
        raise BadUsage(f"`{said.word}` needs --input with a JSON object.", hint=hint)
    try:
        return msgspec.json.decode(said.given, type=dict[str, Any])
    except msgspec.DecodeError as problem:
        raise BadUsage(
            f"--input is no JSON object: {problem}.", hint="Give all arguments of the call."
        ) from None


def _check_grant(ask: Ask, said: Said) -> None:
    """What is allowed for good is what was offered: a slip of the pen would allow nothing, or something else."""
    if not said.grant:
        return
    if said.word != "all":
        raise BadUsage("--grant goes with `all` only.")
    offered: list[str] = ask.asked.detail.get("offers", [])
    if said.grant not in offered:
        hint = f"Offered: {', '.join(offered) or 'nothing more than this call'}."
        raise BadUsage(f"{said.grant!r} was not offered for this ask.", hint=hint)


def _late(word: str) -> int:
    told = f" ({word.replace('_', ' ')})" if word else ""
    note(f"bottega: This was answered already{told}; the first answer counts.")
    return TOO_LATE
