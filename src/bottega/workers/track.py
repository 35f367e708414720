"""How far an exchange has come, folded from its own facts: while it runs, and after a crash, from the log.

Whatever ends an exchange early (cancel, crash, failure) needs the same three things: the text that was shown, the calls
that have no result, and what it has cost so far.
"""

from bottega.agents.world import Left
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import Block, Reasoning, Text, ToolUse, plain_text, tool_uses
from bottega.messages.message import Usage

_ONWARD = (facts.MessageStart, facts.UserMessage, facts.Aside, facts.Compaction)
"""What comes before the next model call."""


class Track:
    def __init__(self) -> None:
        self.message_id = ""
        self.started_at = 0
        self.step = 0
        self.attempt = 0
        self.answers = 0
        self.usage = Usage()
        self.cost: int | None = 0
        self.known_cost = 0
        """What is known of the cost, where a price is not."""
        self.active_ms = 0
        """How long it has been at work: not while it waited for somebody, nor while nobody ran it."""
        self.last_at = 0
        self._asked: set[str] = set()
        self.asked = False
        """A model call is under way, of which no whole answer has come."""
        self.heard_at = 0
        """When a person last answered something."""
        self.agreed = False
        """A person said that it is to go on after its process had ended, and nothing was done since."""
        self._resume = ""
        """The ask about that."""
        self.cancelled = False
        """Somebody asked to stop it."""
        self.is_remote = False
        """Another Bottega answers it."""
        self.final = ""
        """The text of the last answer that had any."""
        self.calls: dict[str, ToolUse] = {}
        """Calls that have no result yet, in the model's order."""
        self.intents: dict[str, facts.ToolIntent] = {}
        """What has begun of those, by call."""
        self._last: facts.AssistantMessage | None = None
        """The last answer, until something comes of it."""
        self._results: dict[str, facts.ToolResultFact] = {}
        self._text: list[str] = []
        self._thought: list[str] = []

    def note(self, event: Event) -> None:
        """Take one fact of this exchange, in order."""
        payload = event.data
        if event.at > self.last_at or event.type not in facts.DELTAS:
            self._clock(event.at, payload)
        if isinstance(payload, facts.TextDelta):
            self._text.append(payload.text)
        elif isinstance(payload, facts.ReasoningDelta):
            self._thought.append(payload.text)
        else:
            self._fact(event, payload)
        self.step, self.attempt = max(self.step, event.step), event.attempt

    def _fact(self, event: Event, payload: object) -> None:
        self._agree(payload)
        if isinstance(payload, facts.AssistantMessage):
            self._answered(payload)
        elif isinstance(payload, facts.ToolIntent):
            self.intents[payload.tool_id] = payload
        elif isinstance(payload, facts.ToolResultFact):
            self._acted(payload)
        elif isinstance(payload, facts.Compaction):
            self._add(payload.usage, payload.cost)
        elif isinstance(payload, facts.MessageStart | facts.StreamReset):
            self._void()
            self.asked = isinstance(payload, facts.MessageStart)
        elif isinstance(payload, facts.ApprovalResolved) and event.actor == "user":
            self.heard_at = event.at
        elif isinstance(payload, facts.CancelRequested):
            self.cancelled = True
        elif isinstance(payload, facts.RemoteStarted):
            self.is_remote = True
        elif isinstance(payload, facts.UserMessage) and not payload.steer:
            self.message_id, self.started_at = event.message_id, event.at
        self._goes_on(payload)

    def _agree(self, payload: object) -> None:
        if isinstance(payload, facts.ApprovalRequired) and payload.kind == "resume":
            self._resume = payload.approval_id
        self.agreed = (
            isinstance(payload, facts.ApprovalResolved)
            and payload.approval_id == self._resume
            and payload.answer == "continue"
        )

    @property
    def is_untouched(self) -> bool:
        """Nobody was asked anything yet: no model, no tool."""
        return not (self.answers or self.asked or self.calls or self.partial())

    def partial(self) -> tuple[Block, ...]:
        """What was streamed of the answer that never became whole."""
        text, thought = "".join(self._text), "".join(self._thought)
        blocks: list[Block] = [Reasoning(thought)] if thought else []
        return (*blocks, Text(text)) if text else tuple(blocks)

    def left(self) -> Left | None:
        """The last answer with all its results, if nothing has come of it yet: no further step, and no end."""
        uses = tool_uses(self._last.content) if self._last else []
        if self._last is None or any(use.id not in self._results for use in uses):
            return None
        return Left(self._last, tuple(self._results[use.id] for use in uses))

    def _answered(self, answer: facts.AssistantMessage) -> None:
        self._void()
        self.asked = False
        self._last, self._results = answer, {}
        self.answers += 1
        self._add(answer.usage, answer.cost)
        self.final = plain_text(answer.content).strip() or self.final
        self.calls = {use.id: use for use in tool_uses(answer.content)}
        self.intents = {}

    def _acted(self, result: facts.ToolResultFact) -> None:
        self.calls.pop(result.tool_id, None)
        self._results[result.tool_id] = result
        self._add(result.usage, result.cost)

    def _goes_on(self, payload: object) -> None:
        if isinstance(payload, _ONWARD):
            self._last = None

    def _add(self, usage: Usage, cost: int | None) -> None:
        self.usage = self.usage + usage
        self.cost = None if cost is None or self.cost is None else self.cost + cost
        self.known_cost += cost or 0

    @property
    def waits(self) -> bool:
        """Something of it waits for somebody."""
        return bool(self._asked)

    def _clock(self, at: int, payload: object) -> None:
        if self.last_at and not self._asked and not _was_waiting(payload):
            self.active_ms += max(0, at - self.last_at)
        self.last_at = max(self.last_at, at)
        if isinstance(payload, facts.ApprovalRequired):
            self._asked.add(payload.approval_id)
        elif isinstance(payload, facts.ApprovalResolved):
            self._asked.discard(payload.approval_id)

    def _void(self) -> None:
        self._text, self._thought = [], []


def _was_waiting(payload: object) -> bool:
    """What comes before this was no work: nobody ran it, or a person was asked, which only the log at the top tells."""
    if isinstance(payload, facts.ToolIntent):
        return bool(payload.approval_id)
    return isinstance(payload, facts.Interrupted)
