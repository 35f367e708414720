"""What a screen draws of a session: everything in order, and also the answer that is still streaming or broke off.

`assistant_message` and `tool_result` replace what was streamed of them; `stream_reset` and a new attempt void it.
Text is kept as parts and joined when the transcript is asked for, never at each piece.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Literal

import msgspec

from bottega.events import facts as f
from bottega.events.event import Event
from bottega.messages.block import (
    Audio,
    Block,
    Document,
    Image,
    Media,
    Reasoning,
    Sources,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.messages.message import Usage
from bottega.sessions.asks import TOLD, asker

State = Literal["streaming", "planned", "running", "done", "failed", "unknown"]
"""Of a tool use; `unknown`: it was begun, and nobody knows how it ended."""


class _Item(msgspec.Struct, frozen=True, kw_only=True):
    index: int
    """The event that it begins with."""
    at: int
    message_id: str = ""


class Prompt(_Item, frozen=True, tag="prompt", tag_field="kind"):
    content: tuple[Block, ...]
    steer: bool = False


class Thought(_Item, frozen=True, tag="thought", tag_field="kind"):
    text: str
    partial: bool = False


class Answer(_Item, frozen=True, tag="answer", tag_field="kind"):
    text: str
    partial: bool = False
    """Still streaming, or broken off."""


class Use(_Item, frozen=True, tag="use", tag_field="kind"):
    tool_id: str
    name: str
    input: dict[str, Any] = {}
    written: str = ""
    """The arguments as far as they were streamed, or as the model wrote them where they are no JSON object."""
    state: State = "planned"
    output: tuple[Text | Image | Audio | Document, ...] = ()
    duration_ms: int = 0
    blob: str = ""
    """Where the whole output is kept when `output` is a part of it."""
    child: str = ""
    """The id of the session to which it handed its task."""
    usage: Usage = Usage()
    cost: int | None = 0
    """Of model calls that it made."""


class Attached(_Item, frozen=True, tag="attached", tag_field="kind"):
    """A picture or the like that the model made."""

    media: Image | Audio | Document


class Cited(_Item, frozen=True, tag="cited", tag_field="kind"):
    sources: Sources


class Notice(_Item, frozen=True, tag="notice", tag_field="kind"):
    topic: str
    """The type of the event that it tells of."""
    text: str
    hint: str = ""
    detail: str = ""
    """What need not be read at once, such as the summary of a compaction."""


class End(_Item, frozen=True, tag="end", tag_field="kind"):
    response: f.ExchangeResponse


Item = Prompt | Thought | Answer | Use | Attached | Cited | Notice | End


def _retrying(what: f.ConversationRetrying) -> str:
    return f"{what.reason} Trying again: {what.number} of {what.of}."


def _asked(what: f.ApprovalRequired) -> str:
    question = what.question or f"May it use {what.tool_name}?"
    return f"{agent} asks: {question}" if (agent := asker(what)) else question


def _resolved(what: f.ApprovalResolved) -> str:
    said = TOLD.get(what.answer, what.answer)
    more = ": ".join(filter(None, (what.grant, what.note)))
    return f"{said}: {more}" if more else f"{said}."


def compacted(what: f.Compaction) -> str:
    """What a compaction dropped, in a sentence; one of the first kind is nothing but its summary."""
    if not what.before:
        return what.summary
    counts = [
        f"{count:,} {name if count != 1 else name[:-1]}"
        for name, count in (
            ("answers", what.dropped.get("messages", 0)),
            ("results", what.dropped.get("results", 0)),
        )
        if count
    ]
    gone = f" {' and '.join(counts)} left the model's sight." if counts else ""
    return f"Compacted: {what.before:,} → {what.after:,} tokens.{gone}"


_NOTES: dict[Any, Callable[[Any], str]] = {
    f.ConversationRetrying: _retrying,
    f.Compaction: compacted,
    f.CompactionUndone: lambda _: (
        "A compaction was undone: the model sees again what it had dropped."
    ),
    f.SessionReset: lambda _: "Reset: the model sees nothing of what stands above.",
    f.SessionCleared: lambda _: "Cleared: what was said before was deleted.",
    f.RemoteStarted: lambda what: f"{what.agent or 'An agent'} at {what.address} answers.",
    f.FileReady: lambda what: what.path,
    f.ModeChanged: lambda what: what.mode,
    f.ModelChanged: lambda what: what.model,
    f.AgentChanged: lambda what: what.agent,
    f.ApprovalRequired: _asked,
    f.ApprovalResolved: _resolved,
}


def transcript(events: Iterable[Event]) -> list[Item]:
    """Everything that a screen draws of these facts and deltas."""
    drawn = Transcript()
    for event in events:
        drawn.add(event)
    return drawn.items()


class Transcript:
    """The same, for one who follows: `add` what comes, ask for `items` whenever the screen is drawn."""

    def __init__(self) -> None:
        self._done: list[Item] = []
        self._uses: dict[str, int] = {}
        """Where each tool use stands in `_done`."""
        self._streamed: list[_Streamed | Notice] = []
        """What the answer of the current step would replace, and the notice that it broke off."""
        self._output: dict[str, list[str]] = {}

    def add(self, event: Event) -> None:
        """Take the next event of the log; what it does not know it leaves out."""
        rule = self._rules.get(type(event.data))
        if rule is not None:
            rule(self, event, event.data)

    def items(self) -> list[Item]:
        """What there is now, in order."""
        done = self._done
        if self._output:
            done = list(done)
            for tool_id, parts in self._output.items():
                place = self._uses.get(tool_id)
                if place is not None:
                    text = Text("".join(parts))
                    done[place] = msgspec.structs.replace(done[place], output=(text,))
        return [*done, *self._pieces()]

    def _said(self, event: Event, prompt: f.UserMessage) -> None:
        self._break_off()
        self._put(event, Prompt, content=prompt.content, steer=prompt.steer)

    def _started(self, _: Event, __: Any) -> None:
        self._done += [piece for piece in self._streamed if isinstance(piece, Notice)]
        self._streamed = []

    def _text(self, event: Event, piece: f.TextDelta) -> None:
        self._stream("text", event).parts.append(piece.text)

    def _thought(self, event: Event, piece: f.ReasoningDelta) -> None:
        self._stream("reasoning", event).parts.append(piece.text)

    def _argument(self, event: Event, piece: f.InputJsonDelta) -> None:
        streamed = self._stream(f"call {piece.block}", event)
        streamed.parts.append(piece.partial_json)
        streamed.tool_id = streamed.tool_id or piece.id
        streamed.name = streamed.name or piece.name

    def _answered(self, event: Event, answer: f.AssistantMessage) -> None:
        self._started(event, answer)
        for block in answer.content:
            self._block(event, block)
        for notice in answer.notices:
            self._put(event, Notice, topic=event.type, text=notice)

    def _block(self, event: Event, block: Block) -> None:
        if isinstance(block, Text) and block.text:
            self._put(event, Answer, text=block.text)
        elif isinstance(block, Reasoning) and block.text:
            self._put(event, Thought, text=block.text)
        elif isinstance(block, ToolUse):
            self._uses[block.id] = len(self._done)
            written = block.malformed
            self._put(
                event, Use, tool_id=block.id, name=block.name, input=block.input, written=written
            )
        elif isinstance(block, ToolResult):
            state = "failed" if block.is_error else "done"
            self._update(block.tool_id, state=state, output=block.content)
        elif isinstance(block, Media):
            self._put(event, Attached, media=block)
        elif isinstance(block, Sources):
            self._put(event, Cited, sources=block)

    def _began(self, _: Event, intent: f.ToolIntent) -> None:
        self._update(intent.tool_id, state="running")

    def _printed(self, _: Event, piece: f.ToolOutputDelta) -> None:
        self._output.setdefault(piece.tool_id, []).append(piece.text)

    def _ran(self, event: Event, result: f.ToolResultFact) -> None:
        self._output.pop(result.tool_id, None)
        if result.tool_id not in self._uses:
            self._uses[result.tool_id] = len(self._done)
            self._put(event, Use, tool_id=result.tool_id, name=result.name)
        self._update(
            result.tool_id,
            state="failed" if result.is_error else "done",
            output=result.content,
            duration_ms=result.duration_ms,
            blob=result.blob,
            usage=result.usage,
            cost=result.cost,
        )

    def _handed_on(self, _: Event, started: f.ChildStarted) -> None:
        self._update(started.tool_id, child=started.session_id)

    def _ended(self, event: Event, response: f.ExchangeResponse) -> None:
        self._break_off()
        for tool_id, place in self._uses.items():
            use = self._done[place]
            if isinstance(use, Use) and use.state in ("planned", "running"):
                self._update(tool_id, state="unknown")
        self._put(event, End, response=response)

    def _failed(self, event: Event, error: f.ErrorMessage) -> None:
        self._break_off()
        self._put(event, Notice, topic=event.type, text=error.message, hint=error.hint)

    def _noted(self, event: Event, what: Any) -> None:
        detail = what.summary if isinstance(what, f.Compaction) and what.before else ""
        text = _NOTES[type(what)](what)
        self._put(event, Notice, topic=event.type, text=text, detail=detail)

    def _interrupted(self, event: Event, what: f.Interrupted) -> None:
        # It stands after what had been streamed, which a new attempt will take away.
        into = self._streamed or self._done
        into.append(
            Notice(
                index=event.index,
                at=event.at,
                message_id=event.message_id,
                topic=event.type,
                text=what.reason,
            )
        )

    def _stream(self, key: str, event: Event) -> "_Streamed":
        # Pieces of parallel calls may come mixed; words go on only where the last ones stand.
        for piece in reversed(self._streamed if key.startswith("call") else self._streamed[-1:]):
            if isinstance(piece, _Streamed) and piece.key == key:
                return piece
        fresh = _Streamed(key, event)
        self._streamed.append(fresh)
        return fresh

    def _pieces(self) -> list[Item]:
        return [p.item() if isinstance(p, _Streamed) else p for p in self._streamed]

    def _break_off(self) -> None:
        """What was streamed will not be completed any more: it stays as far as it got."""
        self._done += self._pieces()
        self._streamed = []

    def _put(self, event: Event, kind: Any, **fields: Any) -> None:
        self._done.append(
            kind(index=event.index, at=event.at, message_id=event.message_id, **fields)
        )

    def _update(self, tool_id: str, **fields: Any) -> None:
        place = self._uses.get(tool_id)
        if place is not None:
            self._done[place] = msgspec.structs.replace(self._done[place], **fields)

    _rules: ClassVar[dict[Any, Callable[["Transcript", Event, Any], None]]] = {
        **dict.fromkeys(_NOTES, _noted),
        f.UserMessage: _said,
        f.MessageStart: _started,
        f.StreamReset: _started,
        f.TextDelta: _text,
        f.ReasoningDelta: _thought,
        f.InputJsonDelta: _argument,
        f.AssistantMessage: _answered,
        f.ToolIntent: _began,
        f.ChildStarted: _handed_on,
        f.ToolOutputDelta: _printed,
        f.ToolResultFact: _ran,
        f.ExchangeResponse: _ended,
        f.ErrorMessage: _failed,
        f.Interrupted: _interrupted,
    }


class _Streamed:
    """A block of which only pieces are there."""

    __slots__ = ("event", "key", "name", "parts", "tool_id")

    def __init__(self, key: str, event: Event) -> None:
        self.key = key
        self.event = event
        self.parts: list[str] = []
        self.tool_id = ""
        self.name = ""

    def item(self) -> Item:
        self.parts = ["".join(self.parts)]
        text = self.parts[0]
        index, at, message_id = self.event.index, self.event.at, self.event.message_id
        if self.key == "text":
            return Answer(index=index, at=at, message_id=message_id, text=text, partial=True)
        if self.key == "reasoning":
            return Thought(index=index, at=at, message_id=message_id, text=text, partial=True)
        return Use(
            index=index,
            at=at,
            message_id=message_id,
            tool_id=self.tool_id,
            name=self.name,
            written=text,
            state="streaming",
        )
