"""Every feature that Bottega is to have, one sentence each, and which tests show it.

`python tests/requirements.py` prints the table. Tests name what they show by
`@pytest.mark.requirement("A26", …)`; a feature is `shown` when at least one test does.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

TESTS = Path(__file__).parent
RANGES = {"A": 48, "S": 21, "X": 23, "N": 14, "T": 50, "C": 23}


class Requirement(msgspec.Struct, frozen=True):
    sentence: str
    """What Bottega does for it."""
    state: Literal["shown", "not yet"]


def shown(sentence: str) -> Requirement:
    return Requirement(sentence, "shown")


def later(sentence: str) -> Requirement:
    return Requirement(sentence, "not yet")


def ids() -> list[str]:
    """Every id there is, in order; only the C's are counted without a leading zero."""
    return [
        f"{letter}{number}" if letter == "C" else f"{letter}{number:02}"
        for letter, last in RANGES.items()
        for number in range(1, last + 1)
    ]


def marks(root: Path = TESTS) -> dict[str, list[str]]:
    """Which tests name which id, read from the sources without running them."""
    found: dict[str, list[str]] = {}
    for path in sorted(root.rglob("test_*.py")):
        for test, requirement in _marked(ast.parse(path.read_text("utf-8"))):
            found.setdefault(requirement, []).append(f"{path.relative_to(root)}::{test}")
    return found


def _marked(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for decorator in node.decorator_list:
            for call in ast.walk(decorator):
                if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(
                    "mark.requirement"
                ):
                    yield from ((node.name, str(ast.literal_eval(arg))) for arg in call.args)


def table() -> str:
    tests = marks()
    rows = [f"{count(tests)} of {len(REQUIREMENTS)} features are shown by a test.", ""]
    for name, requirement in REQUIREMENTS.items():
        rows.append(f"{name:4} {requirement.sentence}")
        rows += [f"       {test}" for test in tests.get(name, ["not yet"])]
    return "\n".join(rows)


def count(tests: dict[str, list[str]]) -> int:
    return sum(name in tests for name in REQUIREMENTS)


REQUIREMENTS: dict[str, Requirement] = {
    # One agent, any provider.
    "A01": shown("A prompt is trimmed before it is admitted, and an empty one is refused."),
    "A02": shown("Answers and errors reach the screen by the same road, told apart by kind."),
    "A03": shown("Markdown is rendered and made safe before it is shown."),
    "A04": shown("How long an exchange took is measured and stands in its response."),
    "A05": shown("An answer that is no text is shown as indented JSON."),
    "A06": shown("After an answer the screen agrees with the stored session without being asked."),
    "A07": shown("Whatever went wrong, the user reads one clear sentence."),
    "A08": shown("A session's history is read from its log, once for each run."),
    "A09": shown("The provider, its key and the model come from settings that know their source."),
    "A10": shown("The user's own instructions are joined to the agent's system prompt."),
    "A11": shown("A provider's name finds its wire protocol; any compatible address can be added."),
    "A12": shown("A log becomes the model's history, and the chat view, without loss."),
    "A13": shown("A session can be reset: the next run starts with an empty context."),
    "A14": shown("What was said is durable when the exchange ends, tool turns included."),
    "A15": shown("A message has a role, blocks and a time, whoever wrote it."),
    "A16": shown("Blocks tell text, reasoning, calls, results, media and sources apart."),
    "A17": shown("A tool is described by a JSON schema of type object."),
    "A18": shown("A tool's outcome is content with an error flag, and a code where it failed."),
    "A19": shown("A run ends at its limit of iterations with a clear word, not an exception."),
    "A20": shown("Each step builds one request and streams one answer."),
    "A21": shown("The agent's tools are offered in every step."),
    "A22": shown("All providers speak the same stream: text, reasoning, calls, usage, error, end."),
    "A23": shown("Text makes the answer, reasoning stands beside it, calls are collected whole."),
    "A24": shown("Arguments that are no JSON become an error result, never an empty call."),
    "A25": shown("An answer enters the history when it is complete, and never when it is empty."),
    "A26": shown("A call to a tool that does not exist gets an error result, and the run goes on."),
    "A27": shown("Each call gets one result, as a message of its own with the role `tool`."),
    "A28": shown("Calls lead to another step; an answer without calls is the final one."),
    "A29": shown("One call after the other, in the model's order, where that is asked for."),
    "A30": shown("One registry knows every tool by its name."),
    "A31": shown("Arguments are checked against the schema before anything runs."),
    "A32": shown("Writers of the same file wait for each other; readers share it."),
    "A33": shown("A tool's failure is told to the model; what is not idempotent is not repeated."),
    "A34": shown("One call reads several files, or ranges of lines of them."),
    "A35": shown("No tool reaches a file outside its workspace."),
    "A36": shown("A wire protocol is two functions and a decoder."),
    "A37": shown("Gemini gets contents, parts and function declarations in its own form."),
    "A38": shown("Results go to Gemini under the names of the tools that they belong to."),
    "A39": shown("Gemini's usage is told at the end, and its failures are tried again five times."),
    "A40": shown(
        "OpenAI's chat stream gives whole calls from pieces, tried again up to ten times."
    ),
    "A41": shown("A new provider is a new file; the loop knows none by name."),
    "A42": shown("A provider's failure ends the exchange with an error that the user sees."),
    "A43": shown("Calls that do not get in each other's way run at the same time."),
    "A44": shown("A tool's output is shown while it still runs."),
    "A45": shown("A file that has not changed is not read for the model twice."),
    "A46": shown("Pictures, sound and documents go to models that take them."),
    "A47": shown("Tools of others can be added without touching the program."),
    "A48": shown("A large result comes in parts, and the whole is kept."),
    # Tabs, sessions and what happens when one of them goes away.
    "S01": shown("The client names a prompt by a UUID, and all that follows carries it."),
    "S02": shown("Every event of a session has an index that grows without gaps."),
    "S03": shown("A client that has seen an index never shows it twice."),
    "S04": shown("A tab has an id of its own, which means nothing to the session."),
    "S05": shown("A session's id is made where the session is made."),
    "S06": shown("Tabs, sessions and prompts have ids of different kinds."),
    "S07": shown("Opening a tab opens or joins a session."),
    "S08": shown("A prompt from a tab finds its session."),
    "S09": shown("What a session says reaches every tab that follows it."),
    "S10": shown("The end of an exchange reaches every tab that follows it."),
    "S11": shown("Closing a session frees what it held."),
    "S12": shown("A hidden tab misses nothing: it goes on from its cursor."),
    "S13": shown("Several tabs are answered at the same time."),
    "S14": shown("Which tab shows which session is always known, and forgotten with either."),
    "S15": shown("The prompts of a session run one after the other."),
    "S16": shown("Sessions do not wait for each other."),
    "S17": shown("Every client sees the events in the order of the log."),
    "S18": shown("When a worker dies its tabs are told, and the session can go on."),
    "S19": shown("A screen that is made anew shows its tabs and sessions as they were."),
    "S20": shown("A client that goes away loses nothing that was stored."),
    "S21": shown("The agent knows nothing of screens; the log stands between them."),
    # Layers of events.
    "X01": shown("Events go from the provider to the log, and from there to whoever follows."),
    "X02": shown("Programs on the server and in the browser see the same events."),
    "X03": shown("A program follows a session with callbacks, and can stop following."),
    "X04": shown("The stream layer tells a message's start, its text pieces, and its stop."),
    "X05": shown("A call's block starts, its arguments come in pieces, and it stops."),
    "X06": shown("A complete call is one event with its parsed input."),
    "X07": shown("A call's result is one event that says whether it is an error."),
    "X08": shown("A conversation starts, thinks, responds and ends."),
    "X09": shown("A tool is planned, executes and is completed."),
    "X10": shown("The message layer has the user's, the assistant's, the tool's and the error's."),
    "X11": shown("A call and its result are one message with one id."),
    "X12": shown("That message is empty first, and is filled when the result comes."),
    "X13": shown("An exchange begins with the prompt that asked for it."),
    "X14": shown("An exchange ends with its answer, usage, cost and duration."),
    "X15": shown("An exchange ends once, when the whole answer is there."),
    "X16": shown("Why an answer stopped is one of a few known words."),
    "X17": shown("A call's arguments are parsed when they are complete, and told in this order."),
    "X18": shown("What a provider ran itself is told as a call with its result."),
    "X19": shown("The screen waits until the exchange ends, and fills tool messages by id."),
    "X20": shown("Calls and results are folded on the screen and can be opened."),
    "X21": shown("A call comes before its message, its result after it, the end after all."),
    "X22": shown("Each stage can write what it does to a log for people who look for a fault."),
    "X23": shown("Tools may run elsewhere, be denied with a reason, or be answered from a cache."),
    # Reminders, follow-ups and callbacks.
    "N01": shown("The composer takes text, and says when it cannot."),
    "N02": shown("What the user sent stands on the screen at once."),
    "N03": shown(
        "Reminders are added to the prompt, and the right agent answers, here or at an address."
    ),
    "N04": shown("The agent answers from the session's history and says what it cost."),
    "N05": shown("A request offers only the tools that this agent may use."),
    "N06": shown("The registry gives the definitions of the tools that are enabled."),
    "N07": shown("One request gives one answer, with calls if the model makes any."),
    "N08": shown("After its calls have run, the agent knows that it must ask again."),
    "N09": shown("Calls run side by side, each with the context of its run."),
    "N10": shown("Tool messages reach the caller before the final answer."),
    "N11": shown("Results go back to the model, and its next answer knows them."),
    "N12": shown("A prompt takes callbacks for pieces, for further messages and for the end."),
    "N13": shown("A plain, a tool-using and a streaming exchange are the same path."),
    "N14": shown("Depth and concurrency are limited; reminders have kinds and ranks."),
    # A studio with accounts, a market and projects.
    "T01": later("People sign up, and get a key with a budget and the default agents."),
    "T02": later("People sign in with a password and get a token that ends."),
    "T03": later("People sign in with an account that they have elsewhere."),
    "T04": later("Accounts, their foreign logins and their tokens are kept apart."),
    "T05": later("Each person has keys of their own, with a budget and an end."),
    "T06": later("A gateway is configured by settings that name their source."),
    "T07": later("Several vendors stand behind one gateway."),
    "T08": later("An agent on offer has a price, a kind, tools, a model and a parent."),
    "T09": later("What somebody owns, and until when, is on record."),
    "T10": later("A project knows which agents work in it."),
    "T11": later("The market can be browsed."),
    "T12": later("Free agents are taken, others are paid for, and both end in the library."),
    "T13": later("Owned agents can be switched off, given a model, removed and forked."),
    "T14": later("A project takes in only agents that its member owns."),
    "T15": shown("An agent is built from its record, with its own tools if it names some."),
    "T16": shown("The stream agent writes the files that its answer contains."),
    "T17": shown("The iterative agent thinks and acts until its work is done."),
    "T18": shown("The ReAct agent says its thought before it acts."),
    "T19": shown("A run ends by a signal, by having nothing to do, or by a limit."),
    "T20": shown("Each step checks limits, asks, acts, and tells what it did."),
    "T21": shown("A request is the system prompt, the history and the wrapped prompt."),
    "T22": shown("Steps, pieces, asks, ends and errors are there as simple events too."),
    "T23": shown("The four words for a finished task are known in any case."),
    "T24": shown("A run leaves nothing behind when it ends."),
    "T25": shown("The registry lists tools by category and describes them for a prompt."),
    "T26": shown("A tool has a category and examples."),
    "T27": shown("An agent may have a subset of the tools, configured for it."),
    "T28": shown("A file is read with its size and its number of lines."),
    "T29": shown("A file is written whole, and the result shows its beginning."),
    "T30": shown("A file is patched all or nothing."),
    "T31": shown("Several files are edited in one call."),
    "T32": shown("A command runs by itself and gives output, errors and exit code."),
    "T33": shown("A shell can be opened and stays."),
    "T34": shown("A shell keeps its folder and its variables between commands."),
    "T35": shown("A shell can be closed."),
    "T36": shown("The project can be asked about, and the to-do list read and written."),
    "T37": shown("A page can be fetched from addresses that are not private."),
    "T38": shown("An agent of a project sees all its folders."),
    "T39": shown("An agent of a container sees nothing else."),
    "T40": shown("In plan mode nothing is changed, and the model is told why."),
    "T41": shown("In ask mode reading is free and the rest is asked for."),
    "T42": shown("In allow mode nothing is asked for."),
    "T43": shown("What does no harm is allowed in every mode."),
    "T44": shown("An ask can be answered once, for the session, or with a stop."),
    "T45": later("One adapter a wire protocol serves many vendors."),
    "T46": later("A model's prefix finds its provider and the key to use."),
    "T47": shown("The model that somebody chose for an agent is the one that answers."),
    "T48": shown("A run knows its project, folder, history and mode."),
    "T49": shown("A WebSocket takes prompts and gives events, both durable."),
    "T50": shown("Server-sent events give the same over plain HTTP."),
    # One rule where the five disagree.
    "C1": shown("One set of limits for each run, whose end can be continued."),
    "C2": shown("Calls overtake each other only where they cannot conflict."),
    "C3": shown("The log is the record; chat, history and steps are views of it."),
    "C4": shown("Native calls first; calls in text only where they are clearly meant."),
    "C5": shown("A run ends without calls or by a clear signal, and always once."),
    "C6": shown("One log gives the updated tool message, the tool results and the steps."),
    "C7": shown("Requests are tried again before the first piece; later the stream is reset."),
    "C8": shown("What a tool may do decides whether it is asked for."),
    "C9": shown("All answers to an ask are there, and the first one counts."),
    "C10": shown("Every prompt has exactly one end, in every path."),
    "C11": shown("A client that was away gets what it missed from the log."),
    "C12": shown("Prompts wait in line, and can be edited and taken back."),
    "C13": shown("One envelope for every event, stored or derived."),
    "C14": shown("The same envelope on every transport."),
    "C15": shown("Reasoning has its own block and event, and is never part of the answer."),
    "C16": shown("One tool takes both ways of naming files."),
    "C17": shown("The file system is the truth; a mirror helps where it is gone."),
    "C18": shown("The prompt is built in one order, and reminders are not the user's words."),
    "C19": later("One router: explicit provider, prefix, default."),
    "C20": shown("Locks belong to the project, and a stale write is refused."),
    "C21": shown("A dead worker's session goes on with a valid history."),
    "C22": shown("Reset, clear and close are three things."),
    "C23": later("Everything outside has a double inside, so that all works offline."),
}


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
