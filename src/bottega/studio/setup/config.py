"""Settings told with their sources, and changed in the user's own file: comments stay, and nothing is written that
would not load.

No secret is told: a provider's address is shown without its login, and of an MCP server's variables only the names.
"""

import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, cast

import msgspec

from bottega import settings as every
from bottega.errors import Misconfigured
from bottega.messages.toml_text import load_toml
from bottega.providers import route
from bottega.providers.http.address import bare
from bottega.providers.route import Endpoint, Routes
from bottega.regular_file import read_regular
from bottega.settings import Settings, Source, Values
from bottega.storage.whole import alone, write_whole
from bottega.studio.setup.plain import check_plain
from bottega.workspaces.network.allowed import opened

SCALARS = frozenset(name for name in Values.__struct_fields__ if every.takes(name) != "tables")
"""Settings that are one value, or a list of texts."""
AT_START = frozenset({"ca_file", "trim_after_days"})
"""What a process keeps as it was when it began."""


class Setting(msgspec.Struct, frozen=True):
    """One setting as it may be told."""

    name: str
    value: Any
    source: Source
    about: str
    takes: str
    default: Any
    at_start: bool
    """A change counts only for a process that begins afterwards."""


def told(settings: Settings) -> list[Setting]:
    """Every setting there is."""
    usual = Values()
    return [
        Setting(
            name,
            value(settings, name),
            settings.source(name),
            every.about(name),
            every.takes(name),
            msgspec.to_builtins(getattr(usual, name)),
            name in AT_START,
        )
        for name in Values.__struct_fields__
    ]


def value(settings: Settings, name: str) -> Any:
    """The value of a setting as it may be shown."""
    found = getattr(settings.values, name)
    if name == "mcp":
        found = {each: server.masked() for each, server in found.items()}
    if name == "providers":
        found = {
            each: msgspec.structs.replace(own, base_url=bare(own.base_url))
            for each, own in found.items()
        }
    return msgspec.to_builtins(found)


def edit(settings: Settings, path: list[str], value: Any) -> None:
    """Write the user's file anew with one value, or one whole table, in that place (None: taken out)."""
    check_plain(value)
    _rewrite(settings, lambda document: _put(document, path, value))


def change(settings: Settings, patch: Mapping[str, Any]) -> None:
    """Merge this into the user's file (RFC 7396: None takes out, tables are merged, all else is replaced)."""
    check_plain(patch)
    _rewrite(settings, lambda document: _merge(document, patch))


def _rewrite(settings: Settings, alter: Callable[[MutableMapping[str, Any]], None]) -> None:
    """Alter the user's file; what would not load is refused, and nothing is changed."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    file = settings.config_file
    with alone(settings.home / "config.lock"):
        try:
            written = read_regular(file, every.LARGEST).decode() if file.exists() else ""
            load_toml(written)
            document = tomlkit.parse(written)
            alter(document)
            text = tomlkit.dumps(document)
            _check(load_toml(text), str(file))
        except (OSError, TOMLKitError, tomllib.TOMLDecodeError, UnicodeError) as error:
            raise Misconfigured(
                f"The file {str(file)!r} cannot be changed: {error}.", hint="Mend it by hand."
            ) from error
        write_whole(file, [text.encode()])


def typed(name: str, value: Any) -> Any:
    """The value as the setting's own type, so that the file says 3 and not "3"."""
    every.check({name: value}, "flag", "")
    return getattr(msgspec.convert({name: value}, Values, strict=False), name)


def _check(found: dict[str, Any], where: str) -> None:
    """All that loading checks, and what only shows when it is used."""
    every.check(found, "user file", where)
    values = msgspec.convert(found, Values, strict=False)
    opened(values.network_private)
    for name in values.providers:
        route.define(Routes(), name, Endpoint(), {})


def _put(document: MutableMapping[str, Any], path: list[str], value: Any) -> None:
    import tomlkit

    *folders, last = path
    table = document
    for folder in folders:
        if folder not in table:
            if value is None:
                return
            table[folder] = tomlkit.table()
        table = table[folder]
    if value is None:
        table.pop(last, None)
    else:
        table[last] = value


def _merge(table: MutableMapping[str, Any], patch: Mapping[str, Any]) -> None:
    import tomlkit

    for name, value in patch.items():
        if value is None:
            table.pop(name, None)
        elif isinstance(value, Mapping):
            fresh = _without_nothing(cast("Mapping[str, Any]", value))
            if isinstance(table.get(name), MutableMapping):
                _merge(table[name], cast("Mapping[str, Any]", value))
            elif fresh or not value:
                table[name] = tomlkit.item(fresh)
        else:
            table[name] = tomlkit.item(value)


def _without_nothing(patch: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _without_nothing(cast("Mapping[str, Any]", value))
        if isinstance(value, Mapping)
        else value
        for name, value in patch.items()
        if value is not None
    }
