"""A spec: an agent as somebody wrote it down, in a TOML file, in a record of a database, or in a program.

What `read` returns has the right shape; `agents/check.py` says whether it also makes sense. Every problem of a file is
told at once, each with the name of its field: nobody has to mend one to hear of the next.
"""

import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, cast, get_args

import msgspec
from msgspec import Meta

from bottega.agents.agent import Type, Whereabouts
from bottega.agents.limits import PRESETS, Limits
from bottega.alike import close
from bottega.approvals.mode import MODES, Mode
from bottega.errors import Misconfigured
from bottega.messages.json_size import MOST_ARGUMENTS, check_size
from bottega.messages.toml_text import load_toml
from bottega.providers.provider import Effort, Wishes

TYPES: tuple[Type, ...] = get_args(Type)

SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_NONE = Literal["none"]


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    slug: Annotated[str, Meta(pattern=SLUG, max_length=64)]
    """The name that settings, sessions and commands know it by: of a file, the file's own name."""
    name: Annotated[str, Meta(min_length=1, max_length=80)]
    description: Annotated[str, Meta(max_length=300)] = ""
    """What it is good for, in a sentence."""
    system_prompt: Annotated[str, Meta(max_length=100_000)] = ""
    type: Type = "IterativeAgent"
    mode: Mode | Literal[""] = ""
    """The most that it may do, whatever the session's mode; empty: all that the session's mode allows."""
    model: Annotated[str, Meta(max_length=200)] = ""
    """Empty: the session's."""
    tools: Annotated[tuple[str, ...], Meta(max_length=500)] | None = None
    """Names of tools; None: all that there are."""
    tool_configs: dict[str, dict[str, Any]] = {}
    limits: Limits = Limits()
    wishes: Wishes = Wishes()
    at_once: Annotated[int, Meta(ge=1, le=64)] = 8
    remote: Whereabouts | None = None
    """Another Bottega answers in its place: all but its name, mode and limits are set there."""


def sentence(problem: str, more: int = 0) -> str:
    """The problem with its full stop, and how many others there are."""
    if more:
        return f"{problem.rstrip('.')} (and {more} more)."
    return problem if problem.endswith((".", "?")) else f"{problem}."


class WrongSpec(Misconfigured):
    """An agent that cannot be used as it was written."""

    def __init__(self, subject: str, problems: Iterable[str], *, hint: str = "") -> None:
        self.problems = tuple(problems)
        first, *rest = self.problems
        super().__init__(f"{subject} is wrong: {sentence(first, len(rest))}", hint=hint)


class _LimitsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[limits]` as people write it; "none" lifts one."""

    iterations: Annotated[int, Meta(ge=1, le=1_000_000)] | _NONE = 50
    tokens: Annotated[int, Meta(ge=1, le=10**12)] | _NONE = "none"
    cost_usd: Annotated[float, Meta(ge=0, le=1_000_000)] | _NONE = 5.0
    seconds: Annotated[float, Meta(gt=0, le=31_536_000)] | _NONE = "none"
    repeats: Annotated[int, Meta(ge=2, le=1000)] | _NONE = 3

    def limits(self) -> Limits:
        table = {
            name: None if (value := getattr(self, name)) == "none" else value
            for name in self.__struct_fields__
        }
        usd = table.pop("cost_usd")
        return Limits(**table, cost=None if usd is None else round(usd * 1_000_000))


_TABLES: dict[str, type[msgspec.Struct]] = {
    "limits": _LimitsTable,
    "wishes": Wishes,
    "remote": Whereabouts,
}


def read(source: str | Mapping[str, Any], where: str = "", *, slug: str = "") -> Spec:
    """The spec in this text or mapping; refuse what has the wrong shape, naming the place and each field.

    `slug` is the one that it must have, if it is known from elsewhere, as it is of a file. Where nobody says one it is
    made of the name.
    """
    subject = f"The agent file {where!r}" if where else "The agent"
    hint = f"`bottega agents validate {slug}` lists every problem." if slug else ""
    if isinstance(source, str):
        try:
            source = load_toml(source)
        except tomllib.TOMLDecodeError as error:
            told = [f"it is no valid TOML: {error}"]
            raise WrongSpec(subject, told, hint="Mend that line.") from error
    given = {"slug": slug or slug_of(str(source.get("name", ""))), **source}
    given.setdefault("name", str(given["slug"]).replace("-", " ").capitalize())
    problems = list(_shape(given))
    if slug and given["slug"] != slug:
        problems.append(f"slug is {given['slug']!r}, but the file's name says {slug!r}")
    if problems:
        raise WrongSpec(subject, problems, hint=hint)
    return msgspec.convert({**given, "limits": _limits(given.get("limits", "default"))}, Spec)


def from_record(record: Mapping[str, Any]) -> Spec:
    """The spec in a database's record of an agent; columns that say nothing of how it works are passed over.

    Its `mode` says `stream` or `agent`, and matters only where there is no `agent_type`; lists and tables may be JSON
    texts. No tools named, or an empty list, means all; a StreamAgent has none, whatever the record names.
    """
    kept = {
        name: _parsed(value) if name in ("tools", "tool_configs", "limits") else value
        for name, value in record.items()
        if name in Spec.__struct_fields__ and value not in (None, "", b"")
    }
    mode = kept.pop("mode", "")
    kind = record.get("agent_type") or kept.get("type")
    kept["type"] = kind or ("StreamAgent" if mode == "stream" else "IterativeAgent")
    if mode not in ("stream", "agent", ""):
        kept["mode"] = mode
    if kept["type"] == "StreamAgent" or not kept.get("tools"):
        kept.pop("tools", None)
    if kept["type"] == "StreamAgent":
        kept.pop("tool_configs", None)
    return read(kept)


def slug_of(name: str) -> str:
    """A name as a slug: `My Agent!` → `my-agent`."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64].rstrip("-")


def is_slug(text: str) -> bool:
    return len(text) <= 64 and re.fullmatch(SLUG[1:-1], text) is not None


def near(word: str, known: Iterable[str]) -> str:
    """` Did you mean …?`, or nothing where nothing is alike."""
    folded = {each.casefold(): each for each in known}
    found = close(word.casefold()[:200], folded, 1, 0.6)
    return f" Did you mean {folded[found[0]]!r}?" if found else ""


def bare(name: str) -> str:
    """A name of somebody's as it may stand in a sentence."""
    return name[:60] if re.fullmatch(r"[\w-]+", name) else repr(name[:60])


def reshaped(spec: Spec) -> list[str]:
    """What is wrong with the shape of a spec that a program made without reading it."""
    try:
        msgspec.convert(msgspec.to_builtins(spec), Spec)
    except (msgspec.ValidationError, TypeError) as error:
        return [_worded(str(error), "", None)]
    return []


def _parsed(value: Any) -> Any:
    if isinstance(value, str | bytes):
        try:
            check_size(value, MOST_ARGUMENTS)
            return msgspec.json.decode(value)
        except (ValueError, RecursionError):
            return value  # and its type is found wrong
    return value


def _limits(given: Any) -> Limits:
    if isinstance(given, str):
        return PRESETS[given]
    return msgspec.convert(given, _LimitsTable).limits()


def _shape(given: Mapping[str, Any]) -> Iterator[str]:
    """All that is wrong with single fields."""
    for name, value in given.items():
        table = _TABLES.get(name)
        if name == "limits" and isinstance(value, str):
            if value not in PRESETS:
                yield f"limits must be {_either(PRESETS)} or a table, not {value[:60]!r}"
        elif table and isinstance(value, Mapping):
            for key, inner in cast("Mapping[str, Any]", value).items():
                yield from _field(table, f"{name}.", key, inner)
            if name == "remote" and "address" not in value:
                yield "remote.address is missing: say where the other Bottega is"
        else:
            yield from _field(Spec, "", name, value)


_REQUIRED: dict[type[msgspec.Struct], dict[str, str]] = {
    Spec: {"slug": "a", "name": "a"},
    Whereabouts: {"address": "a"},
}


def _field(struct: type[msgspec.Struct], prefix: str, name: str, value: Any) -> Iterator[str]:
    if name not in struct.__struct_fields__:
        yield f"there is no field {prefix}{bare(name)}.{near(name, struct.__struct_fields__)}"
        return
    if isinstance(value, float) and not math.isfinite(value):
        yield f"{prefix}{name} must be a number, not {value}"
        return
    required = _REQUIRED.get(struct, {})
    try:
        msgspec.convert({**required, name: value}, struct)
    except msgspec.ValidationError as error:
        yield _worded(str(error), prefix, value)


_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
_BOUNDS = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}
_CHOICES: dict[str, tuple[str, ...]] = {
    "type": TYPES,
    "mode": MODES,
    "wishes.effort": get_args(Effort),
}


def _worded(said: str, prefix: str, value: Any) -> str:
    """What msgspec says of a field, in words that name the field."""
    reason, _, path = said.partition(" - at ")
    field = prefix + path.strip("`").removeprefix("$").removeprefix(".").replace("[...]", ".…")
    if bound := re.fullmatch(r"Expected `\w+` (>=|<=|>|<) ([\d.e+]+)", reason):
        return f"{field} must be {_BOUNDS[bound[1]]} {float(bound[2]):,.0f}"
    if bound := re.fullmatch(r"Expected `(\w+)` of length (>=|<=) (\d+)", reason):
        if bound[3] == "1":
            return f"{field} must not be empty"
        many = "characters" if bound[1] == "str" else "entries"
        return f"{field} must have {_BOUNDS[bound[2]]} {bound[3]} {many}"
    if "matching regex" in reason:
        return (
            f"{field} must be small letters and digits with single dashes between, as in my-agent"
        )
    if reason.startswith("Invalid enum value"):
        known = _CHOICES.get(field, ())
        word = str(value)
        number = "" if known else 'a number or "none"'
        return f"{field} must be {_either(known) or number}, not {word[:60]!r}.{near(word, known)}"
    kinds = re.findall(r"[a-z]+", reason.partition("got")[0].partition("`")[2])
    known = {**_KINDS, "str": '"none"'} if prefix == "limits." else _KINDS
    words = [known[each] for each in kinds if each in known]
    got = _KINDS.get(reason.partition("got `")[2].strip("`"), "")
    return f"{field} must be {' or '.join(words)}" + (f", not {got}" if got else "")


def _either(words: Iterable[str]) -> str:
    *first, last = [*words] or [""]
    return f"{', '.join(first)} or {last}" if first else last
