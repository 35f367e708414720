"""What a session knows of files, folded from its facts: what the model last saw of each, and what was last written."""

from bottega.events import facts
from bottega.events.event import Event
from bottega.workers.acting.others import Others


class Known:
    def __init__(self) -> None:
        self.seen: dict[str, str] = {}
        """The sha256 of what the model last saw, by path."""
        self.held: dict[str, str] = {}
        """The blob that a file was last given, by path; what was deleted is held as it was before."""
        self.others = Others()
        """Who notices that somebody else changed them."""
        self._intents: dict[str, facts.ToolIntent] = {}
        self._elsewhere: set[str] = set()

    def note(self, event: Event) -> None:
        """Take one fact of the session, in order."""
        payload = event.data
        if isinstance(payload, facts.RemoteStarted):
            self._elsewhere.add(event.message_id)
        if event.message_id in self._elsewhere:
            return  # what another Bottega saw and wrote is not here
        if isinstance(payload, facts.ToolIntent):
            self._intents[payload.tool_id] = payload
        elif isinstance(payload, facts.ToolResultFact):
            intent = self._intents.pop(payload.tool_id, None)
            if intent and not payload.is_error:
                self._hold(intent.writes)
            self._hold(payload.writes)
            self.seen.update((one.path, one.hash) for one in payload.seen)
        elif isinstance(payload, facts.SessionReset | facts.SessionCleared):
            self.seen = {}  # the model no longer knows what it saw before

    def _hold(self, writes: tuple[facts.FileChange, ...]) -> None:
        for one in writes:
            if one.after or one.before:
                self.held[one.path] = one.after or one.before
