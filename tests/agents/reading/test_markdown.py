"""A second opinion: what is run stands, for a markdown parser too, outside code, quotes and lists."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.agents.reading.compose import HARMLESS, WORDS
from tests.agents.reading.parts import read_calls
from tests.hunt import examples

CALL = '{"name": "x", "arguments": {"n": 0}}'
FORMS = st.sampled_from(
    [
        f"```tool_call\n{CALL}\n```\n",
        f"~~~tool_call\n{CALL}\n~~~\n",
        f"````tool_call\n{CALL}\n````\n",
        f"<tool_call>\n{CALL}\n</tool_call>\n",
        f"<tool_call>{CALL}</tool_call>\n",
        f"   ```tool_call\n{CALL}\n ```\n",
        f"> ```tool_call\n> {CALL}\n> ```\n",
        f"- ```tool_call\n  {CALL}\n  ```\n",
        "```\n",
        "````\n",
        "~~~\n",
        "```js\n",
        "> ",
        "> a\n",
        "- ",
        "    ",
        "   ",
        "`",
        "``",
        "\n",
        "<!--\n",
        "-->\n",
        "<pre>\n",
        "</pre>\n",
    ]
)
PARSER = MarkdownIt("commonmark")


def numbered(text: str) -> str:
    """The same text with a number of its own in each call; a parser takes more for the end of a line than we do."""
    count = iter(range(1, 1_000))
    return re.sub(r'"n": 0', lambda _: f'"n": {next(count)}', text.replace("\r", ""))


def lists_hold_their_fences(text: str) -> bool:
    """Whether no fence runs out of its list: there a parser ends it, and we wait for its end."""
    tokens = PARSER.parse(text)
    return not any(token.type == "fence" and token.level > 0 for token in tokens)


@pytest.mark.fuzz
@given(st.lists(st.one_of(FORMS, FORMS, HARMLESS, WORDS), max_size=10).map("".join).map(numbered))
@settings(max_examples=examples(150, 20_000), deadline=None, database=None)
def test_what_is_run_stands_outside_of_code_quotes_and_lists(text: str) -> None:
    run = [use.input["n"] for use in read_calls(text, "c").calls if "n" in use.input]
    if not run or not lists_hold_their_fences(text):
        return
    quotes = 0
    for token in PARSER.parse(text):
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        if not any(f'"n": {number}}}' in token.content for number in run):
            continue
        if token.type == "fence":
            assert (token.level, token.info.strip().lower()) == (0, "tool_call"), text
        else:
            # A tag at the first column ends a list for us; for a parser it may run on with its last item.
            assert token.type in ("inline", "html_block"), text
            assert quotes == 0, text


def test_what_stands_far_behind_a_lists_mark_is_code_and_opens_no_fence() -> None:
    call = '{"name": "x", "arguments": {"n": 2}}'
    text = f"-\t    ```tool_call\n{call}\n```\n```tool_call\n{call}\n```\n"
    assert read_calls(text, "c").calls == ()
