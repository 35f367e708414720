"""One stream of a program: what comes is kept as it is, shown as plain text, and remembered by its two ends."""

from bottega.workspaces.outputs.glimpse import Glimpse
from bottega.workspaces.outputs.live import Live
from bottega.workspaces.outputs.plain import PlainText
from bottega.workspaces.outputs.spool import Spool


class Stream:
    def __init__(self, name: str, live: Live | None, spool: Spool | None = None) -> None:
        self.name = name
        self.glimpse = Glimpse()
        self.live = live
        """Who is shown what comes, if anyone is."""
        self._spool = spool
        self._plain = PlainText()

    def take(self, chunk: bytes) -> str:
        """Keep it; may wait for the disk. Returns the lines that are settled, for `show`."""
        if self._spool:
            self._spool.write(chunk)
        text = self._plain.feed(chunk)
        self.glimpse.add(text)
        return text

    def show(self, settled: str) -> None:
        if self.live:
            self.live.add(self.name, settled, lambda: self._plain.partial)

    @property
    def unfinished(self) -> bool:
        """The last line has not ended."""
        return bool(self._plain.partial)

    def finish(self) -> None:
        """Settle what is there, even within a line."""
        rest = self._plain.finish()
        self.glimpse.add(rest)
        self.show(rest)
