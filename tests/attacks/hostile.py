"""A server as an attacker has it, and what is measured of it from outside."""

import http.client
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.server.serving import Serving

DEAD = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-nothing"}
"""A provider that nobody answers at."""
MODEL = "openai-chat/none"


class Target(Serving):
    """A server whose log is read while it runs."""

    lines: list[dict[str, Any]]

    def start(self) -> None:
        super().start()
        self.lines = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process
        assert self._process.stderr
        for line in self._process.stderr:
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                continue

    def stalls(self, seconds: float = 0.05) -> list[tuple[int, int, int]]:
        """Where the loop itself worked for longer than that, or other threads of its process kept it from its turn."""
        most = seconds * 1000
        return [
            (line["stall_ms"], line.get("loop_cpu_ms", 0), line.get("process_cpu_ms", 0))
            for line in list(self.lines)
            if line.get("stall_ms", 0) > most
            and (
                line.get("loop_cpu_ms", 0) > most
                or line.get("process_cpu_ms", 0) > max(most, 0.8 * line["stall_ms"])
            )
        ]

    def rss(self) -> int:
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def target(place: Path, environment: Mapping[str, str] = DEAD) -> Iterator[Target]:
    (place / "project").mkdir()
    flags = ("--log-format", "json")
    with Target(place / "home", place / "project", *flags, environment=environment) as server:
        yield server


class Person:
    """Somebody with a token, over a connection of their own."""

    def __init__(self, server: Serving, name: str = "host") -> None:
        place = urlsplit(server.address)
        self._token = server.token(name)
        self.wire = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)

    def __enter__(self) -> "Person":
        return self

    def __exit__(self, *_: object) -> None:
        self.wire.close()

    def call(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        carried = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        self.wire.request(method, path, sent, {**carried, **(headers or {})})
        answer = self.wire.getresponse()
        text = answer.read()
        is_json = (
            "json" in (kind := answer.getheader("content-type") or "") and "ndjson" not in kind
        )
        return answer.status, json.loads(text) if is_json and text else text

    def timed(self, method: str, path: str, body: Any = None) -> tuple[float, int, Any]:
        begun = time.monotonic()
        status, answer = self.call(method, path, body)
        return time.monotonic() - begun, status, answer

    def session(self, **fields: Any) -> str:
        """A new session in the first project."""
        projects = self.call("GET", "/api/projects")[1]["projects"]
        wanted = {"project_id": projects[0]["id"], "model": MODEL, **fields}
        status, made = self.call("POST", "/api/sessions", wanted)
        assert status == 201, made
        return made["id"]
