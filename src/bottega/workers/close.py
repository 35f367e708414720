"""The end of an exchange that did not come to its own end: nothing that was shown is lost, no call stays open."""

from collections.abc import Mapping
from typing import Any

from bottega.events import facts
from bottega.messages.block import Text, ToolUse, plain_text
from bottega.messages.message import StopReason
from bottega.sessions.session import Outcome, now
from bottega.workers.track import Track

_OUTCOMES: dict[str, Outcome] = {
    "user_stopped": "stopped",
    "resource_limit_exceeded": "limited",
    "interrupted": "interrupted",
}
_NOT_RUN = "Not run: the exchange ended before this call began."


def loose_ends(
    track: Track,
    stop: StopReason,
    why: str,
    handed_on: Mapping[str, facts.ExchangeResponse],
) -> list[facts.AssistantMessage | facts.ToolResultFact]:
    """The facts that make the history whole: the partial answer, and a result for every open call.

    `handed_on` says of calls how the children ended that they had.
    """
    ends: list[facts.AssistantMessage | facts.ToolResultFact] = []
    partial = track.partial()
    if plain_text(partial):
        # Nobody said what it used, so it adds nothing to what is known.
        ends.append(facts.AssistantMessage(partial, stop, cost=0))
    return [*ends, *(_unanswered(use, track, why, handed_on) for use in track.calls.values())]


def _unanswered(
    use: ToolUse, track: Track, why: str, handed_on: Mapping[str, facts.ExchangeResponse]
) -> facts.ToolResultFact:
    if end := handed_on.get(use.id):  # what it used counts, though nobody hears its answer
        said = f"{why}: the task was not finished." if not end.success else end.final_response
        return facts.ToolResultFact(
            use.id,
            use.name,
            (Text(said),),
            is_error=not end.success,
            usage=end.usage,
            cost=end.cost,
        )
    said = f"{why}: outcome unknown." if use.id in track.intents else _NOT_RUN
    return facts.ToolResultFact(use.id, use.name, (Text(said),), is_error=True)


def response(
    track: Track,
    *,
    success: bool,
    reason: str,
    stop: StopReason,
    final: str | None = None,
    output: Any = None,
    repairs: int = 0,
) -> facts.ExchangeResponse:
    """The one terminal fact of an exchange."""
    return facts.ExchangeResponse(
        success=success,
        completion_reason=reason,
        stop_reason=stop,
        iterations=track.answers,
        final_response=track.final if final is None else final,
        usage=track.usage,
        cost=track.cost,
        duration_ms=max(0, now() - track.started_at),
        output=output,
        repairs=repairs,
    )


def outcome_of(end: facts.ExchangeResponse) -> Outcome:
    """The end of an exchange in the one word that lists show."""
    return "done" if end.success else _OUTCOMES.get(end.completion_reason, "failed")
