"""The wide reader: every simple command of a text, wherever it stands, as tree-sitter's grammar of bash sees it.

It finds what the strict reader refuses: commands in substitutions, loops, functions, here-documents. Its grammar is
not bash's own, so what it says is enough to deny or to ask, and never alone enough to allow.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from bottega.approvals.shell import plain

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, TreeCursor


class Word(NamedTuple):
    text: str
    """Without its quotes if it is plain, else as it is written."""
    plain: bool
    """It is what it says: nothing in it is expanded."""


Part = tuple[Word, ...]
"""A simple command: its program and what that is given."""

_STATEMENTS = frozenset({"command", "declaration_command", "unset_command", "test_command"})
_NO_WORDS = frozenset(
    {
        *("variable_assignment", "file_redirect", "herestring_redirect"),
        *("heredoc_redirect", "comment"),
    }
)
_TEXTS = frozenset({"raw_string", "ansi_c_string", "comment"})
_EXPANDED = frozenset({"string", "heredoc_body"})
"""In these a single quote is a letter."""
_SUBSTITUTIONS = frozenset({"command_substitution", "arithmetic_expansion", "process_substitution"})
_MEANS_SUBSTITUTION = re.compile(rb"\\[\s\S]|(?P<begins>`|\$\()")


def parts(text: str) -> list[Part] | None:
    """The simple commands of a text in their order; None: it cannot be parsed."""
    source = text.encode()
    root = _parser().parse(source).root_node
    nodes = list(_nodes(root.walk()))
    documents = [each for each in nodes if each.type == "heredoc_redirect"]
    if root.has_error or not all(_ends_as_in_bash(each, source) for each in documents):
        return None
    if not _knows_substitutions(nodes, source):
        return None
    return [_part(node, source) for node in nodes if node.type in _STATEMENTS]


def _ends_as_in_bash(heredoc: "Node", source: bytes) -> bool:
    """Whether a here-document ends at its first line that is the delimiter and nothing else.

    The grammar takes a line that only begins with it for the end. What follows is still the document to bash, which
    runs the substitutions in it.
    """
    found = {each.type: each for each in heredoc.children}
    start, end = found.get("heredoc_start"), found.get("heredoc_end")
    if start is None or end is None:
        return False
    begins = source.find(b"\n", start.end_byte) + 1
    if body := found.get("heredoc_body"):
        begins = body.start_byte
    delimiter = (plain.word(_source(start, source).decode()) or "").encode()
    lines = source[begins : end.end_byte].split(b"\n")
    if "<<-" in found:
        lines = [line.lstrip(b"\t") for line in lines]
    is_whole_line = source[end.end_byte : end.end_byte + 1] in (b"", b"\n")
    return is_whole_line and lines[-1] == delimiter and delimiter not in lines[:-1]


def _knows_substitutions(nodes: list["Node"], source: bytes) -> bool:
    """Whether each `$(` and backtick that means something to bash does so to the grammar, which overlooks some.

    Between two backticks neither a quote nor a comment hides the second from bash, and what a backslash stands before
    there is read twice: with either in it, where it ends and what it runs are the grammar's guess.
    """
    if b"`" not in source and b"$(" not in source:
        return True
    known: set[int] = set()
    is_text = bytearray(len(source))
    for node in nodes:
        if node.type in _SUBSTITUTIONS:
            known |= {node.start_byte, node.end_byte - 1}
            inside = source[node.start_byte + 1 : node.end_byte - 1]
            if source[node.start_byte] == ord("`") and (b"`" in inside or b"\\" in inside):
                return False
        elif _is_text(node, source):
            is_text[node.start_byte : node.end_byte] = b"\1" * (node.end_byte - node.start_byte)
    return all(
        found.start() in known or is_text[found.start()]
        for found in _MEANS_SUBSTITUTION.finditer(source)
        if found.lastgroup
    )


def _is_text(node: "Node", source: bytes) -> bool:
    """Nothing in it is expanded: quoted, a comment, or a document whose delimiter is quoted."""
    if node.type == "heredoc_body":
        heredoc = node.parent
        starts = heredoc.children if heredoc else []
        start = next((each for each in starts if each.type == "heredoc_start"), None)
        return start is not None and bool(set(_source(start, source)) & set(b"'\"\\"))
    if node.type not in _TEXTS or not _MEANS_SUBSTITUTION.search(_source(node, source)):
        return False
    around = node.parent
    while around and around.type not in (_EXPANDED | _SUBSTITUTIONS):
        around = around.parent
    return around is None or around.type not in _EXPANDED


def _source(node: "Node", source: bytes) -> bytes:
    return source[node.start_byte : node.end_byte]


def _parser() -> "Parser":
    """A parser of its own for each text: they are cheap, and threads may not share one."""
    from tree_sitter import Parser

    return Parser(_language())


@cache
def _language() -> "Language":
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


def _nodes(cursor: "TreeCursor") -> Iterator["Node"]:
    """Every node, in the order of the text; without recursion, however deep it is."""
    while True:
        if cursor.node is not None and cursor.node.is_named:
            yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _part(node: "Node", source: bytes) -> Part:
    declares = node.type == "declaration_command"
    return tuple(
        _word(source[child.start_byte : child.end_byte].decode())
        for child in node.children
        if child.type not in _NO_WORDS or (declares and child.type == "variable_assignment")
    )


def _word(raw: str) -> Word:
    value = plain.word(raw)
    return Word(raw, False) if value is None else Word(value, True)
