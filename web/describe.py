"""Prints what a client needs to know of the server, as one OpenAPI document: its routes, its events and its frames.

`make client` makes the types of `src/api/schema.d.ts` of it.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from bottega.server.app import create_app
from bottega.server.house import House, Options
from bottega.server.hub import frames, told
from bottega.studio import Studio

Schemas = dict[str, Any]


async def described() -> Schemas:
    with tempfile.TemporaryDirectory() as home:
        async with Studio(Path(home)) as studio:
            document = create_app(House(studio, b"", Options())).openapi()
    schemas: Schemas = document["components"]["schemas"]
    schemas |= {"KnownEvent": _known(schemas)} | _frames_in() | _frames_out()
    return document


def _known(schemas: Schemas) -> Schemas:
    """The stored events that this version knows: without the one of any other type, each is told by its `type`."""
    every: list[Schemas] = schemas["StoredEvent"]["anyOf"]
    return {"anyOf": [each for each in every if not each["$ref"].endswith("/OtherEvent")]}


def _frames_in() -> Schemas:
    kinds = [each for each in vars(frames).values() if _is_frame(each, frames.NewTab.__bases__[0])]
    return _named("In", kinds) | {"FrameIn": {"oneOf": _refs("In", kinds)}}


def _frames_out() -> Schemas:
    kinds = [each for each in vars(told).values() if _is_frame(each, told.Told)]
    return _named("Out", kinds) | {"FrameOut": {"oneOf": _refs("Out", kinds)}}


def _is_frame(what: Any, kind: type) -> bool:
    return isinstance(what, type) and issubclass(what, kind) and what is not kind


_AT = "#/components/schemas/"


def _named(prefix: str, kinds: list[Any]) -> Schemas:
    template = f"{_AT}{prefix}{{name}}"
    _, parts = msgspec.json.schema_components(kinds, ref_template=template)
    return {f"{prefix}{name}": schema for name, schema in parts.items()}


def _refs(prefix: str, kinds: list[Any]) -> list[Schemas]:
    return [{"$ref": f"{_AT}{prefix}{kind.__name__}"} for kind in kinds]


if __name__ == "__main__":
    document = msgspec.json.encode(asyncio.run(described()), order="sorted")
    sys.stdout.write(msgspec.json.format(document.decode(), indent=1))
