"""`bottega search`: where was that said?"""

import click

from bottega.cli import start
from bottega.cli.commands.sessions import short
from bottega.cli.screen.clean import clean, one_line
from bottega.cli.screen.figures import ago
from bottega.cli.screen.output import print_json
from bottega.cli.screen.page import Page
from bottega.cli.screen.tools import Part
from bottega.sessions.care.search import Hit, Search
from bottega.sessions.session import now
from bottega.studio import Studio

_MARKS = ("\ue000", "\ue001")
"""Signs that no text has."""


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1), default=20, help="How many.  [default: 20]")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(words: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Find words in all sessions.

    Finds prompts, answers, tool calls and their results that hold all of the WORDS, or words that begin so.
    """
    start.run(_search(start.studio_of(), " ".join(words), limit, as_json))


async def _search(studio: Studio, words: str, limit: int, as_json: bool) -> None:
    async with studio:
        marks = ("«", "»") if as_json else _MARKS
        hits = await Search(studio.runtime.database).search(words, limit, marks)
    if as_json:
        print_json(hits)
        return
    page = Page(studio.settings.environment)
    if not hits:
        page.say(f"Nothing holds all of the words {words!r}.")
    for place, hit in enumerate(hits):
        _print(hit, page, first=place == 0)


def _print(hit: Hit, page: Page, first: bool) -> None:
    if not first:
        page.lines([""])
    title = one_line(hit.title) or "(no title)"
    when = ago(hit.at, now())
    whose = f"  child of {short(hit.child_of)}" if hit.child_of else ""
    page.say((short(hit.session_id), "cyan"), (f"  {title}", "bold"), (f"{whose}  {when}", "dim"))
    page.say("  ", *_marked(clean(hit.snippet)))


def _marked(snippet: str) -> list[Part]:
    parts: list[Part] = []
    for piece in snippet.split(_MARKS[0]):
        found, mark, rest = piece.partition(_MARKS[1])
        parts += [(found, "found"), (rest, "")] if mark else [(found, "")]
    return parts
