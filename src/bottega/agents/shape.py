"""What an answer is once it is read as its agent's type reads it: calls, thoughts, signals and files out of its text.

What was found is stored in the answer's blocks, so that no reader of the log has to look for it again.
"""

import asyncio
from typing import Any

import msgspec

from bottega.agents import output
from bottega.agents.agent import Agent, Type
from bottega.agents.reading.answer import Wanted, read
from bottega.agents.reading.files import FILE_FORM, files
from bottega.agents.reading.shown import Shown
from bottega.agents.reading.text_calls import told_foreign
from bottega.agents.reading.thought import THOUGHT_FORM
from bottega.events import facts
from bottega.messages.block import Block, Reasoning, Text, ToolUse, plain_text, tool_uses

SAVE = "write_file"
"""The tool by which a file that an answer holds is saved: it passes the same gate as any other."""

_SAVED = "file_"
_LONG = 20_000
"""Characters past which an answer is not read in passing."""

NEEDS: dict[Type, str] = {"StreamAgent": FILE_FORM, "ReActAgent": THOUGHT_FORM}
"""What the model of an agent of that type has to know, whatever its prompt says."""


class Shaped(msgspec.Struct, frozen=True):
    content: tuple[Block, ...]
    signalled: bool = False
    """It says that the task is complete."""
    foreign: str = ""
    """What to tell a model that wrote a call in a form that is not run."""
    calls_in_text: bool = False
    cut_off: tuple[str, ...] = ()
    """Files that broke off before their end."""


class Lens:
    """What of one text block may be shown while it is written."""

    def __init__(self, wanted: Wanted) -> None:
        self._shown = Shown(wanted)
        self._thoughts = self._shown.thoughts
        self._told = 0
        """How many of them are."""

    def feed(self, piece: str) -> list[msgspec.Struct]:
        return self._pieces(self._shown.feed(piece))

    def rest(self) -> list[msgspec.Struct]:
        """The text is over; what was held back, unless it is blank."""
        text = self._shown.rest()
        return self._pieces(text if text.strip() else "")

    def _pieces(self, text: str) -> list[msgspec.Struct]:
        if len(self._thoughts) == self._told:
            return [facts.TextDelta(text)] if text else []
        fresh = self._thoughts[self._told :]
        self._told = len(self._thoughts)
        pieces: list[msgspec.Struct] = [facts.ReasoningDelta(thought) for thought in fresh]
        return [*pieces, facts.TextDelta(text)] if text else pieces


class Shaper:
    def __init__(
        self, agent: Agent, *, text_mode: bool, output: output.Wanted | None = None
    ) -> None:
        """`output` is what the answer must fit: one that does is that value, whatever else it looks like."""
        self._output = output
        self._single = agent.type == "StreamAgent"
        self._wanted = Wanted(
            calls=text_mode, signals=not self._single, thoughts=agent.type == "ReActAgent"
        )
        self._text_mode = text_mode

    def lens(self) -> Lens | None:
        """For one block of text; None: all of it is shown as it comes."""
        return None if self._single else Lens(self._wanted)

    async def shaped(self, content: tuple[Block, ...], step: int) -> Shaped:
        """As `shape`; a long answer is read in a thread."""
        if len(plain_text(content)) > _LONG:
            return await asyncio.to_thread(self.shape, content, step)
        return self.shape(content, step)

    def shape(self, content: tuple[Block, ...], step: int) -> Shaped:
        if self._single:
            return self._with_files(content, step)
        if self._output and not self._output.read(plain_text(content)).errors:
            return Shaped(content)
        blocks: list[Block] = []
        signalled, foreign, calls = False, "", False
        for block in content:
            if not isinstance(block, Text):
                blocks.append(block)
                continue
            found = read(block.text, f"text_{step}_{len(blocks)}_", self._wanted)
            blocks += _parts(block, found.shown, found.thought, found.calls)
            signalled = signalled or found.complete
            foreign = foreign or found.foreign
            calls = calls or bool(found.calls)
        told = told_foreign(foreign) if foreign and self._text_mode and not calls else ""
        return Shaped(tuple(blocks), signalled, told, calls)

    def again(self, content: tuple[Block, ...]) -> Shaped:
        """The same of what was shaped and stored before: its calls are blocks by now, and its signals are gone."""
        if self._single:
            return Shaped(content, cut_off=self._with_files(content, 0).cut_off)
        return Shaped(content, foreign="" if tool_uses(content) else self.shape(content, 0).foreign)

    def _with_files(self, content: tuple[Block, ...], step: int) -> Shaped:
        """The answer as it is, and a call for each file in it."""
        found = files(plain_text(content))
        whole = [each for each in found if each.complete]
        calls = tuple(
            ToolUse(f"{_SAVED}{step}_{number}", SAVE, _saving(each.path, each.content))
            for number, each in enumerate(whole, 1)
        )
        cut_off = tuple(each.path for each in found if not each.complete)
        return Shaped((*content, *calls), cut_off=cut_off)


def is_saving(use: ToolUse) -> bool:
    """Whether this call was made for a file in the answer's own words: it says nothing that they do not."""
    return use.name == SAVE and use.id.startswith(_SAVED)


def _saving(path: str, content: str) -> dict[str, Any]:
    return {"file_path": path, "content": content}


def _parts(block: Text, shown: str, thought: str, calls: tuple[ToolUse, ...]) -> list[Block]:
    """The same block where nothing was taken out: it may be sealed."""
    thoughts: list[Block] = [Reasoning(thought, said=True)] if thought else []
    if shown == block.text:
        return [*thoughts, block, *calls]
    return [*thoughts, *([Text(shown)] if shown.strip() else []), *calls]
