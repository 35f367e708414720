"""The few exceptions that cross a package border; each says what happened and what to do next."""


class Problem(Exception):  # noqa: N818
    """Something a person can understand and mend; the command line prints it as one sentence."""

    code = "problem"
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        """The next step, as a sentence of its own."""

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class BadUsage(Problem):
    """What was asked for makes no sense as it was written."""

    code = "bad_usage"
    exit_code = 2


class NotFound(Problem):
    """There is nothing of that name here."""

    code = "not_found"


class Refused(Problem):
    """A rule forbids this, whoever asks."""

    code = "refused"


class Conflict(Problem):
    """The thing has changed meanwhile, or the same id was used for something else."""

    code = "conflict"


class Overloaded(Problem):
    """There is no room for more just now; nothing was stored."""

    code = "overloaded"
    retry_after = 5
    """Seconds after which it is worth another try."""


class TooMany(Problem):
    """One person has as many of these as one may have."""

    code = "too_many"


class Fenced(Problem):
    """Another worker has taken this session over; nothing of this append was stored."""

    code = "fenced"


class StorageFailed(Problem):
    """The database could not be opened, read or written; nothing of the failed group was stored."""

    code = "storage_failed"


class NewerSchema(StorageFailed):
    """The data was written by a newer version of the program."""

    code = "newer_schema"


class Unsupported(Problem):
    """The model or the provider has no such ability."""

    code = "unsupported"


class Misconfigured(Problem):
    """A setting, a key or an address is missing or wrong."""

    code = "misconfigured"
