"""`bottega config`: settings, where each comes from, and the file that keeps yours."""

from pathlib import Path
from typing import Any, cast

import click
import msgspec

from bottega import settings as every
from bottega.cli import start
from bottega.cli.screen.output import note, out, out_text, print_json
from bottega.cli.screen.page import Page
from bottega.errors import BadUsage, NotFound
from bottega.settings import ForAgent, OwnProvider, Settings, Values
from bottega.studio.setup import config


@click.group("config")
def command() -> None:
    """Read and change settings.

    A flag wins over the environment (BOTTEGA_MODEL …), that over your config file, that over the project's own
    .bottega.toml, that over the default.
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def list_command(as_json: bool) -> int:
    """Show every setting, its value, and where that came from."""
    settings, problem = start.settings_to_mend(Path())
    if as_json:
        told = {
            name: {"value": config.value(settings, name), "source": settings.source(name)}
            for name in Values.__struct_fields__
        }
        print_json(told)
    else:
        _list(settings)
    if problem is None:
        return 0
    note(f"bottega: {problem.message} This is without your config file.")
    return problem.exit_code


def _list(settings: Settings) -> None:
    page = Page(settings.environment)
    for name in Values.__struct_fields__:
        source = settings.source(name)
        style = "dim" if source == "default" else "accent"
        page.say((name, "bold"), f" = {_shown(config.value(settings, name))}  ", (source, style))
        page.say((f"  {every.about(name)} Takes {every.takes(name)}.", "dim"))


@command.command("get")
@click.argument("name")
def get_command(name: str) -> None:
    """Print the value of one setting."""
    settings = start.settings_of(folder=Path())
    head, _, rest = name.partition(".")
    if head not in Values.__struct_fields__:
        every.check({head: ""}, "flag", "")
    found: Any = config.value(settings, head)
    for part in filter(None, rest.split(".")):
        if not isinstance(found, dict) or part not in found:
            raise NotFound(f"Nothing is set for {name!r}.", hint="`bottega config list` shows all.")
        found = cast("dict[str, Any]", found)[part]
    out_text(_shown(found) if not isinstance(found, str) else found)


@command.command("set")
@click.argument("name")
@click.argument("value")
def set_command(name: str, value: str) -> None:
    """Change a setting in your config file.

    NAME may be `model`, `effort` …, `agents.NAME.model` for the model that an agent runs on, or
    `providers.NAME.base_url` and the like for a provider of your own.
    """
    _change(start.settings_to_mend()[0], name, value)


@command.command("unset")
@click.argument("name")
def unset_command(name: str) -> None:
    """Take a setting out of your config file, so that its default holds."""
    _change(start.settings_to_mend()[0], name, None)


@command.command("path")
def path_command() -> None:
    """Print where your config file is."""
    out(str(start.settings_to_mend()[0].config_file))


def _shown(value: Any) -> str:
    if value is None or value in ("", {}, [], ()):
        return "(not set)"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _change(settings: Settings, name: str, value: str | None) -> None:
    typed = None if value is None else _typed(name, value)
    config.edit(settings, name.split("."), typed)


_TABLES: dict[str, type[msgspec.Struct]] = {"providers": OwnProvider, "agents": ForAgent}
"""Tables of texts, of which single fields can be set."""


def _typed(name: str, value: str) -> Any:
    """The text as the setting's own type, so that the file says 3 and not "3"."""
    head, *rest = name.split(".")
    if table := _TABLES.get(head):
        if len(rest) != 2 or rest[1] not in table.__struct_fields__:
            fields = ", ".join(table.__struct_fields__)
            raise BadUsage(
                f"{name!r} is no setting.",
                hint=f"Write {head}.NAME.FIELD; the fields are {fields}.",
            )
        return value
    if rest:
        raise BadUsage(f"{name!r} is no setting.", hint="`bottega config list` shows them all.")
    return config.typed(head, value)
