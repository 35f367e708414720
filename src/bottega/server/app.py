"""The web application: its routes, its errors, and what stands in front of both."""

from collections.abc import Iterable

from fastapi import APIRouter, FastAPI

from bottega import __version__
from bottega.server import problems
from bottega.server.house import House
from bottega.server.routes import changes, files, projects, sessions, shells

API = "/api"


def routers() -> Iterable[APIRouter]:
    """Every group of routes under `/api`."""
    return (sessions.router, projects.router, files.router, shells.router, changes.router)


def create_app(house: House) -> FastAPI:
    app = FastAPI(
        title="Bottega",
        version=__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.house = house
    problems.install(app)
    for router in routers():
        app.include_router(router, prefix=API, responses=problems.responses(401, 403, 422, 429))
    return app
