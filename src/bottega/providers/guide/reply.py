"""One answer of the guide: a pure function of the request, words first and then calls."""

import re
from collections.abc import Sequence

import msgspec

from bottega.messages.aside import is_only_asides
from bottega.messages.block import Text, ToolResult, ToolUse, plain_text
from bottega.messages.message import Message
from bottega.providers.guide import answers
from bottega.providers.guide.act import arguments, deed, find, possible, suggestions, wish
from bottega.providers.guide.heard import entries, heard, readme
from bottega.providers.guide.markdown import plain
from bottega.providers.guide.request import Action, actions
from bottega.providers.guide.tell import listing, told
from bottega.providers.guide.topic import topic
from bottega.providers.provider import Request, ToolSpec

_README_LINES = 60


class Reply(msgspec.Struct, frozen=True):
    text: str
    calls: tuple[ToolUse, ...] = ()


class Past(msgspec.Struct, frozen=True):
    """What a conversation holds, as far as the guide looks at it."""

    text: str
    """The user's last words."""
    answers: int
    """How many answers there have been."""
    since: tuple[tuple[ToolUse, ToolResult], ...]
    """The calls since those words, with their results."""
    file: str
    """A file that was seen in a listing."""


def reply(request: Request) -> Reply:
    past = _past(request.messages)
    if past.since:
        return _after_calls(past, request.tools)
    wanted = actions(past.text)
    if wanted and not _rather_talk(wanted, past.text):
        return _planned(wanted, past, request.tools)
    return Reply(_talk(past, request.tools))


def _rather_talk(wanted: list[Action], text: str) -> bool:
    """`run a model locally` names no command, but a topic; and what holds a key runs nowhere."""
    name, _ = topic(text)
    return name == "pasted_key" or (wanted[0] == Action("run") and name != "unknown")


def _past(messages: Sequence[Message]) -> Past:
    text, count, file = "", 0, ""
    uses: dict[str, ToolUse] = {}
    since: list[tuple[ToolUse, ToolResult]] = []
    for message in messages:
        count += message.role == "assistant"
        for block in message.content:
            if isinstance(block, ToolUse):
                uses[block.id] = block
            elif isinstance(block, ToolResult) and block.tool_id in uses:
                since.append((uses[block.tool_id], block))
                file = _seen_file(uses[block.tool_id], block) or file
        if message.role == "user" and not _only_results(message) and not is_only_asides(message):
            text, since = plain_text(message.content), []
    return Past(text, count, tuple(since), file)


def _only_results(message: Message) -> bool:
    return any(isinstance(block, ToolResult) for block in message.content)


def _seen_file(use: ToolUse, result: ToolResult) -> str:
    if deed(use.name) != "list" or use.input:
        return ""
    got = heard(result)
    return readme(entries(got.value)) if got.ok else ""


def _planned(wanted: list[Action], past: Past, tools: Sequence[ToolSpec]) -> Reply:
    """A sentence, and the calls that it announces."""
    said: list[str] = []
    calls: list[ToolUse] = []
    for action in wanted:
        do = "list" if action.do == "tour" else action.do
        tool = find(do, tools)
        given = arguments(msgspec.structs.replace(action, do=do), tool) if tool else None
        if tool is None or given is None:
            return Reply(
                answers.no_tool(wish(action.do), suggestions(tools, past.file or "README.md"))
            )
        if action.do == "run" and not action.text:
            return Reply(answers.WHICH_COMMAND)
        calls.append(ToolUse(f"guide_{past.answers + 1}_{len(calls) + 1}", tool.name, given))
        said.append(_announced(action))
    slip, meant = wanted[0].meant
    read_as = f"(I took “{slip}” for “{meant}”.) " if slip else ""
    return Reply(f"{read_as}{' '.join(said)}", tuple(calls))


def _announced(action: Action) -> str:
    match action.do:
        case "list":
            place = "here" if action.path == "." else f"in `{action.path}`"
            return f"Let me see what is {place}."
        case "read":
            return f"Let me open `{action.path}`."
        case "search":
            return f"Let me look for `{action.text}`."
        case "write":
            return f"I write `{action.path}`."
        case "run":
            return f"I run `{action.text}`."
        case "tour":
            return "Let me look around."


def _after_calls(past: Past, tools: Sequence[ToolSpec]) -> Reply:
    asked = actions(past.text)
    if asked and asked[0].do == "tour":
        return _tour(past, tools)
    again = _second_try(past)
    if again is not None:
        return again
    return Reply("\n\n".join(told(use, result) for use, result in _settled(past)))


def _settled(past: Past) -> Sequence[tuple[ToolUse, ToolResult]]:
    """The results worth telling: not a first try that a second one has mended."""
    if len(past.since) == 2 and _answer(past.since[0][0]) != _answer(past.since[1][0]):
        return past.since[1:]
    return past.since


def _answer(use: ToolUse) -> str:
    """Which answer a call of ours stood in."""
    return use.id.rpartition("_")[0]


def _second_try(past: Past) -> Reply | None:
    """A path that was nearly right is taken for the one that the tool suggests, once."""
    (use, result), *others = past.since
    got = heard(result)
    if others or got.ok or deed(use.name) not in ("list", "read"):
        return None
    said = plain(got.value)
    meant, wrong = re.search(r"Did you mean '([^']+)'\?", said), re.search(r"at '([^']+)'", said)
    if not meant or not wrong or wrong[1] not in use.input.values():
        return None
    given = {name: meant[1] if each == wrong[1] else each for name, each in use.input.items()}
    call = ToolUse(f"guide_{past.answers + 1}_1", use.name, given)
    return Reply(f"There is no `{wrong[1]}`, but there is `{meant[1]}`. Let me try that.", (call,))


def _tour(past: Past, tools: Sequence[ToolSpec]) -> Reply:
    """First the listing, then the README if there is one, then both in a few words."""
    use, result = past.since[0]
    got = heard(result)
    if not got.ok:
        return Reply(told(use, result))
    file = readme(entries(got.value))
    reader = find("read", tools)
    if len(past.since) == 1 and file and reader:
        action = Action("read", file, start=1, end=_README_LINES)
        given = arguments(action, reader)
        if given is not None:
            call = ToolUse(f"guide_{past.answers + 1}_1", reader.name, given)
            return Reply(f"There is a `{file}`; it should say what this is.", (call,))
    listed = listing(got.value, hint=False)
    if len(past.since) == 1:
        return Reply(f"{listed}\n\nThere is no README. {answers.MODEL_KNOWS_MORE}")
    return Reply(f"{told(*past.since[-1])}\n\n{listed}\n\n{answers.MODEL_KNOWS_MORE}")


def _talk(past: Past, tools: Sequence[ToolSpec]) -> str:
    file = past.file or "README.md"
    three = suggestions(tools, file)
    if not past.text.strip():
        return answers.no_pictures(three)
    name, hello = topic(past.text)
    match name:
        case "greeting":
            return answers.greeting(hello, three)
        case "help":
            return answers.help_text(possible(tools, file))
        case "yes_or_no":
            return answers.unsure(three)
        case "unknown":
            return answers.unknown(three)
        case _:
            return _FIXED[name]


_FIXED: dict[str, str] = {
    "about": answers.ABOUT,
    "who": answers.WHO,
    "key": answers.KEY,
    "local": answers.LOCAL,
    "pasted_key": answers.PASTED_KEY,
    "thanks": answers.THANKS,
    "bye": answers.BYE,
    "mood": answers.MOOD,
}


def blocks(said: Reply) -> tuple[Text | ToolUse, ...]:
    return (Text(said.text), *said.calls)
