"""What some add to a chat completion: sealed thoughts, citations, tools that they ran, images."""

from typing import Any, cast

from bottega.ids import fresh
from bottega.messages.block import Image, Source, Sources, Text, ToolResult, ToolUse
from bottega.providers.loose_json import arguments
from bottega.providers.surrogates import mended


def entries(found: Any) -> list[dict[str, Any]]:
    """The objects in a list, whatever else it may hold, or be."""
    if not isinstance(found, list):
        return []
    listed = cast("list[Any]", found)
    return [cast("dict[str, Any]", entry) for entry in listed if isinstance(entry, dict)]


def text_in(found: Any, name: str) -> str:
    """The string of that name in an object; empty if there is none."""
    if not isinstance(found, dict):
        return ""
    value = cast("dict[str, Any]", found).get(name)
    return value if isinstance(value, str) else ""


class Details:
    """OpenRouter's `reasoning_details`, joined again so that they can go back as they came."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []

    def take(self, details: Any) -> str:
        """Add what one event says; return the readable part of it."""
        said = ""
        for entry in entries(details):
            said += text_in(entry, "text") + text_in(entry, "summary")
            self._join(cast("dict[str, Any]", mended(entry)))
        return said

    def _join(self, entry: dict[str, Any]) -> None:
        last = self.found[-1] if self.found else {}
        same = all(last.get(name) == entry.get(name) for name in ("type", "index"))
        if not last or not same or "data" in entry:
            if entry not in self.found:
                self.found.append(entry)
            return
        for name, value in entry.items():
            if name in ("text", "summary") and isinstance(value, str):
                last[name] = text_in(last, name) + value
            elif value not in (None, ""):
                last[name] = value


class Citations:
    """The sources of an answer, each once, in the order in which they were named."""

    def __init__(self) -> None:
        self._found: dict[str, Source] = {}

    def add(self, title: str, url: str) -> None:
        key = url or title
        known = self._found.get(key)
        if key and (known is None or (title and known.title == url)):
            self._found[key] = Source(title or url, url)

    def take(self, annotations: Any) -> None:
        """Add the citations of a message, chat's nested form or the plain one of responses."""
        for note in entries(annotations):
            inner = note.get("url_citation")
            cited = cast("dict[str, Any]", inner) if isinstance(inner, dict) else note
            title = text_in(cited, "title") or text_in(cited, "filename")
            self.add(title, text_in(cited, "url"))

    def take_results(self, results: Any) -> None:
        """Add what a search found: objects with a title and an address, or bare addresses."""
        if not isinstance(results, list):
            return
        for result in cast("list[Any]", results):
            if isinstance(result, str):
                self.add("", result)
            else:
                self.add(text_in(result, "title"), text_in(result, "url"))

    def block(self) -> tuple[Sources, ...]:
        return (Sources(tuple(self._found.values())),) if self._found else ()


class Ran:
    """A tool that the provider ran itself (Groq's `executed_tools`); later events complete it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.id = fresh("call")
        self.item: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return text_in(self.item, "type") or "tool"

    def blocks(self) -> tuple[ToolUse, ToolResult]:
        written = text_in(self.item, "arguments")
        found = arguments(written)
        output = text_in(self.item, "output")
        use = ToolUse(
            self.id,
            self.name,
            input=found or {},
            malformed=written if found is None else "",
            server=True,
            origin="openai-chat",
            raw=self.item,
        )
        content = (Text(output),) if output else ()
        return use, ToolResult(self.id, content, server=True, origin="openai-chat")


def image(found: dict[str, Any]) -> Image | None:
    """The picture in a part that holds one as a data url."""
    url = text_in(found.get("image_url"), "url")
    head, _, body = url.partition(";base64,")
    if not body or not head.startswith("data:image/"):
        return None
    return Image(media_type=head.removeprefix("data:"), data=body)
