"""Traces for OpenTelemetry, with the GenAI names, made from the log's facts after they happened.

Only where an endpoint is configured (`OTEL_EXPORTER_OTLP_ENDPOINT`) and the extra `traces` is installed; nothing is
imported otherwise. A span for each request, exchange, model call and tool; what was said is in none of them.
"""

import logging
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bottega import __version__
from bottega.events import facts
from bottega.events.event import Event
from bottega.server.outside.follower import Place
from bottega.server.outside.requests import Exchanged

if TYPE_CHECKING:
    import requests
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, SpanKind, Tracer

_log = logging.getLogger("bottega.traces")

VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PATIENCE = 2.0
"""Seconds that the end waits for the last spans to be taken."""
MOST = 5000
"""Exchanges under way that are kept in mind."""

Attributes = dict[str, str | int | tuple[str, ...]]


def traces(environment: Mapping[str, str]) -> "Traces | None":
    """Where spans go, if that is configured; None: nowhere."""
    if not any(environment.get(name, "").strip() for name in VARIABLES):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        _log.warning("traces are configured, but not installed: install bottega[traces]")
        return None
    named = {"service.name": "bottega", "service.version": __version__}
    provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(session=_one_origin())
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=1000))
    return Traces(provider)


def _one_origin() -> "requests.Session":
    """A session that follows no redirect: spans, and the headers of the receiver, go where they were meant to."""
    import requests

    class OneOrigin(requests.Session):
        def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
            return super().send(request, **{**kwargs, "allow_redirects": False})

    return OneOrigin()


class _Exchange:
    """What is open of an exchange."""

    def __init__(self, span: "Span") -> None:
        self.span = span
        self.call: Span | None = None
        self.tools: dict[str, Span] = {}


class Traces:
    def __init__(self, provider: "TracerProvider") -> None:
        self._provider = provider
        self._tracer: Tracer = provider.get_tracer("bottega", __version__)
        self._open: dict[tuple[int, str], _Exchange] = {}

    def close(self) -> None:
        """Send what there is; a receiver that does not answer holds nobody up."""
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(PATIENCE)

    def request(self, request: Exchanged) -> None:
        """A request was answered."""
        from opentelemetry.trace import SpanKind

        attributes: Attributes = {
            "http.request.method": request.method,
            "http.route": request.route,
            "http.response.status_code": request.status,
            "bottega.request.id": request.id,
        }
        name = f"{request.method} {request.route}"
        span = self._tracer.start_span(
            name, kind=SpanKind.SERVER, attributes=attributes, start_time=request.at
        )
        if request.status >= 500:
            _fail(span, str(request.status))
        span.end(request.at + int(request.took * 1e9))

    def note(self, place: Place, event: Event) -> None:
        """Something happened in an exchange."""
        key = (place.n, event.message_id)
        match event.data:
            case facts.UserMessage(steer=False):
                self._begin(key, place, event.at)
            case facts.ExchangeResponse() as end:
                self._end(key, place, event.at, end)
            case _:
                if exchange := self._open.get(key):
                    self._inside(exchange, event)

    def _begin(self, key: tuple[int, str], place: Place, at: int) -> _Exchange:
        from opentelemetry.trace import SpanKind

        if len(self._open) >= MOST:
            self._open.pop(next(iter(self._open)))
        attributes: Attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": place.agent,
            "gen_ai.conversation.id": place.id,
            "bottega.message.id": key[1],
        }
        span = self._span(f"invoke_agent {place.agent}", at, attributes, SpanKind.INTERNAL)
        exchange = self._open[key] = _Exchange(span)
        return exchange

    def _end(
        self, key: tuple[int, str], place: Place, at: int, end: facts.ExchangeResponse
    ) -> None:
        # What began before this process did is told from its end.
        exchange = self._open.pop(key, None) or self._begin(key, place, at - end.duration_ms)
        self._open.pop(key, None)
        for left in (exchange.call, *exchange.tools.values()):
            if left:
                _fail(left, end.completion_reason)
                left.end(_ns(at))
        exchange.span.set_attributes(_usage(end))
        exchange.span.set_attribute("gen_ai.response.finish_reasons", (end.stop_reason,))
        if not end.success:
            _fail(exchange.span, end.completion_reason)
        exchange.span.end(_ns(at))

    def _inside(self, exchange: _Exchange, event: Event) -> None:
        match event.data:
            case facts.MessageStart() as start:
                self._ask(exchange, start, event.at)
            case facts.TextDelta() | facts.ReasoningDelta() | facts.InputJsonDelta() if (
                exchange.call
            ):
                exchange.call.add_event("first piece", timestamp=_ns(event.at))
            case facts.AssistantMessage() as answer if exchange.call:
                exchange.call.set_attributes({**_usage(answer), **_answered(answer)})
                exchange.call.end(_ns(event.at))
                exchange.call = None
            case facts.ToolIntent() as intent:
                self._use(exchange, intent, event.at)
            case facts.ToolResultFact() as result:
                _used(exchange, result, event.at)
            case facts.ApprovalRequired() | facts.ApprovalResolved():
                exchange.span.add_event(event.type, timestamp=_ns(event.at))
            case _:
                return

    def _ask(self, exchange: _Exchange, start: facts.MessageStart, at: int) -> None:
        from opentelemetry.trace import SpanKind

        if exchange.call:  # it came to nothing, and is tried again
            _fail(exchange.call, "retried")
            exchange.call.end(_ns(at))
        attributes: Attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": start.provider,
            "gen_ai.request.model": start.model,
        }
        name = f"chat {start.model}"
        exchange.call = self._span(name, at, attributes, SpanKind.CLIENT, exchange.span)

    def _use(self, exchange: _Exchange, intent: facts.ToolIntent, at: int) -> None:
        from opentelemetry.trace import SpanKind

        attributes: Attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": intent.name,
            "gen_ai.tool.call.id": intent.tool_id,
        }
        name = f"execute_tool {intent.name}"
        span = self._span(name, at, attributes, SpanKind.INTERNAL, exchange.span)
        exchange.tools[intent.tool_id] = span

    def _span(
        self,
        name: str,
        at: int,
        attributes: Attributes,
        kind: "SpanKind",
        parent: "Span | None" = None,
    ) -> "Span":
        from opentelemetry.context import Context
        from opentelemetry.trace import set_span_in_context

        # Never the context of whoever logs this: a span belongs to its exchange alone.
        around = set_span_in_context(parent, Context()) if parent else Context()
        return self._tracer.start_span(
            name, context=around, kind=kind, attributes=attributes, start_time=_ns(at)
        )


def _used(exchange: _Exchange, result: facts.ToolResultFact, at: int) -> None:
    if span := exchange.tools.pop(result.tool_id, None):
        if result.is_error:
            _fail(span, "tool_error")
        span.end(_ns(at))


def _usage(of: facts.AssistantMessage | facts.ExchangeResponse) -> Attributes:
    return {
        "gen_ai.usage.input_tokens": of.usage.input_tokens,
        "gen_ai.usage.output_tokens": of.usage.output_tokens,
    }


def _answered(answer: facts.AssistantMessage) -> Attributes:
    return {
        "gen_ai.response.model": answer.model,
        "gen_ai.response.finish_reasons": (answer.provider_stop or answer.stop_reason,),
    }


def _fail(span: "Span", kind: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)


def _ns(at: int) -> int:
    return at * 1_000_000
