"""The plain pages beside the studio, and their three files. Nothing in them comes from anywhere but this server."""

from functools import cache
from importlib.resources import files

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from bottega.server.house import house_of
from bottega.server.pages import write

router = APIRouter(include_in_schema=False)


@router.get("/sign-in")
async def sign_in(request: Request) -> HTMLResponse:
    return HTMLResponse(write.sign_in(house_of(request).options.base_path))


@router.get("/reference")
async def reference(request: Request) -> HTMLResponse:
    app: FastAPI = request.app
    return HTMLResponse(write.reference(house_of(request).options.base_path, app.openapi()))


@router.get("/page.css")
async def style() -> Response:
    return Response(_file("page.css"), media_type="text/css")


@router.get("/page.js")
async def script() -> Response:
    return Response(_file("page.js"), media_type="text/javascript")


@router.get("/icon.svg")
async def icon() -> Response:
    return Response(_file("icon.svg"), media_type="image/svg+xml")


@cache
def _file(name: str) -> bytes:
    return files("bottega.server.pages").joinpath(name).read_bytes()
