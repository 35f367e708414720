"""What the loop remembers between two steps of one exchange, and what it makes of an answer: an end, a word, or more.

An answer without calls ends the exchange, and so does a signal once its calls have run without errors. What cannot be
an end (nothing said, calls in a foreign form, an answer that does not fit its schema) is sent back at most three times.
"""

import re
from collections.abc import Sequence

import msgspec

from bottega.agents.agent import Agent
from bottega.agents.output import Wanted
from bottega.agents.shape import Shaped
from bottega.agents.world import Ended
from bottega.events import facts
from bottega.events.fold import result_text
from bottega.messages.block import Block, Media, Reasoning, plain_text, tool_uses

MOST_RETRIES = 3

EMPTY = "Your answer was empty. Go on with the task, or say in a few words how it ended."
ERRORS = (
    "You said that the task is complete, but the calls of the same step had errors. Look at the errors, mend what they"
    " tell of, and say that it is complete when it is; or say plainly what could not be done."
)

_NUMBERS = re.compile(r"\d+")


class Remark(msgspec.Struct, frozen=True):
    """The exchange goes on, and the model is told this first."""

    text: str


class Failing(msgspec.Struct, frozen=True):
    """The exchange ends here, and the person is told why."""

    error: facts.ErrorMessage
    ended: Ended


class Course:
    def __init__(self, agent: Agent, wanted: Wanted | None) -> None:
        self._agent = agent
        self._wanted = wanted
        self._retries = 0
        self._spoke = ""
        """The last thing that was visibly said."""
        self._same = ""
        self.repeats = 0
        """How often the same calls gave the same, one after the other."""

    def note(self, content: tuple[Block, ...], results: Sequence[facts.ToolResultFact]) -> None:
        """Take a step's calls and what they gave. Numbers do not count: a duration is another one each time."""
        calls = [(use.name, use.input, use.malformed) for use in tool_uses(content)]
        if not calls:
            self._same, self.repeats = "", 0
            return
        told = "\n".join(_NUMBERS.sub("", result_text(result)) for result in results)
        same = f"{msgspec.json.encode(calls, order='sorted').decode()}\n{told}"
        self.repeats = self.repeats + 1 if same == self._same else 1
        self._same = same

    def next(
        self, said: facts.AssistantMessage, shaped: Shaped, results: Sequence[facts.ToolResultFact]
    ) -> Ended | Remark | Failing | None:
        """The end, a word that the model is told, or None: it goes on."""
        text = plain_text(said.content).strip()
        self._spoke = text or self._spoke
        if self._agent.type == "StreamAgent":
            return self._written(said, shaped, results)
        if results:
            return self._acted(said, shaped, results)
        if shaped.foreign and not (self._wanted and self._wanted.read(text).is_json):
            return self._again(Remark(shaped.foreign), _foreign(), text)
        if said.stop_reason in ("max_tokens", "refusal"):
            return self._ended(said)
        if not shaped.signalled and not self._spoke and not _shows(said.content):
            return self._again(Remark(EMPTY), _nothing(), "")
        return self._fitting(said, shaped)

    def _acted(
        self,
        said: facts.AssistantMessage,
        shaped: Shaped,
        results: Sequence[facts.ToolResultFact],
    ) -> Ended | Remark | Failing | None:
        if not shaped.signalled:
            return None
        if not any(result.is_error for result in results):
            if self._wanted:
                return self._fitting(said, shaped)
            return Ended(True, "task_complete_signal", "end_turn", self._spoke)
        ended = Ended(False, "task_complete_signal", "end_turn", self._spoke)
        return self._again(Remark(ERRORS), _unfinished(), self._spoke, ended)

    def _again(
        self, remark: Remark, error: facts.ErrorMessage, text: str, ended: Ended | None = None
    ) -> Remark | Failing:
        self._retries += 1
        if self._retries <= MOST_RETRIES:
            return remark
        return Failing(error, ended or Ended(False, "error", "error", text))

    def _fitting(self, said: facts.AssistantMessage, shaped: Shaped) -> Ended | Remark | Failing:
        if self._wanted is None:
            return self._ended(said, signalled=shaped.signalled)
        found = self._wanted.read(plain_text(said.content))
        if not found.errors:
            ended = self._ended(said, signalled=shaped.signalled)
            return msgspec.structs.replace(
                ended,
                final_response=found.written,
                output=found.value,
                repairs=self._wanted.repairs,
            )
        if self._wanted.repairs < MOST_RETRIES:
            self._wanted.repairs += 1
            return Remark(found.remark)
        return Failing(
            found.error,
            Ended(False, "invalid_output", "end_turn", self._spoke, repairs=self._wanted.repairs),
        )

    def _written(
        self, said: facts.AssistantMessage, shaped: Shaped, results: Sequence[facts.ToolResultFact]
    ) -> Ended | Failing:
        """The end of a single pass: what could not be saved is said."""
        ended = self._ended(said)
        lost = [*shaped.cut_off, *_failed(said, results)]
        if lost:
            return Failing(_unsaved(lost), Ended(False, "error", said.stop_reason, self._spoke))
        if not self._spoke and not _shows(said.content):
            return Failing(_nothing(), Ended(False, "error", "error"))
        return ended

    def _ended(self, said: facts.AssistantMessage, *, signalled: bool = False) -> Ended:
        text = self._spoke
        if self._agent.reasoning_in_answer:
            text = f"{_thoughts(said.content)}{text}".strip()
        match said.stop_reason:
            case "max_tokens":
                return Ended(False, "output_limit_reached", "max_tokens", text)
            case "refusal":
                return Ended(False, "refused", "refusal", text)
            case "stop_sequence":
                return Ended(True, "no_more_actions", "stop_sequence", text)
            case _:
                reason = "task_complete_signal" if signalled else "no_more_actions"
                return Ended(True, reason, "end_turn", text)


def _thoughts(blocks: tuple[Block, ...]) -> str:
    return "".join(f"{block.text}\n\n" for block in blocks if isinstance(block, Reasoning))


def _shows(content: tuple[Block, ...]) -> bool:
    return bool(plain_text(content).strip()) or any(isinstance(block, Media) for block in content)


def _failed(said: facts.AssistantMessage, results: Sequence[facts.ToolResultFact]) -> list[str]:
    """Files that were not saved though nobody said no."""
    paths = {use.id: str(use.input.get("file_path", "")) for use in tool_uses(said.content)}
    return [
        paths[result.tool_id]
        for result in results
        if result.is_error
        and not is_there(result)
        and "execution-denied" not in result_text(result)
    ]


def is_there(result: facts.ToolResultFact) -> bool:
    """Whether a file that was to be saved is as it should be: it was written, or was so before."""
    return not result.is_error or '"code":"NO_CHANGE"' in result_text(result)


def _unsaved(paths: list[str]) -> facts.ErrorMessage:
    return facts.ErrorMessage(
        f"Not saved: {', '.join(paths)}.",
        "not_saved",
        hint="Look at its result, then ask for the file again.",
    )


def _nothing() -> facts.ErrorMessage:
    return facts.ErrorMessage(
        "The model answered with nothing, again and again.",
        "empty_answer",
        retryable=True,
        hint="Say it again in other words, or choose another model.",
    )


def _foreign() -> facts.ErrorMessage:
    return facts.ErrorMessage(
        "The model keeps writing its calls in a form that is not read.",
        "foreign_calls",
        hint="Choose a model that takes tools.",
    )


def _unfinished() -> facts.ErrorMessage:
    return facts.ErrorMessage(
        "The agent says that it is done, but its last calls had errors.",
        "unfinished",
        hint="Look at the errors; say “go on” to have it continue.",
    )
