"""All four vendors at one address: they judge every request as strictly as they can, and answer by what it holds.

What is answered depends on the seed, the request and how many came before it, never on time. Each answer counts
another number of tokens, so that none can be taken for another in anybody's books.
"""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random

import msgspec
from aiohttp import web

from bottega.agents.context import summary
from bottega.messages.message import Usage
from bottega.providers.wires import WireName
from tests.day.hours import FIRST
from tests.day.speech import Called, Said, spoken, too_long
from tests.wire import anthropic, chat, gemini, responses
from tests.wire.verdict import Body, Rejected, strings

MARK = re.compile(r"\[(hour|errand) (\d+), (\d+) steps\]")
PATHS: tuple[tuple[str, WireName], ...] = (
    ("/messages", "anthropic"),
    ("/chat/completions", "openai-chat"),
    ("/responses", "openai-responses"),
    (":streamGenerateContent", "gemini"),
)
SUMMARY = "## Done\nMuch of the roof, in many steps, none of which matters by itself any more."


class Asked(msgspec.Struct, frozen=True):
    """A request that came in."""

    wire: WireName
    model: str
    body: Body
    words: tuple[str, ...]
    """All that stands in it."""

    @property
    def is_summary(self) -> bool:
        head = summary.PROMPT[:60]
        return any(word.startswith(head) for word in self.words)

    @property
    def mark(self) -> tuple[str, int, int]:
        """What is being worked on, and how many steps it takes."""
        found = [each for word in self.words for each in MARK.findall(word)]
        # An errand stands in the call that sent somebody on it, too.
        hours = [each for each in found if each[0] == "hour"] or found
        kind, number, steps = hours[-1] if hours else ("", 0, 0)
        return kind, int(number), int(steps)


class Served(msgspec.Struct, frozen=True):
    """An answer that went out whole."""

    asked: Asked
    usage: Usage


class Vendor:
    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.asked: list[Asked] = []
        self.served: list[Served] = []
        self.wrong: list[str] = []
        """Why requests had to be refused."""
        self.kill_at = 0
        """The request in whose answer `kill` is called."""
        self.kill: Callable[[], None] = lambda: None
        self._given: Counter[tuple[str, int]] = Counter()
        self._refused: set[int] = set()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        wire = next(name for end, name in PATHS if request.path.endswith(end))
        body = json.loads(await request.read())
        model = body.get("model") or request.path.rpartition("/")[2].partition(":")[0]
        asked = Asked(wire, model, body, tuple(strings(body)))
        self.asked.append(asked)
        self._judge(asked)
        if fault := self._fault(asked):
            return fault
        said = self._said(asked)
        return await self._stream(request, asked, said)

    def _judge(self, asked: Asked) -> None:
        try:
            match asked.wire:
                case "anthropic":
                    anthropic.check(asked.body)
                case "openai-chat":
                    chat.check(asked.body)
                case "openai-responses":
                    responses.check(asked.body)
                case "gemini":
                    gemini.check(asked.body, sealed=asked.model.startswith("gemini-3"))
        except Rejected as why:
            self.wrong.append(f"{len(self.asked)} {asked.wire}: {why}")
        due = asked.mark[0] == "hour" and not asked.is_summary
        if due and not any(FIRST in word for word in asked.words):
            self.wrong.append(f"{len(self.asked)}: the first words are gone")

    def _fault(self, asked: Asked) -> web.Response | None:
        """Once a day a server is overloaded, and once it finds a request too long."""
        _, hour, _ = asked.mark
        if asked.is_summary or hour in self._refused or self._given["hour", hour] != 3:
            return None
        if hour == 2:
            self._refused.add(hour)
            return web.json_response({"error": {"message": "overloaded"}}, status=503)
        if hour == 10:
            self._refused.add(hour)
            status, body = too_long(asked.wire)
            return web.Response(body=body, status=status, content_type="application/json")
        return None

    def _said(self, asked: Asked) -> Said:
        number = len(self.asked)
        dice = Random(f"{self.seed}:{number}")
        said = self._chosen(asked, number, dice)
        counted = sum(map(len, asked.words)) // 4
        return msgspec.structs.replace(said, input_tokens=counted, output_tokens=20 + number)

    def _chosen(self, asked: Asked, number: int, dice: Random) -> Said:
        if asked.is_summary:
            return Said(f"{SUMMARY} ({number})")
        kind, name, steps = asked.mark
        self._given[kind, name] += 1
        if any("You write signs." in word for word in asked.words):
            return Said(f"Here it is.\n\n```text sign-{number}.txt\nThe mill.\n```\n")
        if self._given[kind, name] > steps:
            return Said(f"The {kind} {name} is over.", thought="All done." * dice.randrange(2))
        calls = self._calls(asked, number, dice)
        text = "" if dice.random() < 0.4 else f"Step {number}."
        thought = f"What about {number}?" if dice.random() < 0.6 else ""
        if any("You think aloud." in word for word in asked.words):
            text = f"THOUGHT: So far {number}.\n\n{text}"
        if _offers_tools(asked):
            return Said(text, thought, calls)
        fences = [
            f'```tool_call\n{{"name": "{call.name}", "arguments": {call.arguments}}}\n```'
            for call in calls
        ]
        return Said("\n\n".join([text, *fences]).strip())

    def _calls(self, asked: Asked, number: int, dice: Random) -> tuple[Called, ...]:
        looks = _call(number, 1, "survey", {"place": f"joist {number}"})
        kind, hour, _ = asked.mark
        if (kind, hour) == ("hour", 2):  # in which it may only plan for a while
            return (_call(number, 0, "leave_trace", {"name": f"trace {number}"}), looks)
        if (kind, hour) == ("hour", 3) and self._given["hour", 3] == 2:
            task = f"[errand {number}, 2 steps] Fetch the ladder."
            return (_call(number, 0, "delegate", {"agent": "roofer", "task": task}), looks)
        draw = dice.random()
        if draw < 0.5:
            return (_call(number, 0, "survey", {"place": f"beam {number}"}),)
        if draw < 0.65:
            places = [{"place": f"rafter {number}.{n}"} for n in range(dice.randrange(2, 5))]
            return tuple(_call(number, n, "survey", each) for n, each in enumerate(places))
        odd = dice.choice(
            (
                ("stumble", {"why": f"wet slate {number}"}),
                ("no_such_tool", {"n": number}),
                ("leave_trace", {"name": f"trace {number}"}),
                ("read_file", {"file_path": "nowhere.txt"}),
                ("write_file", {"file_path": f"notes-{number % 7}.txt", "content": f"{number}\n"}),
                ("todo_write", {"todos": [{"content": f"do {number}", "status": "pending"}]}),
                ("recall", {"query": "planks"}),
            )
        )
        if draw > 0.95 and asked.wire != "gemini":  # which has no way to write it
            return (Called(f"call_{number}_0", "survey", '{"place": '),)
        return (_call(number, 0, *odd), looks)

    async def _stream(self, request: web.Request, asked: Asked, said: Said) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        pieces = spoken(asked.wire, said)
        last = len(self.asked) == self.kill_at
        if last:
            del pieces[Random(f"{self.seed}:kill").randrange(len(pieces)) :]
        try:
            for piece in pieces:
                await response.write(piece)
            if last:
                self.kill()
                return response
            await response.write_eof()
        except ConnectionError:  # whoever asked has gone
            return response
        self.served.append(Served(asked, Usage(said.input_tokens, said.output_tokens)))
        return response


def _call(number: int, place: int, name: str, arguments: Body) -> Called:
    return Called(f"call_{number}_{place}", name, json.dumps(arguments))


def _offers_tools(asked: Asked) -> bool:
    return bool(asked.body.get("tools"))


@asynccontextmanager
async def open_for_business(seed: str) -> AsyncIterator[tuple[Vendor, str]]:
    """The vendors, and their address."""
    vendor = Vendor(seed)
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/{path:.*}", vendor.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield vendor, f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
