"""What some add to a chat completion: sealed thoughts, tools that they ran themselves, images."""

import json
from hashlib import sha256
from typing import Any

from bottega.ids import fresh
from bottega.messages.block import Image, Text, ToolResult, ToolUse
from bottega.providers.protocol.bounds import check_number
from bottega.providers.protocol.loose_json import arguments, entries, kept, text_in


class Details:
    """OpenRouter's `reasoning_details`, joined again so that they can go back as they came."""

    def __init__(self) -> None:
        self._found: list[dict[str, Any]] = []
        self._known: set[bytes] = set()
        self._growing: dict[str, list[str]] = {}
        """The texts of the last one, in pieces."""

    @property
    def found(self) -> list[dict[str, Any]]:
        self._put_together()
        return self._found

    def take(self, details: Any) -> str:
        """Add what one event says; return the readable part of it."""
        said: list[str] = []
        for entry in entries(kept(details)):
            said += text_in(entry, "text"), text_in(entry, "summary")
            self._join(entry)
        return "".join(said)

    def _join(self, entry: dict[str, Any]) -> None:
        last = self._found[-1] if self._found else {}
        same = all(last.get(name) == entry.get(name) for name in ("type", "index"))
        if not last or not same or "data" in entry:
            self._append(entry)
            return
        for name, value in entry.items():
            if name in ("text", "summary") and isinstance(value, str):
                self._growing.setdefault(name, [text_in(last, name)]).append(value)
            elif value not in (None, ""):
                check_number(last)
                last[name] = value

    def _append(self, entry: dict[str, Any]) -> None:
        """Add one, unless it was said before."""
        key = sha256(json.dumps(entry, sort_keys=True).encode()).digest()
        if key not in self._known:
            check_number(self._found)
            self._known.add(key)
            self._put_together()
            self._found.append(entry)

    def _put_together(self) -> None:
        for name, pieces in self._growing.items():
            self._found[-1][name] = "".join(pieces)
        self._growing.clear()


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
