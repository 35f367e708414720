"""Settings over HTTP, the rules and the instructions among them: the host's alone."""

import asyncio
from typing import Annotated, Any, cast

import msgspec
from fastapi import APIRouter, Body

from bottega.approvals.rule import parse_rule
from bottega.errors import BadUsage
from bottega.providers.vendors import SCRIPTED
from bottega.server.house import House
from bottega.server.problems import responses
from bottega.server.shapes.setup.settings import (
    Instructions,
    Rules,
    Setting,
    SettingsPage,
    Words,
    WrittenRules,
)
from bottega.server.who import Asked, Hosting
from bottega.studio.setup import config
from bottega.studio.setup.redirected import check_env_keys

router = APIRouter(tags=["settings"])

Patch = Annotated[
    dict[str, Any],
    Body(
        max_length=100,
        description="Settings by name. It is merged into the config file (RFC 7396): null takes a setting out,"
        " tables are merged, all else is replaced.",
    ),
]


@router.get("/settings", summary="Every setting, its value, and where that came from")
async def read_settings(house: Asked, person: Hosting) -> SettingsPage:
    return _page(house)


@router.patch(
    "/settings",
    summary="Change settings; they hold for what begins afterwards",
    responses=responses(503),
)
async def change_settings(house: Asked, person: Hosting, patch: Patch) -> SettingsPage:
    if "mcp" in patch:
        raise BadUsage(
            "MCP servers are not set up over HTTP: they run programs of this machine.",
            hint="Use `bottega mcp add` there.",
        )
    if "providers" in patch:
        check_env_keys(house.studio.runtime.refresh(), patch["providers"])
    tidy = {
        name: config.typed(name, value) if name in config.SCALARS and value is not None else value
        for name, value in patch.items()
    }
    _refuse_scripts(house, tidy)
    await _change(house, tidy)
    return _page(house)


def _refuse_scripts(house: House, patch: dict[str, Any]) -> None:
    """A script stands in for a model only where somebody at this machine says so."""
    runtime = house.studio.runtime
    agents = patch.get("agents")
    tables = cast("dict[str, Any]", agents).values() if isinstance(agents, dict) else ()
    chosen = [cast("dict[str, Any]", each) for each in tables if isinstance(each, dict)]
    for name in (patch.get("model"), *(each.get("model") for each in chosen)):
        if name:
            runtime.refuse_script(str(name))
    if patch.get("provider") == SCRIPTED:
        runtime.refuse_script(f"{SCRIPTED}/")


@router.get("/rules", summary="What is allowed, asked for or denied; the last that matches counts")
async def read_rules(house: Asked, person: Hosting) -> Rules:
    return _rules(house)


@router.put("/rules", summary="The whole list of rules, in its order", responses=responses(503))
async def write_rules(house: Asked, person: Hosting, written: WrittenRules) -> Rules:
    tables = [rule.model_dump(exclude_defaults=True) for rule in written.rules]
    for table in tables:
        parse_rule(table)
    await _change(house, {"rules": tables or None})
    return _rules(house)


@router.get("/instructions", summary="What every agent is told besides its own prompt")
async def read_instructions(house: Asked, person: Hosting) -> Instructions:
    return _instructions(house)


@router.put("/instructions", summary="Change them", responses=responses(503))
async def write_instructions(house: Asked, person: Hosting, words: Words) -> Instructions:
    await _change(house, {"instructions": words.instructions or None})
    return _instructions(house)


async def _change(house: House, patch: dict[str, Any]) -> None:
    runtime = house.studio.runtime
    await asyncio.to_thread(config.change, runtime.settings, patch)
    house.offers.forget()


def _page(house: House) -> SettingsPage:
    runtime = house.studio.runtime
    settings = runtime.refresh()
    problem = runtime.settings_problem
    return SettingsPage(
        settings=[
            Setting.model_validate(each, from_attributes=True) for each in config.told(settings)
        ],
        file=str(settings.config_file),
        problem=str(problem) if problem else "",
    )


def _rules(house: House) -> Rules:
    settings = house.studio.runtime.refresh()
    return Rules(rules=msgspec.to_builtins(settings.values.rules), source=settings.source("rules"))


def _instructions(house: House) -> Instructions:
    settings = house.studio.runtime.refresh()
    return Instructions(
        instructions=settings.values.instructions, source=settings.source("instructions")
    )
