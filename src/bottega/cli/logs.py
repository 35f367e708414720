"""Log lines on stderr, one a stage, for who looks for a fault: `--debug` turns them on, else there are none."""

import logging
import sys
from typing import TextIO

from bottega.events import facts
from bottega.events.event import Event

_log = logging.getLogger("bottega.stage")

_FORMAT = "%(asctime)s.%(msecs)03d %(levelname)s %(name)s: %(message)s"


def begin(debug: bool) -> None:
    """Log everything, or nothing: what a person must know is said in sentences, not logged."""
    root = logging.getLogger()
    for before in [each for each in root.handlers if isinstance(each, _Lines)]:
        root.removeHandler(
            before
        )  # of an earlier command of this process, whose stderr may be closed
    logging.getLogger("bottega").setLevel(logging.DEBUG if debug else logging.NOTSET)
    if not debug:
        root.addHandler(logging.NullHandler())
        return
    lines = _Lines(sys.stderr)
    lines.setFormatter(logging.Formatter(_FORMAT, "%H:%M:%S"))
    root.addHandler(lines)
    root.setLevel(logging.INFO)


class _Lines(logging.StreamHandler[TextIO]):
    """Ours, among the root's handlers."""


class Stages:
    """Logs the stages of one exchange, with the time since the prompt was admitted."""

    def __init__(self) -> None:
        self._at = 0
        self._first = True

    def note(self, event: Event) -> None:
        """Log the event if a stage begins or ends with it. Says names, numbers and times, never what was said."""
        if not _log.isEnabledFor(logging.DEBUG):
            return
        self._at = self._at or event.at
        if said := self._stage(event):
            _log.debug("%s session_index=%d at=%dms", said, event.index, event.at - self._at)

    def _stage(self, event: Event) -> str:
        told = ""
        match event.data:
            case facts.PromptQueued():
                told = f"prompt admitted message_id={event.message_id}"
            case facts.UserMessage():
                told = "exchange started"
            case facts.MessageStart() as start:
                self._first = True
                told = f"request sent step={event.step} attempt={event.attempt} model={start.model}"
            case facts.TextDelta() | facts.ReasoningDelta() | facts.InputJsonDelta() if self._first:
                self._first = False
                told = f"first piece of the answer step={event.step}"
            case facts.AssistantMessage() as answer:
                told = (
                    f"answer complete step={event.step} stop={answer.stop_reason}"
                    f" input_tokens={answer.usage.input_tokens}"
                    f" output_tokens={answer.usage.output_tokens}"
                )
            case _:
                told = _later(event)
        return told


def _later(event: Event) -> str:  # noqa: PLR0911
    match event.data:
        case facts.ToolIntent() as intent:
            return f"tool started name={intent.name} tool_id={intent.tool_id}"
        case facts.ToolResultFact() as result:
            state = "failed" if result.is_error else "completed"
            return f"tool {state} name={result.name} duration_ms={result.duration_ms}"
        case facts.ConversationRetrying() as retrying:
            return f"retrying number={retrying.number} delay_ms={retrying.delay_ms}"
        case facts.StreamReset():
            return "stream reset"
        case facts.CancelRequested():
            return "cancel requested"
        case facts.ErrorMessage() as error:
            return f"error code={error.code}"
        case facts.ExchangeResponse() as end:
            return f"exchange completed in {end.duration_ms} ms reason={end.completion_reason}"
        case _:
            return ""
