"""The ways in which what came is no answer."""

from bottega.providers.protocol.explain import explain_error, hide_keys, read_error
from bottega.providers.provider import Failed

_SHOWN = 200
"""Characters of what came instead of an answer."""


def cut_off() -> Failed:
    """The stream ended before the answer did."""
    return Failed(
        "The provider's answer broke off before it was complete.",
        "cut_off",
        retryable=True,
        hint="Try again; if it stays so, check the connection and any proxy in between.",
    )


def unreadable(*, started: bool) -> Failed:
    """An event in the stream was no JSON, or of a shape that no answer has."""
    if not started:
        return _another_protocol("")
    return Failed(
        "The provider sent an event that cannot be read in the middle of its answer.",
        "provider_error",
        hint="Try again; if it stays so, check any proxy in between.",
    )


def no_answer(body: bytes) -> Failed:
    """A whole body that holds an error, the beginning of an answer, or something else."""
    text, error = body.strip(), read_error(body)
    if not text or (text.startswith(b"{") and not text.endswith(b"}")):
        return cut_off()
    if text.startswith(b"{") and error.message:
        return explain_error("The provider", error)
    return _another_protocol(error.message)


def _another_protocol(text: str) -> Failed:
    said = " ".join(text.split())
    shown = hide_keys(said[:_SHOWN]) + ("…" if len(said) > _SHOWN else "")
    return Failed(
        "The provider's answer is not one of this protocol" + (f": {shown!r}" if shown else "."),
        "not_sse",
        hint="Check the provider's address and which protocol it speaks.",
    )
