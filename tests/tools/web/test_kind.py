"""What a body is and how its bytes are read, whatever the server claims."""

import asyncio
import time

import pytest

from bottega.tools.web.kind import AT_ONCE, sort, text

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.mark.parametrize(
    ("told", "body", "kind", "media_type"),
    [
        ("text/html", b"<p>", "page", "text/html"),
        ("application/xhtml+xml", b"<p>", "page", "application/xhtml+xml"),
        ("", b" \n<!DOCTYPE html><p>", "page", "text/html"),
        ("", b"<html>", "page", "text/html"),
        ("", b"hello", "text", "text/plain"),
        ("text/plain", b"<html>", "text", "text/plain"),
        ("application/json", b"{}", "text", "application/json"),
        ("application/ld+json", b"{}", "text", "application/ld+json"),
        ("image/svg+xml", b"<svg/>", "text", "image/svg+xml"),
        ("application/x-sh", b"#!/bin/sh", "text", "application/x-sh"),
        ("text/plain", b"caf\xe9", "text", "text/plain"),
        ("text/plain", b"\xff\xfea\0", "text", "text/plain"),
        ("application/octet-stream", "ü".encode()[:1] + b"x", "binary", "application/octet-stream"),
        ("application/octet-stream", b"x" + "ü".encode()[:1], "text", "application/octet-stream"),
        ("text/plain", b"a\0b", "binary", "text/plain"),
        ("text/html", PNG, "image", "image/png"),
        ("image/png", b"\xff\xd8\xff\xe0", "image", "image/jpeg"),
        ("", b"GIF89a...", "image", "image/gif"),
        ("", b"RIFF1234WEBP", "image", "image/webp"),
        ("image/png", b"\x01\x02\xff", "binary", "image/png"),
        ("text/html", b"%PDF-1.7", "binary", "application/pdf"),
        ("application/zip", b"PK\x03\x04\xff\xfe", "binary", "application/zip"),
        ("", b"", "text", "text/plain"),
    ],
)
def test_its_bytes_have_more_say_than_its_name(
    told: str, body: bytes, kind: str, media_type: str
) -> None:
    found = sort(told, body)
    assert (found.kind, found.media_type) == (kind, media_type)


@pytest.mark.parametrize(
    ("body", "charset", "found"),
    [
        ("ü€".encode(), "", "ü€"),
        ("ü€".encode(), "utf-8", "ü€"),
        (b"\xfc\x80", "iso-8859-1", "ü€"),
        (b"\xfc\x80", "ascii", "ü€"),
        ("привет".encode("koi8-r"), "KOI8-R", "привет"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本"),
        ("日本".encode("euc-jp"), "euc-jp", "日本"),
        ("中文".encode("gb18030"), "gb18030", "中文"),
        ("hi".encode("utf-16"), "", "hi"),
        (b"\xef\xbb\xbfhi", "iso-8859-1", "hi"),
        (b"caf\xe9", "", "caf\ufffd"),
        (b"caf\xe9", "no-such-charset", "caf\ufffd"),
        (b"a\0b", "utf-8", "a\ufffdb"),
    ],
)
async def test_bytes_are_read_by_their_mark_or_their_charset(
    body: bytes, charset: str, found: str
) -> None:
    assert await text(body, charset) == found


@pytest.mark.parametrize(
    "charset",
    ["utf-7", "rot13", "hex", "zlib", "bz2", "base64", "unicode_escape", "punycode", "idna", "undefined", "a\0b", "é"],
)  # fmt: skip
async def test_a_charset_that_is_none_of_the_web_is_not_used(charset: str) -> None:
    assert await text(b"+AGEAYg- \\u0041", charset) == "+AGEAYg- \\u0041"


@pytest.mark.parametrize(
    "head",
    [
        b'<meta charset="windows-1251">',
        b"<META CHARSET=windows-1251 />",
        b'<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
    ],
)
async def test_a_page_may_declare_its_charset(head: bytes) -> None:
    body = head + "привет".encode("cp1251")
    assert (await text(body, "", page=True)).endswith("привет")
    assert not (await text(body, "", page=False)).endswith("привет")


@pytest.mark.parametrize(
    "piece", [b"<meta ", b"<meta charset", b"charset=", b"<meta charset= ", b"<"]
)
async def test_a_hostile_head_costs_no_time(piece: bytes) -> None:
    started = time.thread_time()
    await text(piece * (100_000 // len(piece)), "", page=True)
    sort("", piece * (100_000 // len(piece)))
    assert time.thread_time() - started < 0.1


@pytest.mark.parametrize("charset", ["windows-1252", "windows-1253", "koi8-r", "iso-8859-6"])
async def test_bytes_that_mean_nothing_cost_no_more_than_others(charset: str) -> None:
    started = time.thread_time()
    found = await text(b"\x81\xaa" * 2_000_000, charset)
    assert len(found) == 4_000_000
    assert time.thread_time() - started < 0.3


@pytest.mark.parametrize("charset", ["utf-8", "gb18030", "utf-16-le"])
async def test_others_have_their_turn_while_a_long_body_is_read(charset: str) -> None:
    body = "中文".encode(charset) * 100_000
    reading = asyncio.create_task(text(body, charset))
    turns = 0
    while not reading.done():
        await asyncio.sleep(0)
        turns += 1
    assert reading.result() == "中文" * 100_000
    assert turns >= len(body) // AT_ONCE


async def test_no_more_is_read_than_was_asked_for() -> None:
    body = "é".encode() * 1_000_000
    assert await text(body, "utf-8", most=10) == "é" * 10
    assert await text(b"\xe9" * 100, "windows-1252", most=10) == "é" * 10
