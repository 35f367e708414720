"""Lives of sessions, as dice have them: prompts, steps, crashes, cancels, steers, switches from wire to wire.

A life is what the log would hold, not what a provider would take: that is what `repair` and the wires are for. To let
something else happen in them, add a function to `HAPPENINGS`.
"""

from collections.abc import Callable
from random import Random
from typing import Any

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
from bottega.messages.message import Message

WIRES: tuple[Origin, ...] = ("anthropic", "openai-chat", "openai-responses", "gemini")
SEAL = "c2VhbA=="
TEXTS = (
    *("Do it.", "été", "So be it. " * 9, "a\n\nb", '{"a": 1}', "```\nx\n```"),
    *("", " ", "\n\t", "half \ud83d", "\ude00 and a pair \ud83d\ude00", "\x00\x1b[0m"),
)
NAMES = (
    *("read_file", "read_file", "bash", "mcp__x__y", "functions.read file", "", "n" * 80),
    *("9lives", "-x", "naïve\udfff", "a.b:c"),
)
INPUTS: tuple[dict[str, Any], ...] = (
    {},
    {"path": "a.py"},
    {"n": 1, "deep": [{"text": "\ud83d"}]},
    {"\ud800": "é"},
    {"x": None, "f": 1.5, "b": True},
)
IDS = ("a", "call_1", "functions.read:0", "", "ü", "x" * 50, "x" * 70, "b\ud800", "a\n", "-")
MEDIA = (
    *(Image("image/png", "aGk="), Image("image/png", "aGk=", name="\ud800.png")),
    *(Document("application/pdf", "aGk=", name="a.pdf"), Document("text/plain", "aGk=")),
    Image("image/png", ""),
)


class Life:
    """A session while it lives: what was said, and by which model."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self.history: list[Message] = []
        self.wire: Origin = dice.choice(WIRES)
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

    def hear(self, *blocks: Block) -> None:
        self.history.append(Message("user", blocks, self.fresh()))

    def answer(self, *blocks: Block) -> None:
        self.history.append(Message("assistant", blocks, self.fresh(), self.model))

    def result(self, call: str) -> ToolResult:
        many = self.dice.choice((0, 1, 1, 1, 2))
        shown = [Text(self.text()) for _ in range(many)]
        media = [self.dice.choice(MEDIA)] if self.chance(0.15) else []
        return ToolResult(call, (*shown, *media), self.chance(0.2))

    def give(self, *results: ToolResult) -> None:
        self.history.append(Message("tool", results, self.fresh()))

    def call(self) -> ToolUse:
        odd = self.chance(0.25)
        name = self.dice.choice(IDS) if odd else f"call_{self.fresh()}"
        called = self.dice.choice(NAMES if odd else NAMES[:3])
        malformed = self.dice.choice(('{"path": ', "\ud800")) if self.chance(0.1) else ""
        given: dict[str, Any] = {} if malformed else self.dice.choice(INPUTS)
        sealed = self.chance(0.5)
        if self.wire == "gemini" and sealed:
            return ToolUse(name, called, given, malformed, origin="gemini", signature=SEAL)
        raw = {"extra_content": {"google": {"thought_signature": SEAL}}}
        if self.wire == "openai-chat" and sealed:
            return ToolUse(name, called, given, malformed, origin="openai-chat", raw=raw)
        return ToolUse(name, called, given, malformed)

    def opening(self) -> list[Block]:
        """What a model says before it calls: thoughts, text, both or nothing."""
        said: list[Block] = [thought(self)] if self.chance(0.6) else []
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


def asks(life: Life) -> None:
    media = [life.dice.choice(MEDIA)] if life.chance(0.15) else []
    life.hear(*(Text(life.text()) for _ in range(life.dice.choice((1, 1, 1, 2, 0)))), *media)


def steps(life: Life) -> None:
    """One step that went well: calls side by side, and all their results."""
    calls = [life.call() for _ in range(life.dice.choice((1, 1, 2, 3, 5)))]
    life.answer(*life.opening(), *calls)
    results = [life.result(call.id) for call in calls]
    if life.chance(0.3):
        life.give(*results)
    else:
        for result in results:
            life.give(result)


def ends(life: Life) -> None:
    life.answer(*life.opening(), Text(life.text()))


def crashes(life: Life) -> None:
    """A step of which some results never came, and the others in any order; some twice."""
    calls = [life.call() for _ in range(life.dice.choice((1, 2, 4)))]
    life.answer(*life.opening(), *calls)
    come = [life.result(call.id) for call in calls if life.chance(0.5)]
    come += [life.result(call.id) for call in calls if life.chance(0.1)]
    life.dice.shuffle(come)
    for result in come:
        life.give(result)


def cancels(life: Life) -> None:
    """An answer that was cut anywhere: in a thought, in a text, or before anything was said."""
    said = life.opening()
    if life.chance(0.5):
        said.append(thought(life))
    life.answer(*said)


def steers(life: Life) -> None:
    steps(life)
    life.hear(Text(life.text()))
    steps(life)


def switches(life: Life) -> None:
    life.wire = life.dice.choice(WIRES)


def searches(life: Life) -> None:
    """The provider ran a tool itself; the answer may have been cut before its result."""
    use, found = provided(life.wire, life.fresh())
    blocks: list[Block] = [*life.opening(), use]
    if life.chance(0.7):
        blocks.append(found)
    if life.chance(0.6):
        blocks.append(Text(life.text()))
    life.answer(*blocks)


def floods(life: Life) -> None:
    """A hundred calls at once, and a name without end."""
    calls = [life.call() for _ in range(100)]
    calls.append(ToolUse("long", "n" * 5000, {}))
    life.answer(*calls)
    for call in calls[: life.dice.randrange(101)]:
        life.give(life.result(call.id))


def draws(life: Life) -> None:
    """A picture in an answer."""
    life.answer(*life.opening(), life.dice.choice(MEDIA))


def strays(life: Life) -> None:
    """A result that nobody waits for."""
    life.give(life.result(life.dice.choice(IDS)))


Happening = Callable[[Life], None]
HAPPENINGS: list[tuple[Happening, int]] = [
    (asks, 30),
    (steps, 30),
    (ends, 20),
    (crashes, 10),
    (cancels, 8),
    (steers, 5),
    (switches, 12),
    (searches, 5),
    (draws, 2),
    (strays, 2),
    (floods, 1),
]
"""What may happen, and how often."""


def lived(dice: Random) -> Life:
    """A session's life, ended anywhere: a crash leaves what was written until then."""
    life = Life(dice)
    asks(life)
    happenings, weights = zip(*HAPPENINGS, strict=True)
    for happening in dice.choices(happenings, weights, k=dice.randrange(1, 14)):
        happening(life)
    if life.chance(0.5):
        del life.history[dice.randrange(1, len(life.history) + 1) :]
    return life
