"""Chat completions: the protocol of OpenAI that nearly every other provider speaks too."""

from bottega.providers.openai.chat_answer import Answer
from bottega.providers.openai.chat_request import to_wire
from bottega.providers.protocol.explain import explain_body
from bottega.providers.provider import Decoder, Failed, Request

__all__ = ["decoder", "explain", "name", "to_wire"]

name = "openai-chat"


def decoder(request: Request) -> Decoder:
    """A decoder for the one answer to this request."""
    return Answer(request)


def explain(status: int, body: bytes, headers: dict[str, str]) -> Failed:
    """What an HTTP error means."""
    return explain_body("The provider", status, body, headers)
