"""The studio's own files: built from `web/`, part of the package, and named by what is in them.

They are a fixed table, read when the server starts: no name that somebody asks for is ever looked up on the disk, or
kept. Files under `assets/` have a digest in their name and are kept by browsers for good; the page itself is asked for
each time, and has the server's base path written into it.
"""

from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from bottega.server.house import house_of
from bottega.server.pages import write
from bottega.server.pages.kept import Kept
from bottega.server.who import caller_of

router = APIRouter(include_in_schema=False)

_TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
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


class Built:
    """All that was built; empty where nothing was."""

    def __init__(self, root: str) -> None:
        folder = files("bottega.server.pages").joinpath("built")
        self.files = {
            **_table(folder, {}),
            **{f"assets/{name}": each for name, each in _table(folder / "assets", _KEPT).items()},
        }
        self.page = _page(folder, root)


@router.head("/")
@router.get("/")
@router.get("/sessions/{rest:path}")
@router.get("/settings")
@router.get("/settings/{rest:path}")
async def page(request: Request) -> Response:
    """The studio, for whoever is signed in; what it shows it finds by its address."""
    house = house_of(request)
    if not (caller := caller_of(request.scope, house)):
        return HTMLResponse(write.home(house.options.base_path))
    if (found := _built(request).page) is None:
        return HTMLResponse(write.unbuilt(house.options.base_path, caller.person))
    return found.answer(request)


@router.get("/assets/{name}")
async def asset(request: Request, name: str) -> Response:
    return _answer(request, f"assets/{name}")


@router.get("/{name}.{kind}")
async def file(request: Request, name: str, kind: str) -> Response:
    return _answer(request, f"{name}.{kind}")


def _answer(request: Request, name: str) -> Response:
    if (found := _built(request).files.get(name)) is None:
        return Response("There is no such file.", 404, media_type="text/plain")
    return found.answer(request)


def _built(request: Request) -> Built:
    built: Built = request.app.state.built
    return built


def _table(folder: Traversable, headers: dict[str, str]) -> dict[str, Kept]:
    if not folder.is_dir():
        return {}
    found: dict[str, Kept] = {}
    for each in folder.iterdir():
        kind = each.name.rpartition(".")[2]
        if kind in _TYPES and each.is_file():
            found[each.name] = Kept(each.read_bytes(), _TYPES[kind], headers)
    return found


def _page(folder: Traversable, root: str) -> Kept | None:
    index = folder / "index.html"
    if not index.is_file():
        return None
    text = index.read_text("utf-8")
    based = text.replace('<base href="/" />', f'<base href="{escape(root)}/" />')
    headers = {"Content-Security-Policy": POLICY}
    return Kept(based.encode(), "text/html; charset=utf-8", headers)
