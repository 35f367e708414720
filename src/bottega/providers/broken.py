"""Answers that cannot be used: the two ways in which a stream itself fails."""

from bottega.providers.provider import Failed

CUT_OFF = Failed(
    "The answer broke off before it was complete.",
    "cut_off",
    retryable=True,
    hint="Try again; if it stays so, look at the connection to the provider.",
)


def unreadable(provider: str, what: str, cause: Exception | None = None) -> Failed:
    """`what` the provider sent makes no sense; JSON that only lacks its end was cut off."""
    if str(cause) == "Input data was truncated":
        return CUT_OFF
    return Failed(
        f"{provider} sent {what}.",
        "provider_error",
        retryable=True,
        hint="Try again; if it stays so, check the provider's address.",
    )
