"""`bottega models`: who can answer, how much it reads, and what it costs."""

import click
import msgspec

from bottega.cli import start
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import tokens
from bottega.cli.screen.output import print_json
from bottega.cli.screen.page import Page
from bottega.cli.screen.tools import Part
from bottega.studio import Studio
from bottega.studio.setup.models import Listed, Offered, listed

FEW = 12
"""Models of one provider that are shown unless it is asked for."""


@click.command("models")
@click.argument("words", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.option("--offline", is_flag=True, help="Ask nobody; list what is known.")
def command(words: tuple[str, ...], as_json: bool, offline: bool) -> None:
    """List the models that can be used now.

    WORDS choose those whose names hold all of them, as in `bottega models openai mini`. Prices are in US dollars for
    a million tokens of input and output; `?` means that nobody says.
    """
    start.run(_models(start.studio_of(), words, as_json, offline))


async def _models(studio: Studio, words: tuple[str, ...], as_json: bool, offline: bool) -> None:
    async with studio:
        runtime = studio.runtime
        chosen = runtime.choose()
        lists = [_chosen(each, words) for each in await listed(runtime, offline=offline)]
    if as_json:
        print_json({"default": chosen.model, "providers": lists})
        return
    page = Page(studio.settings.environment)
    for each in lists:
        _print(each, page, whole=bool(words))
    page.say(("New sessions use ", "dim"), chosen.model, (f" ({chosen.why}).", "dim"))
    if not any(each.provider != "guide" for each in lists):
        page.say(
            "Add one with `bottega keys set openai` (or anthropic, gemini …), or start Ollama."
        )


def _chosen(each: Listed, words: tuple[str, ...]) -> Listed:
    kept = [m for m in each.models if all(word.lower() in m.name.lower() for word in words)]
    return msgspec.structs.replace(each, models=kept)


def _print(each: Listed, page: Page, whole: bool) -> None:
    if not each.models and (whole or not each.problem):
        return
    if each.problem:
        page.say(("! ", "accent"), f"{each.problem} ", ("What is known of it:", "dim"))
    shown = each.models if whole or not page.terminal.is_tty else each.models[:FEW]
    head = (each.provider, "window", "$ in", "$ out", "")
    page.table([_row(model) for model in shown], head, right=(1, 2, 3))
    if rest := len(each.models) - len(shown):
        page.say((f"  … and {rest} more: bottega models {each.provider}", "dim"))
    page.lines([""])


def _row(model: Offered) -> list[Part | str]:
    window = tokens(model.context_window) if model.context_window else "?"
    prices = [_dollars(model.input_price), _dollars(model.output_price)]
    return [one_line(model.name), (window, "dim"), *prices, (_abilities(model), "dim")]


def _dollars(price: float | None) -> Part:
    if price is None:
        return ("?", "dim")
    return (f"{price:.2f}", "") if price else ("free", "tool.done")


def _abilities(model: Offered) -> str:
    """What it can do, in the order that people ask for it."""
    return ", ".join(
        name for name in ("tools", "reasoning", "images", "audio") if name in model.abilities
    )
