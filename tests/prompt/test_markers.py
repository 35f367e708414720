"""Markers: the nine are put in, once; nothing else in braces is touched."""

import pytest

from bottega.agents.prompt.markers import MARKERS, substituted, unknown, used


def test_each_of_the_nine_markers_is_put_in() -> None:
    prompt = " ".join(f"{{{name}}}" for name in MARKERS)
    assert len(MARKERS) == 9
    assert substituted(prompt, {name: name.upper() for name in MARKERS}).split() == [
        name.upper() for name in MARKERS
    ]


@pytest.mark.parametrize(
    "text",
    ['{"mode": 1}', "{other}", "{{mode}}", "${mode}", "{ mode }", "{mode", "{MODE}", "{}", "{0}"],
)
def test_whatever_else_stands_in_braces_is_left_as_it_is(text: str) -> None:
    assert substituted(text, dict.fromkeys(MARKERS, "X")) == text


def test_a_value_that_looks_like_a_marker_is_not_substituted_again() -> None:
    values = {"project_name": "{user_name} \\1 {mode}", "user_name": "eve"}
    assert substituted("{project_name}", values) == "{user_name} \\1 {mode}"


def test_a_marker_without_a_value_becomes_nothing() -> None:
    assert substituted("[{git_branch}]", {}) == "[]"


def test_what_looks_like_a_marker_and_is_none_is_named_once_in_order() -> None:
    prompt = "{mode} {projct_name} {user} {projct_name} {{fine}} ${fine} {'a': 1}"
    assert unknown(prompt) == ("projct_name", "user")
    assert used(prompt) == {"mode"}
