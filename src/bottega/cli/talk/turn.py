"""One exchange of a conversation: shown, asked about, and at its end what becomes of a plan."""

from collections.abc import Callable
from contextlib import nullcontext

from bottega.cli.asking import pending, place, plan
from bottega.cli.follow import follow
from bottega.cli.screen.calls.under_way import Look
from bottega.cli.screen.live import Live
from bottega.cli.screen.notes import Fill
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.plain import Canvas, Plain
from bottega.cli.screen.terminal import Terminal
from bottega.cli.talk.steering import Steering
from bottega.events import facts
from bottega.events.event import Event
from bottega.studio.answering import Answering
from bottega.studio.anywhere import AnySession

Prompted = Callable[[facts.UserMessage], list[str]]


class Turns:
    def __init__(
        self,
        terminal: Terminal,
        look: Look | None = None,
        fill: Fill | None = None,
        *,
        steers: bool = False,
    ) -> None:
        """`look` shows what a change did to a file, `fill` how full a window is; neither can be had everywhere."""
        self._terminal = terminal
        self._look = look
        self._fill = fill
        self._steers = steers
        """What is typed while an exchange runs is said into it; else it waits for the next prompt."""
        self.canvas: Canvas | None = None
        """Where an exchange is being shown, while one is."""
        self.asks = place.is_there()
        """Somebody is there who can be asked."""
        self.code = 0
        """What the program ends with."""

    async def follow(
        self, session: AnySession, answer: Answering, prompt: Prompted | None = None
    ) -> bool:
        """Show the exchange to its end; False if the person leaves. `prompt` draws what was said, if others said it."""
        self.canvas = canvas = self._canvas()
        desk = place.desk(canvas, self._terminal) if self.asks else None
        try:
            steering = Steering(desk, session) if desk and self._steers else nullcontext()
            shown = _WithPrompt(canvas, prompt) if prompt else canvas
            with steering:
                followed = await follow(answer, session, shown, desk)
        finally:
            self.canvas = None
        if followed.stop.leaves or followed.stop.at_once:
            return False
        waiting = [ask for ask in session.asks() if ask.kind != "plan"]
        if followed.end is None and waiting and not self.asks:
            painter = Painter(colour=self._terminal.colour, plain=not self._terminal.moves)
            lines = pending.told(session.row, waiting, self._terminal, painter)
            self._terminal.lines(lines)
            self.code = pending.CODE
            return False
        return await self.planned(session)

    async def planned(self, session: AnySession) -> bool:
        """Ask what becomes of a plan that was offered, and have it carried out."""
        offered = [ask for ask in session.asks() if ask.kind == "plan"]
        if not offered or not self.asks:
            return True
        still = Plain(self._terminal, self._terminal, self._terminal)
        still.put("", [""])
        decision = await plan.decide(place.desk(still, self._terminal), offered[-1])
        if decision.word == "accept":
            mode, edited = decision.mode, decision.edited
            return await self.follow(
                session, await session.accept_plan(mode, edited=edited, wait=True)
            )
        if decision.word == "discard":
            await session.discard_plan()
            still.put("", ["The plan is discarded."])
        return True

    def _canvas(self) -> Canvas:
        look, fill = self._look, self._fill
        if self._terminal.moves:
            self._terminal.write("\n")
            return Live(self._terminal, look=look, fill=fill)
        still = self._terminal
        return Plain(still, still, still, footer=True, look=look, fill=fill)


class _WithPrompt:
    """A screen on which the prompt itself is shown too: nobody typed it here."""

    def __init__(self, canvas: Canvas, prompt: Prompted) -> None:
        self._canvas = canvas
        self._prompt = prompt

    def show(self, event: Event) -> None:
        if isinstance(event.data, facts.UserMessage):
            self._canvas.put("prompt", self._prompt(event.data))
        self._canvas.show(event)

    def tick(self) -> None:
        self._canvas.tick()

    def close(self) -> None:
        self._canvas.close()
