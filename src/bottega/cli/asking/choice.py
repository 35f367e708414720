"""A question of the agent's own: choices by number, or words of one's own."""

from bottega.cli.asking.desk import Asking, Desk
from bottega.cli.asking.shown import asks
from bottega.cli.screen.clean import visible
from bottega.cli.screen.tools import Part
from bottega.sessions.asks import Ask, Reply

NINE = 9
"""Choices that have a key; of more, the rest are answered in words."""


_KEYS = [("t", "answer in your own words"), ("s", "stop")]


class Choice:
    def __init__(self, desk: Desk, ask: Ask) -> None:
        self._desk = desk
        self._question = asks(ask) + visible(ask.asked.question)
        self._choices = ask.asked.choices

    async def reply(self) -> Reply:
        """Show it, and wait for an answer."""
        desk = self._desk
        lines = self._question.split("\n")
        rows: list[list[Part]] = [[("? ", "accent"), (lines[0], "bold")]]
        rows += [[("│ ", "accent"), (line, "")] for line in lines[1:]]
        for number, choice in enumerate(self._choices, 1):
            rows.append([(f"  {number} ", "accent"), (visible(choice).replace("\n", " "), "")])
        desk.say("ask", *rows)
        with desk.asking() as asking:
            return await (self._one_of(asking) if self._choices else self._free(asking))

    async def _one_of(self, asking: Asking) -> Reply:
        last = min(NINE, len(self._choices))
        numbers = [(f"1–{last}" if last > 1 else "1", "choose")]
        hint = ""
        while True:
            key = await asking.key([*numbers, *_KEYS], hint)
            if key == "s":
                return Reply("stop")
            if key == "t" and (said := await asking.line("  answer › ")):
                return Reply("answer", said)
            if key.isdigit() and 1 <= int(key) <= last:
                return Reply("answer", self._choices[int(key) - 1])
            hint = "" if key == "t" else "Press one of these."

    async def _free(self, asking: Asking) -> Reply:
        """Words are wanted: the line stands open at once, and again if nothing was said."""
        await asking.quiet()
        while True:
            if said := await asking.line("  answer › "):
                return Reply("answer", said)
            if await asking.key(_KEYS) == "s":
                return Reply("stop")
