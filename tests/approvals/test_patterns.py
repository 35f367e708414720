"""Patterns of paths and addresses, and the wildcards under them."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.approvals import glob, paths, urls
from bottega.approvals.verdict import judge
from tests.approvals.subjects import gate, reading, rule


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("secrets/**", "secrets/a/b", True),
        ("secrets/**", "secrets", True),
        ("secrets/**", "secrets_evil/a", False),
        ("secrets/**", "a/secrets/b", False),
        ("secrets", "a/secrets/b", True),
        ("secrets/", "a/secrets/b", True),
        ("/secrets", "a/secrets/b", False),
        ("/secrets", "secrets/b", True),
        ("**/secrets/**", "a/secrets/b", True),
        ("**/secrets/**", "secrets/b", True),
        ("*.pem", "a/b/key.pem", True),
        ("*.pem", "key.pem.txt", False),
        ("*.pem", ".pem", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**/test_?.py", "src/a/b/test_1.py", True),
        ("src/**/test_?.py", "src/test_12.py", False),
        ("src/**", "src", True),
        ("src/**", ".", False),
        ("**", ".", True),
        ("**", "a/b", True),
        ("*", "a/b", True),
        ("a\\*b", "a*b", True),
        ("a\\*b", "axb", False),
        ("app/\\[id]/x", "app/[id]/x", True),
        (".env", "config/.env", True),
        (".env", ".envrc", False),
    ],
)
def test_paths_are_matched_like_those_of_a_gitignore(
    pattern: str, path: str, expected: bool
) -> None:
    assert paths.matched(pattern, path) is expected
    assert paths.matched(pattern, path, loosely=True) is expected


SPELLINGS = [
    *("SECRETS/key", "Secrets/KEY", "ſecrets/key", "se\u200bcrets/key", "secrets\u200d/key"),
    *("ｓecrets/key", "secrets/\u212aey", "s\u00adecrets/key"),  # full width, Kelvin, soft hyphen
]


@pytest.mark.parametrize("path", SPELLINGS)
def test_a_denied_path_is_denied_in_every_spelling_and_an_allowed_one_in_its_own(path: str) -> None:
    assert judge(reading(path), gate(rule("deny", path="secrets/key"))).decision == "deny"
    assert not paths.matched("secrets/key", path)


def test_letters_with_marks_are_the_same_however_they_are_composed() -> None:
    for form in ("NFC", "NFD"):
        for other in ("NFC", "NFD"):
            pattern, path = (unicodedata.normalize(each, "é/ǖ.txt") for each in (form, other))
            assert paths.matched(pattern, path, loosely=True)


@given(st.lists(st.text("ab*?[]\\!~ .é", min_size=1), min_size=1, max_size=4))
def test_the_pattern_made_of_a_path_names_that_path_alone(names: list[str]) -> None:
    names = [name if name.strip(".") else "x" for name in names]
    path = "/".join(names)

    assert paths.matched(paths.exactly(path), path)
    assert not paths.matched(paths.exactly(path), path + "x")
    assert not paths.matched(paths.exactly(path), "y/" + path)


@given(st.text("ab*?"), st.text("ab", max_size=12))
def test_wildcards_mean_what_a_slow_and_simple_reader_takes_them_for(
    pattern: str, text: str
) -> None:
    def slow(p: str, t: str) -> bool:
        if not p:
            return not t
        if p[0] == "*":
            return slow(p[1:], t) or (bool(t) and slow(p, t[1:]))
        return bool(t) and p[0] in ("?", t[0]) and slow(p[1:], t[1:])

    pattern = pattern[:8]
    assert glob.matches(glob.compiled(pattern), text) is slow(pattern, text)


def test_no_pattern_and_no_path_make_matching_slow() -> None:
    began = time.process_time()

    assert not glob.matches(glob.compiled("*a" * 50 + "b"), "a" * 4000)
    assert not paths.matched("**/a/" * 20 + "b", "a/" * 2000)

    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("pattern", "url", "allows", "denies"),
    [
        ("example.org", "https://example.org/", True, True),
        ("example.org", "https://example.org", True, True),
        ("example.org", "https://EXAMPLE.org./a?b#c", True, True),
        ("example.org", "http://example.org/", False, True),
        ("http://example.org", "http://example.org/", True, True),
        ("http://example.org", "https://example.org/", False, False),
        ("example.org", "https://example.org:8443/", False, True),
        ("example.org", "https://example.org:443/", True, True),
        ("example.org", "https://example.org:0/", False, True),
        ("example.org:8443", "https://example.org:8443/", True, True),
        ("example.org", "https://www.example.org/", False, False),
        ("*.example.org", "https://a.b.example.org/", True, True),
        ("*.example.org", "https://example.org/", False, False),
        ("*.example.org", "https://evilexample.org/", False, False),
        ("example.org", "https://example.org.evil.example/", False, False),
        ("*", "https://anything.example/", True, True),
        ("example.org/docs/**", "https://example.org/docs/a/b", True, True),
        ("example.org/docs/**", "https://example.org/docs2/a", False, False),
        ("example.org/docs/*", "https://example.org/docs/a/b", False, False),
        ("[::1]", "https://[::1]/", True, True),
        # Another spelling of the same path is the same path, in patterns too.
        ("example.org/docs/**", "https://example.org/%64oc%73/a", True, True),
        ("example.org/do%63s/**", "https://example.org/docs/a", True, True),
        ("example.org/caf\u00e9/**", "https://example.org/caf%c3%a9/a", True, True),
        ("example.org/a%2Ab", "https://example.org/a*b", True, True),
        ("example.org/a%2Ab", "https://example.org/axb", False, False),
        ("example.org/docs/**", "https://example.org/docs/a%20b", True, True),
        # Some servers take these for the same path, and some do not.
        ("example.org/docs/**", "https://example.org//docs/a", False, None),
        ("example.org/docs/**", "https://example.org/docs;v=1/a", False, None),
        ("example.org/docs/**", "https://example.org/%2564ocs/a", False, None),
        ("example.org/docs/**", "https://example.org/%c0%afdocs/a", False, None),
        ("example.org/docs/**", "https://example.org/x/..;/docs/a", False, None),
        ("example.org/docs/**", "https://example.org/DOCS/a", False, None),
        ("example.org/docs", "https://example.org/docs/", False, None),
        ("example.org", "https://example.org//a;b%2561", True, True),
        # What two readers could take for different places is allowed to none, and doubted by all.
        ("example.org", "https://evil.example\\@example.org/", False, None),
        ("example.org", "https://example.org@evil.example/", False, None),
        ("example.org/docs/**", "https://example.org/docs/../x", False, None),
        ("example.org/docs/**", "https://example.org/docs/%2e%2e/x", False, None),
        ("example.org/docs/**", "https://example.org/docs%2f..%2fx", False, None),
        ("example.org", "https://example.org\t/", False, None),
        ("example.org", "https://еxample.org/", False, None),
        ("example.org", "file:///etc/passwd", False, None),
        ("example.org", "https://example.org:99999/", False, None),
        ("example.org", "https://exa mple.org/", False, None),
        ("example.org", "", False, None),
    ],
)
def test_addresses_are_matched_by_scheme_host_port_and_path(
    pattern: str, url: str, allows: bool, denies: bool | None
) -> None:
    assert (urls.matched(pattern, url) is True) is allows
    assert urls.matched(pattern, url, loosely=True) is denies


@given(st.text())
def test_no_address_raises(url: str) -> None:
    assert urls.address(url) is None or url.isascii()
