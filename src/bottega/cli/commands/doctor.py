"""`bottega doctor`: is everything there that Bottega needs, and if not, what to do."""

import asyncio
import platform
import shutil
from collections.abc import AsyncIterator, Iterator
from typing import Literal

import click
import msgspec

from bottega import __version__
from bottega.cli import start
from bottega.cli.screen.figures import count, size
from bottega.cli.screen.output import print_json
from bottega.cli.screen.page import Page
from bottega.errors import Problem
from bottega.providers import route
from bottega.providers.provider import Failed
from bottega.providers.vendors import ON_THIS_MACHINE, VENDORS
from bottega.runtime import Runtime
from bottega.sessions.care.check import check
from bottega.settings import Settings
from bottega.spending.key import KeyRing, told
from bottega.storage.home import Home, file_system, mounts, refuse_network
from bottega.studio.setup import reach
from bottega.workspaces.sandbox.local import Local

LITTLE = 500_000_000
"""Bytes of free disk under which it is time to clean up."""

State = Literal["good", "note", "bad"]
_MARKS = {"good": ("✓ ", "tool.done"), "note": ("· ", "dim"), "bad": ("✗ ", "tool.failed")}


class Finding(msgspec.Struct, frozen=True):
    topic: str
    state: State
    what: str
    mend: str = ""


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--offline", is_flag=True, help="Ask no provider.")
def command(as_json: bool, offline: bool) -> int:
    """Look at everything that Bottega needs, and say how to mend it.

    Exits with 1 if something is wrong.
    """
    environment = {}
    findings = [_program()]
    try:
        settings = start.settings_of()
    except Problem as problem:
        findings.append(Finding("settings", "bad", problem.message, problem.hint))
    else:
        environment = dict(settings.environment)
        findings += [*_home(settings), *_keys(settings)]
        findings += start.run(_running(settings, offline))
    if as_json:
        print_json(findings)
    else:
        _print(findings, Page(environment))
    return int(any(finding.state == "bad" for finding in findings))


def _print(findings: list[Finding], page: Page) -> None:
    for finding in findings:
        mend = [(f" {finding.mend}", "dim")] if finding.mend else []
        page.say(_MARKS[finding.state], (f"{finding.topic}: ", "bold"), finding.what, *mend)
    wrong = sum(finding.state == "bad" for finding in findings)
    said = f"{count(wrong, 'thing')} to mend." if wrong else "All is well."
    page.lines([""])
    page.say((said, "tool.failed" if wrong else "tool.done"))


def _program() -> Finding:
    system = f"{platform.system()} {platform.machine()}"
    return Finding(
        "program", "good", f"bottega {__version__}, Python {platform.python_version()}, {system}"
    )


def _home(settings: Settings) -> Iterator[Finding]:
    home = Home(settings.home)
    place = next(each for each in (home.path, *home.path.parents) if each.exists())
    table = mounts()
    try:
        refuse_network(place, table)
    except Problem as problem:
        yield Finding("home", "bad", problem.message, problem.hint)
    free = shutil.disk_usage(place).free
    state: State = "good" if free >= LITTLE else "bad"
    kind = file_system(str(place.resolve()), table) or "unknown file system"
    yield Finding(
        "home",
        state,
        f"{str(home.path)!r} on {kind}, {size(free)} free",
        "" if state == "good" else "Free some space: a full disk stops every session.",
    )
    if not home.database.exists():
        yield Finding("database", "note", "not there yet; the first session makes it")
        return
    wrong = check(home)
    for finding in wrong:
        yield Finding("database", "bad", finding.what, finding.next)
    if not wrong:
        yield Finding("database", "good", f"{size(home.database.stat().st_size)}, nothing wrong")


def _keys(settings: Settings) -> Iterator[Finding]:
    ring = KeyRing(settings.home)
    try:
        kept = ring.list()
        ring.all()
    except Problem as problem:
        yield Finding("keys", "bad", problem.message, problem.hint)
        kept = ()
    for key in kept:
        place = f"for {told(key.destination)}" if key.destination else "for an unknown address"
        hint = "" if key.destination else f"Save it anew: bottega keys set {key.provider}"
        state = "good" if key.destination else "note"
        yield Finding("keys", state, f"{key.provider}: kept here ({key.masked}), {place}", hint)
    found = [
        name
        for vendor in VENDORS.values()
        for name in vendor.keys
        if settings.environment.get(name, "").strip()
    ]
    for name in found:
        yield Finding("keys", "good", f"{name} is set")
    if not kept and not found:
        yield Finding("keys", "note", "none; `bottega keys set openai` keeps one")


async def _running(settings: Settings, offline: bool) -> list[Finding]:
    """What can be found only with every part open."""
    try:
        runtime = await asyncio.to_thread(Runtime, settings)
    except Problem as problem:
        return [Finding("start", "bad", problem.message, problem.hint)]
    findings: list[Finding] = []
    try:
        findings += [await _sandbox(runtime.sandboxes)]
        findings += [] if offline else [each async for each in _providers(runtime)]
        chosen = runtime.choose()
        runtime.model(chosen.model)
        findings.append(Finding("model", "good", f"new sessions use {chosen.model}: {chosen.why}"))
    except Problem as problem:
        findings.append(Finding("model", "bad", problem.message, problem.hint))
    finally:
        await runtime.close()
    return findings


async def _sandbox(sandboxes: Local) -> Finding:
    """Where commands run, and whether they may run unasked there; the self-test runs if it has not yet."""
    doubt = await sandboxes.trusted()
    what = f"{sandboxes.profile}; kernel {platform.release()}"
    if not doubt:
        return Finding("sandbox", "good", f"{what}; self-test passed")
    leaks = sandboxes.kind == "bubblewrap"
    return Finding("sandbox", "bad" if leaks else "note", what, doubt)


async def _providers(runtime: Runtime) -> AsyncIterator[Finding]:
    table = runtime.routes()
    ready = route.usable(table)
    for name, found in (
        await reach.offers(runtime, dict.fromkeys([*ready, *ON_THIS_MACHINE]))
    ).items():
        if not isinstance(found, Failed):
            yield Finding(name, "good", f"answers; it offers {count(len(found), 'model')}")
        elif name in ready:
            yield Finding(name, "bad", found.message, found.hint)
        else:
            yield Finding(name, "note", "does not run on this machine")
