"""What one call of a tool may use of its session: implements `tools.context.Context`."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from bottega.approvals.touch import Touch
from bottega.errors import Problem
from bottega.events import facts
from bottega.messages.block import Text, ToolUse, plain_text
from bottega.messages.message import Message, Usage
from bottega.providers.provider import Failed, Finished, Request
from bottega.sessions.bounds.keeping import TooMuchKept
from bottega.sessions.told import entries
from bottega.storage.disk import DiskNearlyFull
from bottega.tools.context import Question, Remembered, Todo
from bottega.tools.tool import Tool
from bottega.workers.acting.linked import Linked
from bottega.workers.acting.noted import Noted
from bottega.workers.acting.question import by_child
from bottega.workers.acting.scene import Scene
from bottega.workspaces.confine import Root
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox.sandbox import Sandbox
from bottega.workspaces.shells.shells import Shells


def _remembered(entry: entries.Entry, text: str) -> Remembered:
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(entry.at / 1000))
    return Remembered(entry.index, entry.who, when, text)


def _refuses_nothing(url: str) -> str:
    return ""


class ModelFailed(Problem):
    """The model could not answer a tool."""

    code = "model_failed"


class CallContext:
    def __init__(
        self,
        exchange: Scene,
        root: Root,
        use: ToolUse,
        tool: Tool | None,
        hide: tuple[str, ...] = (),
        linked: Linked | None = None,
        refused_redirect: Callable[[str], str] = _refuses_nothing,
    ) -> None:
        """`hide` are patterns of paths that a rule denies: a search leaves them out, and what is `linked` to them."""
        self._refused_redirect = refused_redirect
        self._linked = linked
        self.root = root
        self.session_id = exchange.session.id
        self.person = exchange.session.owner
        self.call_id = use.id
        own: Mapping[str, Any] = tool.settings if tool else {}
        self.settings = {**own, "hide": [*own.get("hide", ()), *hide]} if hide else own
        self.judged: Touch | None = None
        self._exchange = exchange
        self._use = use
        self._may_park = tool is not None and tool.waits
        self._seen: dict[str, str] = {}
        self._writes: tuple[facts.FileChange, ...] = ()
        self._blob = ""
        self._usage = Usage()
        self._cost: int | None = 0

    def refused_redirect(self, url: str) -> str:
        return self._refused_redirect(url)

    def is_denied(self, path: str) -> bool:
        return self._linked is not None and self._linked.hides(path)

    def noted(self, began: float) -> Noted:
        seen = tuple(facts.FileSeen(path, digest) for path, digest in self._seen.items())
        took = round((time.monotonic() - began) * 1000)
        return Noted(took, self._blob, seen, self._writes, self._usage, self._cost)

    def wrote(self, writes: Iterable[facts.FileChange]) -> None:
        """Files that a command was found to have changed."""
        self._writes = tuple(writes)

    async def keep(self, whole: str) -> str:
        try:
            self._blob = await self._exchange.keep(whole.encode("utf-8", "surrogateescape"))
        except (TooMuchKept, DiskNearlyFull) as problem:
            return f"The whole could not be kept: {problem}"
        return f"The whole is kept: read_output with output_id {self.call_id!r} shows more of it."

    def emit_output(self, text: str) -> None:
        self._exchange.emit(facts.ToolOutputDelta(self.call_id, text))

    def saw(self, path: str, digest: str) -> None:
        self._seen[path] = digest

    def seen(self, path: str) -> str:
        return self._exchange.known.seen.get(path, "")

    def recall(self, path: str) -> bytes | None:
        return self._exchange.held(path)

    async def search_log(self, query: str, most: int) -> list[Remembered]:
        session = self._exchange.session
        rows = await self._exchange.hands.log.facts(session.n)
        found = await asyncio.to_thread(entries.find, rows, query, most, self._whole)
        return [_remembered(entry, around) for entry, around in found]

    async def read_log(self, index: int) -> Remembered | None:
        rows = await self._exchange.hands.log.facts(self._exchange.session.n, index - 1)
        entry = await asyncio.to_thread(entries.read, rows[:1], index, self._whole)
        return _remembered(entry, entry.text) if entry else None

    def _whole(self, blob: str) -> str:
        with suppress(Problem):  # it may be gone; then there is what the model was shown
            return self._exchange.store.read(blob).decode("utf-8", "replace")
        return ""

    async def sandbox(self, *, network: bool = False) -> Sandbox:
        return await self._exchange.sandbox(self.root, network=network)

    @property
    def outputs(self) -> Outputs:
        return self._exchange.hands.outputs(self._exchange.session)

    @property
    def shells(self) -> Shells:
        return self._exchange.hands.shells

    async def ask(self, question: Question) -> str:
        body = msgspec.json.encode(question)
        asked = facts.ApprovalRequired(
            "",
            "question",
            self.call_id,
            self._use.name,
            hashlib.sha256(body + self._place.encode()).hexdigest(),
            question.text,
            question.choices,
        )
        asked = by_child(asked, self._exchange)
        answered = await self._exchange.asking.ask(asked, self._use.input, may_park=self._may_park)
        assert answered.reply is not None
        return answered.reply.note

    @property
    def _place(self) -> str:
        """Where in all that happens this call stands: the same question is another one elsewhere."""
        exchange = self._exchange
        return f"/{exchange.session.id if exchange.parent else ''}/{exchange.step}"

    async def spawn(self, agent: str, task: str) -> dict[str, Any]:
        done = await self._exchange.children.run(self.call_id, agent, task, self.emit_output)
        end = done.response
        self._usage = self._usage + end.usage
        self._cost = None if end.cost is None or self._cost is None else self._cost + end.cost
        return {
            "session_id": done.session_id,
            "success": end.success,
            "completion_reason": end.completion_reason,
            "iterations": end.iterations,
            "response": end.final_response,
        }

    async def delegate(self) -> dict[str, Any]:
        """Have the client that declared this tool run it, and wait for what it sends back."""
        body = msgspec.json.encode([self._use.name, self._use.input, self._place], order="sorted")
        asked = facts.ApprovalRequired(
            "", "client", self.call_id, self._use.name, hashlib.sha256(body).hexdigest()
        )
        asked = by_child(asked, self._exchange)
        answered = await self._exchange.asking.ask(asked, self._use.input)
        assert answered.reply is not None
        return answered.reply.input or {}

    async def todos(self) -> tuple[Todo, ...]:
        return tuple(
            msgspec.convert(msgspec.to_builtins(item), Todo)
            for item in self._exchange.hands.todos(self._exchange.session.n)
        )

    async def set_todos(self, todos: tuple[Todo, ...]) -> None:
        items = tuple(facts.TodoItem(todo.content, todo.status, todo.priority) for todo in todos)
        await self._exchange.record(facts.TodosChanged(items))

    async def complete(self, instructions: str, text: str) -> str:
        model = self._exchange.plan.model
        request = Request(
            model=model.wire_name,
            messages=(Message("user", (Text(text),)),),
            system=instructions,
            abilities=model.abilities,
        )
        async with self._exchange.calling(request) as stream:
            async for event in stream:
                if isinstance(event, Finished):
                    cost = event.cost if event.cost is not None else model.price(event)
                    self._usage = self._usage + event.usage
                    self._cost = None if cost is None or self._cost is None else self._cost + cost
                    return plain_text(event.content).strip()
                if isinstance(event, Failed):
                    raise ModelFailed(
                        f"The model could not answer: {event.message}", hint=event.hint
                    )
        raise ModelFailed("The model ended its answer without a word.")
