"""What a command line runs: from which word on arguments are mere data to the program that is started.

A launcher or an interpreter takes its program from its arguments. The session's folder is shown to a server only where
it is known which word that is, and given to it only after that word.
"""

import os
import re
from collections.abc import Sequence

import msgspec


class _Syntax(msgspec.Struct, frozen=True):
    """The options that may come before the program; where there is any other, it is not known what runs."""

    alone: re.Pattern[str] = re.compile(r"(?!)")
    """Options without a value, or with one in the same word."""
    valued: re.Pattern[str] = re.compile(r"(?!)")
    """Options whose value is the next word."""
    names: re.Pattern[str] = re.compile(r"(?!)")
    """Options whose value is the program."""
    words: tuple[tuple[str, ...], ...] = ((),)
    """What stands before the program, such as `run`; the longest comes first."""
    starts: bool = False
    """The program may itself be one that takes its program from its arguments."""


_INSTALLED = _Syntax(
    alone=re.compile(
        r"-y|-q|--(yes|quiet|silent|offline|isolated|refresh|no-[\w-]+|prefer-[\w-]+)|--[\w-]+=.*"
    ),
    valued=re.compile(
        r"-p|-w|--(package|from|with|python|index|index-url|default-index|extra-index-url|cache-dir"
        r"|directory|project|prefix|spec|allow-build)"
    ),
    starts=True,
)
"""Launchers of packages."""


def _launcher(*words: tuple[str, ...]) -> _Syntax:
    return msgspec.structs.replace(_INSTALLED, words=words)


_RUNTIME = re.compile(
    r"-A|--(no|enable|trace|use|allow|unstable)-[\w-]+|--experimental-(?!loader$)[\w-]+|--expose-gc"
    r"|--preserve-symlinks(-main)?|--smol|--quiet|--[\w-]+=.*"
)
_LOADED = re.compile(
    r"-r|-C|--(require|import|preload|loader|experimental-loader|conditions|env-file|config|tsconfig)"
)

_KNOWN: tuple[tuple[re.Pattern[str], _Syntax], ...] = tuple(
    (re.compile(name), syntax)
    for name, syntax in (
        (
            r"(python|pypy)[\d.]*t?",
            _Syntax(
                alone=re.compile(r"-[bBdEiIOPqRsSuvx]+|-[WX].+|--check-hash-based-pycs=.*"),
                valued=re.compile(r"-[WX]|--check-hash-based-pycs"),
                names=re.compile(r"-[bBdEiIOPqRsSuvx]*m"),
            ),
        ),
        (r"node(js)?[\d.]*|tsx|ts-node", _Syntax(alone=_RUNTIME, valued=_LOADED)),
        (r"deno", _Syntax(alone=_RUNTIME, valued=_LOADED, words=(("run",),))),
        (r"bunx|npx|pnpx|uvx", _INSTALLED),
        (r"bun", _Syntax(alone=_RUNTIME, valued=_LOADED, words=(("run",), ("x",), ()))),
        (r"npm|pnpm|yarn", _launcher(("exec",), ("x",), ("dlx",))),
        (r"uv", _launcher(("tool", "run"), ("run",))),
        (r"pipx", _launcher(("run",))),
        (
            r"(ba|da|a|k|mk|z|fi)?sh|rbash",
            _Syntax(alone=re.compile(r"-[eluvx]+|--(norc|noprofile|login|posix)")),
        ),
        (
            r"java",
            _Syntax(
                alone=re.compile(r"-jar|-ea|-server|-[XD].+|--enable-[\w-]+|--[\w-]+=.*"),
                valued=re.compile(r"-cp|-p|-classpath|--(class-path|module-path|add-modules)"),
            ),
        ),
        (r"(ruby|perl|php|lua|luajit|tclsh|Rscript|julia)[\d.]*", _Syntax()),
    )
)
_OPAQUE = re.compile(
    # They start other programs,
    r"env|nice|nohup|timeout|stdbuf|setsid|ionice|chrt|taskset|time|sudo|doas|su|runuser|busybox|toybox|unshare|nsenter"
    r"|chroot|setpriv|prlimit|[sl]trace|script|watch|parallel|xargs|flock|systemd-run|dbus-run-session|socat|nc|ncat"
    r"|ssh|bwrap|firejail|docker|podman|ld\.so|ld-[\w.-]+|exec|command|numactl|choom|catchsegv|unbuffer|entr|direnv"
    # or do what a file says.
    r"|g?make|just|ninja|cmake|bazel|task|[gmn]?awk|sed|find|gdb|lldb|vim?|nvim|emacs|ed|ex|expect|osascript|git|hg|jj"
    r"|cargo|go|dotnet|mvn|gradle|poetry|pdm|hatch|rye|pixi|conda|mamba|micromamba|nix|nix-shell|mise|asdf|rake|bundle"
    r"|tox|nox|invoke|fab|ant|sbt|lein|clojure|clj|scala|kotlin|groovy|swift|elixir|mix|erl|escript|ghci|runghc|stack"
    r"|racket|guile|sbcl|ocaml|raku|R|octave|gjs|ipython|jupyter|sqlite3|psql|mysql|pwsh|nu|elvish|xonsh|[tc]?csh"
)


def data_begins(argv: Sequence[str]) -> int | None:
    """The index of the first word that is data to what is run; None: it is not known what is."""
    name = os.path.basename(argv[0])
    syntax = _syntax(name) or _syntax(os.path.basename(os.path.realpath(argv[0])))
    if syntax is None:
        return 1
    if isinstance(syntax, str):
        return None
    return _after_program(argv, syntax)


def _syntax(name: str) -> _Syntax | str | None:
    for pattern, syntax in _KNOWN:
        if pattern.fullmatch(name):
            return syntax
    return name if _OPAQUE.fullmatch(name) else None


def _after_program(argv: Sequence[str], syntax: _Syntax) -> int | None:
    for words in syntax.words:
        at = 1
        for word in words:
            at = _operand(argv, at, syntax) or len(argv)
            if at >= len(argv) or argv[at] != word:
                break
            at += 1
        else:
            return _program(argv, at, syntax)
    return None


def _program(argv: Sequence[str], begin: int, syntax: _Syntax) -> int | None:
    at = _operand(argv, begin, syntax)
    if at is None:
        return None
    if syntax.names.fullmatch(argv[at]):
        return at + 2 if at + 1 < len(argv) else None
    if argv[at] == "-":
        return None
    if not syntax.starts:
        return at + 1
    inner = data_begins(argv[at:])
    return None if inner is None else at + inner


def _operand(argv: Sequence[str], begin: int, syntax: _Syntax) -> int | None:
    """The first word from there on that is no option, or names the program; None: an option is unknown."""
    at = begin
    while at < len(argv):
        word = argv[at]
        if word == "--":
            return at + 1 if at + 1 < len(argv) else None
        if syntax.names.fullmatch(word) or not word.startswith("-") or word == "-":
            return at
        if syntax.alone.fullmatch(word):
            at += 1
        elif syntax.valued.fullmatch(word):
            at += 2
        else:
            return None
    return None
