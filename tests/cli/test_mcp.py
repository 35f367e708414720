"""`bottega mcp`: added, approved, swapped, tested and removed, and no secret on any screen."""

import json
import stat
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Call, one_sentence

ODD = Path(__file__).parents[1] / "mcp" / "odd.py"
SECRET = "canary-0123456789"


def add(bottega: Call, name: str = "odd", *options: str, how: tuple[str, ...] = ()) -> None:
    program = (sys.executable, "-S", "-E", str(ODD), *how)
    done = bottega("mcp", "add", name, *options, "--", *program)
    assert done.code == 0, done.err


def states(bottega: Call) -> dict[str, str]:
    listed = json.loads(bottega("mcp", "list", "--json").out)
    return {each["name"]: each["state"] for each in listed}


def test_a_server_is_added_listed_and_removed(bottega: Call, home: Path) -> None:
    assert bottega("mcp", "list").out.startswith("There are no MCP servers.")

    done = bottega("mcp", "add", "git", "--timeout", "5", "--", "git", "--repository", "{folder}")

    assert (done.code, done.out) == (0, "")
    assert done.err == "Added and approved. Try it with: bottega mcp test git\n"
    written = tomllib.loads((home / "config.toml").read_text())["mcp"]
    assert written == {
        "git": {"command": "git", "args": ["--repository", "{folder}"], "timeout": 5.0}
    }
    assert bottega("mcp", "list").out == "git  stdio  git  approved\n"
    assert stat.S_IMODE((home / "mcp.json").stat().st_mode) == 0o600
    assert bottega("mcp", "rm", "git").code == 0
    assert states(bottega) == {}
    assert "There is no MCP server 'git'." in one_sentence(bottega("mcp", "rm", "git"))


def test_comments_of_the_file_are_kept(bottega: Call, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text('# mine\nmodel = "guide"  # for now\n')

    add(bottega)
    bottega("mcp", "rm", "odd")

    assert (home / "config.toml").read_text().startswith('# mine\nmodel = "guide"  # for now\n')


def test_an_address_is_added_with_its_headers(bottega: Call, home: Path) -> None:
    header = "Authorization=Bearer $HUB"
    done = bottega("mcp", "add", "hub", "--url", "https://hub.example/mcp?a=1", "--header", header)

    assert done.code == 0
    assert bottega("mcp", "list").out == "hub  http  hub.example  approved\n"
    written = tomllib.loads((home / "config.toml").read_text())["mcp"]["hub"]
    assert written == {
        "url": "https://hub.example/mcp?a=1",
        "headers": {"Authorization": "Bearer $HUB"},
    }


def test_a_server_that_was_swapped_is_not_started_until_it_is_approved_again(
    bottega: Call, home: Path
) -> None:
    add(bottega)
    file = home / "config.toml"
    file.write_text(file.read_text().replace('"-S"', '"-S", "-B"'))

    assert states(bottega) == {"odd": "changed"}
    assert "changed since approved" in bottega("mcp", "list").out
    told = one_sentence(bottega("mcp", "test", "odd"))
    assert told == (
        "The MCP server 'odd' has changed since it was approved, so it is not started."
        " Look at it, then type: bottega mcp approve odd"
    )

    done = bottega("mcp", "approve", "odd")

    assert f"command: {sys.executable} -S -B -E {ODD}" in done.out
    assert "network: no" in done.out
    assert states(bottega) == {"odd": "approved"}


def test_a_server_written_by_hand_waits_for_approval(bottega: Call, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text(
        '[mcp.a]\ncommand = "x"\n[mcp.b]\ncommand = "y"\nenabled = false\n'
    )

    assert states(bottega) == {"a": "new", "b": "disabled"}
    assert "a  stdio  x  not approved" in bottega("mcp", "list").out


def test_a_projects_file_cannot_bring_a_server(bottega: Call, work: Path) -> None:
    (work / ".bottega.toml").write_text('[mcp.evil]\ncommand = "sh"\n')
    (work / ".mcp.json").write_text('{"mcpServers": {"evil": {"command": "sh"}}}')

    assert states(bottega) == {}
    listed = bottega("config", "list", "--json")
    assert json.loads(listed.out)["mcp"]["value"] == {}
    assert "may not set 'mcp'" in listed.err


def test_testing_a_server_shows_what_it_offers_and_remembers_how_much(bottega: Call) -> None:
    add(bottega, how=())

    done = bottega("mcp", "test", "odd")

    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("✓ odd is odd 1, protocol 2025-11-25: ready after ")
    assert lines[1].startswith("  24 tools  echo, crash, hang")
    assert lines[2:] == ["  0 resources", "  0 prompts"]
    assert bottega("mcp", "list").out.rstrip().endswith("approved  24 tools")


def test_testing_a_server_that_fails_is_one_sentence(bottega: Call) -> None:
    add(bottega, how=("crash-at-start",))

    assert one_sentence(bottega("mcp", "test", "odd")) == (
        "The MCP server 'odd' could not be started. It ended with exit code 3."
        " Its last words: [31mThere is no database."
    )


def test_no_secret_is_shown_anywhere(bottega: Call, child: Call, home: Path) -> None:
    add(bottega, "odd", "--env", "HUB", "--env", f"API_TOKEN={SECRET}x", how=("crash-at-start",))
    assert child("keys", "set", "HUB", stdin=f"{SECRET}\n").code == 0
    bottega("mcp", "add", "hub", "--url", f"http://u:{SECRET}@127.0.0.1:9/mcp?k={SECRET}")

    told = [
        bottega(*command.split())
        for command in (
            "mcp list",
            "mcp list --json",
            "mcp approve odd",
            "mcp approve hub",
            "mcp test odd",
            "mcp test hub",
            "config list",
            "config list --json",
            "config get mcp.odd.env.API_TOKEN",
            "--debug mcp test hub",
        )
    ]

    assert SECRET not in "".join(each.out + each.err for each in told)
    assert SECRET not in (home / "mcp.json").read_text()
    assert 'HUB = "$HUB"' in (home / "config.toml").read_text()


def test_a_kept_secret_is_given_to_the_server_that_names_it(
    bottega: Call, child: Call, home: Path
) -> None:
    add(bottega, "odd", "--env", "TOKEN=$HUB_TOKEN")
    assert "needs $HUB_TOKEN, and no secret of that name is kept." in one_sentence(
        bottega("mcp", "test", "odd")
    )

    kept = child("keys", "set", "HUB_TOKEN", stdin=f"{SECRET}\n")

    assert (kept.code, kept.err) == (
        0,
        "Kept for the program of the MCP server 'odd'. Test it with: bottega mcp test NAME\n",
    )
    assert bottega("mcp", "test", "odd").code == 0
    assert "HUB_TOKEN" not in bottega("models", "--offline").out
    assert "HUB_TOKEN  kept here" in bottega("keys", "list").out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["add", "a"], "A server needs either a command after `--`, or --url."),
        (["add", "a", "--url", "https://x.example", "--", "x"], "A server needs either"),
        (["add", "a", "--url", "ftp://x"], "`url` is no http or https address."),
        (
            ["add", "a", "--url", "https://x.example", "--env", "A=1"],
            "An address has `headers` only",
        ),
        (["add", "a", "--header", "A=1", "--", "x"], "A program has no `headers`"),
        (["add", "a", "--header", "A", "--url", "https://x.example"], "--header takes NAME=VALUE."),
        (["add", "a__b", "--", "x"], "cannot be called 'a__b'"),
        (["add", "x" * 33, "--", "x"], "cannot be called"),
        (["add", "a", "--timeout", "0", "--", "x"], "is wrong: expected `float` > 0.0"),
        (["test", "nobody"], "There is no MCP server 'nobody'. There are: none."),
        (["approve", "nobody"], "There is no MCP server 'nobody'."),
    ],
)
def test_what_makes_no_sense_is_told_and_not_written(
    bottega: Call, home: Path, arguments: list[str], told: str
) -> None:
    assert told in one_sentence(bottega("mcp", *arguments))
    assert not (home / "config.toml").exists()


def test_a_second_server_of_a_name_is_refused(bottega: Call) -> None:
    add(bottega)

    told = one_sentence(bottega("mcp", "add", "odd", "--", "x"))

    assert told == "There is already an MCP server 'odd'. Remove it: bottega mcp rm odd"


def test_what_may_be_meant_otherwise_is_told(bottega: Call) -> None:
    done = bottega("mcp", "add", "a", "--", "no-such-program", "a.txt")

    assert done.code == 0
    assert "there is no program 'no-such-program' yet." in done.err
    assert "the program starts in `/`: write whole paths, or {folder}" in done.err


def test_neither_help_nor_a_chat_without_servers_imports_the_sdk(child: Call) -> None:
    import subprocess

    code = (
        "import sys; from bottega.cli.main import call; call(sys.argv[1:]);"
        "print([m for m in ('mcp', 'mcp_types', 'pydantic', 'httpx2', 'anyio') if m in sys.modules])"
    )
    for command in (["--help"], ["run", "-m", "guide", "hello"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *command], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]", command
