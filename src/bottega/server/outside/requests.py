"""Around every request: an id, its time, its line in the log. Sees no body, and tells no query and no path as typed."""

import logging
import re
import time
from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.ids import fresh
from bottega.server.outside.counts import UNKNOWN, Counts
from bottega.server.outside.logs import REQUEST

HEADER = b"x-request-id"
API = "/api"
_IDS = ("session_id", "project_id", "ask_id", "message_id", "worker_id", "shell_id")
"""Names in a path that are told in a log, if they look like ids of ours; never a ticket."""
_ID = re.compile(r"[a-z]{2,8}_[0-9a-f]{16,40}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_REFUSALS = ("websocket.close", "websocket.http.response.start")
_QUIET = ("/healthz", "/readyz", "/metrics")

_log = logging.getLogger("bottega.request")

Ended = Callable[["Exchanged"], None]


class Exchanged:
    """One request, and how it was answered."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.id = fresh("req")
        self.at = time.time_ns()
        self._began = time.monotonic()
        self.status = 0
        self.first_byte = 0.0
        self.took = 0.0

    def answers(self, status: int) -> None:
        self.status = status
        self.first_byte = time.monotonic() - self._began

    def ended(self) -> None:
        self.took = time.monotonic() - self._began
        if not self.status:  # it failed before it said anything: the answer is made further out
            self.answers(500)

    @property
    def method(self) -> str:
        return "SOCKET" if self.scope["type"] == "websocket" else self.scope["method"]

    @property
    def route(self) -> str:
        """The template of its path, as the routes know it."""
        path: str = getattr(self.scope.get("route"), "path", "")
        typed = self.scope["path"].removeprefix(self.scope.get("root_path", ""))
        # A route that was included does not know under which prefix.
        if path and typed.startswith(f"{API}/") and not path.startswith(API):
            return f"{API}{path}"
        return path or UNKNOWN


class Requests:
    def __init__(self, app: ASGIApp, counts: Counts, ended: Ended) -> None:
        self._app = app
        self._counts = counts
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = Exchanged(scope)
        token = REQUEST.set(request.id)
        self._counts.open[scope["type"]] += 1
        try:
            await self._app(scope, receive, _noting(request, send))
        finally:
            self._counts.open[scope["type"]] -= 1
            request.ended()
            self._counts.answered(request.method, request.route, request.status, request.first_byte)
            _tell(request)
            self._ended(request)
            REQUEST.reset(token)


def _noting(request: Exchanged, send: Send) -> Send:
    async def noted(message: Message) -> None:
        if message["type"] == "http.response.start":
            request.answers(message["status"])
            headers = [*message.get("headers", ()), (HEADER, request.id.encode())]
            message = {**message, "headers": headers}
        elif message["type"] == "websocket.accept":
            request.answers(101)
        elif message["type"] in _REFUSALS and not request.status:
            request.answers(message.get("status", 403))
        await send(message)

    return noted


def _tell(request: Exchanged) -> None:
    level = logging.DEBUG if request.route in _QUIET else logging.INFO
    if not _log.isEnabledFor(level):
        return
    parameters: dict[str, Any] = request.scope.get("path_params") or {}
    given = {name: str(parameters[name]) for name in _IDS if name in parameters}
    named = {name: value for name, value in given.items() if _ID.fullmatch(value)}
    fields = {
        "method": request.method,
        "route": request.route,
        "status": request.status,
        "duration_ms": round(request.took * 1000, 1),
        **named,
    }
    _log.log(level, "answered", extra={"fields": fields})
