"""A group that knows its commands' names and one-line helps, and imports a command only when it is called.

So `bottega --help` and completion cost no more than click. `Entry.help` repeats the command's own first sentence; a
test keeps the two equal.
"""

from importlib import import_module
from typing import Any, NamedTuple

import click


class Entry(NamedTuple):
    module: str
    """Where the command is; it is that module's `command`."""
    help: str
    section: str


class Invocation:
    """What holds for the whole call, wherever on the line it was said."""

    def __init__(self) -> None:
        self.home: str | None = None
        self.debug = False


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value:
        setattr(context.ensure_object(Invocation), str(parameter.name), value)


def everywhere(hidden: bool = True) -> list[click.Parameter]:
    """The options that may stand before or after the command's name."""
    return [
        click.Option(
            ["--home"],
            type=click.Path(file_okay=False),
            help="The folder that holds sessions, settings and keys."
            "  [default: $BOTTEGA_HOME, else your platform's folder for data]",
            expose_value=False,
            callback=_remember,
            hidden=hidden,
        ),
        click.Option(
            ["--debug"],
            is_flag=True,
            help="Log every stage to stderr, and show where a failure came from.",
            expose_value=False,
            callback=_remember,
            hidden=hidden,
        ),
    ]


class ReaderLeft(Exception):  # noqa: N818
    """Whoever read the output has closed it. Not an `OSError`, of which click would make a failure."""


class Stopped(Exception):  # noqa: N818
    """Ctrl-C. Not a `KeyboardInterrupt`, to which click would add a line."""


class LazyGroup(click.Group):
    def __init__(
        self,
        *args: Any,
        entries: dict[str, Entry],
        hidden_entries: dict[str, Entry] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self.entries = entries
        self._all = {**entries, **(hidden_entries or {})}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self._all and cmd_name not in self.commands:
            command: click.Command = import_module(self._all[cmd_name].module).command
            _extend(command)
            self.commands[cmd_name] = command
        return self.commands.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self._all and not args[0].startswith("-"):
            raise click.exceptions.NoSuchCommand(args[0], possibilities=self.entries, ctx=ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderLeft from error
        except KeyboardInterrupt as error:
            raise Stopped from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self.entries.items():
            sections.setdefault(entry.section, []).append((name, entry.help))
        widest = max(len(name) for name in self.entries)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), help_) for name, help_ in rows])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=entry.help)
            for name, entry in self.entries.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)


def _extend(command: click.Command) -> None:
    command.params.extend(everywhere())
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _extend(inner)
