"""Severity: medium (M7), as a kind. Every stored string × 100 KB of hostile text, then read by every route.

The routes and their fields come from the server's own document, so that a new one is tried as soon as it is there.
"""

import json
import random
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

import pytest

from tests.attacks.hostile import Person, Target, target
from tests.hunt import LONG, SEED

SIZE = 100_000


def long(piece: str) -> str:
    return piece * (SIZE // len(piece))


TEXTS = {
    "tokens": long("a-"),
    "groups": long("(a+)+"),
    "brackets": long("["),
    "objects": long('{"a":'),
    "escapes": long("\x1b[31m\x1b]0;x\x07"),
    "marks": "a" + long("\u0301"),
    "bidi": long("\u202e\u2066x"),
    "line": long("x"),
    "lines": long("\n"),
    "ticks": long("`"),
    "fences": long("```\n"),
    "stars": long("*_"),
    "links": long("[a]("),
    "quotes": long("> "),
    "lists": long("- \n"),
    "tags": long("<a href='"),
    "nulls": long("\0"),
    "percent": long("%25"),
    "globs": long("**/"),
    "wide": long("語"),
    "spaces": long(" \t"),
    "thoughts": long("<think><tool_call>"),
    "diff": long("+a\n-b\n"),
    "slashes": long("../"),
    "blanks": "run" + long(" ") + "a\nb",
    "strings": long("\x90"),
}


class Echo(BaseHTTPRequestHandler):
    """A model that says again what it was told last."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = asked["messages"][-1]["content"]
        text = said if isinstance(said, str) else "".join(p.get("text", "") for p in said)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for start in range(0, len(text), 20_000):
            self._say({"delta": {"content": text[start : start + 20_000]}})
        self._say({"delta": {}, "finish_reason": "stop"})
        self.wfile.write(b"data: [DONE]\n\n")

    def _say(self, choice: dict[str, Any]) -> None:
        piece = {"id": "x", "model": "echo", "choices": [{"index": 0, **choice}]}
        self.wfile.write(b"data: " + json.dumps(piece).encode() + b"\n\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    echo = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=echo.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{echo.server_port}/v1"
    environment = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "sk-echo"}
    with target(tmp_path_factory.mktemp("text"), environment) as started:
        yield started
    echo.shutdown()
    echo.server_close()


class Routes:
    """What the document says may be asked, and with what."""

    def __init__(self, document: dict[str, Any], known: dict[str, str]) -> None:
        self._parts = document["components"]["schemas"]
        self.known = known
        self.all = [
            (method.upper(), path, route)
            for path, methods in document["paths"].items()
            for method, route in methods.items()
        ]

    def filled(self, path: str, **others: str) -> str:
        named = {**self.known, **others}
        for name, value in named.items():
            path = path.replace(f"{{{name}}}", quote(value, safe=""))
        return path

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema or "allOf" in schema:
            inner = schema.get("$ref") or schema["allOf"][0].get("$ref", "")
            schema = self._parts[inner.rpartition("/")[2]]
        for several in ("anyOf", "oneOf"):
            if several in schema:
                options = [each for each in schema[several] if each.get("type") != "null"]
                return self._resolved(options[0]) if options else {}
        return schema

    def value(self, schema: dict[str, Any], name: str = "") -> Any:
        """Something that fits, as small as it may be."""
        found = self._resolved(schema)
        if "const" in found or "enum" in found:
            return found.get("const", (found.get("enum") or [None])[0])
        match found.get("type"):
            case "object":
                needed = found.get("required", [])
                return {k: self.value(found.get("properties", {}).get(k, {}), k) for k in needed}
            case "array":
                return [self.value(found["items"])] if found.get("minItems") else []
            case "integer" | "number":
                return found.get("minimum", 1)
            case "boolean":
                return False
            case _:
                return str(uuid.uuid4()) if name == "message_id" else self.known.get(name, "x")

    def strings(self, schema: dict[str, Any], depth: int = 4) -> Iterator[tuple[str, ...]]:
        """The way to each string that a body may have."""
        found = self._resolved(schema)
        if found.get("type") == "object" and depth:
            for name, part in found.get("properties", {}).items():
                yield from ((name, *rest) for rest in self.strings(part, depth - 1))
        elif found.get("type") == "array" and depth:
            yield from (("0", *rest) for rest in self.strings(found.get("items", {}), depth - 1))
        elif (
            found.get("type", "string") == "string" and "enum" not in found and "const" not in found
        ):
            yield ()

    def body(self, schema: dict[str, Any], way: tuple[str, ...], text: str) -> Any:
        """A body that fits, but for this text at the end of that way."""
        if not way:
            return text
        found = self._resolved(schema)
        if way[0] == "0":
            return [self.body(found["items"], way[1:], text)]
        whole = self.value(found)
        return {**whole, way[0]: self.body(found["properties"][way[0]], way[1:], text)}


@pytest.fixture(scope="module")
def host(server: Target) -> Iterator[Person]:
    with Person(server) as person:
        yield person


@pytest.fixture(scope="module")
def routes(server: Target, host: Person) -> Routes:
    status, document = host.call("GET", "/api/openapi.json")
    assert status == 200
    project = host.call("GET", "/api/projects")[1]["projects"][0]["id"]
    (server.folder / "a.txt").write_text("a\n")
    session = host.session()
    known = {"session_id": session, "project_id": project, "path": "a.txt", "model": "", "q": "a"}
    known |= {"container": "", "agent": "", "tab_id": str(uuid.uuid4())}
    return Routes(document, known)


LEFT = {"/api/sign-out", "/api/data", "/api/sessions/{session_id}/compact"}
"""What would end the test, or the things that it needs."""


def cases(routes: Routes) -> Iterator[tuple[str, str, tuple[str, ...], dict[str, Any] | None]]:
    for method, path, route in routes.all:
        if path in LEFT or method in ("DELETE", "HEAD"):
            continue
        content = route.get("requestBody", {}).get("content", {})
        if body := content.get("application/json"):
            for way in routes.strings(body["schema"]):
                yield method, path, way, body["schema"]
        for parameter in route.get("parameters", []):
            if (
                parameter["in"] == "query"
                and routes._resolved(parameter["schema"]).get("type") == "string"
            ):
                yield method, path, (parameter["name"],), None


def send(host: Person, routes: Routes, case: Any, text: str) -> int:
    method, path, way, schema = case
    at = routes.filled(path)
    if schema is None:
        asked = quote(text.encode("utf-8", "ignore"))[:50_000]
        return host.call(method, f"{at}?{way[0]}={asked}")[0]
    return host.call(method, at, routes.body(schema, way, text))[0]


def read_everything(host: Person, routes: Routes) -> None:
    for method, path, route in routes.all:
        at = routes.filled(path)
        if method != "GET" or "{" in at or path in LEFT or "stream" in str(route["responses"]):
            continue
        needed = [
            p for p in route.get("parameters", []) if p["in"] == "query" and p.get("required")
        ]
        query = "&".join(f"{p['name']}={quote(routes.known.get(p['name'], 'a'))}" for p in needed)
        host.call("GET", f"{at}?{query}")
    session = routes.known["session_id"]
    for kind in ("jsonl", "chat", "md", "html"):
        assert host.call("GET", f"/api/sessions/{session}/export?format={kind}")[0] == 200
    for query in ("a", "a-a-a", "x+x", "%60"):
        host.call("GET", f"/api/search?q={query}&limit=200")


def forget(server: Target) -> None:
    """Stalls that were before; the log may be a moment behind."""
    threading.Event().wait(1)
    server.lines.clear()


def said(host: Person, session: str, text: str) -> None:
    """A prompt of this text, and what comes of it, to its end."""
    prompt = {"message_id": str(uuid.uuid4()), "content": text}
    status, answer = host.call("POST", f"/api/sessions/{session}/prompts", prompt)
    if status < 300:
        path = f"/api/sessions/{session}/prompts/{prompt['message_id']}"
        while host.call("GET", path)[0] == 200:
            threading.Event().wait(0.02)
    else:
        assert status in (400, 422), answer


def test_nothing_that_is_said_and_answered_stops_the_loop(
    server: Target, host: Person, routes: Routes
) -> None:
    for word in ("hello", "again"):  # what is used for the first time has much to load
        said(host, routes.known["session_id"], word)
        read_everything(host, routes)
    forget(server)
    texts = list(TEXTS.values()) if LONG else random.Random(SEED).sample(list(TEXTS.values()), 6)
    for text in texts:
        said(host, routes.known["session_id"], text[: SIZE - 10])
    read_everything(host, routes)
    assert server.stalls() == []


def test_no_words_stop_a_built_in_model(server: Target, host: Person) -> None:
    sessions = [host.session(model=model, mode="plan") for model in ("guide", "demo")]
    for session in sessions:
        said(host, session, "hello")
    forget(server)
    for name in TEXTS if LONG else ("blanks", "spaces"):
        for session in sessions:
            said(host, session, TEXTS[name][: SIZE - 10] + "\nb")
    said(host, sessions[0], "x" + " " * 990 + "y")
    assert server.stalls() == []


def test_no_field_of_any_route_stops_the_loop(server: Target, host: Person, routes: Routes) -> None:
    dice = random.Random(SEED)
    every = list(cases(routes))
    assert len(every) > 60
    for case in every:
        send(host, routes, case, "x")
    forget(server)
    for case in every:
        names = list(TEXTS) if LONG else dice.sample(list(TEXTS), 1)
        for name in names:
            status = send(host, routes, case, TEXTS[name])
            assert status < 500, (case[:3], name)
    read_everything(host, routes)
    assert server.stalls() == [], SEED
