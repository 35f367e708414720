"""`bottega agents`, and who works in `run` and `chat`."""

import json
import stat
from pathlib import Path

import pytest

from bottega.agents.house import ORDER
from bottega.agents.spec import read
from tests.cli.conftest import Call, Script, one_sentence, say
from tests.cli.terminal import Terminal

WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "new.txt", "content": "x"}}


def own(home: Path, slug: str, text: str) -> Path:
    folder = home / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{slug}.toml").write_text(text)
    return folder / f"{slug}.toml"


def test_the_list_says_who_there_is_and_what_each_is_good_for(bottega: Call, home: Path) -> None:
    own(home, "tester", 'description = "Tests."\nsystem_prompt = "Test."\nmodel = "guide"\n')
    own(home, "bad", 'tools = ["fly"]\n')

    done = bottega("agents", "list")

    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:4] == [
        "bad  IterativeAgent · yours",
        "  ✗ system_prompt is empty: say what the agent is for and how it works (and 1 more).",
        "tester  IterativeAgent · guide · yours",
        "  Tests.",
    ]
    assert lines[4] == "assistant  IterativeAgent · the default"
    assert "planner  IterativeAgent · only plans" in lines
    assert "reviewer  IterativeAgent · always asks" in lines
    assert "site-builder  StreamAgent" in lines


def test_the_list_as_json_holds_all_but_the_prompts(bottega: Call, home: Path) -> None:
    own(home, "bad", "tools = 3")
    listed = json.loads(bottega("agents", "list", "--json").out)
    assert [each["slug"] for each in listed] == ["bad", *ORDER]
    assert listed[0]["problems"] == ["tools must be a list, not a whole number"]
    assert [each["origin"] for each in listed] == ["own", *["house"] * len(ORDER)]
    planner = next(each for each in listed if each["slug"] == "planner")
    assert (planner["mode"], planner["limits"]["iterations"]) == ("plan", 80)
    assert not any("system_prompt" in each for each in listed)


def test_one_agent_is_shown_whole(bottega: Call, home: Path) -> None:
    shown = bottega("agents", "show", "coder").out
    assert shown.startswith("Coder  IterativeAgent\nChanges code: ")
    assert "limits  200 model calls · $10.00 · the same call 3 times\n" in shown
    assert "# Look first\n- Begin with `get_project_info`" in shown
    text = (
        'system_prompt = "Mine."\nmode = "ask"\ntools = ["grep"]\nat_once = 1\n[tool_configs.grep]\n'
        'hide = []\n[limits]\niterations = "none"\ncost_usd = "none"\nrepeats = "none"\n'
        "seconds = 90\ntokens = 5000\n[wishes]\ntemperature = 0\n"
    )
    file = own(home, "mine", text)
    assert bottega("agents", "show", "mine").out.splitlines() == [
        "Mine  IterativeAgent · always asks · yours",
        "",
        "type        IterativeAgent",
        "mode        ask at most",
        "model       the session's",
        "tools       grep",
        "limits      5k tokens · 1 min 30 s",
        "configured  grep",
        "wishes      temperature 0.0",
        "at once     1 call",
        f"file        {file}",
        "",
        "Mine.",
    ]
    told = json.loads(bottega("agents", "show", "mine", "--json").out)
    assert (told["system_prompt"], told["path"]) == ("Mine.", str(file))


def test_who_is_not_there_or_broken_is_one_sentence(bottega: Call, home: Path) -> None:
    file = own(home, "bad", "tools = 3")
    assert one_sentence(bottega("agents", "show", "codr")).startswith(
        "There is no agent 'codr'. Did you mean 'coder'? There are: bad, assistant, "
    )
    for command in (("agents", "show", "bad"), ("run", "-a", "bad", "hello")):
        assert one_sentence(bottega(*command)) == (
            f"The agent file {str(file)!r} is wrong: tools must be a list, not a whole number."
            " `bottega agents validate bad` lists every problem."
        )


def test_a_new_agent_is_written_once_valid_and_for_its_owner_alone(
    bottega: Call, home: Path
) -> None:
    file = home / "agents" / "tester.toml"
    done = bottega("agents", "new", "tester")
    assert (done.code, done.out) == (0, f"{file}\n")
    assert done.err == (
        "Written. Change it in an editor, then: bottega agents validate tester"
        " && bottega chat --agent tester\n"
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert bottega("agents", "validate").out == f"✓ tester  {file}\n"

    file.write_text("mine now")
    again = one_sentence(bottega("agents", "new", "tester"))
    assert (
        again == f"There is already a file {str(file)!r}. Change that one, or choose another name."
    )
    assert file.read_text() == "mine now"


def test_a_new_agent_may_begin_as_a_copy(bottega: Call, home: Path) -> None:
    assert bottega("agents", "new", "my-planner", "--from", "planner").code == 0
    copied = read((home / "agents" / "my-planner.toml").read_text(), slug="my-planner")
    assert (copied.name, copied.mode, copied.limits.iterations) == ("My planner", "plan", 80)
    assert "no agent 'nobody'" in one_sentence(bottega("agents", "new", "a", "--from", "nobody"))


def test_a_name_that_is_none_is_refused_with_one_that_is(bottega: Call, home: Path) -> None:
    done = bottega("agents", "new", "My Agent")
    assert done.code == 2
    assert one_sentence(done).endswith("Try: bottega agents new my-agent")
    assert bottega("agents", "new", "../x").code == 2
    assert not (home / "agents").exists()


def test_checking_tells_every_problem_of_every_agent(bottega: Call, home: Path, work: Path) -> None:
    good = own(home, "good", 'system_prompt = "Work."\nmodel = "openai/gpt-5"\n')
    bad = own(home, "bad", 'system_prompt = "In {project_nam}."\ntools = ["read_fil"]\n')

    done = bottega("agents", "validate")

    assert done.code == 1
    assert done.out.splitlines() == [
        f"✗ bad  {bad}",
        "  system_prompt has an unknown marker {project_nam}. Did you mean 'project_name'? Put it in"
        " backticks, or double its braces, if it is none.",
        "  tools: there is no tool 'read_fil'. Did you mean 'read_file'?",
        f"✓ good  {good}",
        "  ! model: The provider 'openai' has no key. Set OPENAI_API_KEY, or type: bottega keys set"
        " openai",
    ]
    assert bottega("agents", "validate", "good", "coder").code == 0, "a model is only warned of"
    (work / "elsewhere.toml").write_text("[limits]\niterations = 0\nseconds = -1\n")
    path = bottega("agents", "validate", "elsewhere.toml")
    assert path.code == 1
    assert path.out.splitlines()[1:] == [
        "  limits.iterations must be at least 1.",
        "  limits.seconds must be more than 0.",
    ]
    missing = bottega("agents", "validate", "./nothing.toml")
    assert (missing.code, missing.out.splitlines()[1]) == (1, "  it is no file.")
    assert bottega("agents", "validate", "nobody").code == 1


def test_with_no_agents_of_ones_own_there_is_nothing_to_check(bottega: Call) -> None:
    done = bottega("agents", "validate")
    assert (done.code, done.out) == (
        0,
        "You have no agents of your own. `bottega agents new NAME` writes one.\n",
    )


def test_run_has_the_agent_do_it_and_a_session_keeps_its_own(
    bottega: Call, script: Script, work: Path
) -> None:
    model = script([WRITE], [say("Could not.")], [WRITE], [say("Done.")])
    assert bottega("run", "-m", model, "-a", "explainer", "--mode", "allow", "go").code == 0
    assert not (work / "new.txt").exists()
    (row,) = json.loads(bottega("sessions", "--json").out)
    assert row["agent"] == "explainer"

    assert bottega("run", "-s", row["id"], "-a", "coder", "go").code == 0

    assert (work / "new.txt").read_text() == "x"
    (row,) = json.loads(bottega("sessions", "--json").out)
    assert row["agent"] == "explainer", "the coder was asked this once"
    assert "no agent 'nobody'" in one_sentence(
        bottega("run", "-s", row["id"], "-a", "nobody", "go")
    )


def test_the_shell_completes_names_of_agents(child: Call, home: Path) -> None:
    own(home, "clerk", "")
    asked = {
        "_BOTTEGA_COMPLETE": "bash_complete",
        "COMP_WORDS": "bottega run --agent c",
        "COMP_CWORD": "3",
    }
    assert child(more=asked).out.splitlines() == ["plain,clerk", "plain,coder"]
    (home / "config.toml").write_text("= broken")
    broken = child(more=asked)
    assert (broken.out.strip(), broken.err) == ("", "")


def test_the_chat_shows_lists_and_changes_who_works(
    env: dict[str, str], work: Path, home: Path, script: Script, bottega: Call
) -> None:
    other = script([say("Never said.")], [say("Tested.")])
    own(home, "tester", f'system_prompt = "Test."\nmodel = "{other}"\n')
    own(home, "bad", "= nothing")
    model = script([say("First.")], [say("Second.")])
    terminal = Terminal(["chat", "-m", model, "--mode", "allow"], env, work, (40, 100))
    try:
        terminal.wait_for("allow ›")
        terminal.line("/agent")
        terminal.wait_for("assistant works: answers questions and does what is asked")
        terminal.line("/agent planner")
        terminal.wait_for("planner works from now on. It only plans.")
        terminal.wait_for("plan ›")
        terminal.line("/mode allow")
        terminal.wait_for("planner does no more than plan mode allows")
        terminal.line("/agents")
        terminal.wait_for("› planner       Reads the project and writes a plan")
        terminal.wait_for("bad           cannot be used: `bottega agents validate bad` says why")
        terminal.line("/agent nobody")
        terminal.wait_for("There is no agent 'nobody'.")
        terminal.send("/agent co\t")
        terminal.wait_for("/agent coder")
        terminal.send("\r")
        terminal.wait_for("coder works from now on.")
        terminal.line("hello")
        terminal.wait_for("free ·")
        terminal.line("/agent tester")
        terminal.wait_for("tester works from now on, on")
        terminal.line("and now")
        terminal.wait_for("Tested.")
    finally:
        terminal.end()
    (row,) = json.loads(bottega("sessions", "--json").out)
    assert row["agent"] == "tester"


@pytest.mark.parametrize("size", [(30, 80), (30, 120)])
def test_no_line_of_the_list_is_broken_inside_a_word(
    env: dict[str, str], work: Path, size: tuple[int, int]
) -> None:
    terminal = Terminal(["agents", "list"], env, work, size)
    try:
        terminal.wait_for("uses no")
        shown = terminal.text()
    finally:
        terminal.end()
    whole = " ".join(shown.split())
    assert "runs the tests, and says what it did not do." in whole
    assert "changes nothing." in whole
    assert "shows how each happens, and edits nothing." in whole


def test_a_session_that_goes_on_may_change_its_agent(
    env: dict[str, str], work: Path, script: Script, bottega: Call
) -> None:
    bottega("run", "-m", script([say("One.")]), "hello")
    terminal = Terminal(["chat", "--continue", "-a", "reviewer"], env, work, (30, 100))
    try:
        terminal.wait_for("reviewer works from now on. It asks before anything that matters.")
    finally:
        terminal.end()
    (row,) = json.loads(bottega("sessions", "--json").out)
    assert row["agent"] == "reviewer"


@pytest.mark.requirement("T47")
def test_the_model_of_an_agent_is_chosen_by_a_setting(
    bottega: Call, home: Path, script: Script
) -> None:
    assert bottega("config", "set", "agents.coder.model", "guide").code == 0
    assert "coder  IterativeAgent · guide\n" in bottega("agents", "list").out
    assert bottega("config", "get", "agents.coder.model").out == "guide\n"
    wrong = one_sentence(bottega("config", "set", "agents.coder.colour", "red"))
    assert wrong.endswith("Write agents.NAME.FIELD; the fields are model.")
    assert bottega("config", "unset", "agents.coder.model").code == 0
    assert "coder  IterativeAgent\n" in bottega("agents", "list").out
