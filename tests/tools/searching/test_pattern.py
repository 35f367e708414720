import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.tools.searching.pattern import Pattern, is_hidden, last_name
from tests.hunt import examples


def reference(pattern: str) -> re.Pattern[str]:
    """The plain, slow way: one regular expression."""
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    parts = pattern.split("/")
    made = ""
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**":
            made += ".*" if last else "(?:[^/]+/)*"
            continue
        made += re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
        made += "" if last else "/"
    return re.compile(made)


names = st.text("ab", min_size=1, max_size=3)
parts = st.one_of(
    st.just("**"), st.text("ab*?", min_size=1, max_size=4).filter(lambda part: "**" not in part)
)


@pytest.mark.fuzz
@settings(max_examples=examples(500, 50_000), deadline=None)
@given(
    pattern=st.lists(parts, min_size=1, max_size=5).map("/".join),
    path=st.lists(names, min_size=1, max_size=6).map("/".join),
)
def test_a_pattern_means_what_its_regular_expression_means(pattern: str, path: str) -> None:
    assert Pattern(pattern).matches(path) == bool(reference(pattern).fullmatch(path))


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 40 + "b", "**/a/" * 40 + "b", "**/" * 300 + "b"],
    ids=["stars", "folders", "any"],
)
def test_no_pattern_takes_long(pattern: str) -> None:
    made = Pattern(pattern)
    began = time.thread_time()
    assert not made.matches("a" * 255)
    assert not made.matches("/".join("a" * 2000))
    assert time.thread_time() - began < 1


def test_what_a_name_must_match_is_said_where_it_can_be() -> None:
    assert last_name("src/**/*.py") == "*.py"
    assert last_name("*.py") == "*.py"
    for pattern in ("src/**", "src/", "*.{a,b}", "[ab].py", "é*", "{a/b,c}/x"):
        assert last_name(pattern) == ""


def test_a_pattern_may_ask_for_hidden_files() -> None:
    assert is_hidden(".env")
    assert is_hidden("a/.github/**")
    assert not is_hidden("../a/./b")
