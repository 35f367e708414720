"""Severity: high, as a kind. A text that a regular expression can read in many ways, and that makes it try them all.

Python tries them without letting go of the interpreter: nobody else is served meanwhile, whatever thread it is in. So
every expression is looked at as it is used: there may be no text for which it takes longer than that is long.
"""

import re
import time
from functools import cache

import pytest

from bottega.providers.guide.request import actions
from bottega.workspaces.git.contents.state import is_harmless
from bottega.workspaces.outputs.plain import plain
from tests.attacks import expressions
from tests.attacks.backtracking import ALL, FIRST, SEARCH, WHOLE, Graph, Slow, pumped, slow
from tests.attacks.expressions import Expression

SOON = 0.2
"""Seconds of this thread's CPU; what is right takes a hundredth of that."""
LENGTHS = (20, 30, 300, 3_000, 20_000)
ENDS = ("", "!", "\n", "\n!", "\0")

BOUNDED = {
    ("bottega.providers.guide.request", "(?P<verb>read|"): (1_000, "it sees `_LONGEST` characters"),
    ("bottega.providers.guide.topic", ""): (600, "`topic` looks at the first 500 characters"),
    ("bottega.tools.web.kind", "<meta"): (2_048, "the head of a page is so long"),
}
"""By module and beginning: how long a text may be that they see; that one is timed."""
USED_OTHERWISE = {
    ("bottega.agents.context.estimate", " ?[A-Za-z]{1,8}"): "a later branch takes all the blanks",
    (
        "bottega.approvals.shell.plain",
        "\n  (?P<blank>",
    ): "the first place that does not fit ends it",
    ("bottega.approvals.shell.plain", "\\\\[ -~"): "it sees words of which all quotes are closed",
    ("bottega.tools.searching.hits", "([^\\0]*)"): "the first place that does not fit ends it",
    ("bottega.tools.searching.hits", "(\\d+)"): "it is tried at one place of a line",
    ("bottega.workspaces.git.contents.index", "[\\w.:/+-]*"): "it is tried at one place only",
}
"""Those that would be slow if they were searched for, or were tried at each place of any text."""
MADE_LATER = {
    ("bottega.approvals.glob", "_piece"): "letters, and dots that are any one",
    ("bottega.approvals.shell.options", "_is_option"): "from the tables, which are looked at here",
    ("bottega.approvals.shell.options", "_fits"): "from the tables, which are looked at here",
    ("bottega.approvals.shell.options", "_operands"): "two sets of letters, once through a word",
    ("bottega.mcp.entry.agents_files", "named_in"): "an escaped text",
    (
        "bottega.projects.files.match",
        "_ranks",
    ): "letters, each with all that is not this letter before",
    ("bottega.providers.script", "__post_init__"): "only compiled",
    (
        "bottega.providers.script",
        "fits",
    ): "of the owner's; one repetition at most, and a bounded text",
    ("bottega.server.outside.scrub", "_look"): "escaped texts, of which one is to be found",
    ("bottega.tools.project.git", "_commit"): "a number of letters, and an escaped text",
    (
        "bottega.tools.searching.pattern",
        "_parts",
    ): "stars are atomic; test_a_search_holds_nobody_up",
    ("bottega.tools.web.strip", "_after"): "an escaped text",
    ("bottega.workspaces.watch.ignore", "_learn"): (
        "stars are atomic; test_patterns_of_a_repository_freeze_nothing"
    ),
}
"""By module and function: expressions that are put together when they are needed, and why they are not slow."""


@cache
def every() -> expressions.Found:
    return expressions.found()


@cache
def looked_at() -> list[tuple[Expression, str, Graph, Slow | None]]:
    found: list[tuple[Expression, str, Graph, Slow | None]] = []
    for each in every().expressions:
        for use in sorted(each.uses):
            graph = Graph(each.text, each.flags, use)
            found.append((each, use, graph, slow(graph)))
    return found


def known(each: Expression, table: dict[tuple[str, str], object]) -> tuple[str, str] | None:
    text = each.text if isinstance(each.text, str) else each.text.decode("latin-1")
    named = (key for key in table if key[0] == each.module and text.startswith(key[1]))
    return next(named, None)


def tried(each: Expression, use: str, text: str) -> float:
    """Seconds that it takes."""
    pattern = re.compile(each.text, each.flags)
    given = text if isinstance(each.text, str) else text.encode("latin-1", "replace")
    begun = time.thread_time()
    if use == ALL:
        for _ in pattern.finditer(given):  # pyright: ignore[reportArgumentType]
            pass
    else:
        getattr(pattern, use)(given)
    return time.thread_time() - begun


@pytest.mark.parametrize(
    ("text", "use"),
    [
        (r"(a*)*b", FIRST),
        (r"(?:[A-Za-z][\w-]*\n?)*", WHOLE),
        (r"(?:(?:status:[^\n]*|x) *\n)*", WHOLE),
        (r"(?:a|ab|b)*c", FIRST),
        (r"(?:.a|a.)*", WHOLE),
        (r"\s+$", SEARCH),
        (r"\s++x", SEARCH),
        (r"(?:a+b)?", ALL),
        (r"(?!.*x)a", SEARCH),
        (r"a*a*b", FIRST),
        (r"(?:run\s+|[$!]\s*)(?P<text>.+)", WHOLE),
        (r"(?i:[\x90\x98])[^\x07\n]*\x07", ALL),
        (r"(?<=://)[^\s/@]+:[^\s/@]+(?=@)", ALL),
        (r"mcp__[a-z_]+__.+", WHOLE),
        (r"(`{3,}|~{3,})([^`]*)$", FIRST),
        (r"\[\s*(\w+)\s*(?:\"[^\"]*\")?\s*\]", FIRST),
    ],
)
def test_what_is_slow_is_found(text: str, use: str) -> None:
    assert slow(Graph(text, 0, use)) is not None


@pytest.mark.parametrize(
    ("text", "use"),
    [
        (r"\s+", ALL),
        (r"a*b", FIRST),
        (r"(?<!\s)\s++x", SEARCH),
        (r"\b\w+@", SEARCH),
        (r"(?:[A-Za-z][\w-]*\n)*(?:[A-Za-z][\w-]*)?", WHOLE),
        (r"(?:a+b)?", SEARCH),
        (r"a*(?s:.*)", WHOLE),
        (r"(?:[^\"\\]|\\.)*\"", FIRST),
        (r"\{([^{},]*,[^{}]*)\}", SEARCH),
    ],
)
def test_what_is_not_slow_is_let_be(text: str, use: str) -> None:
    assert slow(Graph(text, 0, use)) is None


def test_no_expression_of_the_program_is_slow() -> None:
    assert len(every().expressions) > 250
    found = {
        f"{each} with {use}: {told}"
        for each, use, _, told in looked_at()
        if told and not known(each, BOUNDED) and not known(each, USED_OTHERWISE)
    }
    assert not found


def test_each_exception_is_still_one() -> None:
    told = [each for each, _, _, found in looked_at() if found]
    assert {known(each, BOUNDED) for each in told} - {None} == set(BOUNDED)
    assert {known(each, USED_OTHERWISE) for each in told} - {None} == set(USED_OTHERWISE)
    assert {(each.module, each.function) for each in every().places} == set(MADE_LATER)


def test_what_is_bounded_takes_little_time_at_its_bound() -> None:
    for each, use, _, found in looked_at():
        key = known(each, BOUNDED)
        if found and key:
            for end in ENDS:
                assert tried(each, use, found.text(BOUNDED[key][0], end)) < SOON / 4, (each, found)


def test_no_repetition_is_slow_when_it_is_tried() -> None:
    for each, use, graph, found in looked_at():
        if found is None:
            for told in pumped(graph):
                for length in LENGTHS:
                    took = tried(each, use, told.text(length, "\0!\n"))
                    assert took < SOON, (each, use, told, length)


@pytest.mark.parametrize(
    "piece", [" ", "\t\n", "a ", ", ", "and ", "please ", "?!", "(", "with ", "`", "lines "]
)
@pytest.mark.parametrize("start", ["", "run ", "read ", "write a.txt with", "search for", "x"])
def test_no_words_keep_the_guide_busy(start: str, piece: str) -> None:
    for length in (900, 20_000):
        begun = time.thread_time()
        actions(f"{start} {piece * (length // len(piece))}a\nb")
        assert time.thread_time() - begun < SOON


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("BISECT_TERMS", b"a" * 26 + b"!"),
        ("BISECT_LOG", b"status: \n" * 24 + b"!"),
        ("gc.pid", b"0" * 20_000 + b"!"),
        ("rebase-merge/strategy_opts", b"a" * 300_000),
    ],
)
def test_no_file_of_git_keeps_its_guard_busy(name: str, content: bytes) -> None:
    begun = time.thread_time()
    assert not is_harmless(f".git/{name}", content)
    assert time.thread_time() - begun < SOON


def test_no_output_of_a_command_keeps_its_reader_busy() -> None:
    begun = time.thread_time()
    plain("\x90" * 20_000)
    assert time.thread_time() - begun < SOON
