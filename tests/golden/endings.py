"""Each type of agent, and each way in which a run can end, as the loop really writes it (`real_runs.py`)."""

from collections.abc import Sequence
from typing import Any

from bottega.events.event import Actor, Event
from bottega.events.facts import (
    NAMES,
    ApprovalRequired,
    ApprovalResolved,
    Aside,
    AssistantMessage,
    CancelRequested,
    ErrorMessage,
    ExchangeResponse,
    FileChange,
    FileReady,
    FileSeen,
    InputJsonDelta,
    Interrupted,
    MessageStart,
    Opening,
    PromptQueued,
    ReasoningDelta,
    TextDelta,
    ToolIntent,
    ToolResultFact,
    UserMessage,
)
from bottega.messages.block import Block, Reasoning, Text, ToolUse, plain_text
from bottega.messages.message import StopReason, Usage
from tests.golden.real_runs import CSS, FOREIGN, HTML

FIRST, SECOND = "5f0c7a52-1d6e-4c1b-9a53-0a3c8a1f0e11", "5f0c7a52-1d6e-4c1b-9a53-0a3c8a1f0e12"
START = MessageStart("scripted/small", "scripted")
GO = (Text("go"),)
BEGIN = (
    PromptQueued(GO),
    UserMessage(GO),
    Opening({"mode": "allow", "project_name": "project", "git_branch": "(none)"}),
    Aside(
        "<context>\nFolder: /project\n</context>", told={"files": "notes.txt", "date": "2026-11-16"}
    ),
)
NOTES = {"file_path": "notes.txt"}
SPENT = Usage(54, 9)

_ACTORS: dict[type[Any], Actor] = {
    PromptQueued: "user",
    UserMessage: "user",
    ApprovalResolved: "user",
    CancelRequested: "user",
    TextDelta: "provider",
    ReasoningDelta: "provider",
    InputJsonDelta: "provider",
    AssistantMessage: "provider",
    ToolIntent: "agent",
    ApprovalRequired: "agent",
    ToolResultFact: "tool",
}
_OUTSIDE = (ApprovalResolved, CancelRequested)
"""Written by whoever is there, who knows nothing of steps."""


def lived(*payloads: Any, message_id: str = FIRST, start: int = 1) -> list[Event]:
    """The facts of one exchange in the envelopes that a worker gives them."""
    events: list[Event] = []
    step = 0
    for index, payload in enumerate(payloads, start):
        kind = type(payload)
        step += kind is MessageStart
        at, attempt = (0, 0) if kind in _OUTSIDE else (step, min(step, 1))
        actor = _ACTORS.get(kind, "system")
        events.append(
            Event(NAMES[kind], 1000 + index, payload, message_id, at, attempt, actor, index)
        )
    return events


def said(*blocks: Block, stop: StopReason = "end_turn", told: str = "") -> AssistantMessage:
    """`told` is the provider's own word, where it is another one."""
    return AssistantMessage(
        blocks, stop, SPENT, "scripted", 0, told or stop, asked="scripted/small"
    )


def half(text: str, stop: StopReason) -> AssistantMessage:
    """What was streamed of an answer that never became whole."""
    return AssistantMessage((Text(text),), stop, cost=0)


def answer(text: str, stop: StopReason = "end_turn") -> list[Any]:
    return [START, TextDelta(text), said(Text(text), stop=stop)]


def end(
    *facts: Any,
    reason: str = "no_more_actions",
    stop: StopReason = "end_turn",
    success: bool = False,
    **more: Any,
) -> list[Any]:
    """The facts, and the end that comes of them."""
    answers = [fact for fact in facts if isinstance(fact, AssistantMessage)]
    texts = [plain_text(each.content).strip() for each in answers]
    usage = sum((each.usage for each in answers), Usage())
    final = next((text for text in reversed(texts) if text), "")
    made = ExchangeResponse(
        success, reason, stop, len(answers), final, usage, duration_ms=12, **more
    )
    return [*facts, made]


def read(step: int, path: str = "notes.txt", *, streamed: bool = True) -> list[Any]:
    """The pieces of a call and then what the loop makes of it: intent and result."""
    use = ToolUse(f"call_{step}_1", "read_file", {"file_path": path})
    pieces = [InputJsonDelta(0, f'{{"file_path":"{path}"}}', use.id, use.name)] if streamed else []
    return [pieces, use, ran(use)]


def ran(use: ToolUse) -> list[Any]:
    missing = use.input["file_path"] != "notes.txt"
    text = '{"status":"error"}' if missing else '{"status":"success"}'
    seen = () if missing else (FileSeen("notes.txt", "5" * 64),)
    return [
        ToolIntent(use.id, use.name, "a" * 64, ("read",)),
        ToolResultFact(use.id, use.name, (Text(text),), missing, 3, seen=seen),
    ]


def acted(step: int, text: str = "", thought: str = "", path: str = "notes.txt") -> list[Any]:
    """One step with a call."""
    pieces, use, results = read(step, path)
    words: list[Any] = [ReasoningDelta(thought)] if thought else []
    blocks: list[Block] = [Reasoning(thought, said=True)] if thought else []
    if text:
        words, blocks = [*words, TextDelta(text)], [*blocks, Text(text)]
    return [START, *words, *pieces, said(*blocks, use, stop="tool_use"), *results]


def stream_agent() -> list[Event]:
    """A single pass whose file is saved, and another one whose file the person does not want."""
    ask, choices = "ask_1", ("allow_once", "allow_all", "deny", "edit", "stop")
    write = ToolUse("file_1_1", "write_file", {"file_path": "index.html", "content": "<p>Hi</p>\n"})
    other = ToolUse(
        "file_1_1", "write_file", {"file_path": "style.css", "content": "p { color: teal }\n"}
    )
    detail = {"reason": "ask mode asks before files are written", "diff": "+<p>Hi</p>\n"}
    asked = ApprovalRequired(
        ask, "tool", write.id, write.name, "b" * 64, "Run write_file?", choices, detail
    )
    made = (FileChange("index.html", "", "c" * 64),)
    saved = ToolResultFact(
        write.id,
        write.name,
        (Text('{"status":"success"}'),),
        duration_ms=48,
        seen=(FileSeen("index.html", "c" * 64),),
    )
    denied = ToolResultFact(
        other.id, other.name, (Text('{"status":"error"}'),), is_error=True, duration_ms=7
    )
    first = lived(
        *end(
            *BEGIN,
            START,
            TextDelta(HTML),
            said(Text(HTML), write),
            asked,
            ApprovalResolved(ask, "allow_once", "b" * 64, tool_id=write.id),
            ToolIntent(write.id, write.name, "b" * 64, ("write",), made, approval_id=ask),
            saved,
            FileReady("index.html", 10),
            success=True,
        )
    )
    again = Aside("<context>\nNew: index.html\n</context>", told={"files": "index.html"})
    last = end(
        PromptQueued(GO),
        UserMessage(GO),
        again,
        START,
        TextDelta(CSS),
        said(Text(CSS), other),
        ApprovalRequired(
            "ask_2", "tool", other.id, other.name, "d" * 64, "Run write_file?", choices, detail
        ),
        ApprovalResolved("ask_2", "deny", "d" * 64, "no colours", tool_id=other.id),
        denied,
        success=True,
    )
    return [*first, *lived(*last, message_id=SECOND, start=len(first) + 1)]


def stream_agent_cut_off() -> list[Event]:
    error = ErrorMessage(
        "Not saved: half.txt.",
        "not_saved",
        hint="Look at its result, then ask for the file again.",
    )
    return lived(*end(*BEGIN, *answer("```txt half.txt\nhal"), error, reason="error"))


def react_agent() -> list[Event]:
    text, thought = "It says hello.", "That is all."
    last = said(Reasoning(thought, said=True), Text(text))
    steps = [
        *acted(1, thought="I have to look."),
        START,
        ReasoningDelta(thought),
        TextDelta(text),
        last,
    ]
    return lived(*end(*BEGIN, *steps, success=True))


def text_calls() -> list[Event]:
    use = ToolUse("text_1_0_1", "read_file", NOTES)
    called = said(Text("I look."), use, stop="tool_use", told="end_turn")
    steps = [START, TextDelta("I look."), called, *ran(use), *answer("It says hello.")]
    return lived(*end(*BEGIN, *steps, success=True))


def iterative_agent() -> list[Event]:
    return lived(
        *end(*BEGIN, *acted(1, "I look."), *answer("It says hello."), success=True),
    )


def ended_by_signal() -> list[Event]:
    return lived(*end(*BEGIN, *answer("It is done."), success=True, reason="task_complete_signal"))


def ended_unfinished() -> list[Event]:
    errors = Aside(after="You said that the task is complete, but the calls had errors.")
    failing = Aside(after="<reminder>Calls have failed.</reminder>", told={"failing": f"{FIRST} 0"})
    told: Sequence[Sequence[Any]] = ((errors,), (errors, failing), (errors,), ())
    steps = [
        fact
        for step, asides in enumerate(told, 1)
        for fact in (*acted(step, "Done.", path=f"no-{step - 1}"), *asides)
    ]
    error = ErrorMessage(
        "The agent says that it is done, but its last calls had errors.",
        "unfinished",
        hint="Look at the errors; say “go on” to have it continue.",
    )
    return lived(*end(*BEGIN, *steps, error, reason="task_complete_signal"))


def ended_by_user() -> list[Event]:
    steps = [
        START,
        TextDelta("Once upon"),
        CancelRequested(),
        half("Once upon", "cancelled"),
    ]
    return lived(*end(*BEGIN, *steps, reason="user_stopped", stop="cancelled"))


def ended_by_limit() -> list[Event]:
    error = ErrorMessage(
        "1 model calls were made in this exchange: that is the limit.",
        "iteration_limit",
        hint="Say “go on” to continue from here, or raise the limit.",
    )
    return lived(
        *end(*BEGIN, *acted(1), error, reason="resource_limit_exceeded", stop="limit"),
    )


def ended_at_raised_limit() -> list[Event]:
    def asked(ask: str, now: int, more: int, word: str) -> list[Any]:
        detail = {"limit": "iterations", "from": now, "to": more, "window": ""}
        question = f"{now} model calls were made in this exchange: that is the limit. Go on?"
        return [
            ApprovalRequired(
                ask,
                "limit",
                hash="e" * 64,
                question=question,
                choices=("raise", "stop"),
                detail=detail,
            ),
            ApprovalResolved(ask, word, "e" * 64),
        ]

    first, second = asked("ask_1", 1, 2, "raise"), asked("ask_2", 2, 4, "stop")
    steps = [*acted(1), *first, *acted(2), *second, CancelRequested()]
    return lived(*end(*BEGIN, *steps, reason="user_stopped", stop="cancelled"))


def ended_by_provider() -> list[Event]:
    error = ErrorMessage("The key was refused.", "bad_key", hint="Set it.")
    return lived(*end(*BEGIN, START, error, reason="error", stop="error"))


def ended_cut_off() -> list[Event]:
    error = ErrorMessage("The answer broke off in the middle.", "cut_off", retryable=True)
    steps = [START, TextDelta("Half"), error, half("Half", "error")]
    return lived(*end(*BEGIN, *steps, reason="error", stop="error"))


def again_and_again(step: Sequence[Any], remark: str, error: ErrorMessage) -> list[Any]:
    """The same answer four times, and each but the last sent back."""
    return [*[fact for _ in range(3) for fact in (*step, Aside(after=remark))], *step, error]


def ended_empty() -> list[Event]:
    error = ErrorMessage(
        "The model answered with nothing, again and again.",
        "empty_answer",
        retryable=True,
        hint="Say it again in other words, or choose another model.",
    )
    steps = again_and_again([START, said()], "Your answer was empty.", error)
    return lived(*end(*BEGIN, *steps, reason="error", stop="error"))


def ended_foreign() -> list[Event]:
    error = ErrorMessage(
        "The model keeps writing its calls in a form that is not read.",
        "foreign_calls",
        hint="Choose a model that takes tools.",
    )
    steps = again_and_again(answer(FOREIGN), "Nothing was run.", error)
    return lived(*end(*BEGIN, *steps, reason="error", stop="error"))


def ended_refused() -> list[Event]:
    return lived(
        *end(*BEGIN, *answer("I will not.", "refusal"), reason="refused", stop="refusal"),
    )


def ended_by_output_limit() -> list[Event]:
    steps = answer("And so on and", "max_tokens")
    return lived(
        *end(*BEGIN, *steps, reason="output_limit_reached", stop="max_tokens"),
    )


FORM = Aside(after='The final answer must fit this JSON schema:\n{"type": "integer"}')
UNFIT = "Your answer does not fit the JSON schema: it is no JSON."


def structured() -> list[Event]:
    steps = [FORM, *answer("Two."), Aside(after=UNFIT), *answer("2")]
    return lived(*end(*BEGIN, *steps, success=True, output=2, repairs=1))


def ended_invalid_output() -> list[Event]:
    error = ErrorMessage(
        "The model gave no answer that fits the schema: it is no JSON.",
        "invalid_output",
        hint="Try a simpler schema, or another model.",
    )
    steps = again_and_again(answer("Two."), UNFIT, error)
    return lived(*end(*BEGIN, FORM, *steps, reason="invalid_output", repairs=3))


def ended_by_interruption() -> list[Event]:
    steps = [
        START,
        TextDelta("Half an answer"),
        Interrupted("The process that ran this exchange ended."),
        half("Half an answer", "interrupted"),
    ]
    return lived(*end(*BEGIN, *steps, reason="interrupted", stop="interrupted"))


ENDINGS: dict[str, list[Event]] = {
    story.__name__.replace("_", "-"): story()
    for story in (
        stream_agent,
        stream_agent_cut_off,
        react_agent,
        text_calls,
        iterative_agent,
        ended_by_signal,
        ended_unfinished,
        ended_by_user,
        ended_by_limit,
        ended_at_raised_limit,
        ended_by_provider,
        ended_cut_off,
        ended_empty,
        ended_foreign,
        ended_refused,
        ended_by_output_limit,
        structured,
        ended_invalid_output,
        ended_by_interruption,
    )
}
