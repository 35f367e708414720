"""A spec as a TOML file that a person goes on with: every field that can be set, with a word on what it does.

What `written` gives reads back as the same spec; what is not set stands there as a comment.
"""

import re
from typing import Any

import msgspec

from bottega.agents.agent import Whereabouts
from bottega.agents.limits import Limits
from bottega.agents.prompt.markers import MARKERS
from bottega.agents.spec import Spec

_STARTER = """\
You are … at work on the project in {project_path}. Say here what it is for, in a sentence or two.

# How you work
- What it looks at first, and how it goes on.
- How it checks its own work.
- When it asks (`ask_user`), and what it leaves alone.

# How you finish
- What its last answer holds; that it says what it did not do.

{mode_instructions}
"""


def starter(slug: str) -> Spec:
    """Something to begin with."""
    name = slug.replace("-", " ").capitalize()
    return Spec(slug=slug, name=name, description="What it is good for.", system_prompt=_STARTER)


def written(spec: Spec) -> str:
    """The text of its file."""
    if spec.remote:
        return _elsewhere(spec, spec.remote)
    mode = f"mode = {_text(spec.mode)}" if spec.mode else '# mode = "plan"'
    model = f"model = {_text(spec.model)}" if spec.model else '# model = "anthropic/…"'
    tools = _value(list(spec.tools)) if spec.tools is not None else ""
    markers = " ".join(f"{{{name}}}" for name in MARKERS)
    lines = [
        f"# An agent of yours. `bottega agents validate {spec.slug}` checks this file.",
        "# One of another Bottega has a table [remote] (address, agent, project) instead of most of this.",
        f"name = {_text(spec.name)}",
        f"description = {_text(spec.description)}",
        "",
        "# StreamAgent: writes whole files in one go, without tools. IterativeAgent: uses tools, looks, goes on.",
        "# ReActAgent: the same, and says its thought before each step.",
        f"type = {_text(spec.type)}",
        "",
        "# The most that it may do, whatever the session's mode: plan, ask or allow. Left out: as the session.",
        mode,
        "# The model that it runs on, if not the session's.",
        model,
        "# The only tools that it has. Left out: all.",
        f"tools = {tools}" if tools else '# tools = ["read_file", "grep", "glob", "ask_user"]',
        "# How many of its calls run at the same time.",
        f"at_once = {spec.at_once}" if spec.at_once != 8 else "# at_once = 8",
        "",
        f"# Filled in: {markers}",
        f"system_prompt = {_long(spec.system_prompt)}",
        "",
        *_limits(spec.limits),
        "",
        *_wishes(spec),
        *_tool_configs(spec),
    ]
    return "\n".join(lines) + "\n"


def _elsewhere(spec: Spec, remote: Whereabouts) -> str:
    where = {name: getattr(remote, name) for name in remote.__struct_fields__}
    lines = [
        f"# An agent of another Bottega. `bottega keys set {remote.token_name}` keeps the token that it is asked with.",
        f"name = {_text(spec.name)}",
        f"description = {_text(spec.description)}",
        "# The most that it may do, whatever the session's mode: plan, ask or allow. Left out: as the session.",
        f"mode = {_text(spec.mode)}" if spec.mode else '# mode = "plan"',
        "",
        "[remote]",
        *(f"{name} = {_value(value)}" for name, value in where.items() if value),
        *(["", *_limits(spec.limits)] if spec.limits != Limits() else []),
    ]
    return "\n".join(lines) + "\n"


def _limits(limits: Limits) -> list[str]:
    """Those that differ from the default are set, the others are told."""
    usual = _table(Limits())
    rows = [
        f"{'' if value != usual[name] else '# '}{name} = {_value(value)}"
        for name, value in _table(limits).items()
    ]
    return ['# How far one exchange may go; "none" lifts a limit.', "[limits]", *rows]


def _table(limits: Limits) -> dict[str, Any]:
    table = {name: getattr(limits, name) for name in limits.__struct_fields__}
    cost = table["cost"]
    table = {"cost_usd" if name == "cost" else name: value for name, value in table.items()}
    table["cost_usd"] = None if cost is None else cost / 1_000_000
    return {name: "none" if value is None else value for name, value in table.items()}


def _wishes(spec: Spec) -> list[str]:
    examples = {"effort": "high", "temperature": 0.3, "max_output": 8000}
    rows: list[str] = []
    for name, example in examples.items():
        value = getattr(spec.wishes, name)
        rows.append(
            f"# {name} = {_value(example)}" if value is None else f"{name} = {_value(value)}"
        )
    return ["# How the model should answer, where it can be told.", "[wishes]", *rows]


def _tool_configs(spec: Spec) -> list[str]:
    lines: list[str] = []
    for tool, table in spec.tool_configs.items():
        rows = [f"{_text(name)} = {_value(value)}" for name, value in table.items()]
        lines += ["", f"[tool_configs.{_text(tool)}]", *rows]
    return lines


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inner = msgspec.convert(value, dict[str, Any]).items()
        return "{ " + ", ".join(f"{_text(name)} = {_value(each)}" for name, each in inner) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, msgspec.convert(value, list[Any]))) + "]"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def _text(text: str) -> str:
    """On one line; every sign that TOML does not take is escaped."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{_escaped(plain)}"'


def _long(text: str) -> str:
    """Over as many lines as it has."""
    plain = re.sub(r'"(?="|\Z)', r'\\"', text.replace("\\", "\\\\"))
    return f'"""\n{_escaped(plain)}"""'


def _escaped(text: str) -> str:
    return _ODD.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)
