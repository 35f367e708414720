"""Where an answer says it comes from."""

from typing import Any, cast

from bottega.messages.block import Source, Sources
from bottega.providers.protocol.bounds import check_number
from bottega.providers.protocol.loose_json import entries, text_in


class Citations:
    """The sources of an answer, each once, in the order in which they were named."""

    def __init__(self) -> None:
        self._found: dict[str, Source] = {}

    def add(self, title: str, url: str) -> None:
        key = url or title
        known = self._found.get(key)
        if key and (known is None or (title and known.title == url)):
            check_number(self._found)
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
