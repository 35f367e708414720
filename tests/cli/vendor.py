"""A provider that answers every request in the way a test wants, in a thread of its own."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    status: int
    body: str
    kind: str = "application/json"


@dataclass
class Vendor:
    url: str
    answer: Answer = field(default_factory=lambda: Answer(500, "{}"))
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    """What was sent to each of them."""

    @staticmethod
    def gone() -> str:
        """An address where nobody listens."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


@contextmanager
def serving() -> Iterator[Vendor]:
    class Talk(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            vendor.bodies.append(self.rfile.read(size))
            vendor.paths.append(self.path)
            vendor.headers.append(dict(self.headers.items()))
            body = vendor.answer.body.encode()
            self.send_response(vendor.answer.status)
            self.send_header("Content-Type", vendor.answer.kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Talk)
    vendor = Vendor(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield vendor
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
