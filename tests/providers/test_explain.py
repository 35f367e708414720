"""What a provider's refusals mean."""

import json
import time
from email.utils import formatdate

import pytest

from bottega.providers.explain import (
    ErrorText,
    explain_body,
    explain_error,
    explain_status,
    hide_keys,
    read_error,
    retry_after,
)

BY_STATUS = [
    (400, "bad_request", False),
    (401, "bad_key", False),
    (402, "no_credit", False),
    (403, "bad_key", False),
    (404, "unknown_model", False),
    (408, "timeout", True),
    (409, "overloaded", True),
    (413, "context_overflow", False),
    (418, "bad_request", False),
    (422, "bad_request", False),
    (429, "rate_limited", True),
    (500, "server_error", True),
    (502, "server_error", True),
    (503, "overloaded", True),
    (504, "timeout", True),
    (529, "overloaded", True),
]


@pytest.mark.parametrize(("status", "code", "again"), BY_STATUS)
def test_a_status_has_a_code_and_says_whether_to_try_again(
    status: int, code: str, again: bool
) -> None:
    failed = explain_status("OpenAI", status, "", {})
    assert (failed.code, failed.retryable, failed.status) == (code, again, status)
    assert failed.message.startswith("OpenAI ")
    assert failed.message.endswith(".")
    assert failed.hint.endswith(".")


BY_WORDS = [
    (400, "This model's maximum context length is 128000 tokens.", "context_overflow"),
    (400, "prompt is too long: 200001 tokens > 200000 maximum", "context_overflow"),
    (400, "The input token count (1200000) exceeds the maximum number", "context_overflow"),
    (500, "the request exceeds the available context size", "context_overflow"),
    (429, "Request too large for gpt-4o on tokens per min (TPM)", "context_overflow"),
    (400, "Your credit balance is too low to access the API.", "no_credit"),
    (429, "You exceeded your current quota, please check your plan.", "no_credit"),
    (429, "You exceeded your current quota. Please retry in 3.2s.", "rate_limited"),
    (400, "API key not valid. Please pass a valid API key.", "bad_key"),
    (400, "nonsense/model is not a valid model ID", "unknown_model"),
    (400, "Filtered due to Azure's content management policy", "content_filter"),
    (500, "The engine is currently overloaded", "overloaded"),
]


@pytest.mark.parametrize(("status", "words", "code"), BY_WORDS)
def test_the_words_decide_before_the_status(status: int, words: str, code: str) -> None:
    failed = explain_status("P", status, words, {})
    assert failed.code == code
    assert failed.retryable == (code in ("rate_limited", "overloaded"))
    assert words in failed.message


def test_an_empty_account_is_no_reason_to_try_again_though_it_comes_as_429() -> None:
    body = {"error": {"message": "Quota.", "type": "insufficient_quota", "code": "x"}}
    failed = explain_body("P", 429, json.dumps(body).encode(), {"retry-after": "5"})
    assert (failed.code, failed.retryable, failed.retry_after) == ("no_credit", False, 5.0)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "9", "retry-after-ms": "x"}, 9.0),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT",
                "date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            30.0,
        ),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_the_time_to_wait_is_read_in_every_form(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers) == seconds


def test_a_date_to_come_back_is_measured_by_our_clock_where_the_provider_shows_none() -> None:
    seconds = retry_after({"retry-after": formatdate(time.time() + 60, usegmt=True)})
    assert seconds is not None
    assert 55 < seconds <= 60


KEYS = [
    "sk-proj-abcdefghijklmnop1234",
    "sk-ant-api03-AbCd_ef-123456",
    "sk-proj-********************abcd",
    "gsk_1234567890abcdefghij",
    "AIzaSyA-1234567890abcdefghijklmnopqrstu",
    "xai-1234567890abcdef",
    "0123456789abcdef0123456789abcdef",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "ya29.a0AfH6-Xy_z9",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_never_echoed(key: str) -> None:
    failed = explain_status("P", 401, f"Incorrect API key provided: {key}. See {key}!", {})
    assert key not in failed.message
    assert key[-4:] not in failed.message
    assert "[hidden]" in failed.message


def test_words_that_are_no_keys_stay_readable() -> None:
    text = (
        "Model Qwen3-Coder-480B-A35B-Instruct-FP8 (req_011CSHoEeqs5C35K2UUqR7Fy11) at https://x.y/z"
    )
    assert hide_keys(text) == text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error":{"message":"m","type":"t","code":"c"}}', ErrorText("m", "c t", 0)),
        (
            b'{"type":"error","error":{"type":"overloaded_error","message":"m"}}',
            ErrorText("m", "overloaded_error", 0),
        ),
        (b'{"error":"m"}', ErrorText("m", "", 0)),
        (b'{"message":"m","code":503}', ErrorText("m", "", 503)),
        (b'{"error":{"message":"m","code":"429"}}', ErrorText("m", "", 429)),
        (b'{"detail":"m"}', ErrorText("m", "", 0)),
        (b'{"detail":[{"msg":"a","loc":[]},{"msg":"b"}]}', ErrorText("a; b", "", 0)),
        (
            b'[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]',
            ErrorText("m", "RESOURCE_EXHAUSTED", 429),
        ),
        (
            b'{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":\\"x\\"}"}}}',
            ErrorText("Provider returned error: x", "", 0),
        ),
        (
            b'{"error":{"message":"E","metadata":{"raw":"plain"}}}',
            ErrorText("E: plain", "", 0),
        ),
        (b"upstream connect error", ErrorText("upstream connect error", "", 0)),
        (b"<html><body>502", ErrorText("it sent a web page instead of an answer", "", 0)),
        (b"", ErrorText("", "", 0)),
        (b"[]", ErrorText("", "", 0)),
        (b"5", ErrorText("5", "", 0)),
        (b"\xff\xfe", ErrorText("\ufffd\ufffd", "", 0)),
        (b'{"error":{"message":{"message":"deep"}}}', ErrorText("deep", "", 0)),
    ],
)
def test_the_message_is_found_in_every_shape_of_body(body: bytes, expected: ErrorText) -> None:
    assert read_error(body) == expected


def test_a_body_that_nests_without_end_is_read_as_text() -> None:
    assert read_error(b"[" * 100_000).message.startswith("[[[")


def test_a_long_message_is_shortened_to_one_line() -> None:
    failed = explain_status("P", 500, "a b\n" * 1000, {})
    assert len(failed.message) < 500
    assert "\n" not in failed.message
    assert failed.message.endswith("…")


@pytest.mark.parametrize(
    ("kind", "code", "again"),
    [
        ("overloaded_error", "overloaded", True),
        ("rate_limit_exceeded", "rate_limited", True),
        ("server_error", "server_error", True),
        ("invalid_request_error", "bad_request", False),
        ("something_new", "provider_error", False),
        ("", "provider_error", False),
    ],
)
def test_an_error_inside_a_stream_is_read_by_its_kind(kind: str, code: str, again: bool) -> None:
    failed = explain_error("P", ErrorText("Sorry.", kind))
    assert (failed.code, failed.retryable, failed.status) == (code, again, 0)


def test_an_error_inside_a_stream_keeps_the_status_that_it_names() -> None:
    failed = explain_error("P", ErrorText("Sorry.", "", 502))
    assert (failed.code, failed.retryable, failed.status) == ("server_error", True, 502)
