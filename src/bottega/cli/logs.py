"""Log lines on stderr, one a stage, for who looks for a fault: `--debug` turns them on, else there are none."""

import logging
import sys
from typing import TextIO

from bottega.cli.screen.clean import clean
from bottega.events.event import Event
from bottega.sessions.told.stages import Stages

_log = logging.getLogger("bottega.stage")

_FORMAT = "%(asctime)s.%(msecs)03d %(levelname)s %(name)s: %(message)s"


def begin(debug: bool) -> None:
    """Log everything, or nothing: what a person must know is said in sentences, not logged."""
    root = logging.getLogger()
    for before in [each for each in root.handlers if isinstance(each, _Lines)]:
        root.removeHandler(
            before
        )  # of an earlier command of this process, whose stderr may be closed
    logging.getLogger("bottega").setLevel(logging.DEBUG if debug else logging.NOTSET)
    if not debug:
        root.addHandler(logging.NullHandler())
        return
    lines = _Lines(sys.stderr)
    lines.setFormatter(logging.Formatter(_FORMAT, "%H:%M:%S"))
    root.addHandler(lines)
    root.setLevel(logging.INFO)


class _Lines(logging.StreamHandler[TextIO]):
    """Ours, among the root's handlers. What is logged may hold what others said: nothing of it is obeyed."""

    def format(self, record: logging.LogRecord) -> str:
        return "\n    ".join(clean(super().format(record)).splitlines())


class Lines:
    """Logs the stages of one exchange."""

    def __init__(self) -> None:
        self._stages = Stages()

    def note(self, event: Event) -> None:
        """Log the event if a stage begins or ends with it."""
        if _log.isEnabledFor(logging.DEBUG) and (stage := self._stages.note(event)):
            _log.debug("%s", stage)
