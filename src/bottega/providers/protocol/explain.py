"""What a provider's refusal means: one sentence, one code, and whether trying again can help.

Vendors disagree on statuses, so the words decide first (a full context may come as 400, 413, 429
or 500) and the status after them. No key ever leaves here: whatever looks like one is hidden.
"""

import time
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, NamedTuple, cast

import msgspec

from bottega.messages.json_size import MOST_ARGUMENTS, check_size
from bottega.providers.provider import Failed

MAX_DETAIL = 400
"""Characters of the provider's own words that are shown."""
MAX_MESSAGE = 16_000
"""Characters of a message that are looked at."""
_LONGEST_WORD = 200
MAX_RAW = 256 * 1024
"""Characters of another provider's error in an error."""

_MOST_PLAIN = 4_000
"""Bytes of a body that is no JSON."""

MAX_NESTING = 20
"""No message that is meant to be read lies deeper."""

HIDDEN = "[hidden]"


class ErrorText(NamedTuple):
    """What an error body says of itself."""

    message: str = ""
    kind: str = ""
    """The provider's own words for it: `insufficient_quota`, `RESOURCE_EXHAUSTED` …"""
    status: int = 0
    """The HTTP status that the body names, where it names one."""


class _Meaning(NamedTuple):
    code: str
    fact: str
    hint: str


_OVERFLOW = _Meaning(
    "context_overflow",
    "{provider} says that the request is too long for this model",
    "Compact the conversation, or choose a model with a larger context.",
)
_NO_CREDIT = _Meaning(
    "no_credit",
    "{provider} says that the account has no credit left",
    "Add credit at the provider, or choose another provider.",
)
_BAD_KEY = _Meaning(
    "bad_key",
    "{provider} did not accept the API key",
    "Check the key that is set for this provider, and what it may do.",
)
_FORBIDDEN = _Meaning(
    "bad_key",
    "{provider} does not permit this request",
    "Check that the key may use this model, and that the provider serves your region.",
)
_UNKNOWN_MODEL = _Meaning(
    "unknown_model",
    "{provider} does not know the model, or has nothing at this address",
    "Check the model's name and the provider's address.",
)
_FILTERED = _Meaning(
    "content_filter",
    "{provider} refused the content of the request",
    "Rephrase the request, or choose another model.",
)
_BAD_REQUEST = _Meaning(
    "bad_request",
    "{provider} rejected the request",
    "Choose another model, or change the options that the message names.",
)
_NO_TOOLS = _Meaning(
    "no_tools",
    "{provider} says that this model takes no tools",
    "Name it in the setting `text_calls`: then its calls are read from what it writes.",
)
_RATE_LIMITED = _Meaning(
    "rate_limited",
    "{provider} received too many requests",
    "Wait a little, or raise the limit at the provider.",
)
_TIMEOUT = _Meaning(
    "timeout",
    "{provider} took too long to answer",
    "Try again; if it stays so, choose another model.",
)
_OVERLOADED = _Meaning(
    "overloaded",
    "{provider} is overloaded",
    "Try again in a while, or choose another model.",
)
_SERVER_ERROR = _Meaning(
    "server_error",
    "{provider} had an error of its own",
    "Try again; if it stays so, look at the provider's status page.",
)
_OTHER = _Meaning(
    "provider_error",
    "{provider} reported an error",
    "Try again, or choose another model.",
)

# Words that mean the same whatever the status; the first row that fits wins.
_WORDS: tuple[tuple[_Meaning, tuple[str, ...]], ...] = (
    (
        _OVERFLOW,
        (
            "context_length_exceeded",
            "exceed_context_size",
            "maximum context length",
            "context length exceeded",
            "exceeds the context",
            "exceed context limit",
            "exceeds the available context",
            "exceeds the model's context",
            "context window",
            "prompt is too long",
            "input is too long",
            "input token count",
            "maximum prompt length",
            "request too large",
            "request_too_large",
            "reduce the length of the messages",
        ),
    ),
    (
        _NO_CREDIT,
        (
            "insufficient_quota",
            "insufficient quota",
            "insufficient balance",
            "insufficient credit",
            "insufficient funds",
            "insufficient_funds",
            "credit balance is too low",
            "billing_hard_limit",
            "billing_not_active",
            "requires more credits",
        ),
    ),
    (
        _BAD_KEY,
        ("api key not valid", "api_key_invalid", "invalid_api_key", "incorrect api key"),
    ),
    (
        _UNKNOWN_MODEL,
        (
            "model_not_found",
            "model not found",
            "not a valid model",
            "model does not exist",
            "model_decommissioned",
        ),
    ),
    (
        _NO_TOOLS,
        (
            "does not support tools",
            "does not support tool",
            "not support function calling",
            "endpoints found that support tool use",
            "tool choice requires",
            "tools are not supported",
        ),
    ),
    (
        _FILTERED,
        (
            "content_filter",
            "content_policy",
            "content management policy",
            "requires moderation",
            "flagged by",
        ),
    ),
)

_STATUS: dict[int, _Meaning] = {
    400: _BAD_REQUEST,
    401: _BAD_KEY,
    402: _NO_CREDIT,
    403: _FORBIDDEN,
    404: _UNKNOWN_MODEL,
    408: _TIMEOUT,
    409: _OVERLOADED,
    413: _OVERFLOW,
    429: _RATE_LIMITED,
    503: _OVERLOADED,
    504: _TIMEOUT,
    524: _TIMEOUT,
    529: _OVERLOADED,
}

# The status that an error inside a stream would have had, by the vendors' words for it.
_KINDS: dict[str, int] = {
    "invalid_request_error": 400,
    "invalid_argument": 400,
    "failed_precondition": 400,
    "invalid_prompt": 400,
    "authentication_error": 401,
    "unauthenticated": 401,
    "billing_error": 402,
    "permission_error": 403,
    "permission_denied": 403,
    "not_found_error": 404,
    "not_found": 404,
    "timeout_error": 408,
    "deadline_exceeded": 504,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "too_many_requests": 429,
    "resource_exhausted": 429,
    "api_error": 500,
    "server_error": 500,
    "internal_error": 500,
    "internal_server_error": 500,
    "internal": 500,
    "unavailable": 503,
    "service_unavailable": 503,
    "overloaded_error": 529,
    "overloaded": 529,
}


def explain_status(
    provider: str, status: int, message: str, headers: dict[str, str], kind: str = ""
) -> Failed:
    """What an HTTP error means; `kind` is the provider's own word for it.

    `headers` have lower-case names.
    """
    meaning = _meaning(status, f"{kind} {message}".lower())
    again = meaning.code in ("rate_limited", "overloaded", "server_error", "timeout")
    return Failed(
        message=_sentence(provider, meaning, message),
        code=meaning.code,
        retryable=again and (status in (408, 409, 429) or status >= 500),
        status=status,
        retry_after=retry_after(headers),
        hint=meaning.hint,
    )


def explain_body(provider: str, status: int, body: bytes, headers: dict[str, str]) -> Failed:
    """What an HTTP error means, by its status and whatever its body says."""
    error = read_error(body)
    return explain_status(provider, status, error.message, headers, error.kind)


def explain_error(provider: str, error: ErrorText) -> Failed:
    """What an error means that came inside an answer whose status was 200."""
    known = (_KINDS[word] for word in error.kind.lower().split() if word in _KINDS)
    status = error.status or next(known, 0)
    return msgspec.structs.replace(
        explain_status(provider, status, error.message, {}, error.kind), status=error.status
    )


def read_error(body: bytes) -> ErrorText:
    """The message in an error body, in any of the shapes that vendors and proxies use."""
    try:
        check_size(body, MOST_ARGUMENTS)
        found: Any = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return ErrorText(_plain(body))
    return error_in(found)


def error_in(found: Any) -> ErrorText:
    """The same for a body, or a part of one, that is decoded already."""
    if isinstance(found, list):
        found = cast("list[Any]", found)[0] if found else ""
    if not isinstance(found, dict):
        return ErrorText(_head(str(found)) if found else "")
    whole = cast("dict[str, Any]", found)
    inner = whole.get("error")
    if isinstance(inner, str) and inner:
        return ErrorText(_head(inner), _word(whole.get("code")))
    error = cast("dict[str, Any]", inner) if isinstance(inner, dict) else whole
    return ErrorText(_head(_message_of(error)), _kind_of(error), _status_of(error))


def _head(message: str) -> str:
    """The beginning of a message, all of which is looked at; in whole words, as a part of a key looks like none."""
    if len(message) <= MAX_MESSAGE:
        return message
    head = message[:MAX_MESSAGE]
    words = head.rsplit(None, 1)
    return words[0] if len(words) > 1 else head


def retry_after(headers: dict[str, str]) -> float | None:
    """The seconds that the provider asks us to wait, from `retry-after-ms` or `retry-after`."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    text = headers.get("retry-after", "")
    seconds = _number(text)
    if seconds is not None:
        return max(0.0, seconds)
    until = _moment(text)
    if until is None:
        return None
    # The provider's own clock, where it shows it: ours may be wrong.
    now = _moment(headers.get("date", ""))
    return max(0.0, until - (time.time() if now is None else now))


def hide_keys(text: str) -> str:
    """The text with everything that looks like a key, or a part of one, made unreadable."""
    out: list[str] = []
    word = ""
    for letter in text:
        if letter.isalnum() or letter in "-_*…" or (letter == "." and word.startswith(_DOTTED)):
            word += letter
            continue
        out += (HIDDEN if _is_key(word) else word, letter)
        word = ""
    out.append(HIDDEN if _is_key(word) else word)
    return "".join(out)


_KEY_STARTS = (
    *(
        "sk-",
        "sk_",
        "pk-",
        "pk_",
        "rk-",
        "rk_",
        "gsk_",
        "csk-",
        "xai-",
        "hf_",
        "r8_",
        "fw_",
        "pplx-",
    ),
    *("nvapi-", "AIza", "ya29", "eyJ", "ghp_", "github_pat_", "AKIA", "tgp_", "key-"),
)
_DOTTED = ("eyJ", "ya29")
"""Tokens of several parts, with points between them."""
_HARMLESS_STARTS = ("req", "resp_", "msg_", "call_", "chatcmpl", "toolu_", "fc_", "rs_", "gen-")


def _is_key(word: str) -> bool:
    if len(word) < 6:
        return False
    if word.startswith(_KEY_STARTS) or "**" in word or "…" in word:
        return True
    if word.startswith(_HARMLESS_STARTS):
        return False
    longest = max(word.replace("_", "-").split("-"), key=len)
    return len(longest) >= 30 and any(c.isdigit() for c in longest) and not longest.isdigit()


def _meaning(status: int, words: str) -> _Meaning:
    if status == 401:
        return _BAD_KEY
    # Google says this of a rate limit too, but then also when to come back.
    if "exceeded your current quota" in words and "retry in" not in words:
        return _NO_CREDIT
    for meaning, signs in _WORDS:
        if any(sign in words for sign in signs):
            return meaning
    if status in _STATUS:
        return _STATUS[status]
    if status >= 500:
        return _OVERLOADED if "overloaded" in words else _SERVER_ERROR
    return _BAD_REQUEST if status >= 400 else _OTHER


def _sentence(provider: str, meaning: _Meaning, message: str) -> str:
    fact = meaning.fact.format(provider=provider)
    detail = hide_keys(" ".join(message.split()))
    if len(detail) > MAX_DETAIL:
        detail = detail[: MAX_DETAIL - 1] + "…"
    return f"{fact}: {detail}" if detail else f"{fact}."


def _plain(body: bytes) -> str:
    text = body[:_MOST_PLAIN].decode("utf-8", "replace").strip()
    text += "…" if len(body) > _MOST_PLAIN else ""
    return "it sent a web page instead of an answer" if text.startswith("<") else text


def _message_of(error: dict[str, Any]) -> str:
    message = _detail(error.get("message") or error.get("detail") or error.get("error_description"))
    metadata = error.get("metadata")
    if isinstance(metadata, dict):
        # A router's own message says only that the provider behind it failed.
        raw = cast("dict[str, Any]", metadata).get("raw")
        if isinstance(raw, str) and raw:
            raw = raw[:MAX_RAW]
            return f"{message}: {read_error(raw.encode('utf-8', 'replace')).message or raw}"
    return message


def _detail(found: Any, depth: int = 0) -> str:
    if isinstance(found, str):
        return found
    if depth > MAX_NESTING:
        return ""
    if isinstance(found, list):
        parts = (_detail(part, depth + 1) for part in cast("list[Any]", found))
        return "; ".join(filter(None, parts))
    if isinstance(found, dict):
        inner = cast("dict[str, Any]", found)
        return _detail(inner.get("msg") or inner.get("message"), depth + 1)
    return ""


def _kind_of(error: dict[str, Any]) -> str:
    words = (_word(error.get(name)) for name in ("code", "status", "type"))
    return " ".join(word for word in words if word and word != "error")


def _status_of(error: dict[str, Any]) -> int:
    for name in ("code", "status", "status_code"):
        found = error.get(name)
        if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) == 3:
            found = int(found)
        if isinstance(found, int) and not isinstance(found, bool) and 400 <= found < 600:
            return found
    return 0


def _word(found: Any) -> str:
    return found[:_LONGEST_WORD] if isinstance(found, str) and not found.isdigit() else ""


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _moment(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
