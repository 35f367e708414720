"""What a client knows of a session without asking again: it is kept up by every fact that the client sees."""

from collections.abc import Iterable
from typing import Any

import msgspec

from bottega.approvals.mode import Mode
from bottega.events import facts
from bottega.events.event import Event
from bottega.sessions.asks import Ask
from bottega.sessions.session import SessionRow


class Mirror:
    def __init__(
        self,
        row: SessionRow,
        mode: Mode,
        under_way: Iterable[str] = (),
        asks: Iterable[Ask] = (),
        children: Iterable[SessionRow] = (),
    ) -> None:
        """As of the row's `last_index`."""
        self.row = row
        self.mode: Mode = mode
        """The one in force: no more than the agent may."""
        self.under_way = list(under_way)
        """The prompts that run or wait, in their order."""
        self.asks = {ask.id: ask for ask in asks}
        self.children = list(children)

    def note(self, fact: Event, ask: Ask | None = None) -> None:
        """Mind a fact, unless it was minded before; `ask` is the one that it tells of."""
        if fact.index <= self.row.last_index:
            return
        self._become(last_index=fact.index, updated_at=max(fact.at, self.row.updated_at))
        match fact.data:
            case facts.PromptQueued():
                self.under_way.append(fact.message_id)
                self._become(status="queued" if self.row.status == "idle" else self.row.status)
            case facts.PromptMoved(order):
                begun = [each for each in self.under_way if each not in order]
                self.under_way = [*begun, *(each for each in order if each in self.under_way)]
            case facts.PromptCancelled() | facts.ExchangeResponse():
                self._over(fact.message_id)
            case facts.UserMessage(prompt_id=taken) if taken:
                self._over(taken)
            case facts.UserMessage():
                self._become(status="running")
            case facts.ApprovalRequired() if ask and ask.reply is None:
                self.asks[ask.id] = ask
                self._waits()
            case facts.ApprovalResolved():
                self.asks.pop(fact.data.approval_id, None)
                self._waits()
            case facts.ModeChanged() | facts.ModelChanged() | facts.AgentChanged():
                self._become(**msgspec.structs.asdict(fact.data))
            case _:
                pass

    def _waits(self) -> None:
        """What has begun either waits for somebody or runs."""
        if self.row.status in ("running", "waiting"):
            asked = any(ask.kind != "plan" for ask in self.asks.values())
            self._become(status="waiting" if asked else "running")

    def _over(self, message_id: str) -> None:
        self.under_way = [each for each in self.under_way if each != message_id]
        if not self.under_way:
            self._become(status="idle")

    def _become(self, **fields: Any) -> None:
        self.row = msgspec.structs.replace(self.row, **fields)
