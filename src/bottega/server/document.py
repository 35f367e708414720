"""The OpenAPI document: every route, and every event that a log may hold. Made once, when first asked for."""

import threading
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from bottega.events.facts import FACTS
from bottega.server.pages.kept import Kept, Later
from bottega.server.problems import ProblemShape
from bottega.server.shapes.talk.event import EventStream

_REF = "#/components/schemas/{}"
_ENVELOPE: dict[str, Any] = {
    "at": {"type": "integer", "description": "Milliseconds UTC, for display: order is the index."},
    "message_id": {
        "type": "string",
        "default": "",
        "description": "The prompt that it belongs to.",
    },
    "step": {"type": "integer", "default": 0, "description": "Which model call, from 1."},
    "attempt": {"type": "integer", "default": 0, "description": "Which try of it, from 1."},
    "actor": {
        "enum": ["user", "agent", "provider", "tool", "system"],
        "default": "system",
        "description": "Who caused it.",
    },
    "v": {"type": "integer", "default": 1, "description": "The version of its `data`."},
}


def operation_id(route: APIRoute) -> str:
    """The name of the function: it stays when a path changes."""
    return route.name


def install(app: FastAPI, path: str, root: str = "") -> None:
    """Have the app know its document, and answer with it at this path."""
    making = threading.Lock()

    def document() -> dict[str, Any]:
        with making:
            if app.openapi_schema is None:
                app.openapi_schema = made_of(app, root)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]
    written = Later(lambda: Kept(msgspec.json.encode(app.openapi()), "application/json"))

    async def answer(request: Request) -> Response:
        return (await written.get()).answer(request)

    app.router.add_route(path, answer, methods=["GET", "HEAD"], include_in_schema=False)


def made_of(app: FastAPI, root: str) -> dict[str, Any]:
    made = get_openapi(
        title=app.title,
        version=app.version,
        openapi_version="3.1.0",
        summary="A workshop where people work with agents on real projects.",
        routes=app.routes,
        servers=[{"url": root}] if root else None,
    )
    known = made.setdefault("components", {}).setdefault("schemas", {})
    known.update({**components(), **known})
    return made


def components() -> dict[str, Any]:
    """What routes refer to and no route's own shape holds."""
    found = {**stored_events(), **simple_events()}
    for shape in (ProblemShape, EventStream):
        found[shape.__name__] = shape.model_json_schema(ref_template=_REF.format("{model}"))
    return found


def simple_events() -> dict[str, Any]:
    """What simple clients are told."""
    text, number, truth, thing = (
        {"type": kind} for kind in ("string", "integer", "boolean", "object")
    )
    things = {"type": "array", "items": thing}
    told: dict[str, dict[str, Any]] = {
        "text_chunk": {"content": text},
        "stream": {"content": text},
        "reset": {"reason": text},
        "agent_step": {
            "iteration": number,
            "thought": text,
            "tool_calls": things,
            "tool_results": things,
            "response_text": text,
            "is_complete": truth,
        },
        "approval_required": {
            "approval_id": text,
            "tool_name": text,
            "tool_parameters": thing,
            "kind": text,
            "question": text,
            "choices": {"type": "array", "items": text},
            "hash": text,
            "detail": thing,
        },
        "file_ready": {"path": text, "size": number},
        "error": {"error": text, "code": text, "hint": text},
        "complete": {
            "success": truth,
            "iterations": number,
            "final_response": text,
            "completion_reason": text,
        },
    }
    named = {"session_id": text, "message_id": text, "index": number}
    shapes = [{"type": {"const": kind}, **fields, **named} for kind, fields in told.items()]
    return {
        "SimpleEvent": {
            "description": "An exchange in simple words; the last one is always `complete`.",
            "anyOf": [
                {"type": "object", "properties": shape, "required": list(shape)} for shape in shapes
            ],
        }
    }


def stored_events() -> dict[str, Any]:
    """Each fact in its envelope, as bytes in a log spell it: what says nothing is left out."""
    structs = list(FACTS.values())
    shapes, parts = msgspec.json.schema_components(structs, ref_template=_REF.format("Log{name}"))
    found: dict[str, Any] = {f"Log{name}": part for name, part in parts.items()}
    names: list[str] = []
    for (kind, struct), shape in zip(FACTS.items(), shapes, strict=True):
        name = "".join(word.capitalize() for word in kind.split("_")) + "Event"
        names.append(name)
        found[name] = _envelope({"const": kind}, shape, struct.__doc__ or "")
    found["OtherEvent"] = _envelope(
        {"type": "string"}, {"type": "object"}, "Of a type that this version does not know."
    )
    found["StoredEvent"] = {
        "description": "An event as it is stored. Fields that say nothing are left out.",
        "anyOf": [{"$ref": _REF.format(name)} for name in (*names, "OtherEvent")],
    }
    return found


def _envelope(kind: dict[str, Any], shape: dict[str, Any], said: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": said.partition("\n")[0],
        "properties": {"type": kind, **_ENVELOPE, "data": shape},
        "required": ["type", "at"],
    }
