"""Every setting, one class: flag > environment > `home/config.toml` > the project's own file > default.

Each value knows where it came from. This is the only module that reads the environment. A project's file
(`.bottega.toml` in the workspace) may set the keys in `SAFE` and nothing else: a cloned repository must not choose
where requests and keys go. What runs for long keeps the `Current` settings: a file that is changed holds for what
begins afterwards.
"""

import logging
import os
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

import msgspec
from msgspec import Meta

from bottega.alike import close
from bottega.approvals.mode import MODES, Mode
from bottega.approvals.rule import Rule, Ruling
from bottega.errors import BadUsage, Misconfigured, Problem
from bottega.mcp.server import NAME, McpServer, is_name
from bottega.messages.toml_text import load_toml
from bottega.person_limits import PersonLimits
from bottega.providers.of_model import OfModel
from bottega.providers.provider import Effort, Wishes
from bottega.providers.wires import WireName
from bottega.regular_file import read_regular

_log = logging.getLogger(__name__)

Source = Literal["flag", "environment", "user file", "project file", "default"]

PROJECT_FILE = ".bottega.toml"
LARGEST = 1024 * 1024
"""Bytes of a file of settings."""


class OwnProvider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A provider that the user defined: `[providers.NAME]` in the config file."""

    base_url: str
    wire: WireName = "openai-chat"
    key_env: str = ""
    """The environment variable that holds the key; `bottega keys set NAME` is the other way."""

    def __repr__(self) -> str:
        # An address may hold a login.
        return f"OwnProvider(wire={self.wire!r}, key_env={self.key_env!r})"


class ForAgent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the user chose for one agent: `[agents.NAME]` in the config file."""

    model: str = ""


class Values(PersonLimits, frozen=True, forbid_unknown_fields=True, kw_only=True):
    model: Annotated[
        str,
        Meta(description="The model of new sessions; empty: chosen by what is configured."),
    ] = ""
    agent: Annotated[str, Meta(description="The agent of new sessions.")] = "assistant"
    instructions: Annotated[
        str, Meta(description="What every agent is told besides its own prompt, in your words.")
    ] = ""
    mode: Annotated[
        Mode,
        Meta(description="How much may be done unasked: plan (nothing), ask, or allow."),
    ] = "ask"
    limits: Annotated[
        Literal["default", "strict"],
        Meta(description="How far an exchange may go: default (50 model calls) or strict (8)."),
    ] = "default"
    window_hours: Annotated[
        float,
        Meta(gt=0, description="How many hours back the limits on all exchanges together look."),
    ] = 24.0
    window_usd: Annotated[
        float,
        Meta(ge=0, description="US dollars that all exchanges of that time may cost; 0: no limit."),
    ] = 20.0
    window_tokens: Annotated[
        int, Meta(ge=0, description="Tokens that all exchanges of that time may use; 0: no limit.")
    ] = 0
    text_calls: Annotated[
        tuple[str, ...],
        Meta(description="Models that take no tools: their calls are read from what they write."),
    ] = ()
    provider: Annotated[str, Meta(description="Where model names without a prefix go.")] = ""
    effort: Annotated[
        Effort | None, Meta(description="How hard the model thinks, where it can be told.")
    ] = None
    temperature: Annotated[
        Annotated[float, Meta(ge=0)] | None,
        Meta(description="How freely the model chooses words, where it can be told."),
    ] = None
    max_output: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="The most tokens of one answer.")
    ] = None
    reasoning_in_answer: Annotated[
        bool, Meta(description="Put what the model thought in front of its final response.")
    ] = False
    idle_timeout: Annotated[
        float,
        Meta(gt=0, description="Seconds without a byte after which a request is given up."),
    ] = 120.0
    total_timeout: Annotated[
        float, Meta(gt=0, description="Seconds after which any request is given up.")
    ] = 1800.0
    ca_file: Annotated[
        str, Meta(description="A file with certificates to trust besides the system's.")
    ] = ""
    context_window: Annotated[
        Annotated[int, Meta(ge=1000)] | None,
        Meta(description="Tokens that the model takes, where nobody knows: for local models."),
    ] = None
    compact_at: Annotated[
        Annotated[int, Meta(ge=0, le=95)],
        Meta(description="Percent of the window at which a session is compacted; 0: never."),
    ] = 80
    trim_after_days: Annotated[
        int,
        Meta(ge=0, description="Days after which the pieces of an answer are dropped; 0: never."),
    ] = 0
    on_crash: Annotated[
        Literal["auto", "resume", "park", "fail"],
        Meta(
            description="What a server does with an exchange that was broken off: auto (resume it if you were"
            " there in the last 10 minutes, else park), resume, park (ask first) or fail."
        ),
    ] = "auto"
    concurrency: Annotated[
        int, Meta(ge=1, description="Sessions that one worker of a server runs at once.")
    ] = 64
    grace: Annotated[
        float,
        Meta(ge=0, le=5, description="Seconds that a server which stops lets exchanges finish."),
    ] = 5.0
    patience: Annotated[
        float,
        Meta(ge=0, description="Seconds that a run waits in place for an answer, then lets go."),
    ] = 60.0
    remote_patience: Annotated[
        float,
        Meta(ge=0, description="Seconds for which another Bottega that is gone is tried again."),
    ] = 600.0
    sandbox: Annotated[
        Literal["auto", "off"],
        Meta(description="Where commands run: auto (the best there is), or off: not sandboxed."),
    ] = "auto"
    sandbox_read: Annotated[
        tuple[str, ...],
        Meta(description="Folders outside the workspace that commands may read."),
    ] = ()
    network_private: Annotated[
        tuple[str, ...],
        Meta(description="Private networks and host:port places that may be reached."),
    ] = ()
    models: Annotated[
        dict[str, OfModel],
        Meta(
            description="Wishes for a model: [models.NAME] with effort, temperature, max_output,"
            " context_window, and input_usd and output_usd: its price for a million tokens."
        ),
    ] = {}
    agents: Annotated[
        dict[str, ForAgent],
        Meta(description="Your choice for an agent: [agents.NAME] with the model that it runs on."),
    ] = {}
    providers: Annotated[
        dict[str, OwnProvider],
        Meta(description="Providers of your own: [providers.NAME] with base_url, wire, key_env."),
    ] = {}
    rules: Annotated[
        tuple[Rule, ...],
        Meta(
            description="What is allowed, asked for or denied: [[rules]] with verdict and what it is about."
        ),
    ] = ()
    mcp: Annotated[
        dict[Annotated[str, Meta(pattern=NAME)], McpServer],
        Meta(description="MCP servers: [mcp.NAME] with command or url; see `bottega mcp add`."),
    ] = {}


SAFE = frozenset({"model", "agent", "limits", "effort", "temperature", "max_output"})
"""What a project's own file may set."""

_TABLES = (
    *("models", "agents", "providers", "rules", "mcp"),
    *("sandbox_read", "network_private", "text_calls"),
)
_WORDS: dict[str, tuple[str, ...]] = {"verdict": get_args(Ruling), "wire": get_args(WireName)}
"""What fields of tables take, where that is one of a few words."""
_SECRET: dict[str, type[msgspec.Struct]] = {"providers": OwnProvider, "mcp": McpServer}
"""Tables whose values are never told: an address may hold a login, a variable a key."""
_ENV = {name: f"BOTTEGA_{name.upper()}" for name in Values.__struct_fields__ if name not in _TABLES}


Stamp = tuple[int, int, int]


class Settings(msgspec.Struct, frozen=True):
    home: Path
    values: Values
    sources: dict[str, Source]
    environment: Mapping[str, str]
    """The process's environment, for the parts that know vendors' variables."""
    ignored: tuple[str, ...] = ()
    """Keys of the project's file that it may not set, and so were left out."""
    flags: Mapping[str, Any] = {}
    folder: Path | None = None
    """Whose project file was read."""
    stamp: "Stamp | None" = None
    """Which state of the user's file this was read from; None: of none."""

    @property
    def config_file(self) -> Path:
        return self.home / "config.toml"

    @property
    def scripts_folder(self) -> str:
        """Where the scripts lie that may stand in for a model over HTTP (`BOTTEGA_SCRIPTS`); empty: nowhere."""
        return self.environment.get("BOTTEGA_SCRIPTS", "")

    @property
    def warnings(self) -> list[str]:
        """What was left out, one sentence each."""
        if not self.ignored:
            return []
        names = ", ".join(map(repr, self.ignored))
        return [
            f"The project's {PROJECT_FILE} may not set {names}: ignored."
            " Settings of that kind belong into your own config file (`bottega config path`)."
        ]

    def wishes(self) -> tuple[Wishes, Wishes]:
        """What was asked for with this call, by flag or variable, and what the files say."""
        called: dict[str, Any] = {}
        filed: dict[str, Any] = {}
        for name in Wishes.__struct_fields__:
            here = called if self.source(name) in ("flag", "environment") else filed
            here[name] = getattr(self.values, name)
        return Wishes(**called), Wishes(**filed)

    def source(self, name: str) -> Source:
        """Where the value of this setting came from."""
        return self.sources.get(name, "default")

    def __repr__(self) -> str:
        return f"Settings(home={str(self.home)!r})"


def default_home(environment: Mapping[str, str]) -> Path:
    """`BOTTEGA_HOME`, else the platform's folder for data."""
    if named := environment.get("BOTTEGA_HOME"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("bottega", appauthor=False)


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    home: Path | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    own_file: bool = True,
) -> Settings:
    """All settings from all places; a value that makes no sense is refused, naming the key and its place.

    Without `own_file` the user's own is not read: for who mends it.
    """
    env = dict(os.environ if environment is None else environment)
    home = home or default_home(env)
    merged: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    project, ignored = _project(folder)
    stamp = _stamp(
        file := home / "config.toml"
    )  # before it is read: a change in between is seen later
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    layers: list[tuple[Source, str | None, dict[str, Any]]] = [
        ("project file", str((folder or Path()) / PROJECT_FILE), project),
        ("user file", str(file), read_file(file) if own_file else {}),
        ("environment", None, _environment(env)),
        ("flag", None, given),
    ]
    for source, where, layer in layers:
        check(layer, source, where)
        for key, value in layer.items():
            merged[key] = value
            sources[key] = source
    values = msgspec.convert(merged, Values, strict=False)
    return Settings(home, values, sources, env, ignored, given, folder, stamp)


class Current:
    """The settings as they are now. Whoever begins something looks first; what runs keeps what it began with.

    A file that makes no sense changes nothing: the settings from before hold, and `problem` says what to mend.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.problem: Problem | None = None
        self._seen = settings.stamp

    def look(self) -> bool:
        """Read the files anew if the user's own was changed since; whether that gave other settings."""
        if self._seen is None or (stamp := _stamp(self.settings.config_file)) == self._seen:
            return False
        self._seen = stamp
        before = self.settings
        try:
            self.settings = load(
                before.flags,
                home=before.home,
                folder=before.folder,
                environment=before.environment,
            )
        except Problem as problem:
            self.problem = problem
            _log.warning("the config file cannot be used; the settings from before hold")
            return False
        self.problem = None
        return True


def _stamp(file: Path) -> Stamp:
    try:
        stat = file.stat()
    except OSError:
        return (0, 0, 0)
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino)


def _environment(env: Mapping[str, str]) -> dict[str, Any]:
    return {name: env[variable] for name, variable in _ENV.items() if env.get(variable)}


def _project(folder: Path | None) -> tuple[dict[str, Any], tuple[str, ...]]:
    # An open sandbox keeps an empty folder where a project has no file.
    if folder is None or (folder / PROJECT_FILE).is_dir():
        return {}, ()
    found = read_file(folder / PROJECT_FILE)
    safe = {key: value for key, value in found.items() if key in SAFE}
    return safe, tuple(sorted(found.keys() - SAFE))


def read_file(path: Path) -> dict[str, Any]:
    """A TOML file as a plain dictionary; empty if there is none."""
    try:
        return load_toml(read_regular(path, LARGEST).decode())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"The file {str(path)!r} is no valid TOML: {error}.",
            hint="Mend that line, or remove the file.",
        ) from error
    except OSError as error:
        raise Misconfigured(
            f"The file {str(path)!r} cannot be read: {error.strerror}.",
            hint="Put a TOML file there, or remove it.",
        ) from error


def check(layer: Mapping[str, Any], source: Source, where: str | None = None) -> None:
    """Refuse a key that does not exist and a value that makes no sense, naming both and their place."""
    for name, value in layer.items():
        place = _place(name, source, where)
        if name not in Values.__struct_fields__:
            raise _unknown(name, place)
        try:
            msgspec.convert({name: value}, Values, strict=False)
        except msgspec.ValidationError as error:
            kind = BadUsage if source == "flag" else Misconfigured
            raise kind(
                _wrong(name, value, place, str(error)),
                hint="`bottega config list` explains every setting.",
            ) from error


def _place(name: str, source: Source, where: str | None) -> str:
    if where is not None:
        return f" ({where!r})" if where else ""
    return f" ({_ENV[name]})" if source == "environment" else f" (--{name.replace('_', '-')})"


def _unknown(name: str, place: str) -> Problem:
    near = close(name[:200], Values.__struct_fields__, 2, 0.75)
    meant = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return Misconfigured(
        f"There is no setting {name!r}{place}.{meant}",
        hint="`bottega config list` explains every setting.",
    )


def _wrong(name: str, value: Any, place: str, said: str) -> str:
    reason, _, path = said.partition(" - at ")
    key = path.strip("`").removeprefix("$.")
    if name != "rules":
        kind = _SECRET.get(name)
        if kind is None:
            given = repr(value)
            given = given if len(given) <= 200 else f"{given[:200]}…"
            return f"The setting {name!r}{place} cannot be {given}: it takes {takes(name)}."
        if not isinstance(value, dict):
            return f"The setting {name!r}{place} takes tables: [{name}.NAME]."
        entries = cast("dict[str, Any]", value)
        if odd := next((each for each in entries if name == "mcp" and not is_name(each)), None):
            return (
                f"An MCP server{place} cannot be called {odd[:60]!r}: at most 32 letters and digits,"
                " with single dashes or underscores between them."
            )
        wrong = next((each for each in entries if not _is_whole(entries[each], kind)), "")
        key = key.replace("[...]", f".{wrong}", 1)
    if name == "rules" and not isinstance(value, list | tuple):
        return f"The setting {name!r}{place} takes tables: [[rules]], in the file itself."
    return f"The setting {key!r}{place} is wrong: {_plainly(reason, key)}."


def _plainly(reason: str, key: str) -> str:
    """What a library says of it, and the words that would fit."""
    said = f"{reason[:1].lower()}{reason[1:]}"
    if "unknown field" in said and key.startswith("rules"):
        return f"{said}; there are {', '.join(Rule.__struct_fields__)}"
    words = _WORDS.get(key.rpartition(".")[2], ())
    return f"{said}; it takes {', '.join(words)}" if words and "enum value" in said else said


def _is_whole(entry: Any, kind: type[msgspec.Struct]) -> bool:
    try:
        msgspec.convert(entry, kind, strict=False)
    except msgspec.ValidationError:
        return False
    return True


def about(name: str) -> str:
    """What a setting is for, in a sentence."""
    return _schema()[name].get("description", "")


def takes(name: str) -> str:
    """What a setting may be, in words."""
    return _takes(_schema()[name])


@cache
def _schema() -> dict[str, Any]:
    _, parts = msgspec.json.schema_components([Values])
    return parts["Values"]["properties"]


def _takes(field: dict[str, Any]) -> str:
    if "enum" in field:
        words = {each for each in field["enum"] if each is not None}
        return ", ".join(each for each in _ORDER if each in words)
    if "anyOf" in field:
        return next(_takes(each) for each in field["anyOf"] if each.get("type") != "null")
    kind = _KINDS[field["type"]]
    if field.get("items", {}).get("type") == "string":
        return "a list of texts"
    if "minimum" in field:
        return f"{kind} from {field['minimum']:g}"
    return f"{kind} above {field['exclusiveMinimum']:g}" if "exclusiveMinimum" in field else kind


_ORDER = ("default", "strict", *MODES, "auto", "off", "resume", "park", "fail", *get_args(Effort))
_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "tables",
    "array": "tables",
}
