"""Severity: low (L1). Titles, names, answers, errors and descriptions that an attacker wrote are printed by every
command, in a terminal and into a pipe: nothing of his is obeyed, and nothing of his looks like a line of ours.
"""

import ast
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bottega.cli.screen.clean import Cleaner, clean
from bottega.cli.screen.painter import Painter
from bottega.cli.screen.terminal import Terminal
from bottega.printable import printable_json
from tests.attacks import hostile_home
from tests.attacks.hostile_home import DRIVER, NAME, TEXT, theirs_in
from tests.attacks.sinks import sink
from tests.cli.conftest import scrubbed

Commands = tuple[list[list[str]], dict[str, str], Path]

SOURCES = Path(__file__).parents[2] / "src" / "bottega" / "cli"

BEFORE = ["import {import}", "run -m {model} go", *["run -m {model} more -s @2"] * 3]
COMMANDS = [
    *("import {import}", "sessions", "sessions --json", "sessions --all", "asks", "asks --json"),
    *(f"{verb} @{n}" for verb in ("show", "events", "events --json", "changes") for n in (1, 2, 3)),
    *("changes @1 --diff", "changes @1 --json", "revert @1 --yes", "search needle"),
    *(f"export @1 --format {form}" for form in ("md", "chat", "jsonl", "html")),
    *("compact @2", "compact @2 --undo", "rename @2 other", "delete @9"),
    *("agents list", "agents list --json", "agents show evil", "agents show evil --json"),
    *("agents validate evil", "agents validate broken", "agents validate", "agents show broken"),
    *("people list", "people list --json", "projects list", "projects list --json", "projects"),
    *(
        "mcp list",
        "mcp list --json",
        "mcp approve hub",
        "mcp test hub",
        "mcp test odd",
        "mcp approve odd",
    ),
    *("keys list", "config list", "config list --json", "config get instructions", "db check"),
    *("models", "models own", "doctor", "doctor --json", "run -m {model} fail -s @2"),
    *(f"approve {kind}00001 deny" for kind in ("tool", "question", "plan", "client")),
    *(
        "run --json -m {model} more",
        "--debug run -m {model} more",
        "run -m nobody/{bad} hi",
        "run -a {bad} hi",
        "{bad}",
    ),
]


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """The commands, their environment and the folder that they are called from."""
    scratch = tmp_path_factory.mktemp("hostile")
    home, folder = scratch / "home", scratch / "work"
    home.mkdir()
    folder.mkdir()
    refusal = json.dumps({"error": {"message": TEXT}}).encode()
    with sink() as provider:
        provider.answer = lambda _: (404, {"Content-Type": "application/json"}, refusal)
        furniture = hostile_home.furnish(home, folder, scratch, provider.url)
        known = {**furniture, "bad": f"bad{TEXT}"}
        env = scrubbed(home)
        _called([_words(each, known) for each in BEFORE], env, folder)
        hostile_home.poison(home, folder)
        yield [_words(each, known) for each in COMMANDS], env, folder


def _words(command: str, known: dict[str, str]) -> list[str]:
    return [word.format(**known) if "{" in word else word for word in command.split()]


def _called(
    commands: list[list[str]], env: dict[str, str], folder: Path, *, tty: bool = False
) -> str:
    """All that they print, one after the other, in one process."""
    program = [sys.executable, "-c", DRIVER, json.dumps(commands)]
    if not tty:
        done = subprocess.run(
            program, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        return done.stdout.decode("utf-8", "backslashreplace")
    here, there = pty.openpty()
    running = subprocess.Popen(
        program, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=there, stderr=there
    )
    os.close(there)
    said = b""
    with suppress(OSError):
        while piece := os.read(here, 1 << 16):
            said += piece
    os.close(here)
    running.wait()
    return said.decode("utf-8", "backslashreplace")


@pytest.mark.parametrize("tty", [False, True], ids=["into a pipe", "in a terminal"])
def test_what_others_wrote_is_printed_by_every_command_and_obeyed_by_none(
    commands: Commands, tty: bool
) -> None:
    every, env, folder = commands
    # Into a pipe these two are files, byte for byte: `git apply` and `bottega import` take them.
    files = [] if tty else ["--diff", "jsonl"]
    wanted = [words for words in every if not set(words) & set(files)]
    said = _called(wanted, env, folder, tty=tty)
    parts = re.split(r"==\d+==\r?\n", said)[1:]
    assert len(parts) == len(wanted)
    found = {
        # An export is a document: its lines are its own.
        " ".join(words)[:80]: theirs_in(part, lines=words[0] == "export")
        for words, part in zip(wanted, parts, strict=True)
    }
    assert {name: bad for name, bad in found.items() if bad} == {}
    told = "".join(parts)
    assert min(told.count("said"), told.count("named")) > 30, "what they wrote was printed"


def test_a_number_of_beginnings_without_an_end_is_read_once() -> None:
    for start in ("\x9d", "\x90", "\x1b]", "\x1bP", "\x9b", "\x1b[", "\x1b", "\x9d\x1b"):
        assert "\x1b" not in clean(start * 100_000)
        cleaner = Cleaner()
        assert "\x1b" not in cleaner.feed(start * 100_000) + cleaner.end()


@pytest.mark.parametrize("text", [TEXT, NAME])
def test_no_part_of_the_screen_needs_its_caller_to_clean(text: str, tmp_path: Path) -> None:
    painter = Painter()
    painted = [
        *painter.parts([(text, "bold")], 80),
        *painter.markdown(f"# {text}\n\n- `{text}`", 80),
    ]
    assert not [
        bad for line in painted for bad in theirs_in(line) if bad != f"\n{hostile_home.FORGED}"
    ]
    with (tmp_path / "screen").open("w+", encoding="utf-8", newline="") as file:
        terminal = Terminal(file, {})
        terminal.write(text)
        terminal.lines([text, *painted], text, before="\x1b[2A\r\x1b[J", behind="\x1b[K")
        for command in (text, "\x1b]0;x\x07", "\x1b[31m", "words"):
            with pytest.raises(ValueError, match="no command"):
                terminal.command(command)
        file.seek(0)
        said = re.sub(r"\x1b\[2A\r\x1b\[J|\x1b\[K", "", file.read())
    assert theirs_in(said, lines=True) == []


def test_json_is_the_same_value_in_letters_that_command_nothing() -> None:
    value = {"a": TEXT, NAME: [NAME]}
    encoded = json.dumps(value, ensure_ascii=False).encode()
    shown = printable_json(encoded)
    assert json.loads(shown) == value
    assert theirs_in(shown.decode()) == []


WRITERS = {"screen/output.py", "screen/terminal.py"}
"""Where the command line writes."""


@pytest.mark.parametrize(
    "path",
    [p for p in SOURCES.rglob("*.py") if str(p.relative_to(SOURCES)) not in WRITERS],
    ids=str,
)
def test_nothing_else_in_the_command_line_writes_to_a_terminal(path: Path) -> None:
    forbidden = re.compile(
        r"print|input|click\.(echo|secho|echo_via_pager|confirm|prompt|pause|edit|style)"
        r"|(sys\.(__)?(stdout|stderr)(__)?(\.buffer)?)\.(write|writelines)|os\.writev?"
        r"|traceback\.print_\w+|warnings\.(warn|showwarning)|print_formatted_text|pprint\.\w+"
        r"|(rich\.)?print_json|sys\.(excepthook|displayhook)"
    )
    tree = ast.parse(path.read_text())
    calls = [ast.unparse(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)]
    ours = {"print_json"}
    assert [call for call in calls if forbidden.fullmatch(call) and call not in ours] == []
    consoles = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Call) and ast.unparse(each.func) == "Console"
    ]
    assert all("StringIO()" in ast.unparse(each) for each in consoles)
