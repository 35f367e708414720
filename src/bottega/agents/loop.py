"""The loop: think, act, look at the results, until there is nothing more to do.

It knows neither database nor product. What happens goes out through `World`; a limit or a failure of the provider ends
the exchange with a reason. It raises only what `World` raises, and cancellation.
"""

import asyncio
from collections.abc import Sequence

from bottega.agents.course import Course, Failing, Remark, is_there
from bottega.agents.output import Wanted
from bottega.agents.plan import Plan
from bottega.agents.shape import Shaper
from bottega.agents.texting import in_text
from bottega.agents.think import Answer, Call
from bottega.agents.world import Ended, Left, World
from bottega.approvals.mode import Mode
from bottega.events import facts
from bottega.messages.block import ToolResult, ToolUse, tool_uses
from bottega.messages.message import Message
from bottega.messages.repair import repair
from bottega.messages.seal import unsealed
from bottega.providers.provider import Failed, Request


async def run(
    plan: Plan, history: list[Message], world: World, step: int = 0, left: Left | None = None
) -> Ended:
    """Run one exchange whose user message is the last of `history`.

    After a restart, `step` calls were made before it, and `left` is the last one, if nothing came of it yet.
    """
    steps = _Steps(plan, history, world)
    if left and (ended := await steps.take_up(left)):
        return ended
    while True:
        if over := await world.over(steps.course.repeats):
            return over
        step += 1
        time = asyncio.timeout(world.seconds_left())
        try:
            async with time:
                ended = await steps.take(step)
        except TimeoutError:
            if not time.expired():
                raise
            return await world.out_of_time()
        if ended:
            return ended


class _Steps:
    def __init__(self, plan: Plan, history: list[Message], world: World) -> None:
        self._plan = plan
        self._history = history
        self._world = world
        self._wanted = Wanted(plan.schema, history) if plan.schema is not None else None
        self._shaper = Shaper(plan.agent, text_mode=plan.text_mode, output=self._wanted)
        self.course = Course(plan.agent, self._wanted)
        self._first = True

    async def take(self, step: int) -> Ended | None:
        """One model call and what it asks for; the end, if it is one."""
        world, history = self._world, self._history
        mode = world.mode()
        answer = await self._think(step, mode)
        if isinstance(answer, Failed):
            said = facts.ErrorMessage(answer.message, answer.code, answer.retryable, answer.hint)
            await world.record(said)
            return Ended(False, "error", "error")
        content = answer.said.content
        history.append(Message("assistant", content, model=self._plan.model.name))
        uses = tool_uses(content)
        results = await world.act(uses, mode) if uses else []
        history += [Message("tool", (_result(each),)) for each in results]
        return await self._look(answer, results, mode)

    async def take_up(self, left: Left) -> Ended | None:
        """What comes of a step that another process made, and that is in the history already."""
        answer = Answer(left.said, self._shaper.again(left.said.content))
        return await self._look(answer, left.results, self._world.mode())

    async def _look(
        self, answer: Answer, results: Sequence[facts.ToolResultFact], mode: Mode
    ) -> Ended | None:
        content = answer.said.content
        if self._plan.agent.type == "StreamAgent":
            self._saved(tool_uses(content), results)
        self.course.note(content, results)
        steers = await self._world.steers()
        if steers:
            self._history += steers
            return None
        return await self._next(answer, results, mode)

    def _saved(self, uses: list[ToolUse], results: Sequence[facts.ToolResultFact]) -> None:
        for use, result in zip(uses, results, strict=True):
            if is_there(result):
                size = len(use.input["content"].encode())
                self._world.emit(facts.FileReady(use.input["file_path"], size))

    async def _next(
        self, answer: Answer, results: Sequence[facts.ToolResultFact], mode: Mode
    ) -> Ended | None:
        world = self._world
        found = self.course.next(answer.said, answer.shaped, results)
        if isinstance(found, Remark):
            world.remark(self._history, found.text)
            return None
        if isinstance(found, Failing):
            await world.record(found.error)
            return found.ended
        is_plan = mode == "plan" and self._plan.agent.type != "StreamAgent" and not self._wanted
        if found and found.success and found.final_response and is_plan:
            await world.offer(found.final_response)
        return found

    async def _think(self, step: int, mode: Mode) -> Answer | Failed:
        """Ask the model; a request that the provider cannot take is made another one, once."""
        world, history = self._world, self._history
        await world.make_room(history, "full")
        await world.tell(history, mode)
        if self._wanted and not self._wanted.was_told(history):
            world.remark(history, self._wanted.form)
        notices = self._plan.notices if self._first else ()
        self._first = False
        call = Call(self._plan.model, world, step)
        answer = await call.ask(self._request(), self._shaper, notices)
        if isinstance(answer, Failed) and await self._mended(answer):
            answer = await call.ask(self._request(), self._shaper, notices)
        return answer

    async def _mended(self, failed: Failed) -> bool:
        """Whether the next request can be one that the provider takes."""
        if failed.code == "context_overflow":
            return await self._world.make_room(self._history, "overflow")
        if failed.code == "no_tools" and self._plan.offers_tools:
            self._plan = self._world.forgo_tools()
            self._shaper = Shaper(self._plan.agent, text_mode=self._plan.text_mode)
            return True
        return False

    def _request(self) -> Request:
        plan, model, wishes = self._plan, self._plan.model, self._plan.wishes
        messages = unsealed(self._history, model.name)
        if not plan.offers_tools:
            messages = in_text(messages)
        return Request(
            model=model.wire_name,
            messages=self._world.load(repair(messages, model.origin)),
            system=self._world.system(),
            tools=plan.registry.specs() if plan.offers_tools else (),
            temperature=wishes.temperature,
            max_output=wishes.max_output,
            effort=wishes.effort,
            abilities=model.abilities,
            # A model that is held to JSON could not write its calls.
            schema=None if plan.text_mode else plan.schema,
            cache_key=plan.cache_key,
        )


def _result(result: facts.ToolResultFact) -> ToolResult:
    return ToolResult(result.tool_id, result.content, result.is_error)
