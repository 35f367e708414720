"""Puts a tool's result into a few sentences of markdown, as a person would want to read it."""

import re
from collections.abc import Callable
from typing import Any

from bottega.messages.block import Image, ToolResult, ToolUse
from bottega.providers.guide.act import deed
from bottega.providers.guide.heard import as_dict, as_list, entries, heard, name_of, readme
from bottega.providers.guide.markdown import clipped, fenced, human, plain, quoted, sentence
from bottega.providers.guide.request import Deed

_ENTRIES = 40


def told(use: ToolUse, result: ToolResult) -> str:
    """A paragraph or two on what came of this call."""
    got = heard(result)
    if not got.ok:
        return f"That did not work. {sentence(plain(got.value))}"
    do = deed(use.name)
    if do not in _TELLERS:
        return f"`{use.name}` answered:\n\n{fenced(clipped(plain(got.value))[0])}"
    seen = ""
    if any(isinstance(part, Image) for part in result.content):
        seen = "\n\nI cannot see images, but a model that takes images can."
    return _TELLERS[do](use, got.value) + seen


def listing(value: Any, *, hint: bool = True) -> str:
    """What is in a folder, folders first, and with a hint what to say next."""
    found, where = entries(value), str(as_dict(value).get("path", "."))
    place = "this folder" if where == "." else f"`{where}`"
    if not found:
        return f"There is nothing in {place}."
    folders = [entry for entry in found if entry.get("kind") == "folder"]
    others = [entry for entry in found if entry.get("kind") != "folder"]
    shown = [_line(entry) for entry in (*folders, *others)][:_ENTRIES]
    if len(found) > _ENTRIES:
        shown.append(f"- … and {len(found) - _ENTRIES} more")
    note = as_dict(value).get("note")
    return (
        f"In {place} there {_counted(len(folders), len(others))}:\n\n"
        + "\n".join(shown)
        + (f"\n\n{note}" if note else "")
        + (_next(found, "" if where == "." else f"{where.rstrip('/')}/") if hint else "")
    )


def _counted(folders: int, others: int) -> str:
    parts = [
        f"{count} {word}" if count == 1 else f"{count} {word}s"
        for count, word in ((folders, "folder"), (others, "file"))
        if count
    ]
    return f"{'is' if folders + others == 1 else 'are'} {' and '.join(parts)}"


def _line(entry: dict[str, Any]) -> str:
    name, kind, size = name_of(entry), entry.get("kind"), entry.get("size")
    if kind == "folder":
        return f"- **{name.rstrip('/')}/**"
    if kind == "link":
        return f"- `{name}` → `{entry.get('target', '')}`"
    return f"- `{name}`" + (f" ({human(size)})" if isinstance(size, int) else "")


def _next(found: list[dict[str, Any]], prefix: str) -> str:
    """A request that surely works, made of what is there."""
    files = [name_of(each) for each in found if each.get("kind") == "file"]
    file = readme(found) or next((name for name in files if not name.startswith(".")), "")
    if file:
        return f"\n\nTo open one, say for example `read {prefix}{file}`."
    folder = next((name_of(each) for each in found if each.get("kind") == "folder"), "")
    return f"\n\nTo look deeper, say for example `list {prefix}{folder}`." if folder else ""


def _files(_: ToolUse, value: Any) -> str:
    return "\n\n".join(_file(each) for each in as_list(value)) or "There was nothing to read."


def _file(value: Any) -> str:
    found = as_dict(value)
    if not found:
        return fenced(clipped(plain(value))[0])
    path, content = str(found.get("path", "the file")), str(found.get("content", ""))
    if "error" in found:
        return (
            f"`{path}` could not be read. {sentence(str(as_dict(found['error']).get('message')))}"
        )
    if not content.strip():
        return f"`{path}` is empty."
    head = _heading(found, path)
    if re.fullmatch(r"\[an? image.*\]", content):
        return f"{head}."
    shown, left = clipped(content)
    after = ""
    if left:
        after = f"\n\nThat is its beginning; {left:,} characters follow. "
        after += f"For another part, say for example `read {path} lines 100-140`."
    note = f"\n\n{found['note']}" if found.get("note") else ""
    return f"{head}:\n\n{fenced(shown, path)}{after}{note}"


def _heading(found: dict[str, Any], path: str) -> str:
    size, lines, start = found.get("size"), found.get("lines"), found.get("start_line")
    facts: list[str] = []
    if isinstance(lines, int) and lines > 0:
        facts.append("1 line" if lines == 1 else f"{lines:,} lines")
    if isinstance(size, int):
        facts.append(human(size))
    about = f" ({', '.join(facts)} in all)" if start and facts else ""
    if start:
        return f"Lines {start} to {found.get('end_line')} of `{path}`{about}"
    return f"Here is `{path}`" + (f" ({', '.join(facts)})" if facts else "")


def _written(use: ToolUse, value: Any) -> str:
    named = (given for name, given in use.input.items() if "path" in name or "file" in name)
    path = as_dict(value).get("path") or next(named, "it")
    return f"Done: `{path}` is written. Say `read {path}` to see it."


def _ran(use: ToolUse, value: Any) -> str:
    command = quoted(str(next(iter(use.input.values()), use.name)))
    found = as_dict(value)
    if not found:
        return f"{command} said:\n\n{fenced(clipped(plain(value))[0])}"
    code = found.get("exit_code")
    parts = [f"{command} " + ("went well." if code == 0 else f"ended with exit code {code}.")]
    for name, words in (("stdout", "It said"), ("output", "It said"), ("stderr", "On stderr")):
        if str(found.get(name) or "").strip():
            parts.append(f"{words}:\n\n{fenced(clipped(str(found[name]))[0])}")
    return "\n\n".join(parts) if len(parts) > 1 else f"{parts[0]} It printed nothing."


def _matches(use: ToolUse, value: Any) -> str:
    wanted = quoted(str(use.input.get("pattern") or next(iter(use.input.values()), "")))
    inside = as_dict(value).get("matches", value)
    hits = [as_dict(each) for each in as_list(inside)]
    if not inside:
        return f"Nothing here holds {wanted}."
    if not all(hits):
        return f"For {wanted} I found:\n\n{fenced(clipped(plain(inside))[0])}"
    lines = [_hit(hit) for hit in hits[:_ENTRIES]]
    if len(hits) > _ENTRIES:
        lines.append(f"- … and {len(hits) - _ENTRIES} more")
    places = "1 place" if len(hits) == 1 else f"{len(hits)} places"
    return f"{wanted} is in {places}:\n\n" + "\n".join(lines)


def _hit(hit: dict[str, Any]) -> str:
    line = f":{hit['line']}" if "line" in hit else ""
    text = str(hit.get("text") or hit.get("content") or "").strip()
    return f"- `{name_of(hit)}{line}`" + (f" {quoted(text)}" if text else "")


_TELLERS: dict[Deed | None, Callable[[ToolUse, Any], str]] = {
    "list": lambda _, value: listing(value),
    "read": _files,
    "search": _matches,
    "write": _written,
    "run": _ran,
}
