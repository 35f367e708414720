"""One stream of a program: what comes is kept as it is, shown as plain text, and remembered by its two ends.

Making text of bytes takes time, and some bytes take more than others: after `LOOKED_AT` bytes nobody sees anything
but the end, so only the last `LATE` ones are looked at, once it is there. A flood costs no more than its writing.
"""

from bottega.workspaces.outputs.glimpse import Glimpse
from bottega.workspaces.outputs.live import Live
from bottega.workspaces.outputs.plain import PlainText
from bottega.workspaces.outputs.spool import Spool

LOOKED_AT = 4 * 1024 * 1024
LATE = 256 * 1024


class Stream:
    def __init__(self, name: str, live: Live | None, spool: Spool | None = None) -> None:
        self.name = name
        self.glimpse = Glimpse()
        self.live = live
        """Who is shown what comes, if anyone is."""
        self._spool = spool
        self._plain = PlainText()
        self._looked_at = 0
        self._passed = 0
        self._late = b""

    def take(self, chunk: bytes) -> str:
        """Keep it; may wait for the disk. Returns the lines that are settled, for `show`."""
        if self._spool:
            self._spool.write(chunk)
        if self._looked_at >= LOOKED_AT:
            self._late = (self._late + chunk)[-LATE:]
            self._passed += len(chunk)
            return ""
        self._looked_at += len(chunk)
        text = self._plain.feed(chunk)
        self.glimpse.add(text)
        return text

    def show(self, settled: str) -> None:
        if not self.live:
            return
        self.live.add(self.name, settled, lambda: self._plain.partial)
        if self._passed:
            self.live.stop()

    @property
    def unfinished(self) -> bool:
        """The last line has not ended."""
        return bool(self._plain.partial) or (bool(self._late) and not self._late.endswith(b"\n"))

    def finish(self) -> None:
        """Settle what is there, even within a line."""
        rest = self._plain.finish()
        self.glimpse.add(rest)
        self.show(rest)
        if self._passed:
            self.glimpse.skip(self._passed - len(self._late))
            self.glimpse.add(self._plain.feed(self._late) + self._plain.finish())
            self._passed, self._late = 0, b""
