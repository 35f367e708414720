"""Log lines on stderr, for people or as JSON, through a queue: a reader that does not read holds nobody up.

A line is made where it is logged, and scrubbed and written in a thread of its own. Where the queue is full lines are
dropped and counted. They say names, numbers and times; never what was said, and no query of an address.
"""

import logging
import os
import re
import threading
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Any, Literal

import msgspec

from bottega.printable import printable_json
from bottega.server.outside.seldom import Seldom

Format = Literal["human", "json"]

REQUEST: ContextVar[str] = ContextVar("request", default="")
"""The id of the request that is being answered."""

MOST = 10_000
"""Lines that wait to be written."""
LONGEST = 20_000
"""Characters of one line."""
AROUND = 4000
"""Characters past the longest that are looked at too: half of a secret would not be known for one."""
DRAIN = 1.0
"""Seconds that the end waits for lines that were not written yet."""

_PLAIN = re.compile(r"[\w.:/@+(){}*-]+")


class Lines(logging.Handler):
    """Hands lines over to the thread that writes them."""

    def __init__(
        self, form: Format, scrub: Callable[[str], str], file: int = 2, most: int = MOST
    ) -> None:
        super().__init__()
        self.setFormatter(JsonLines() if form == "json" else HumanLines())
        self.dropped = 0
        self._scrub = scrub
        self._file = file
        self._most = most
        self._queue: SimpleQueue[str | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write_all, name="bottega-logs", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        if self._queue.qsize() >= self._most:
            self.dropped += 1
            return
        try:
            self._queue.put(self.format(record)[: LONGEST + AROUND])
        except (
            Exception
        ):  # a line that cannot be made is one that is lost, never a failure of who logs it
            self.dropped += 1

    def close(self) -> None:
        """Write what waits, unless nobody reads."""
        self._queue.put(None)
        self._thread.join(DRAIN)
        super().close()

    def _write_all(self) -> None:
        told = 0
        while (line := self._queue.get()) is not None:
            if self.dropped > told:
                lost, told = self.dropped - told, self.dropped
                record = logging.LogRecord("bottega.logs", 30, "", 0, "lines dropped", None, None)
                record.fields = {"lines": lost}
                self._write(self.format(record))
            try:
                whole = self._scrub(line)
            except Exception:  # what cannot be scrubbed is not written
                self.dropped += 1
                continue
            self._write(whole[:LONGEST])

    def _write(self, line: str) -> None:
        rest = f"{line}\n".encode("utf-8", "replace")
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            self.dropped += 1  # nobody is left to read it


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request := REQUEST.get():
            line["request_id"] = request
        line |= _fields(record)
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return _json(line)


class HumanLines(logging.Formatter):
    """A line that is read as it scrolls by."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created).strftime("%H:%M:%S.%f")[:-3]
        message = _one_line(record.getMessage())
        told = [f"{name}={_word(value)}" for name, value in _fields(record).items()]
        if request := REQUEST.get():
            told.append(f"request_id={request}")
        name = record.name.removeprefix("bottega.")
        text = " ".join([at, record.levelname, f"{name}:", message, *told])
        if record.exc_info:
            trace = self.formatException(record.exc_info)
            text += "".join(f"\n    {_one_line(line)}" for line in trace.splitlines())
        return text


def level_of(form: Format, *, debug: bool) -> int:
    """Lines for programs tell every stage; a person is told what is wrong, and all else with `--debug`."""
    if debug:
        return logging.DEBUG
    return logging.INFO if form == "json" else logging.WARNING


def begin(handler: Lines, level: int) -> Callable[[], None]:
    """Log through this one alone, until what is returned is called."""
    root, ours, theirs = (logging.getLogger(name) for name in ("", "bottega", "uvicorn.error"))
    levels = {each: each.level for each in (root, ours, theirs)}
    before = root.handlers[:]
    root.handlers[:] = [handler]
    root.setLevel(max(level, logging.INFO))
    ours.setLevel(level)
    # What it has to say of itself is said by the server's own lines.
    theirs.setLevel(logging.INFO if level == logging.DEBUG else logging.WARNING)
    seldom = Seldom()
    theirs.addFilter(seldom)

    def end() -> None:
        root.handlers[:] = before
        theirs.removeFilter(seldom)
        for logger, before_it in levels.items():
            logger.setLevel(before_it)
        handler.close()

    return end


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, "fields", {})
    return fields


def _word(value: object) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) else _json(text)


def _json(value: object) -> str:
    return printable_json(msgspec.json.encode(value, enc_hook=str)).decode()


def _one_line(text: str) -> str:
    """Without signs that would begin a line of their own, or move a terminal's cursor."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
