"""The guide: what it understands, what it does about it, and that it never pretends."""

import asyncio
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.messages.block import Image, Text, ToolResult, ToolUse, plain_text, tool_uses
from bottega.messages.message import Message, user
from bottega.providers.guide import Guide
from bottega.providers.guide.request import Action, actions
from bottega.providers.provider import Finished, Request, TextPiece, ToolSpec
from bottega.tools.builtin import builtin_registry
from bottega.tools.call import call
from tests.hunt import LONG
from tests.providers.recordings import added_up, blocks_are_valid
from tests.tools.contexts import Workbench


def spec(name: str, *names: str, required: tuple[str, ...] = ()) -> ToolSpec:
    properties = {each: {"type": "string"} for each in names}
    return ToolSpec(
        name, name, {"type": "object", "properties": properties, "required": [*required]}
    )


LIST = spec("list_dir", "path", "depth")
READ = spec("read_file", "file_path", "start_line", "end_line", "files")
GREP = spec("grep", "pattern", "path", required=("pattern",))
WRITE = spec("write_file", "file_path", "content", required=("file_path", "content"))
BASH = spec("bash_exec", "command", "timeout", required=("command",))
LOOKING = (READ, LIST)
EVERY = (READ, LIST, GREP, WRITE, BASH)


async def answer(*messages: Message | str, tools: tuple[ToolSpec, ...] = LOOKING) -> Finished:
    said = tuple(user(each) if isinstance(each, str) else each for each in messages)
    request = Request("guide", said, tools=tools)
    async with asyncio.timeout(30):
        events = [event async for event in Guide(pace_ms=0).stream(request)]
    finished = added_up(events)["end"]
    blocks_are_valid(finished)
    return finished


async def text(*messages: Message | str, tools: tuple[ToolSpec, ...] = LOOKING) -> str:
    return plain_text((await answer(*messages, tools=tools)).content)


async def calls(words: str, tools: tuple[ToolSpec, ...] = LOOKING) -> list[tuple[str, Any]]:
    finished = await answer(words, tools=tools)
    found = [(block.name, block.input) for block in finished.content if isinstance(block, ToolUse)]
    assert finished.stop_reason == ("tool_use" if found else "end_turn")
    return found


async def after(words: str, name: str, given: dict[str, Any], result: Any, **more: Any) -> str:
    """What the guide says when this call came back with this result."""
    return await text(words, *ran("guide_1_1", name, given, result), **more)


def ran(tool_id: str, name: str, given: dict[str, Any], result: Any) -> tuple[Message, Message]:
    error = isinstance(result, Exception)
    said = (
        {"status": "error", "error": {"message": str(result), "code": "X"}}
        if error
        else {"status": "success", "result": result}
    )
    block = ToolResult(tool_id, (Text(msgspec.json.encode(said).decode()),), error)
    use = ToolUse(tool_id, name, given)
    return Message("assistant", (Text("I look."), use)), Message("tool", (block,))


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("list the files", Action("list", ".")),
        ("List all files, please!", Action("list", ".")),
        ("ls", Action("list", ".")),
        ("ls -la src", Action("list", "src")),
        ("list src", Action("list", "src")),
        ("what's in src/", Action("list", "src/")),
        ("what is in the src folder?", Action("list", "src")),
        ("which files do I have?", Action("list", ".")),
        ("show me the contents of docs/api", Action("list", "docs/api")),
        ("open src", Action("list", "src")),
        ("src/", Action("list", "src/")),
        ("read README.md", Action("read", "README.md")),
        ("Could you open pyproject.toml for me?", Action("read", "pyproject.toml")),
        ("what's in README.md?", Action("read", "README.md")),
        ("what does LICENSE say?", Action("read", "LICENSE")),
        ("show the README", Action("read", "README")),
        ("README.md", Action("read", "README.md")),
        ('show me "my notes.txt"', Action("read", "my notes.txt")),
        ("show me pyproject.toml lines 1-20", Action("read", "pyproject.toml", start=1, end=20)),
        ("show lines 5 to 10 of a/b.py", Action("read", "a/b.py", start=5, end=10)),
        ("the first 20 lines of a.py", Action("read", "a.py", start=1, end=20)),
        ("read a.py line 7", Action("read", "a.py", start=7, end=7)),
        ("read a.py from line 7", Action("read", "a.py", start=7)),
        ("read a.py:3-9", Action("read", "a.py", start=3, end=9)),
        ("search for TODO", Action("search", text="TODO")),
        ('grep "def main" in src/', Action("search", "src/", "def main")),
        ("where is Root defined?", Action("search", text="Root")),
        ("create hello.txt with Hello, world", Action("write", "hello.txt", "Hello, world\n")),
        ('make a file called a/b.md containing "hi"', Action("write", "a/b.md", "hi\n")),
        ("write some words to a.txt", Action("write", "a.txt", "some words\n")),
        ("create empty.txt", Action("write", "empty.txt")),
        ("run make test", Action("run", text="make test")),
        ("$ ls -la .", Action("run", text="ls -la .")),
        ("run the tests", Action("run")),
        ("explain this project", Action("tour", ".")),
        ("look around", Action("tour", ".")),
        ("lsit the files", Action("list", ".", meant=("lsit", "list"))),
        ("raed a.py", Action("read", "a.py", meant=("raed", "read"))),
        ("serach for x", Action("search", text="x", meant=("serach", "search"))),
    ],
)
def test_plain_words_are_understood(words: str, action: Action) -> None:
    assert actions(words) == [action]


def test_several_requests_in_one_sentence_are_several_actions() -> None:
    assert actions("list src and read README.md") == [
        Action("list", "src"),
        Action("read", "README.md"),
    ]
    assert actions("read a.py, b.py and c.py") == [
        Action("read", "a.py"),
        Action("read", "b.py"),
        Action("read", "c.py"),
    ]
    assert actions("create a.txt with list src and read b.txt") == [
        Action("write", "a.txt", "list src and read b.txt\n")
    ]


@pytest.mark.parametrize(
    "words",
    [
        "hello",
        "what is Bottega?",
        "how do I add a key?",
        "ready to go",
        "see you",
        "how are you",
        "show me",
        "what is the meaning of life",
        "write me a poem about the sea",
        "make coffee",
        "find me a good restaurant in Paris",
        "what is 2.5",
        "check out https://example.com",
        "I lost my files",
        "",
    ],
)
def test_what_asks_for_no_tool_calls_none(words: str) -> None:
    assert actions(words) == []


async def test_a_request_becomes_a_call_of_an_offered_tool() -> None:
    assert await calls("list the files") == [("list_dir", {})]
    assert await calls("list src") == [("list_dir", {"path": "src"})]
    assert await calls("show me a.py lines 2-3") == [
        ("read_file", {"file_path": "a.py", "start_line": 2, "end_line": 3})
    ]
    assert await calls("read a.py and b.py") == [
        ("read_file", {"file_path": "a.py"}),
        ("read_file", {"file_path": "b.py"}),
    ]
    assert await calls("search for x in src", EVERY) == [("grep", {"pattern": "x", "path": "src"})]
    assert await calls("create a.txt with hi", EVERY) == [
        ("write_file", {"file_path": "a.txt", "content": "hi\n"})
    ]
    assert await calls("run make test", EVERY) == [("bash_exec", {"command": "make test"})]


async def test_argument_names_come_from_the_tools_own_schema() -> None:
    other = spec("list_directory", "dir", required=("dir",))
    assert await calls("list the files", (other,)) == [("list_directory", {"dir": "."})]
    several = ToolSpec(
        "read_file",
        "",
        {
            "type": "object",
            "properties": {"files": {"items": {"properties": {"path": {}, "start_line": {}}}}},
            "required": ["files"],
        },
    )
    assert await calls("read a.py from line 3", (several,)) == [
        ("read_file", {"files": [{"path": "a.py", "start_line": 3}]})
    ]
    strange = spec("grep", "pattern", "mystery", required=("pattern", "mystery"))
    assert await calls("search for x", (strange,)) == []


async def test_a_tool_that_is_not_offered_is_never_called() -> None:
    for words in ("search for x", "create a.txt with hi", "run make", "run the tests"):
        assert await calls(words) == []
        said = await text(words)
        assert "no tool for that" in said
        assert "`list the files`" in said


@pytest.mark.parametrize(
    ("words", "hello"),
    [
        ("Hello!", "Hello!"),
        ("hi there", "Hello!"),
        ("hiii 👋", "Hello!"),
        ("Guten Tag", "Hallo!"),
        ("bonjour", "Bonjour!"),
        ("¡Hola!", "¡Hola!"),
        ("good morning, guide", "Hello!"),
    ],
)
async def test_a_greeting_is_answered_and_the_guide_says_what_it_is(words: str, hello: str) -> None:
    said = await text(words)
    assert said.startswith(hello)
    assert "I am the guide, a small set of rules, not a language model" in said
    assert said.count("\n- `") == 3


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("help", "`list the files`"),
        ("what can you do?", "`list the files`"),
        ("hlep", "`list the files`"),
        ("What is Bottega?", "workshop"),
        ("what is this?", "workshop"),
        ("who are you?", "not a language model"),
        ("are you an AI?", "not a language model"),
        ("how do I add a key?", "ANTHROPIC_API_KEY"),
        ("can I use Claude?", "ANTHROPIC_API_KEY"),
        ("how do I use a local model?", "Ollama"),
        ("can I run a model locally?", "Ollama"),
        ("thanks!", "welcome"),
        ("bye", "Goodbye"),
        ("how are you?", "rules are in order"),
        ("yes", "no question open"),
    ],
)
async def test_a_topic_is_talked_about(words: str, expected: str) -> None:
    assert expected in await text(words, tools=EVERY)


async def test_what_is_not_understood_is_said_so_with_three_suggestions() -> None:
    said = await text("please prove the Riemann hypothesis")
    assert "I did not understand that" in said
    assert said.count("\n- `") == 3
    assert said.count("\n- `") == (await text("bake a cake", tools=())).count("\n- `")
    assert "list the files" not in await text("bake a cake", tools=())


@pytest.mark.parametrize("tools", [(), (LIST,), (READ,), LOOKING, EVERY])
async def test_every_suggestion_is_one_that_it_understands(tools: tuple[ToolSpec, ...]) -> None:
    for words in ("hello", "help", "bake a cake", "yes", "search for x"):
        said = await text(words, tools=tools)
        for line in said.splitlines():
            if line.startswith("- `"):
                answered = await text(line[3:-1], tools=tools)
                assert "I did not understand" not in answered
                assert "no tool for that" not in answered


async def test_what_is_told_beside_the_users_words_is_not_taken_for_them() -> None:
    aside = Message("user", (Text("Mind the limit.", aside=True),))
    use, result = ran("1", "list_dir", {}, {"entries": ["a.txt"]})
    assert await text("list the files", use, result, aside) == await text(
        "list the files", use, result
    )
    around = (Text("read notes.txt", aside=True), Text("list the files"))
    finished = await answer(Message("user", around))
    assert [use.name for use in tool_uses(finished.content)] == ["list_dir"]


async def test_a_key_in_the_conversation_is_warned_of_and_not_repeated() -> None:
    key = "sk-ant-" + "x1" * 12
    for words in (f"my key is {key}", f"run export KEY={key}", f"create .env with KEY={key}"):
        finished = await answer(words, tools=EVERY)
        assert "revoke it" in plain_text(finished.content)
        assert key not in str(finished)


async def test_a_picture_is_not_pretended_to_be_seen() -> None:
    assert "cannot see" in await text(Message("user", (Image("image/png", "aGk="),)))


FILES = {
    "path": ".",
    "entries": [
        {"path": ".env", "kind": "file", "size": 3},
        {"path": "README.md", "kind": "file", "size": 1234},
        {"path": "out", "kind": "link", "target": "/etc"},
        {"path": "src", "kind": "folder"},
    ],
}


async def test_a_listing_is_told_as_a_list() -> None:
    said = await after("list the files", "list_dir", {}, FILES)
    assert "1 folder and 3 files" in said
    assert "- **src/**\n- `.env` (3 bytes)\n- `README.md` (1.2 KB)\n- `out` → `/etc`" in said
    assert "`read README.md`" in said
    said = await after("list src", "list_dir", {"path": "src"}, {"path": "src", "entries": []})
    assert "nothing in `src`" in said


async def test_a_long_listing_is_counted() -> None:
    many = [{"path": f"f{n}", "kind": "file", "size": 1} for n in range(100)]
    said = await after("ls", "list_dir", {}, {"path": ".", "entries": many, "note": "More."})
    assert "… and 60 more" in said
    assert "More." in said


async def test_a_file_is_told_in_a_fence_that_holds_it() -> None:
    result = {"path": "a.md", "content": "```\ncode\n```\n", "size": 13, "lines": 3}
    said = await after("read a.md", "read_file", {"file_path": "a.md"}, result)
    assert "Here is `a.md` (3 lines, 13 bytes):" in said
    assert "````markdown\n```\ncode\n```\n````" in said


async def test_a_long_file_is_shown_in_part_with_a_word() -> None:
    result = {"path": "a.txt", "content": "line\n" * 5_000, "size": 25_000, "lines": 5_000}
    said = await after("read a.txt", "read_file", {"file_path": "a.txt"}, result)
    assert len(said) < 8_000
    assert "That is its beginning" in said


async def test_results_of_other_tools_are_told_too() -> None:
    hits = [{"path": "a.py", "line": 3, "text": "x = 1"}]
    said = await after("search for x", "grep", {"pattern": "x"}, {"matches": hits}, tools=EVERY)
    assert "`x` is in 1 place:\n\n- `a.py:3` `x = 1`" in said
    assert "Nothing here holds `x`" in await after("find x", "grep", {"pattern": "x"}, [])
    shell = {"stdout": "ok\n", "stderr": "", "exit_code": 0}
    said = await after("run make", "bash_exec", {"command": "make"}, shell)
    assert said == "`make` went well. \n\nIt said:\n\n```\nok\n```".replace(" \n", "\n")
    said = await after("run make", "bash_exec", {"command": "make"}, {"exit_code": 2})
    assert "exit code 2" in said
    said = await after("create a.txt with hi", "write_file", {"file_path": "a.txt"}, {})
    assert "`a.txt` is written" in said
    assert "`other` answered" in await after("x", "other", {}, {"a": 1})


async def test_an_error_is_told_plainly() -> None:
    said = await after("read x.py", "read_file", {"file_path": "x.py"}, ValueError("No such thing"))
    assert said == "That did not work. No such thing."


async def test_a_path_that_was_nearly_right_is_tried_once_more() -> None:
    problem = ValueError("There is nothing at 'redme'. Did you mean 'README.md'?")
    first = ran("guide_1_1", "read_file", {"file_path": "redme", "end_line": 3}, problem)
    finished = await answer("read redme line 3", *first)
    assert finished.content[-1] == ToolUse(
        "guide_2_1", "read_file", {"file_path": "README.md", "end_line": 3}
    )
    again = ran("guide_2_1", "read_file", {"file_path": "README.md"}, problem)
    finished = await answer("read redme line 3", *first, *again)
    assert finished.stop_reason == "end_turn"
    unclear = ValueError("There is nothing at 'a'. Did you mean 'b' or 'c'?")
    assert "did not work" in await after("read a", "read_file", {"file_path": "a"}, unclear)


async def test_a_tour_lists_then_reads_the_readme_then_tells() -> None:
    words = "explain this project"
    assert await calls(words) == [("list_dir", {})]
    first = ran("guide_1_1", "list_dir", {}, FILES)
    finished = await answer(words, *first)
    assert finished.content[-1] == ToolUse(
        "guide_2_1", "read_file", {"file_path": "README.md", "start_line": 1, "end_line": 60}
    )
    content = {"path": "README.md", "content": "# Shop\n", "size": 7, "lines": 1}
    second = ran("guide_2_1", "read_file", {"file_path": "README.md"}, content)
    said = await text(words, *first, *second)
    assert "# Shop" in said
    assert "**src/**" in said
    bare = {"path": ".", "entries": [{"path": "a", "kind": "file", "size": 1}]}
    assert "no README" in await after(words, "list_dir", {}, bare)


async def test_the_next_question_is_not_answered_with_old_results() -> None:
    past = ran("guide_1_1", "list_dir", {}, FILES)
    said = Message("assistant", (Text("There you are."),))
    assert "welcome" in await text("ls", *past, said, "thanks")
    finished = await answer("ls", *past, said, "list src")
    assert finished.content[-1] == ToolUse("guide_3_1", "list_dir", {"path": "src"})


async def test_usage_is_estimated_and_costs_nothing() -> None:
    finished = await answer("hello")
    assert finished.cost == 0
    assert finished.usage.input_tokens > 0
    assert finished.usage.output_tokens > 20
    assert finished.model == "guide"


async def test_words_come_one_by_one_and_a_long_answer_in_larger_pieces() -> None:
    async def pieces(*messages: Message) -> list[str]:
        request = Request("guide", messages, tools=LOOKING)
        stream = Guide(pace_ms=0).stream(request)
        return [event.text async for event in stream if isinstance(event, TextPiece)]

    assert (await pieces(user("thanks")))[:3] == ["You", " are", " welcome."]
    content = {"path": "a", "content": "word " * 1_000, "size": 1, "lines": 1}
    assert len(await pieces(user("read a"), *ran("c", "read_file", {}, content))) <= 160


async def test_a_cancel_ends_a_paced_answer_at_once() -> None:
    stream = Guide(pace_ms=60_000).stream(Request("guide", (user("hello"),)))
    await anext(stream)
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(30):
            await waiting


VOCABULARY = (
    "list read show me the files in src README.md a.py lines 1-20 search for create with run write "
    "to hello please and then , . ? ! what's is /etc/passwd ../x ```py `a` \"b c\" 'd first 3 of "
    "explain this project file folder open my key sk- from line on where defined"
)
spoken = st.one_of(
    st.text(max_size=200), st.lists(st.sampled_from(VOCABULARY.split()), max_size=40).map(" ".join)
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["path", "entries", "content", "error", "kind", "matches", "size", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.fuzz
@settings(max_examples=20_000 if LONG else 200, deadline=None)
@given(words=spoken)
def test_whatever_is_said_is_answered(words: str) -> None:
    said = asyncio.run(text(words, tools=EVERY))
    assert said.strip()


@pytest.mark.fuzz
@settings(max_examples=20_000 if LONG else 200, deadline=None)
@given(
    words=spoken,
    name=st.sampled_from([tool.name for tool in EVERY]),
    given_path=st.dictionaries(st.sampled_from(["file_path", "command"]), st.text(max_size=5)),
    result=json_values,
)
def test_whatever_a_tool_answers_is_told(
    words: str, name: str, given_path: dict[str, str], result: Any
) -> None:
    assert asyncio.run(after(words, name, dict(given_path), result, tools=EVERY)).strip()
    raw = ToolResult("c", (Text(msgspec.json.encode(result).decode()),), is_error=True)
    use = Message("assistant", (ToolUse("c", name, dict(given_path)),))
    assert asyncio.run(text(words, use, Message("tool", (raw,)), tools=EVERY)).strip()


@pytest.mark.parametrize(
    "words",
    ["list the ", "write a ", "create a b with ", "what the all ", "look for in ", "and ", "run ",
     "read in ", "lines 1 ", "please ", "save x to ", "where is ", "use model ", "`` ", "  ", ", "],
)  # fmt: skip
@pytest.mark.parametrize("length", [1_900, 100_000])
def test_long_words_take_no_long_time(words: str, length: int) -> None:
    started = time.process_time()
    asyncio.run(text((words * length)[:length], tools=EVERY))
    assert time.process_time() - started < 1


async def test_with_the_real_tools_a_newcomer_is_shown_around(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# The shop\nWe sell lamps.\n")
    (tmp_path / "src").mkdir()
    registry, bench = builtin_registry(), Workbench(tmp_path)

    async def on_intent(_: object) -> None: ...

    async def ask(past: list[Message], words: str) -> str:
        past.append(user(words))
        while True:
            finished = await answer(*past, tools=registry.specs())
            past.append(Message("assistant", finished.content))
            uses = tool_uses(finished.content)
            if not uses:
                return plain_text(finished.content)
            for use in uses:
                got = await call(use, registry, bench, on_intent)
                result = ToolResult(use.id, got.to_content(), got.status == "error")
                past.append(Message("tool", (result,)))

    past: list[Message] = []
    assert "Welcome" in await ask(past, "hi")
    assert "- `README.md` (26 bytes)" in await ask(past, "lsit the files")
    assert "2 lines, 26 bytes" in await ask(past, "read readme")
    assert "We sell lamps." in await ask(past, "explain this project")
    assert "outside the workspace" in await ask(past, "read /etc/passwd.txt")
    bench.root.close()


async def test_odd_results_are_told_as_well_as_can_be() -> None:
    read = {"file_path": "a"}
    several = [
        {"path": "a", "content": "x", "size": 1},
        {"path": "b", "error": {"message": "Gone"}},
    ]
    said = await after("read a", "read_file", read, several)
    assert "Here is `a` (1 byte)" in said
    assert "`b` could not be read. Gone." in said
    assert "`a` is empty." in await after("read a", "read_file", read, {"path": "a"})
    assert "```\njust text\n```" in await after("read a", "read_file", read, "just text")
    huge = {"path": "a", "content": "x", "size": 3_500_000_000, "lines": None, "note": "Odd."}
    said = await after("read a", "read_file", read, huge)
    assert "(3.5 GB)" in said
    assert said.endswith("Odd.")
    assert "2.0 MB" in await after("read a", "read_file", read, {**huge, "size": 2_000_000})
    assert "For `x` I found" in await after("find x", "grep", {"pattern": "x"}, "a.py:1: x")
    many = [{"path": str(n)} for n in range(50)]
    assert "… and 10 more" in await after("find x", "grep", {"pattern": "x"}, many)
    assert "`make` said" in await after("run make", "bash_exec", {"command": "make"}, "done")
    folders = {"path": "src", "entries": [{"path": "deep", "kind": "folder"}]}
    said = await after("list src", "list_dir", {"path": "src"}, folders)
    assert "`list src/deep`" in said
    assert "- `a.py`" in await after("ls", "list_dir", {}, ["a.py", "lib/"])


async def test_a_result_that_is_no_json_is_shown_as_it_is() -> None:
    use = Message("assistant", (ToolUse("c", "read_file", {"file_path": "a"}),))
    result = ToolResult("c", (Text("plain words"), Image("image/png", "aGk=")))
    said = await text("read a", use, Message("tool", (result,)))
    assert "plain words" in said
    assert "cannot see images" in said


async def test_a_tour_that_cannot_begin_says_why() -> None:
    said = await after("look around", "list_dir", {}, ValueError("The folder is gone"))
    assert said == "That did not work. The folder is gone."


async def test_a_fence_around_the_content_is_not_part_of_it() -> None:
    words = "create a.py with:\n```python\nprint(1)\nprint(2)\n```"
    assert actions(words) == [Action("write", "a.py", "print(1)\nprint(2)\n")]
    assert await calls("run the tests", EVERY) == []
    assert "Which command?" in await text("run the tests", tools=EVERY)
