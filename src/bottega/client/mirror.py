"""What a client knows of a session without asking again: it is kept up by every fact that the client sees."""

import msgspec

from bottega.events import facts
from bottega.events.event import Event
from bottega.sessions.asks import Ask
from bottega.sessions.session import SessionRow


class Mirror:
    def __init__(self, row: SessionRow, under_way: list[str], asks: list[Ask]) -> None:
        """As of the row's `last_index`."""
        self.row = row
        self.under_way = under_way
        """The prompts that run or wait, in their order."""
        self.asks = {ask.id: ask for ask in asks}

    def note(self, fact: Event, ask: Ask | None = None) -> None:
        """Mind a fact, unless it was minded before; `ask` is the one that it tells of."""
        if fact.index <= self.row.last_index:
            return
        self.row = msgspec.structs.replace(
            self.row, last_index=fact.index, updated_at=max(fact.at, self.row.updated_at)
        )
        match fact.data:
            case facts.PromptQueued():
                self.under_way.append(fact.message_id)
            case facts.PromptCancelled() | facts.ExchangeResponse():
                self._over(fact.message_id)
            case facts.UserMessage(prompt_id=taken) if taken:
                self._over(taken)
            case facts.ApprovalRequired() if ask and ask.reply is None:
                self.asks[ask.id] = ask
            case facts.ApprovalResolved():
                self.asks.pop(fact.data.approval_id, None)
            case facts.ModeChanged():
                self.row = msgspec.structs.replace(self.row, mode=fact.data.mode)
            case facts.ModelChanged():
                self.row = msgspec.structs.replace(self.row, model=fact.data.model)
            case facts.AgentChanged():
                self.row = msgspec.structs.replace(self.row, agent=fact.data.agent)
            case _:
                pass

    def _over(self, message_id: str) -> None:
        self.under_way = [each for each in self.under_way if each != message_id]
