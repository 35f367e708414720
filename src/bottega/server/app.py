"""The web application: its routes, its errors, and what stands in front of both."""

from collections.abc import Iterable

from fastapi import APIRouter, FastAPI

from bottega import __version__
from bottega.server import document, problems
from bottega.server.house import House
from bottega.server.routes import (
    asks,
    chat,
    events,
    outside,
    prompts,
    sessions,
    turning,
    usage,
)

API = "/api"
SOMETIMES = problems.responses(400, 401, 403, 422, 429, 503)
"""What any route may answer."""


def routers() -> Iterable[APIRouter]:
    """Every group of routes under `/api`."""
    return (
        sessions.router,
        turning.router,
        events.router,
        prompts.router,
        asks.router,
        outside.router,
        usage.router,
        chat.router,
    )


def create_app(house: House) -> FastAPI:
    app = FastAPI(
        title="Bottega",
        version=__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=document.operation_id,
    )
    app.state.house = house
    problems.install(app)
    document.install(app)
    for router in routers():
        app.include_router(router, prefix=API, responses=SOMETIMES)
    return app
