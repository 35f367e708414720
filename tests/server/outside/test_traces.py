"""Spans with the GenAI names, at a real receiver; and nothing imported where none is configured."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.server.outside.beside import run_beside
from tests.server.serving import Serving

SAID = "canary-words-of-somebody"


class Receiver:
    """Takes traces over OTLP."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.bodies = b""
        self.address = ""

    async def __aenter__(self) -> "Receiver":
        app = web.Application()
        app.router.add_post("/v1/traces", self._take)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _take(self, request: web.Request) -> web.Response:
        body = await request.read()
        if request.headers.get("Content-Encoding") == "gzip":
            import gzip

            body = gzip.decompress(body)
        self.bodies += body
        for of in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in of.scope_spans:
                self.spans += scope.spans
        return web.Response(content_type="application/x-protobuf")

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]


def attributes(span: Span) -> dict[str, Any]:
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value") or "string_value")
        for each in span.attributes
    }


async def test_an_exchange_its_model_calls_and_tools_are_spans_without_what_was_said(
    home: Path, folder: Path, scripted: Callable[..., str]
) -> None:
    model = scripted(
        [{"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}}],
        [{"do": "call", "name": "read_file", "input": {"file_path": SAID}}],
        [{"do": "say", "text": SAID}],
    )
    async with Receiver() as receiver:
        environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.address}
        with Serving(home, folder, environment=environment) as serving:
            assert await run_beside(home, folder, model, SAID) == 0
            async with serving.client() as client:
                await client.get("/api/sessions")
            await _stopped(serving)

    (exchange,) = receiver.named("invoke_agent assistant")
    told = attributes(exchange)
    assert told["gen_ai.operation.name"] == "invoke_agent"
    assert told["gen_ai.conversation.id"].startswith("ses_")
    assert told["gen_ai.usage.input_tokens"] >= 0
    calls = receiver.named(f"chat {model}")
    assert len(calls) == 3
    assert all(call.parent_span_id == exchange.span_id for call in calls)
    assert all(call.trace_id == exchange.trace_id for call in calls)
    assert attributes(calls[0])["gen_ai.request.model"] == model
    assert {"gen_ai.usage.output_tokens", "gen_ai.response.finish_reasons"} <= attributes(
        calls[0]
    ).keys()
    good, bad = receiver.named("execute_tool read_file")
    assert attributes(good)["gen_ai.operation.name"] == "execute_tool"
    assert "error.type" not in attributes(good)
    assert attributes(bad)["error.type"] == "tool_error"
    assert exchange.start_time_unix_nano <= good.start_time_unix_nano <= good.end_time_unix_nano
    (request,) = receiver.named("GET /api/sessions")
    assert attributes(request)["http.response.status_code"] == 200
    assert SAID.encode() not in receiver.bodies


async def _stopped(serving: Serving) -> None:
    import asyncio

    code, said = await asyncio.to_thread(serving.stop)
    assert code == 0, said


async def test_a_receiver_that_is_not_there_holds_nothing_up(home: Path, folder: Path) -> None:
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
    with Serving(home, folder, environment=environment) as serving:
        async with serving.client() as client:
            await client.get("/api/sessions")
        await _stopped(serving)


def test_nothing_of_it_is_imported_where_it_is_not_asked_for() -> None:
    code = (
        "import sys; import bottega.server.serve\n"
        "print([n for n in ('opentelemetry.sdk', 'prometheus_client') if n in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
