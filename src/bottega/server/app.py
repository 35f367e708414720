"""The web application: its routes, its errors, and what stands in front of both."""

from collections.abc import Iterable

from fastapi import APIRouter, FastAPI
from starlette.routing import WebSocketRoute

from bottega import __version__
from bottega.server import document, problems
from bottega.server.house import House
from bottega.server.hub.hub import Hub
from bottega.server.outside.outside import install
from bottega.server.pages import pages, studio
from bottega.server.routes import (
    asks,
    changes,
    chat,
    demo,
    events,
    files,
    found,
    projects,
    prompts,
    sessions,
    setup,
    shells,
    signing,
    tickets,
    turning,
    usage,
    workers,
)

API = "/api"

EVERYWHERE = (400, 401, 422, *problems.DOOR)
"""What any route of the API may answer."""


def routers() -> Iterable[APIRouter]:
    """Every group of routes under `/api`."""
    return (
        sessions.router,
        signing.router,
        tickets.router,
        workers.router,
        turning.router,
        events.router,
        prompts.router,
        asks.router,
        found.router,
        usage.router,
        chat.router,
        demo.router,
        projects.router,
        files.router,
        shells.router,
        changes.router,
        *setup.ROUTERS,
    )


def create_app(house: House) -> FastAPI:
    app = FastAPI(
        title="Bottega",
        version=__version__,
        openapi_url=None,  # the document is bytes, made once
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=document.operation_id,
    )
    app.state.house = house
    problems.install(app)
    document.install(app, f"{API}/openapi.json", house.options.base_path)
    app.state.built = studio.Built(house.options.base_path)
    app.state.plain = pages.Plain(app, house.options.base_path)
    for router in routers():
        app.include_router(router, prefix=API, responses=problems.responses(*EVERYWHERE))
    app.include_router(pages.router)
    app.include_router(studio.router)  # last: it answers for every file at the top
    app.router.routes.append(WebSocketRoute("/ws/{ticket}", _hub(house), name="socket"))
    app.state.outside = install(app, house)
    return app


def _hub(house: House) -> Hub:
    """The socket's end, which is told what is in no log."""
    hub = Hub(house)
    house.tellers.append(hub.tell_session)
    house.at_stop.append(hub.stop)
    return hub
