"""Small pieces of markdown that hold whatever a tool may have found."""

import re
from typing import Any

import msgspec

_LINES = 120
_CHARACTERS = 6_000
_LANGUAGES = {
    "py": "python", "md": "markdown", "toml": "toml", "json": "json", "yml": "yaml", "yaml": "yaml",
    "js": "javascript", "ts": "typescript", "tsx": "tsx", "sh": "sh", "html": "html", "css": "css",
    "rs": "rust", "go": "go", "c": "c", "h": "c", "cpp": "cpp", "java": "java", "rb": "ruby",
    "sql": "sql", "xml": "xml", "ini": "ini", "diff": "diff",
}  # fmt: skip


def fenced(text: str, path: str = "") -> str:
    """The text as a code block whose fence is longer than any inside it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    language = _LANGUAGES.get(path.rpartition(".")[2].casefold(), "")
    newline = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{newline}{fence}"


def quoted(text: str) -> str:
    """The beginning of a line as code."""
    text = " ".join(text.split())[:160]
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def clipped(text: str) -> tuple[str, int]:
    """The beginning of a long text, and how many characters are not in it."""
    shown = "\n".join(text.split("\n")[:_LINES])[:_CHARACTERS]
    left = len(text.rstrip("\n")) - len(shown)
    return (shown, left) if left > 0 else (text, 0)


def plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def sentence(text: str) -> str:
    text = text.strip()
    if not text:
        return "It gave no reason."
    return text if text.endswith((".", "?", "!", ")", "`")) else f"{text}."


def human(size: int) -> str:
    """A number of bytes as people say it."""
    if size < 1_000:
        return "1 byte" if size == 1 else f"{size} bytes"
    for unit, factor in (("KB", 1_000), ("MB", 1_000_000)):
        if size < 1_000 * factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size / 1_000_000_000:.1f} GB"
