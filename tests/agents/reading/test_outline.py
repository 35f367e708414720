"""What each line is, as markdown has it, and in doubt what is only shown."""

import pytest

from bottega.agents.reading.outline import Outline, lines
from bottega.agents.reading.spans import left_open, unquoted


def kinds(text: str) -> list[str]:
    outline = Outline()
    return [outline.feed(line).kind for line in lines(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\nb", ["prose", "blank", "prose"]),
        ("```\na\n```\nb", ["open", "code", "close", "prose"]),
        ("~~~ js\n```\n~~~", ["open", "code", "close"]),
        ("````\n```\n````", ["open", "code", "close"]),
        ("```\n``` x\n```", ["open", "code", "close"]),
        ("```md\n```sh\n```\n```", ["open", "code", "code", "close"]),
        ("```js\n```sh\n```\nx", ["open", "code", "close", "prose"]),
        ("```\n    ```\n   ```", ["open", "code", "close"]),
        ("``` a`b\nx", ["prose", "prose"]),
        ("``\nx", ["prose", "prose"]),
        ("> a\nb\n\nc", ["quote", "quote", "blank", "prose"]),
        ("> a\n```\nb", ["quote", "open", "code"]),
        ("> a\n# b\nc", ["quote", "prose", "prose"]),
        (">\nb", ["quote", "prose"]),
        ("> ```\nb", ["quote", "prose"]),
        ("    a\n\tb", ["code", "code"]),
        ("- a\n    b", ["prose", "prose"]),
        ("- a\n\nb\n\n    c", ["prose", "blank", "prose", "blank", "code"]),
        ("- > a", ["quote"]),
        ("1. ```\n   a\n   ```\nb", ["open", "code", "close", "prose"]),
        ("<!-- a -->\nb", ["comment", "prose"]),
        ("<!-- a\nb\n-->\nc", ["markup", "markup", "markup", "prose"]),
        ("<pre>a</pre>\nb", ["markup", "prose"]),
        ("<pre>\n<pre>\n</pre>\n</pre>\nb", ["markup"] * 4 + ["prose"]),
        ("<user>\n<username>\n</user>\nb", ["markup"] * 3 + ["prose"]),
        ("<div>\nb", ["prose", "prose"]),
        ("a\r\n\r\n```\r\nb\r\n```\r\n", ["prose", "blank", "open", "code", "close"]),
    ],
)
def test_lines_are_told_apart(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("```x", False),
        ("- a\n  ```x", True),
        ("- a\n```x", False),
        ("- a\n\n  ```x", True),
        ("- a\n\nb\n  ```x", False),
        ("- a\nlazy\n  ```x", True),
        ("10) a\n    ```x", True),
        ("- a\n  - b\n\n      ```x", True),
    ],
)
def test_a_fence_knows_whether_it_stands_in_a_list(text: str, listed: bool) -> None:
    outline = Outline()
    last = [outline.feed(line) for line in lines(text)][-1]
    assert (last.kind, last.info, last.listed) == ("open", "x", listed)


@pytest.mark.parametrize(
    ("text", "open_mark"),
    [
        ("a `b` c", ""),
        ("a `b", "`"),
        ("a ``b` c", "``"),
        ('a "b', '"'),
        ('a "b" "c', '"'),
        ('a `"` b', ""),
        ('a "`" b', ""),
        ("a “b", "“"),
        ("a “b” c", ""),
        ("a <!-- b", "<!--"),
        ("a --> b", ""),
    ],
)
def test_what_a_line_leaves_open_is_known(text: str, open_mark: str) -> None:
    assert left_open(text, "") == open_mark


def test_what_a_line_says_in_its_own_voice() -> None:
    assert unquoted('a `b` c "d" e “f” g <!-- h --> i').split() == ["a", "c", "e", "g", "i"]
    assert unquoted("a `b").split() == ["a"]


def test_nothing_but_a_newline_ends_a_line() -> None:
    assert lines("a\rb\u2028c\x0cd\x85e\nf") == ["a\rb\u2028c\x0cd\x85e\n", "f"]
    assert lines("") == []
