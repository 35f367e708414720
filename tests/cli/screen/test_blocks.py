"""Markdown cut into blocks while it is written: nothing lost, nothing cut twice, no time wasted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.cli.screen.blocks import LONG, Block, Splitter
from tests.effort import seconds

_LINES = st.sampled_from(
    ["", "text", "# head", "- item", "  more", "1. one", "```py", "```", "~~~", "    code"]
    + ["> quote", "| a | b |", "---", "* x", "  - inner", "   ```"]
)


def blocks(text: str, size: int = 0) -> list[Block]:
    splitter = Splitter()
    pieces = [text[i : i + size] for i in range(0, len(text), size)] if size else [text]
    found = [block for piece in pieces for block in splitter.feed(piece)]
    return [*found, splitter.end()]


def sources(text: str) -> list[str]:
    return [block.source.strip("\n") for block in blocks(text) if block.source.strip()]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("# a\ntext\n## b\n", ["# a", "text", "## b"]),
        ("- a\n- b\n\n- c\n\ntext\n", ["- a\n- b\n\n- c", "text"]),
        ("- a\n\n  more\n- b\n", ["- a\n\n  more\n- b"]),
        ("text\n- a\n- b", ["text", "- a\n- b"]),
        ("in 2024\n2. not a list here", ["in 2024\n2. not a list here"]),
        ("```py\na\n\nb\n```\nend", ["```py\na\n\nb\n```", "end"]),
        ("```\n# no head\n- no item\n```", ["```\n# no head\n- no item\n```"]),
        ("````\n```\n````\nx", ["````\n```\n````", "x"]),
        ("- a\n  ```\n  code\n\n  ```\n- b", ["- a\n  ```\n  code\n\n  ```\n- b"]),
        ("| a |\n|---|\n| 1 |\n\nx", ["| a |\n|---|\n| 1 |", "x"]),
        ("head\n====\n\nx", ["head\n====", "x"]),
    ],
)
def test_a_block_ends_where_markdown_ends_it(text: str, parts: list[str]) -> None:
    assert sources(text) == parts


@given(st.lists(_LINES, max_size=80), st.integers(1, 9))
def test_nothing_is_lost_and_the_size_of_the_pieces_changes_nothing(
    lines: list[str], size: int
) -> None:
    text = "\n".join(lines)

    assert "".join(block.source for block in blocks(text)) == text
    assert blocks(text, size) == blocks(text)


def test_a_long_code_block_comes_in_parts_that_are_code_each() -> None:
    text = "```py\n" + "".join(f"x = {n}\n" for n in range(3 * LONG)) + "```\nend\n"

    parts = [block for block in blocks(text) if block.source.strip()]

    assert len(parts) > 3
    for part in parts[1:-1]:
        assert part.joins
        assert part.markdown.startswith("```py\n")
    assert parts[-1].source == "end\n"
    assert not parts[-1].joins


def test_a_long_list_comes_in_parts_that_begin_with_an_item() -> None:
    text = "".join(f"{n}. item\n" for n in range(1, 4 * LONG))

    parts = [block for block in blocks(text) if block.source.strip()]

    assert len(parts) > 3
    assert all(part.joins for part in parts[1:])
    assert parts[1].markdown.startswith(f"{LONG + 1}. ")


def test_the_time_grows_with_the_text_and_not_with_its_square() -> None:
    def split(lines: int) -> None:
        splitter = Splitter()
        for n in range(lines):
            splitter.feed(f"word {n} ")
            splitter.feed("more\n" if n % 3 else "more\n\n")

    small, large = seconds(lambda: split(4_000)), seconds(lambda: split(40_000))
    assert large < 40 * max(small, 0.001)
