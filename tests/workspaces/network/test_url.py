"""The parser of URLs: what it takes, how it writes it, and that it refuses what can be read twice."""

import time
from contextlib import suppress

import pytest

from bottega.workspaces.network.url import BadUrl, Place, follow, parse, parse_place


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("http://example.org", "http://example.org/"),
        ("HTTPS://Example.ORG/", "https://example.org/"),
        ("https://example.org:443/a?b=c#d", "https://example.org/a?b=c"),
        ("https://example.org?", "https://example.org/"),
        ("https://example.org/a??", "https://example.org/a??"),
        ("https://example.org:8443?q", "https://example.org:8443/?q"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("http://example.org./a", "http://example.org/a"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("http://[2606:4700:0:0::1111]:80/", "http://[2606:4700::1111]/"),
        ("http://a_b.example.org/@user/x:y", "http://a_b.example.org/@user/x:y"),
        ("http://example.org/ü?ö=ß", "http://example.org/%C3%BC?%C3%B6=%C3%9F"),
        ("http://example.org/a%20b%2F%zz%4", "http://example.org/a%20b%2F%25zz%254"),
        ('http://example.org/a|b"c<d>', "http://example.org/a%7Cb%22c%3Cd%3E"),
        ("http://example.org/a[0]/{b}", "http://example.org/a[0]/%7Bb%7D"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
        ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"),
        ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
        ("http://1.2.3.4.example/", "http://1.2.3.4.example/"),
        ("http://0x7f.example/", "http://0x7f.example/"),
    ],
)
def test_a_url_is_written_in_one_way(text: str, whole: str) -> None:
    assert str(parse(text)) == whole
    assert str(parse(whole)) == whole


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("example.org", "does not begin with http:// or https://"),
        ("ftp://example.org/", "does not begin with http:// or https://"),
        ("http://user:word@example.org/", "user or a password"),
        ("http://example.org\\@127.0.0.1/", "backslash"),
        ("http://exa mple.org/", "a space or an invisible character"),
        ("http://example.org/\u202egpj.exe", "a space or an invisible character"),
        ("http://%65xample.org/", "encoded host"),
        ("http://straße.example/", "read in two ways"),
        ("http://ｅxample.org/", "read in two ways"),
        ("http://127.1/", "unusual spelling"),
        ("http://1.2.3.4.5/", "unusual spelling"),
        ("http://example.0x7f/", "unusual spelling"),
        ("http://[fe80::1%25eth0]/", "no valid IPv6 address"),
        ("http://[::1", "unfinished IPv6"),
        ("http://example.org:0/", "no valid port"),
        ("http://example.org:/", "no valid port"),
        ("http://example.org:080/", "no valid port"),
        ("http://example.org:65536/", "above 65535"),
        ("http://ex..org/", "no valid host"),
        ("http://-a.org/", "no valid host"),
        (f"http://{'a' * 64}.org/", "no valid host"),
        (f"http://{'a.' * 127}org/", "too long"),
        (f"http://example.org/{'a' * 8000}", "longer than"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(BadUrl, match=why):
        parse(text)


def test_a_reason_shows_odd_characters_by_their_codes() -> None:
    with pytest.raises(BadUrl) as raised:
        parse("http://example.org/\x1b[2J\u202e" + "x" * 500)
    assert raised.value.message.isascii()
    assert raised.value.message.isprintable()
    assert len(raised.value.message) < 300


def test_a_place_needs_its_port() -> None:
    assert parse_place("example.org:443") == Place("example.org", 443)
    assert parse_place("[2606:4700::1111]:443") == Place("2606:4700::1111", 443)
    for text in ("example.org", "[::1]", "example.org:", "a@b:1", "b:1/x", ":1", "a:b:1", "::1:80"):
        with pytest.raises(BadUrl):
            parse_place(text)


@pytest.mark.parametrize(
    ("location", "whole"),
    [
        ("/b", "https://example.org/b"),
        ("c?d", "https://example.org/a/c?d"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example", "http://other.example/"),
        ("?q", "https://example.org/a/?q"),
        ("../../../x", "https://example.org/x"),
    ],
)
def test_a_redirect_is_read_from_where_it_was_given(location: str, whole: str) -> None:
    assert str(follow(parse("https://example.org/a/"), location)) == whole


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "gopher://x/", "data:,x", "javascript:x", "//a@b/", "/\\b", "\t/b", "http://[/", "//[::1"],
)  # fmt: skip
def test_a_redirect_that_leaves_the_web_is_refused(location: str) -> None:
    with pytest.raises(BadUrl):
        follow(parse("https://example.org/a/"), location)


@pytest.mark.parametrize(
    "text",
    [
        *("http://" + "a." * 50_000, "http://" + "ü" * 100_000, "http://" + "[" * 100_000),
        *("http://x/" + "%" * 100_000, "http" * 25_000, "http://" + "@" * 100_000, "ﷺ" * 100_000),
        *("http://" + "ü" * 7_900 + "/", "http://x/" + "%" * 7_900, "http://" + "a\u0301" * 3_900),
    ],
)
def test_a_hostile_url_costs_no_time(text: str) -> None:
    started = time.thread_time()
    with suppress(BadUrl):
        parse(text)
    assert time.thread_time() - started < 0.1
