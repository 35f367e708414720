"""Errors in one shape (RFC 9457): what happened, and what to do next. Nothing of the server's inside gets out."""

import logging
import math
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from bottega.errors import Overloaded, Problem
from bottega.projects.files.version import Changed, Taken
from bottega.server.pages import write
from bottega.server.shapes.words import UUID

_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

_BESIDE = {401: {"www-authenticate": "Bearer"}, 503: {"retry-after": "1"}}
"""Headers that belong to a status."""

LONGEST = 1000
"""Characters of a sentence."""

STATUS = {
    "bad_usage": 422,
    "not_found": 404,
    "refused": 403,
    "conflict": 409,
    "fenced": 409,
    "unsupported": 422,
    "misconfigured": 422,
    "not_signed_in": 401,
    "overloaded": 503,
    "not_a_folder": 422,
    "not_a_file": 422,
    "no_permission": 403,
    "storage_failed": 503,
    "newer_schema": 503,
    "stopping": 503,
    "path_outside_workspace": 422,
    "binary": 422,
    "linked": 409,
    "stale": 409,
    "not_written": 409,
    "read_only": 409,
    "half_made": 409,
    "protected": 403,
    "workspace_gone": 404,
    "too_large": 413,
    "disk_full": 507,
    "too_much_kept": 507,
    "too_many": 429,
    "busy": 409,
    "not_started": 503,
}
"""By the code of a `Problem`, or of the kind that it is one of; others are 400."""


class Halt(HTTPException):
    """An answer that ends a request before its route has read it."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        hint: str = "",
        *,
        retry_after: float = 0,
        headers: dict[str, str] | None = None,
    ) -> None:
        after = {"retry-after": str(math.ceil(retry_after))} if retry_after else {}
        super().__init__(status, detail, {**(headers or {}), **after} or None)
        self.code = code
        self.hint = hint

    def response(self) -> JSONResponse:
        headers = dict(self.headers) if self.headers else None
        return problem(self.status_code, self.code, self.detail, self.hint, headers)


class ProblemShape(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field("about:blank", description="Always about:blank: `code` names the kind.")
    title: str = Field(description="The status in words.")
    status: int
    code: str = Field(description="The kind of problem, for programs.")
    detail: str = Field(description="What happened, as a sentence.")
    hint: str = Field("", description="The next step, as a sentence.")
    version: str | None = Field(
        None, description="Of a conflict about a file: the version that is there; empty: none."
    )


def problem(
    status: int,
    code: str,
    detail: str,
    hint: str = "",
    headers: dict[str, str] | None = None,
    *,
    version: str | None = None,
) -> JSONResponse:
    shape = ProblemShape(
        type="about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        code=code,
        detail=_sayable(detail),
        hint=_sayable(hint),
        version=version,
    )
    return JSONResponse(shape.model_dump(exclude_none=True), status, headers, media_type=MEDIA_TYPE)


def _sayable(text: str) -> str:
    """A sentence may hold what somebody sent: no more of it than can be read, and nothing that is no text."""
    short = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return short.encode("utf-8", "replace").decode("utf-8")


def of(error: Problem) -> JSONResponse:
    version = error.version if isinstance(error, Changed | Taken) else None
    kinds = [each.code for each in type(error).__mro__ if issubclass(each, Problem)]
    status = next((STATUS[code] for code in (error.code, *kinds) if code in STATUS), 400)
    headers = _BESIDE.get(status)
    if isinstance(error, Overloaded):
        headers = {"retry-after": str(error.retry_after)}
    return problem(status, error.code, error.message, error.hint, headers, version=version)


DOOR = (403, 408, 413, 414, 421, 429, 500, 503)
"""What any address may answer: the door's word before a route is asked, or a fault of ours."""


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For a route's declaration: the problems that it may answer with."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemShape"}}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": content}
        for status in statuses
    }


def install(app: FastAPI) -> None:
    """Have every failure of this app told in that shape."""
    app.exception_handler(Problem)(_problem)
    app.exception_handler(HTTPException)(_http)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(RecursionError)(_too_deep)
    app.exception_handler(Exception)(_unforeseen)


async def _problem(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Problem)
    return of(error)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error, Halt):
        return error.response()
    if isinstance(error.__cause__, RecursionError):
        return await _too_deep(request, error.__cause__)
    if isinstance(error.__cause__, UnicodeDecodeError):
        return problem(422, "bad_usage", "The body is not UTF-8.", "Send it as JSON in UTF-8.")
    if error.status_code == 404 and _is_visit(request):
        return _nowhere(request)
    status = HTTPStatus(error.status_code)
    code = status.phrase.lower().replace(" ", "_")
    headers = dict(error.headers) if error.headers else None
    detail, hint = str(error.detail), ""
    if status in (404, 405) and detail == status.phrase:  # the router's word, not one of ours
        # Without the path, which may hold somebody's ticket.
        detail = "Nothing is at this address." if status == 404 else _not_so(request)
        hint = "GET /api/openapi.json has every route, /reference shows them."
    return problem(error.status_code, code, detail, hint, headers)


def _not_so(request: Request) -> str:
    return f"What is at this address is not reached with {request.method[:20]}."


def _is_visit(request: Request) -> bool:
    """Somebody in front of a browser followed a link, or typed the address."""
    reads = "text/html" in request.headers.get("accept", "")
    return request.method == "GET" and reads and "/api/" not in request.url.path


def _nowhere(request: Request) -> HTMLResponse:
    from bottega.server.house import house_of  # which needs to know of problems itself

    return HTMLResponse(write.nowhere(house_of(request).options.base_path), 404)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if error.errors()[0]["loc"] == ("body",) and kind and not kind.endswith("json"):
        said = f"The body is marked as {kind[:100]}, and is to be JSON."
        hint = "Send it with the header Content-Type: application/json."
        return problem(422, "bad_usage", said, hint)
    return problem(
        422, "bad_usage", _said(error.errors()[0]), "GET /api/openapi.json says what fits."
    )


def _said(wrong: dict[str, Any]) -> str:
    """What is wrong with one field, for somebody who knows neither patterns nor our libraries."""
    if wrong["type"] == "json_invalid":
        why = str(wrong.get("ctx", {}).get("error", "")).lower()
        return (
            f"The body is no JSON: {why or 'it cannot be read'}, at character {wrong['loc'][-1]}."
        )
    where = ".".join(str(part) for part in wrong["loc"])[:200]
    message = str(wrong["msg"]).removeprefix("Value error, ")
    if wrong["type"] == "string_pattern_mismatch" and wrong["ctx"]["pattern"] == UUID:
        message = "This is no UUID"
    elif wrong["type"] == "extra_forbidden":
        message = "There is no such field"
    return f"{where}: {message}."


async def _too_deep(request: Request, error: Exception) -> JSONResponse:
    return problem(422, "bad_usage", "The JSON is nested too deeply.", "Send it flatter.")


async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
    _log.error("unforeseen failure", exc_info=error)
    return problem(
        500, "unforeseen", "Something went wrong that nobody foresaw.", "The server's log has more."
    )
