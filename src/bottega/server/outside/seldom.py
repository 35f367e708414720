"""What strangers can have the server say as often as they like is said a few times a minute."""

import logging
from collections import Counter

OFTEN = 10
"""Lines of the same words in a minute."""


class Seldom(logging.Filter):
    """Lets through what has a traceback, and of all else no more than a few of each kind a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._minute = 0
        self._said: Counter[str] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info:
            return True
        if (minute := int(record.created // 60)) != self._minute:
            self._minute = minute
            self._said.clear()
        said = str(record.msg)  # before its arguments, which may differ each time
        self._said[said] += 1
        return self._said[said] <= OFTEN
