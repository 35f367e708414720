"""Two views of a session that are folded from its log: the chat that people remember, and the steps of each exchange.

The third, the model's history, is in `history`; what a screen draws is in `transcript`.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from bottega.events import facts as f
from bottega.events.event import Event
from bottega.events.fold import result_text
from bottega.events.layers import AgentStep, StepResult, ToolCall
from bottega.messages.block import Block, Media, Reasoning, plain_text, tool_uses
from bottega.messages.message import Usage


class ChatMessage(msgspec.Struct, frozen=True):
    role: Literal["user", "assistant"]
    content: str
    timestamp: int


class Step(AgentStep, frozen=True):
    """One model call and the tools it asked for."""

    usage: Usage = Usage()
    model: str = ""
    cost: int | None = None
    """Micro-USD; None: the price is unknown."""


class Exchange(msgspec.Struct, frozen=True):
    message_id: str
    at: int
    request: tuple[Block, ...]
    steers: tuple[tuple[Block, ...], ...]
    """What the user added while it ran."""
    steps: tuple[Step, ...]
    response: f.ExchangeResponse | None
    """None while it runs, or where the log breaks off."""


def said(content: tuple[Block, ...]) -> str:
    """A prompt as text: its words, then one line for each thing that came with it."""
    names = [f"[{b.name or b.media_type}]" for b in content if isinstance(b, Media)]
    return "\n".join(filter(None, [plain_text(content), *names]))


def chat(facts: Iterable[Event]) -> list[ChatMessage]:
    """What was said, by whom: each prompt and steer, and of the agent only where each exchange ended.

    An exchange that was cut short, or still runs, shows the text it got to; with deltas among the facts that includes
    an answer that broke off.
    """
    messages: list[ChatMessage] = []
    reached = _Reached()
    for fact in facts:
        said_now = fact.data
        if isinstance(said_now, f.UserMessage):
            if not said_now.steer:
                _close(messages, reached)
                reached = _Reached()
            messages.append(ChatMessage("user", said(said_now.content), fact.at))
        elif isinstance(said_now, f.ExchangeResponse):
            if said_now.success or said_now.final_response:
                reached = _Reached()
                reached.end(said_now.final_response, fact.at)
            _close(messages, reached)
            reached = _Reached()
        else:
            reached.add(fact)
    _close(messages, reached)
    return messages


class _Reached:
    """The last text of an exchange so far, which may turn out to be its last words."""

    def __init__(self) -> None:
        self.whole = ""
        self.at = 0
        self._streamed: list[str] = []

    def add(self, fact: Event) -> None:
        what = fact.data
        if isinstance(what, f.TextDelta):
            self._streamed.append(what.text)
            self.at = fact.at
        elif isinstance(what, f.MessageStart | f.StreamReset):
            self._streamed = []
        elif isinstance(what, f.AssistantMessage):
            self._streamed = []
            self.end(plain_text(what.content), fact.at)

    def end(self, text: str, at: int) -> None:
        if text:
            self.whole, self.at = text, at

    def text(self) -> str:
        return "".join(self._streamed) or self.whole


def _close(messages: list[ChatMessage], reached: _Reached) -> None:
    if text := reached.text():
        messages.append(ChatMessage("assistant", text, reached.at))


def steps(facts: Iterable[Event]) -> list[Exchange]:
    """Every exchange with its steps, oldest first; deltas among the facts change nothing."""
    exchanges: list[Exchange] = []
    open_: _Open | None = None
    for fact in facts:
        what = fact.data
        if isinstance(what, f.UserMessage) and not what.steer:
            if open_:
                exchanges.append(open_.exchange(None))
            open_ = _Open(fact, what)
        elif open_ and isinstance(what, f.ExchangeResponse):
            exchanges.append(open_.exchange(what))
            open_ = None
        elif open_:
            open_.add(fact)
    if open_:
        exchanges.append(open_.exchange(None))
    return exchanges


class _Open:
    """An exchange on the way to its end."""

    def __init__(self, fact: Event, prompt: f.UserMessage) -> None:
        self._fact = fact
        self._request = prompt.content
        self._steers: list[tuple[Block, ...]] = []
        self._steps: list[Step] = []
        self._answer: f.AssistantMessage | None = None
        self._iteration = 0
        self._results: list[f.ToolResultFact] = []

    def add(self, fact: Event) -> None:
        what = fact.data
        if isinstance(what, f.UserMessage):
            self._steers.append(what.content)
        elif isinstance(what, f.MessageStart):
            self._tell()
        elif isinstance(what, f.AssistantMessage):
            self._tell()
            self._answer, self._iteration = what, fact.step
        elif isinstance(what, f.ToolResultFact):
            self._results.append(what)
            if self._answer and len(self._results) == len(tool_uses(self._answer.content)):
                self._tell()

    def exchange(self, response: f.ExchangeResponse | None) -> Exchange:
        self._tell(complete=bool(response and response.success))
        return Exchange(
            self._fact.message_id,
            self._fact.at,
            self._request,
            tuple(self._steers),
            tuple(self._steps),
            response,
        )

    def _tell(self, complete: bool = False) -> None:
        answer, self._answer = self._answer, None
        results, self._results = self._results, []
        if answer is None:
            return
        uses = tool_uses(answer.content)
        self._steps.append(
            Step(
                self._iteration,
                "".join(b.text for b in answer.content if isinstance(b, Reasoning)),
                tuple(ToolCall(use.id, use.name, use.input) for use in uses),
                tuple(StepResult(r.tool_id, r.name, result_text(r), r.is_error) for r in results),
                plain_text(answer.content),
                complete,
                answer.usage,
                answer.model,
                answer.cost,
            )
        )
