"""A session while it lives, as dice have it: its log grows by what models say in their own ways, whole or cut off.

A log holds what happened, not what a provider would take: that is what the fold, `repair` and the wires are for.
"""

from random import Random
from typing import Any

import msgspec

from bottega.events import codec, facts
from bottega.events.event import Event
from bottega.events.facts import NAMES as TYPES
from bottega.messages.block import (
    Block,
    Document,
    Image,
    Origin,
    Reasoning,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.sessions.feed import Row

WIRES: tuple[Origin, ...] = ("anthropic", "openai-chat", "openai-responses", "gemini")
SEAL = "c2VhbA=="
TEXTS = (
    *("Do it.", "été", "So be it. " * 9, "a\n\nb", '{"a": 1}', "```\nx\n```"),
    *("", " ", "\n\t", "half \ufffd", "\ufffd and a pair \U0001f600", "\x00\x1b[0m"),
)
NAMES = (
    *("read_file", "read_file", "bash", "mcp__x__y", "functions.read file", "", "n" * 80),
    *("9lives", "-x", "naïve\ufffd", "a.b:c"),
)
INPUTS: tuple[dict[str, Any], ...] = (
    {},
    {"path": "a.py"},
    {"n": 1, "deep": [{"text": "\ufffd"}]},
    {"\ufffd": "é"},
    {"x": None, "f": 1.5, "b": True},
)
IDS = ("a", "call_1", "functions.read:0", "", "ü", "x" * 50, "x" * 70, "b\ufffd", "a\n", "-")
MEDIA = (
    *(Image("image/png", "aGk="), Image("image/png", "aGk=", name="\ufffd.png")),
    *(Document("application/pdf", "aGk=", name="a.pdf"), Document("text/plain", "aGk=")),
    Image("image/png", ""),
)


class Life:
    """A session while it lives: what its log holds, and which model speaks."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self.log: list[Row] = []
        self.wire: Origin = dice.choice(WIRES)
        self.in_text = False
        """The model has no calls of its own: they are read from what it writes."""
        self.count = 0

    @property
    def model(self) -> str:
        return f"{self.wire}/one"

    def chance(self, share: float) -> bool:
        return self.dice.random() < share

    def text(self) -> str:
        return self.dice.choice(TEXTS) if self.chance(0.4) else f"Words {self.fresh()}."

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def note(self, payload: msgspec.Struct) -> int:
        """Put a fact into the log; its index."""
        index = len(self.log) + 1
        event = Event(TYPES[type(payload)], index, payload)
        self.log.append((index, codec.encode(event)))
        return index

    def hear(self, *blocks: Block) -> None:
        self.note(facts.UserMessage(blocks))

    def answer(self, *blocks: Block) -> None:
        self.note(facts.AssistantMessage(blocks, "end_turn", asked=self.model))

    def result(self, call: str) -> ToolResult:
        many = self.dice.choice((0, 1, 1, 1, 2))
        shown = [Text(self.text()) for _ in range(many)]
        media = [self.dice.choice(MEDIA)] if self.chance(0.15) else []
        return ToolResult(call, (*shown, *media), self.chance(0.2))

    def give(self, *results: ToolResult) -> None:
        for each in results:
            self.note(facts.ToolResultFact(each.tool_id, "tool", each.content, each.is_error))

    def call(self) -> ToolUse:
        odd = self.chance(0.25)
        name = self.dice.choice(IDS) if odd else f"call_{self.fresh()}"
        called = self.dice.choice(NAMES if odd else NAMES[:3])
        if self.in_text:  # they are counted anew in every exchange
            name = f"text_{self.dice.randrange(1, 4)}_0_{self.dice.randrange(1, 4)}"
        malformed = (
            self.dice.choice(('{"path": ', "\ufffd", "a\n```\nb")) if self.chance(0.1) else ""
        )
        given: dict[str, Any] = {} if malformed else self.dice.choice(INPUTS)
        sealed = self.chance(0.5) and not self.in_text
        if self.wire == "gemini" and sealed:
            return ToolUse(name, called, given, malformed, origin="gemini", signature=SEAL)
        raw = {"extra_content": {"google": {"thought_signature": SEAL}}}
        if self.wire == "openai-chat" and sealed:
            return ToolUse(name, called, given, malformed, origin="openai-chat", raw=raw)
        return ToolUse(name, called, given, malformed)

    def opening(self) -> list[Block]:
        """What a model says before it calls: thoughts, text, both or nothing."""
        said: list[Block] = [thought(self)] if self.chance(0.6) else []
        if self.chance(0.1):
            said.append(Reasoning(f"Aloud {self.fresh()}.", said=True))
        if self.chance(0.5):
            said.append(Text(self.text()))
        return said


def thought(life: Life) -> Reasoning:
    """A thought as this wire's decoder keeps it, whole or cut off."""
    cut, wire = life.chance(0.2), life.wire
    words = "" if life.chance(0.1) else f"Thought {life.fresh()}."
    if wire == "anthropic":
        hidden = {"type": "redacted_thinking", "data": SEAL}
        if life.chance(0.2):
            return Reasoning("", wire, raw=hidden)
        return Reasoning(words, wire, "" if cut else SEAL)
    if wire == "gemini":
        return Reasoning(words, wire, "" if cut else SEAL)
    if wire == "openai-responses":
        summary = [{"type": "summary_text", "text": words}] if words else []
        item: dict[str, Any] = {"type": "reasoning", "id": f"rs_{life.count}", "summary": summary}
        sealed = item | {"encrypted_content": SEAL, "status": "completed"}
        return Reasoning(words, wire, raw=None if cut else sealed)
    detail = {"type": "reasoning.text", "text": words, "index": 0, "signature": SEAL}
    raws = (None, {"field": "reasoning_content"}, {"field": "reasoning", "details": [detail]})
    return Reasoning(words, wire, raw=life.dice.choice(raws))


def provided(wire: Origin, number: int) -> tuple[ToolUse, ToolResult]:
    """A tool that the provider ran itself, as this wire's decoder keeps it."""
    call = f"srvtoolu_{number}"
    use: dict[str, Any] | None = None
    found: dict[str, Any] | None = None
    if wire == "anthropic":
        use = {"type": "server_tool_use", "id": call, "name": "web_search", "input": {}}
        found = {"type": "web_search_tool_result", "tool_use_id": call, "content": []}
    elif wire == "openai-responses":
        action = {"type": "search", "query": "x"}
        use = {"type": "web_search_call", "id": call, "status": "completed", "action": action}
    elif wire == "gemini":
        use = {"executableCode": {"language": "PYTHON", "code": "1"}}
        found = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
    elif wire == "openai-chat":
        use = {"type": "search", "arguments": "{}"}
    return (
        ToolUse(call, "web_search", {}, server=True, origin=wire, raw=use),
        ToolResult(call, (Text("found"),), server=True, origin=wire, raw=found),
    )
