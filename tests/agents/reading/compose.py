"""Random answers: harmless pieces of all kinds, and documented calls put between them."""

from hypothesis import strategies as st

from tests.agents.reading.corpus.case import READ, RM, fence, tag

WORDS = st.text(alphabet=st.sampled_from('ab {}[]()"`*_-#>~<!:/\\.,\n\t\r é“”'), max_size=40)
HARMLESS = st.sampled_from(
    [
        "A sentence.\n",
        "I could run " + RM + " but do not.\n",
        RM + "\n",
        "`" + RM + "`\n",
        "> " + RM + "\n",
        "- " + RM + "\n",
        "```json\n" + RM + "\n```\n",
        "```\n" + tag(RM) + "```\n",
        "````\n" + fence(RM) + "````\n",
        "~~~\n" + fence(RM) + "~~~\n",
        "> ```tool_call\n> " + RM + "\n> ```\n",
        "- x\n  ```tool_call\n  " + RM + "\n  ```\n",
        "```tool_code\nrm()\n```\n",
        "<pre>\n" + tag(RM) + "</pre>\n",
        "<!--\n" + fence(RM) + "-->\n",
        "[TOOL_CALLS][" + RM + "]\n",
        "<invoke name='x'>\n",
        "not TASK_COMPLETE yet\n",
        "{ [ (\n",
        "a[0] = {b: [c]}\n",
        "| a | b |\n",
        "# Heading\n",
        "1. one\n2. two\n",
        "Don`t\n",
        'the 5" disk\n',
        "```\nleft open\n",
        "<think>\nhm\n",
        "    indented " + RM + "\n",
        "\n",
        "\n\n",
        "\r\n",
        "   ",
    ]
)
MARKS = st.sampled_from(
    [
        "TASK_COMPLETE\n",
        "**task_complete**\n",
        "<task_complete>\n",
        "</task_complete>\n",
        "<!-- TASK COMPLETE -->\n",
        "THOUGHT: I look.\n",
        "**Thought:** so\nand so\n",
        "## Thought\n\ntext\n",
        "ACTION:\n",
        "ANSWER: 42\n",
        "Answering is easy.\n",
        "Final answer: 7\n",
        "Observation: none\n",
    ]
)
CALLS = st.sampled_from(
    [
        fence(),
        tag(),
        f"<tool_call>{READ}</tool_call>\n",
        fence(mark="~~~~"),
        fence(f"[{READ}]"),
        fence("{broken"),
        "<tool_call>\n{\n",
        "```tool_call\n",
        READ,
        '{"name": "x", "arguments": ',
    ]
)

OPEN = ("```\nleft open\n", "<think>\nhm\n", "   ")
CLOSED = HARMLESS.filter(lambda piece: piece not in OPEN)
"""What leaves nothing open behind it that the next piece could close."""
LINES = st.text(st.sampled_from('ab {}[]()"*_-#>!:/\\.,\t é“”'), max_size=30).map("{}\n".format)
RIGHT = CALLS.filter(
    lambda piece: piece.endswith((">\n", "```\n", "~~~~\n")) and piece[3:] != "tool_call\n"
)

harmless = st.lists(st.one_of(CLOSED, LINES), max_size=12).map("".join)
"""No documented call stands in these on lines of its own, however they are put together."""
anything = st.lists(st.one_of(HARMLESS, WORDS, MARKS, CALLS), max_size=12).map("".join)


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """A text in pieces of any size."""
    places = draw(st.lists(st.integers(0, len(text)), max_size=30).map(sorted))
    edges = [0, *places, len(text)]
    return [text[a:b] for a, b in zip(edges, edges[1:], strict=False)]
