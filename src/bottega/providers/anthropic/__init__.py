"""The Messages protocol of Anthropic, and of everyone who speaks it."""

from bottega.providers.anthropic.answer import Answer
from bottega.providers.anthropic.request import to_wire
from bottega.providers.protocol.explain import explain_body
from bottega.providers.provider import Decoder, Failed, Request

__all__ = ["decoder", "explain", "name", "to_wire"]

name = "anthropic"


def decoder(request: Request) -> Decoder:
    """What turns one answer into stream events."""
    return Answer()


def explain(status: int, body: bytes, headers: dict[str, str]) -> Failed:
    """What an HTTP error of this protocol means."""
    return explain_body("The provider", status, body, headers)
