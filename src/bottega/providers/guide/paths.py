"""Tells paths from other words: the guide opens only what was written like a file or a folder."""

import re

_ROOT_NAMES = (
    "here|.|./|it|this|this folder|this directory|this project|this place|project|the project|"
    "folder|directory|current folder|current directory|the current folder|workspace|repo|"
    "the workspace|this workspace|root|the root|everything|all|files|the files|there|"
    "this repo|the repo|my project|my files|my folder|the current directory|the folder"
)
_ROOTS = frozenset(_ROOT_NAMES.split("|"))
_PRONOUNS = "you it that this them me more up down us yourself him her one"
_NOT_PATHS = frozenset(_PRONOUNS.split())
_BARE_NAMES = (
    "readme license licence makefile dockerfile changelog contributing authors justfile "
    "gemfile rakefile procfile notice copying todo"
)
_KNOWN = frozenset(_BARE_NAMES.split())
_QUOTES = ('""', "''", "``", "“”", "‘’", "<>")
_FILE = re.compile(r"[^?*:]*\w\.[A-Za-z]\w{0,9}|\.\w[\w.-]*")


def is_root(words: str) -> bool:
    """Whether these words mean the folder that we are in."""
    return words.strip().casefold() in _ROOTS


def taken(words: str) -> str:
    """The path that these words name, without quotes and articles; empty where they name none."""
    words = words.strip().rstrip(",;:!?").strip()
    if len(words) > 2 and words[0] + words[-1] in _QUOTES:
        return words[1:-1]
    words = re.sub(r"^(?:the|my|our)\s+", "", words, flags=re.IGNORECASE)
    words = re.sub(r"(?<!\s)\s+(?:folder|directory|dir|file)$", "", words, flags=re.IGNORECASE)
    if words.endswith(".") and len(words) > 1 and not words.endswith(".."):
        words = words[:-1]
    return "" if re.search(r"\s", words) else words


def is_path(path: str) -> bool:
    return "/" in path.strip("/") + path[-1:] or looks_like_a_file(path)


def is_word(path: str) -> bool:
    """Whether this could be the name of a folder, if the words around it say so."""
    return bool(re.fullmatch(r"[\w.@-]+", path)) and path.casefold() not in _NOT_PATHS


def looks_like_a_file(path: str) -> bool:
    if "://" in path or path.endswith("/"):
        return False
    name = path.rpartition("/")[2]
    return name.casefold() in _KNOWN or _FILE.fullmatch(name) is not None
