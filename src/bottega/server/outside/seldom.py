"""What strangers can have the server say as often as they like is said a few times a minute."""

import logging
from collections import Counter

OFTEN = 10
"""Lines of the same words in a minute."""


class Seldom(logging.Filter):
    """Lets no more than a few lines of each kind through in a minute; those with a traceback count by their error."""

    def __init__(self) -> None:
        super().__init__()
        self._minute = 0
        self._said: Counter[str] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        if (minute := int(record.created // 60)) != self._minute:
            self._minute = minute
            self._said.clear()
        said = str(record.msg)  # before its arguments, which may differ each time
        if record.exc_info and record.exc_info[0]:
            said = f"{record.exc_info[0].__qualname__}: {said}"
        self._said[said] += 1
        return self._said[said] <= OFTEN
