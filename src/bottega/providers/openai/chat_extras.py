"""What some add to a chat completion: sealed thoughts, tools that they ran themselves, images."""

import json
from hashlib import sha256
from typing import Any

from bottega.ids import fresh
from bottega.messages.block import Image, Text, ToolResult, ToolUse
from bottega.providers.protocol.loose_json import arguments, entries, kept, text_in
from bottega.providers.protocol.surrogates import Growing
from bottega.providers.protocol.tally import Tally


class Details:
    """OpenRouter's `reasoning_details`, joined again so that they can go back as they came."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._found: list[dict[str, Any]] = []
        self._known: set[bytes] = set()
        """What each but the last says."""
        self._grown: dict[str, Growing] = {}
        """The texts of the last that go on in later entries."""

    def take(self, details: Any) -> str:
        """Add what one event says; return the readable part of it."""
        said: list[str] = []
        for entry in entries(kept(details)):
            said += (text_in(entry, "text"), text_in(entry, "summary"))
            self._join(entry)
        return "".join(said)

    def whole(self) -> list[dict[str, Any]]:
        """All that was said."""
        self._put_together()
        return self._found

    def _join(self, entry: dict[str, Any]) -> None:
        last = self._found[-1] if self._found else {}
        same = all(last.get(name) == entry.get(name) for name in ("type", "index"))
        if not last or not same or "data" in entry:
            if not self._is_last(entry) and _written(entry) not in self._known:
                self._add(entry)
            return
        for name, value in entry.items():
            if name in ("text", "summary") and isinstance(value, str):
                self._grow(last, name, value)
            elif value not in (None, ""):
                if last.get(name) != value:
                    self._tally.value(value)
                last[name] = value

    def _add(self, entry: dict[str, Any]) -> None:
        self._tally.value(entry)
        if self._found:
            self._put_together()
            self._known.add(_written(self._found[-1]))
        self._found.append(entry)

    def _grow(self, last: dict[str, Any], name: str, value: str) -> None:
        if name not in self._grown:
            self._grown[name] = Growing()
            self._grown[name].add(text_in(last, name))
            last[name] = ""
        self._grown[name].add(value)

    def _is_last(self, entry: dict[str, Any]) -> bool:
        """Whether the last says just this; its texts are put together only if they are as long."""
        if any(len(text) != len(text_in(entry, name)) for name, text in self._grown.items()):
            return False
        self._put_together()
        return bool(self._found) and entry == self._found[-1]

    def _put_together(self) -> None:
        for name, grown in self._grown.items():
            self._found[-1][name] = grown.text
        self._grown.clear()


def _written(entry: dict[str, Any]) -> bytes:
    return sha256(json.dumps(entry, sort_keys=True).encode()).digest()


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
