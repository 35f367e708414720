"""Servers of an attacker: a sink that writes down whatever reaches it, and a model that calls what the prompt says."""

import json
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Heard(NamedTuple):
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def holds(self, secret: str) -> bool:
        """Whether the secret is anywhere in this request."""
        whole = [self.path, *self.headers.values(), self.body.decode("utf-8", "replace")]
        return any(secret in part for part in whole)


Answer = Callable[[Heard], tuple[int, dict[str, str], bytes]]


def nothing(_: Heard) -> tuple[int, dict[str, str], bytes]:
    return 404, {"Content-Type": "application/json"}, b"{}"


class Sink:
    def __init__(self, port: int, scheme: str = "http") -> None:
        self.port = port
        self.url = f"{scheme}://127.0.0.1:{port}"
        self.heard: list[Heard] = []
        self.answer: Answer = nothing

    def knows(self, secret: str) -> bool:
        return any(each.holds(secret) for each in self.heard)


class _Everywhere(ThreadingHTTPServer):
    """On all addresses of this machine, of both kinds."""

    address_family = socket.AF_INET6
    daemon_threads = True

    def server_bind(self) -> None:
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


@contextmanager
def sink(tls: ssl.SSLContext | None = None) -> Iterator[Sink]:
    """A server that answers 404, or as it is told, and keeps everything that it hears."""
    found: Sink

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _take(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            heard = Heard(self.command, self.path, dict(self.headers.items()), body)
            found.heard.append(heard)
            status, headers, content = found.answer(heard)
            self.send_response(status)
            for name, value in {"Connection": "close", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = True

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _take  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = _Everywhere(("::", 0), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    found = Sink(server.server_address[1], "https" if tls else "http")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_CALL = re.compile(r"^CALL (\w+) (\{.*\})$", re.MULTILINE)


def obedient(heard: Heard) -> tuple[int, dict[str, str], bytes]:
    """An OpenAI-compatible model: it calls what the last prompt says, then repeats the results."""
    if not heard.body:
        return 200, {"Content-Type": "application/json"}, b'{"data": [{"id": "any"}]}'
    messages = json.loads(heard.body)["messages"]
    last = max(n for n, each in enumerate(messages) if each["role"] == "user")
    calls = _CALL.findall(_text(messages[last]))
    results = [_text(each) for each in messages[last:] if each["role"] == "tool"]
    if calls and not results:
        listed = [
            {"index": n, "id": f"call_{n}", "type": "function"}
            | {"function": {"name": name, "arguments": given}}
            for n, (name, given) in enumerate(calls)
        ]
        pieces = [_chunk({"tool_calls": listed}), _chunk({}, "tool_calls")]
    else:
        pieces = [_chunk({"content": "\n".join(results) or "hello"}), _chunk({}, "stop")]
    return 200, {"Content-Type": "text/event-stream"}, b"".join([*pieces, b"data: [DONE]\n\n"])


def hub(heard: Heard) -> tuple[int, dict[str, str], bytes]:
    """An MCP server over HTTP with one tool, `echo`."""
    message = json.loads(heard.body or b"{}")
    if "id" not in message:
        return 202 if heard.method == "POST" else 405, {}, b""
    found: dict[str, Any] = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "hub", "version": "1"},
        },
        "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": "called"}]},
    }
    body = {"jsonrpc": "2.0", "id": message["id"], "result": found.get(message["method"], {})}
    headers = {"Content-Type": "application/json", "mcp-session-id": "session-1"}
    return 200, headers, json.dumps(body).encode()


def offered(heard: Heard) -> dict[str, Any]:
    """The tools that a model was offered with this request, by their names."""
    tools = json.loads(heard.body or b"{}").get("tools", [])
    return {each["function"]["name"]: each["function"] for each in tools}


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or ())


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "any"}
    return b"data: " + json.dumps({**body, "choices": [choice]}).encode() + b"\n\n"
