"""What happens in a session, one story a log: these are what the golden logs tell."""

from bottega.events.event import Event
from bottega.events.facts import (
    AgentChanged,
    ApprovalRequired,
    ApprovalResolved,
    Aside,
    AssistantMessage,
    CancelRequested,
    ChildStarted,
    Compaction,
    CompactionUndone,
    ConversationRetrying,
    ErrorMessage,
    ExchangeResponse,
    FileChange,
    FileReady,
    FileSeen,
    InputJsonDelta,
    Instructions,
    Interrupted,
    MessageStart,
    ModeChanged,
    ModelChanged,
    Opening,
    PromptCancelled,
    PromptEdited,
    PromptMoved,
    PromptQueued,
    ReasoningDelta,
    RemoteStarted,
    SessionCleared,
    SessionReset,
    StreamReset,
    TextDelta,
    TodoItem,
    TodosChanged,
    ToolIntent,
    ToolOutputDelta,
    ToolResultFact,
    UserMessage,
)
from bottega.messages.block import (
    Image,
    Reasoning,
    Source,
    Sources,
    Text,
    ToolResult,
    ToolUse,
)
from bottega.messages.message import Usage
from tests.events.logs import log, prompt

FIRST, SECOND = "5f0c7a52-1d6e-4c1b-9a53-0a3c8a1f0e01", "5f0c7a52-1d6e-4c1b-9a53-0a3c8a1f0e02"
THIRD = "5f0c7a52-1d6e-4c1b-9a53-0a3c8a1f0e03"
START = MessageStart("sonnet", "anthropic")
READ = ToolUse("toolu_1", "read_file", {"path": "notes.md"}, origin="anthropic")
LIST = ToolUse("toolu_2", "list_files", {"path": "."}, origin="anthropic")
DONE = AssistantMessage(
    (Text("All done."),), "end_turn", Usage(900, 12, 800), "sonnet", 41, "end_turn"
)


def asked(*uses: ToolUse, text: str = "") -> AssistantMessage:
    said = (Text(text),) if text else ()
    return AssistantMessage((*said, *uses), "tool_use", Usage(800, 40), "sonnet", 55, "tool_use")


def intent(use: ToolUse) -> ToolIntent:
    return ToolIntent(use.id, use.name, f"sha256 of {use.id}", ("read",))


def result(use: ToolUse, text: str, *, is_error: bool = False) -> ToolResultFact:
    return ToolResultFact(use.id, use.name, (Text(text),), is_error, 3)


def finished(iterations: int, text: str = "All done.") -> ExchangeResponse:
    usage = Usage(1700, 52, 800)
    return ExchangeResponse(True, "no_more_actions", "end_turn", iterations, text, usage, 96, 1200)


def stopped(reason: str, stop: str, iterations: int = 1) -> ExchangeResponse:
    return ExchangeResponse(False, reason, stop, iterations, duration_ms=700)  # type: ignore[arg-type]


def plain_answer() -> list[Event]:
    text, thought = "Hello, wörld 👋", Reasoning("A greeting.", "anthropic", "c2VhbA==")
    said = AssistantMessage(
        (thought, Text(text), Sources((Source("A page", "https://example.org"),))), "end_turn",
        Usage(20, 9, reasoning_tokens=3), "sonnet", 12, "end_turn", ("No temperature.",),
    )  # fmt: skip
    return log(
        *prompt("hi"), START, ReasoningDelta("A gree"), ReasoningDelta("ting."),
        TextDelta("Hello, "), TextDelta("wörld 👋"), said, finished(1, text), message_id=FIRST,
    )  # fmt: skip


def tool_call() -> list[Event]:
    pieces = [
        TextDelta("Let me look."),
        InputJsonDelta(0, "", READ.id, READ.name),
        InputJsonDelta(0, '{"path": '),
        InputJsonDelta(0, '"notes.md"}'),
    ]
    shown = ToolResultFact(
        READ.id, READ.name, (Text("# Notes\n"), Image("image/png", blob="f00d")), False, 4, "beef"
    )
    return log(
        *prompt("what is in my notes?"), START, *pieces, asked(READ, text="Let me look."),
        intent(READ), ToolOutputDelta(READ.id, "# No"), ToolOutputDelta(READ.id, "tes\n"), shown,
        START, TextDelta("All done."), DONE, finished(2), message_id=FIRST,
    )  # fmt: skip


def parallel_calls() -> list[Event]:
    pieces = [
        InputJsonDelta(0, "", READ.id, READ.name),
        InputJsonDelta(1, "", LIST.id, LIST.name),
        InputJsonDelta(0, '{"path": "notes.md"}'),
        InputJsonDelta(1, '{"path": "."}'),
    ]
    return log(
        *prompt("look around"), START, *pieces, asked(READ, LIST), intent(READ), intent(LIST),
        result(READ, "# Notes"), result(LIST, "notes.md"), START, DONE, finished(2),
        message_id=FIRST,
    )  # fmt: skip


def denied_and_unknown() -> list[Event]:
    shell = ToolUse("toolu_3", "bash_exec", {"command": "rm -rf build"})
    unknown = ToolUse("toolu_4", "fly", malformed='{"to": ')
    return log(
        *prompt("clean up"), START, asked(shell, unknown),
        ApprovalRequired("ask_1", "tool", shell.id, shell.name, "sha256", "Run it?"),
        ApprovalResolved("ask_1", "deny", "sha256", "not today"),
        result(shell, "denied: not today", is_error=True),
        result(unknown, "Unknown tool: fly", is_error=True),
        START, DONE, finished(2), message_id=FIRST,
    )  # fmt: skip


def cancelled_mid_stream() -> list[Event]:
    half = AssistantMessage((Text("Once upon"),), "cancelled", model="sonnet")
    return log(
        *prompt("tell me a story"), START, TextDelta("Once upon"), CancelRequested(), half,
        stopped("user_stopped", "cancelled"), message_id=FIRST,
    )  # fmt: skip


def reset() -> list[Event]:
    return log(
        *prompt("go"), START, TextDelta("All d"), InputJsonDelta(0, "{", "toolu_9", "read_file"),
        StreamReset("the connection was lost"), TextDelta("All done."), DONE, finished(1),
        message_id=FIRST,
    )  # fmt: skip


def retry() -> list[Event]:
    return log(
        *prompt("go"), START, ConversationRetrying(2, 10, 1500, "overloaded"),
        ConversationRetrying(3, 10, 3000, "overloaded"), TextDelta("All done."), DONE, finished(1),
        message_id=FIRST,
    )  # fmt: skip


def limit() -> list[Event]:
    return log(
        *prompt("go on for ever"), START, asked(READ), intent(READ), result(READ, "# Notes"),
        START, asked(LIST), result(LIST, "not run: the limit was reached", is_error=True),
        ErrorMessage("The limit of 2 iterations is reached.", "limit", hint="Say `continue`."),
        stopped("limit_iterations", "limit", 2), message_id=FIRST,
    )  # fmt: skip


def steer() -> list[Event]:
    return log(
        *prompt("look around"), START, asked(READ), intent(READ), result(READ, "# Notes"),
        UserMessage((Text("only the headings"),), steer=True), START, DONE, finished(2),
        message_id=FIRST,
    )  # fmt: skip


def crash_with_an_interrupted_call() -> list[Event]:
    shell = ToolUse("toolu_3", "bash_exec", {"command": "make"})
    return log(
        *prompt("build it"), START, asked(shell), intent(shell),
        ToolOutputDelta(shell.id, "cc -c a.c\n"), Interrupted("the worker died"),
        result(shell, "interrupted: outcome unknown", is_error=True),
        START, TextDelta("All"), Interrupted("the worker died"),
        START, DONE, finished(3), message_id=FIRST,
    )  # fmt: skip


def server_tool() -> list[Event]:
    search = ToolUse("srvtoolu_1", "web_search", {"query": "x"}, server=True, origin="anthropic")
    found = ToolResult("srvtoolu_1", (Text("a page"),), server=True, origin="anthropic")
    said = AssistantMessage((search, found, Text("All done.")), "end_turn", model="sonnet")
    return log(
        *prompt("look it up"), START, InputJsonDelta(0, '{"query": "x"}', search.id, search.name),
        TextDelta("All done."), said, finished(1), message_id=FIRST,
    )  # fmt: skip


def queue_and_settings() -> list[Event]:
    first = log(*prompt("one"), START, TextDelta("All done."), message_id=FIRST)
    waiting = log(
        PromptQueued((Text("two"),), "opus", "reviewer"), PromptEdited((Text("too"),)),
        PromptCancelled(), message_id=SECOND, start=5,
    )  # fmt: skip
    settings = log(ModeChanged("plan"), ModelChanged("opus"), message_id="", start=8)
    rest = log(
        DONE, FileReady("out.md", 120), Compaction(3, "They said hello."), finished(1),
        message_id=FIRST, start=10, step=1,
    )  # fmt: skip
    return [*first, *waiting, *settings, *rest]


def moved() -> list[Event]:
    first = log(*prompt("one"), START, TextDelta("All done."), message_id=FIRST)
    second = log(PromptQueued((Text("two"),)), message_id=SECOND, start=5)
    third = log(
        PromptQueued((Text("three"),)), PromptMoved((THIRD, SECOND)), message_id=THIRD, start=6
    )
    taken_back = [
        *log(PromptCancelled(), message_id=THIRD, start=8),
        *log(PromptCancelled(), message_id=SECOND, start=9),
    ]
    rest = log(DONE, finished(1), message_id=FIRST, start=10, step=1)
    return [*first, *second, *third, *taken_back, *rest]


def edits_and_todos() -> list[Event]:
    todo = ToolUse("toolu_5", "todo_write", {"todos": [{"content": "write it"}]})
    write = ToolUse("toolu_6", "write_file", {"file_path": "a.txt", "content": "one"})
    shell = ToolUse("toolu_7", "bash_exec", {"command": "touch b"})
    old, new = "0" * 64, "1" * 64
    seen, made = FileSeen("a.txt", new), FileChange("b", "", old)
    return log(
        *prompt("write it"), START, asked(todo, write, shell),
        intent(todo), TodosChanged((TodoItem("write it", "in_progress", "high"),)),
        result(todo, "1 item"),
        ApprovalRequired(
            "ask_2", "tool", write.id, write.name, "sha256", "Write a.txt?", ("allow", "deny"),
            {"diff": "-one\n+two\n"},
        ),
        ApprovalResolved("ask_2", "edit", "sha256", "", {"content": "two"}, "write_file", write.id),
        ToolIntent(
            write.id, write.name, "sha256", ("write",), (FileChange("a.txt", old, new),),
            {"content": "two"}, "ask_2",
        ),
        ToolResultFact(write.id, write.name, (Text("written"),), seen=(seen,)),
        intent(shell), ToolOutputDelta(shell.id, "…"),
        ToolResultFact(shell.id, shell.name, (Text("done"),), duration_ms=3, writes=(made,)),
        START, DONE, finished(2), message_id=FIRST,
    )  # fmt: skip


def long_work() -> list[Event]:
    hand = ToolUse("toolu_8", "delegate", {"agent": "reviewer", "task": "look at it"})
    thought = Reasoning("The reviewer knows.", said=True)
    opened = Opening(
        {"mode": "ask", "git_branch": "main"}, (Instructions("AGENTS.md", "Be kind."),)
    )
    cleared = log(SessionCleared(), AgentChanged("coder"), message_id="")
    first = log(
        *prompt("work"), opened, Aside("Files: a.txt", "Be brief."), START,
        AssistantMessage((thought, hand), "tool_use", Usage(90, 9), "sonnet", 5),
        intent(hand), ChildStarted(hand.id, "ses_child", "reviewer", "look at it"),
        ToolResultFact(hand.id, hand.name, (Text("fine"),), usage=Usage(40, 4), cost=3),
        Compaction(
            7, "They began.", verbatim=True, cut=(10,), reason="full", before=900, after=300,
            dropped={"messages": 2, "results": 1}, usage=Usage(900, 20), cost=7,
        ),
        START, DONE, finished(2), message_id=FIRST, start=3,
    )  # fmt: skip
    undone = len(cleared) + len(first)
    between = log(CompactionUndone(undone - 3), SessionReset(), message_id="", start=undone + 1)
    given = ExchangeResponse(
        True, "no_more_actions", "end_turn", 1, "{}", output={"ok": True}, repairs=1
    )
    last = log(*prompt("again"), START, DONE, given, message_id=SECOND, start=undone + 3)
    return [*cleared, *first, *between, *last]


def remote_agent() -> list[Event]:
    elsewhere = RemoteStarted("https://bottega.example", "ses_there", "coder")
    lost = ConversationRetrying(
        2, 47, 100, "The server at https://bottega.example does not answer."
    )
    return log(
        *prompt("go"), elsewhere, START, TextDelta("Half of it"), lost,
        StreamReset("interrupted"), START, DONE, finished(1), message_id=FIRST,
    )  # fmt: skip


SCENARIOS: dict[str, list[Event]] = {
    story.__name__.replace("_", "-"): story()
    for story in (
        plain_answer,
        tool_call,
        parallel_calls,
        denied_and_unknown,
        cancelled_mid_stream,
        reset,
        retry,
        limit,
        steer,
        crash_with_an_interrupted_call,
        server_tool,
        queue_and_settings,
        moved,
        edits_and_todos,
        long_work,
        remote_agent,
    )
}
