"""A model over HTTP that makes the tool calls that a prompt spells out: a line `CALL name {json}` for each."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

_CALL = re.compile(r"^CALL (\w+) (\{.*\})$", re.MULTILINE)


@contextmanager
def directed_model() -> Iterator[dict[str, str]]:
    """The variables by which a server finds it as `openai-chat/directed`, while it answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/v1"
        yield {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "sk-only-a-test"}
    finally:
        server.shutdown()
        server.server_close()


MODEL = "openai-chat/directed"


def calling(*calls: tuple[str, dict[str, Any]]) -> str:
    """The prompt that has these calls made."""
    return "\n".join(f"CALL {name} {json.dumps(given)}" for name, given in calls)


class _Answers(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for piece in (*_pieces(asked["messages"]), b"data: [DONE]\n\n"):
            self.wfile.write(piece)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _pieces(messages: list[dict[str, Any]]) -> Iterator[bytes]:
    last = max(at for at, each in enumerate(messages) if each["role"] == "user")
    calls = _CALL.findall(_text(messages[last]))
    if calls and not any(each["role"] == "tool" for each in messages[last:]):
        yield _chunk(tool_calls=[_call(at, *each) for at, each in enumerate(calls)])
        yield _chunk("tool_calls")
    else:
        yield _chunk(content="done")
        yield _chunk("stop")


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


def _call(at: int, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": at, "id": f"call_{at}", "type": "function", "function": function}


def _chunk(finish: str | None = None, **delta: Any) -> bytes:
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": finish}
    body = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "directed"}
    return b"data: %b\n\n" % json.dumps({**body, "choices": [choice]}).encode()
