"""The plain pages beside the studio, and their three files. Nothing in them comes from anywhere but this server."""

from importlib.resources import files

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from bottega.server.house import house_of
from bottega.server.pages import write
from bottega.server.pages.kept import Kept, Later

router = APIRouter(include_in_schema=False)

_FILES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


class Plain:
    """What is the same for everybody."""

    def __init__(self, app: FastAPI, root: str) -> None:
        folder = files("bottega.server.pages")
        self.files = {
            name: Kept((folder / name).read_bytes(), kind) for name, kind in _FILES.items()
        }
        self.reference = Later(lambda: _page(write.reference(root, app.openapi())))


@router.get("/sign-in")
async def sign_in(request: Request) -> HTMLResponse:
    # Told by browsers of pages with https or of this machine; where it is not known who led here, it is asked.
    asks = request.headers.get("sec-fetch-site", "") not in ("none", "same-origin")
    return HTMLResponse(write.sign_in(house_of(request).options.base_path, asks=asks))


@router.get("/reference")
async def reference(request: Request) -> Response:
    return (await _plain(request).reference.get()).answer(request)


@router.get("/page.css")
async def style(request: Request) -> Response:
    return _plain(request).files["page.css"].answer(request)


@router.get("/page.js")
async def script(request: Request) -> Response:
    return _plain(request).files["page.js"].answer(request)


@router.get("/icon.svg")
async def icon(request: Request) -> Response:
    return _plain(request).files["icon.svg"].answer(request)


def _plain(request: Request) -> Plain:
    plain: Plain = request.app.state.plain
    return plain


def _page(text: str) -> Kept:
    return Kept(text.encode(), "text/html; charset=utf-8")
