"""What is told of an agent: a line in a list, a page of its own, JSON."""

import textwrap
from typing import Any

import msgspec

from bottega.agents.limits import Limits
from bottega.agents.shelf import Shelved
from bottega.agents.spec import Spec, sentence
from bottega.cli.screen.clean import clean, one_line
from bottega.cli.screen.figures import count, duration, money, tokens
from bottega.cli.screen.page import Page

_ORIGINS = {"own": "yours", "house": "", "program": "the program's"}


def as_json(each: Shelved, model: str) -> dict[str, Any]:
    about: dict[str, Any] = {"slug": each.slug, "origin": each.origin, "path": each.path}
    if each.spec:
        about |= msgspec.to_builtins(each.spec)
        del about["system_prompt"]
    return {**about, "model": model, "problems": each.problems}


def line(each: Shelved, model: str, usual: bool, page: Page) -> None:
    """Who it is, and what it is good for or why it cannot be used."""
    head = [_about(each, model), "the default" if usual else ""]
    told = " · ".join(filter(None, head))
    page.say((one_line(each.slug), "bold"), (f"  {one_line(told, 200)}", "dim"))
    if each.problems:
        first, *rest = each.problems
        indented(page, f"✗ {sentence(first, len(rest))}", style="tool.failed")
    elif each.spec:
        indented(page, each.spec.description)


def page_of(found: Shelved, spec: Spec, model: str, page: Page) -> None:
    """All of it, the prompt last: set as Markdown for who looks at it, as it stands for a program."""
    page.say((one_line(spec.name), "bold"), (f"  {_about(found, model)}", "dim"))
    indented(page, spec.description, "")
    page.lines([""])
    rows = _rows(found, spec, model)
    width = max(len(label) for label, _ in rows)
    for label, value in rows:
        _hanging(page, label.ljust(width), one_line(value, 2000))
    page.lines([""])
    prompt = clean(spec.system_prompt.strip("\n"))
    page.lines(
        page.painter.markdown(prompt, page.width) if page.terminal.is_tty else prompt.split("\n")
    )


def _about(each: Shelved, model: str) -> str:
    """Its type, mode and model, as far as they say something, and whose it is."""
    spec = each.spec
    if spec is None:
        return _ORIGINS[each.origin]
    mode = {"plan": "only plans", "ask": "always asks"}.get(spec.mode, "")
    kind = f"at {spec.remote.address}" if spec.remote else spec.type
    return " · ".join(filter(None, [kind, mode, model, _ORIGINS[each.origin]]))


def _rows(found: Shelved, spec: Spec, model: str) -> list[tuple[str, str]]:
    wished = msgspec.structs.asdict(spec.wishes).items()
    wishes = [f"{name} {value}" for name, value in wished if value is not None]
    named = "all" if spec.tools is None else ", ".join(spec.tools) or "none"
    if spec.remote:
        where = spec.remote
        rows = [
            ("remote", f"{where.agent or 'the usual agent'} at {where.address}"),
            ("project", where.project),
            ("token", f"kept as {where.token_name}"),
            ("mode", f"{spec.mode} at most" if spec.mode else "the session's"),
            ("limits", _limits(spec.limits) if spec.limits != Limits() else "set there"),
            ("file", found.path),
        ]
        return [(label, value) for label, value in rows if value]
    rows = [
        ("type", spec.type),
        ("mode", f"{spec.mode} at most" if spec.mode else "the session's"),
        ("model", model or "the session's"),
        ("tools", "none" if spec.type == "StreamAgent" else named),
        ("limits", _limits(spec.limits)),
        ("configured", ", ".join(spec.tool_configs)),
        ("wishes", " · ".join(wishes)),
        ("at once", count(spec.at_once, "call") if spec.at_once != 8 else ""),
        ("file", found.path),
    ]
    return [(label, value) for label, value in rows if value]


def _limits(limits: Limits) -> str:
    parts = [
        count(limits.iterations, "model call") if limits.iterations else "",
        f"{tokens(limits.tokens)} tokens" if limits.tokens else "",
        money(limits.cost) if limits.cost is not None else "",
        duration(limits.seconds * 1000) if limits.seconds else "",
        f"the same call {limits.repeats} times" if limits.repeats else "",
    ]
    return " · ".join(filter(None, parts)) or "none"


def indented(page: Page, text: str, by: str = "  ", style: str = "") -> None:
    for line in textwrap.wrap(
        one_line(text, 2000), max(20, page.width - 1), initial_indent=by, subsequent_indent=by
    ):
        page.say((line, style))


def _hanging(page: Page, label: str, value: str) -> None:
    """A value beside its label; where it is long, it goes on below itself."""
    room = max(20, page.width - len(label) - 3)
    first, *rest = textwrap.wrap(value, room) or [""]
    page.say((f"{label}  ", "dim"), first)
    for line in rest:
        page.say(" " * (len(label) + 2), line)
