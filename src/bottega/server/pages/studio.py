"""The studio's own files: built from `web/`, part of the package, and named by what is in them.

Files under `assets/` have a digest in their name and are kept by browsers for good; the page itself is asked for each
time, and has the server's base path written into it.
"""

from functools import cache
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from bottega.server.house import house_of
from bottega.server.pages import write
from bottega.server.who import caller_of

router = APIRouter(include_in_schema=False)

_TYPES = {
    "js": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
    "webmanifest": "application/manifest+json",
}
_KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}
# Styles are set by scripts of ours (editor, terminal); nothing that comes from elsewhere can be one.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:;"
    " font-src 'self'; connect-src 'self'; media-src 'self' blob:; worker-src 'self'; manifest-src 'self';"
    " base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
)


@router.head("/")
@router.get("/")
@router.get("/sessions/{rest:path}")
@router.get("/settings")
@router.get("/settings/{rest:path}")
async def page(request: Request) -> HTMLResponse:
    """The studio, for whoever is signed in; what it shows it finds by its address."""
    house = house_of(request)
    root = house.options.base_path
    if not (caller := caller_of(request.scope, house)):
        return HTMLResponse(write.home(root))
    if (found := _page(root)) is None:
        return HTMLResponse(write.unbuilt(root, caller.person))
    return HTMLResponse(found, headers={"Content-Security-Policy": POLICY})


@router.get("/assets/{name}")
async def asset(name: str) -> Response:
    return _answer(_built().joinpath("assets"), name, _KEPT)


@router.get("/{name}.{kind}")
async def file(name: str, kind: str) -> Response:
    return _answer(_built(), f"{name}.{kind}", {})


def _answer(folder: Traversable, name: str, headers: dict[str, str]) -> Response:
    kind = name.rpartition(".")[2]
    body = _read(folder, name) if kind in _TYPES and "/" not in name else None
    if body is None:
        return Response("There is no such file.", 404, media_type="text/plain")
    return Response(body, media_type=_TYPES[kind], headers=headers)


def _built() -> Traversable:
    return files("bottega.server.pages").joinpath("built")


@cache
def _read(folder: Traversable, name: str) -> bytes | None:
    try:
        return folder.joinpath(name).read_bytes()
    except OSError:
        return None


@cache
def _page(root: str) -> str | None:
    if (body := _read(_built(), "index.html")) is None:
        return None
    return body.decode().replace('<base href="/" />', f'<base href="{escape(root)}/" />')
