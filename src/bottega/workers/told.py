"""What the model was told beside the user's words, folded from the session's facts: live, and from the log.

Nothing is told twice, in whatever process: what an aside told stands in it, by name.
"""

from bottega.agents.prompt import turn
from bottega.events import facts
from bottega.events.event import Event
from bottega.events.facts import NAMES

FOLDED = tuple(
    f'{{"type":"{NAMES[kind]}"'.encode()
    for kind in (
        *(facts.Opening, facts.Aside, facts.TodosChanged),
        *(facts.SessionReset, facts.SessionCleared, facts.Compaction),
    )
)
"""How the facts begin that matter here."""


class Told:
    def __init__(self) -> None:
        self.opening: facts.Opening | None = None
        self.known: dict[str, str] = {}
        """The last word on everything, by name."""
        self.whole = False
        """The context was told in full, and the model still sees it."""
        self.todos: tuple[facts.TodoItem, ...] = ()
        self.quiet = 0
        """Answers since the todo list changed, or was named."""

    def note(self, event: Event) -> None:
        """Take one fact of the session, in order."""
        payload = event.data
        if isinstance(payload, facts.Opening):
            self.opening = payload
            self._forget()
        elif isinstance(payload, facts.Aside):
            self.known |= payload.told
            self.whole = self.whole or "files" in payload.told
            self.quiet = 0 if "todos" in payload.told else self.quiet
        elif isinstance(payload, facts.AssistantMessage):
            self.quiet += 1
        elif isinstance(payload, facts.TodosChanged):
            self.todos, self.quiet = payload.todos, 0
        elif isinstance(payload, facts.SessionReset | facts.SessionCleared):
            self.opening = None
            self._forget()
        elif isinstance(payload, facts.Compaction) and payload.upto:
            self._forget()

    def _forget(self) -> None:
        """What asides told is gone from the model's sight; what the system prompt says is not."""
        self.known = turn.known(self.opening) if self.opening else {}
        self.whole = False
