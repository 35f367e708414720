"""`bottega models`: who can answer, how much it reads, and what it costs."""

import click
import msgspec

from bottega.cli import start
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.figures import tokens
from bottega.cli.screen.page import Page, print_json
from bottega.cli.screen.tools import Part
from bottega.messages.message import Usage
from bottega.providers import catalog, route
from bottega.providers.provider import Failed
from bottega.providers.vendors import VENDORS
from bottega.runtime import Runtime
from bottega.studio import Studio
from bottega.studio.setup import reach

FEW = 12
"""Models of one provider that are shown unless it is asked for."""
_SAMPLE = 10_000


class Offered(msgspec.Struct, frozen=True):
    name: str
    """As it is written after --model."""
    context_window: int | None
    input_price: float | None
    """US dollars for a million tokens; None: unknown."""
    output_price: float | None
    abilities: list[str]


class Listed(msgspec.Struct, frozen=True):
    provider: str
    models: list[Offered]
    problem: str = ""
    """Why the provider could not be asked; then the models are those that are known of it."""


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
        lists = [_chosen(each, words) for each in await listed(runtime, offline)]
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


async def listed(runtime: Runtime, offline: bool) -> list[Listed]:
    """Every provider that has all it needs, with its models; the guide is always there."""
    table = runtime.routes()
    ready = route.usable(table)
    guide = Listed("guide", [Offered("guide", None, 0, 0, ["tools"])])
    if offline:
        return [guide, *(_known(name, "") for name in ready)]
    # Ollama needs no key and no setting: whether it runs is found by asking.
    asked = dict.fromkeys([*ready, "ollama"])
    lists = [guide]
    for name, found in (await reach.offers(runtime, asked)).items():
        if not isinstance(found, Failed):
            lists.append(Listed(name, [_offered(name, model) for model in found]))
        elif name in ready:
            lists.append(_known(name, f"{found.message} {found.hint}".strip()))
    return lists


def _known(provider: str, problem: str) -> Listed:
    """The one that new sessions would use first, then the later names, which are the newer ones mostly."""
    vendor = VENDORS.get(provider)
    names = sorted(catalog.known_models(provider), reverse=True)
    first = [vendor.default_model] if vendor and vendor.default_model in names else []
    ordered = dict.fromkeys([*first, *names])
    return Listed(provider, [_offered(provider, model) for model in ordered], problem)


def _offered(provider: str, model: str) -> Offered:
    facts = catalog.facts(provider, model)
    able = [name for name in facts.abilities.__struct_fields__ if getattr(facts.abilities, name)]
    return Offered(
        f"{provider}/{model}",
        facts.context_window,
        _price(provider, model, Usage(input_tokens=_SAMPLE)),
        _price(provider, model, Usage(output_tokens=_SAMPLE)),
        able,
    )


def _price(provider: str, model: str, usage: Usage) -> float | None:
    """Dollars a million; asked of a small number, as some prices rise with the size of a request."""
    cost = catalog.cost(provider, model, usage)
    return None if cost is None else cost / _SAMPLE


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
