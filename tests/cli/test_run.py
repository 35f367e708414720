"""`bottega run` in this process: what goes where, and which exit code it ends with."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Script, one_sentence, say


def test_only_the_final_answer_goes_to_standard_output(bottega: Call, script: Script) -> None:
    look = [say("Let me look."), {"do": "call", "name": "list_dir", "input": {"path": "."}}]
    model = script(look, [say("There are two files.")])

    done = bottega("run", "-m", model, "list the files")

    assert done == (0, "There are two files.\n", "")


def test_with_stream_the_words_between_tools_are_printed_too(bottega: Call, script: Script) -> None:
    look = [say("Let me look."), {"do": "call", "name": "list_dir", "input": {"path": "."}}]
    model = script(look, [say("There are two files.")])

    done = bottega("run", "--stream", "-m", model, "list the files")

    assert done == (0, "Let me look.\n\nThere are two files.\n", "")


def test_json_prints_facts_and_what_is_derived_each_with_its_place(
    bottega: Call, script: Script
) -> None:
    done = bottega("run", "--json", "-m", script([say("Hello.")]), "hi")

    events = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0
    assert {event["session_id"] for event in events} == {events[0]["session_id"]}
    indexes = sorted({event["index"] for event in events})
    assert indexes == list(range(1, len(indexes) + 1))
    types = [event["type"] for event in events]
    assert types[0] == "prompt_queued"
    assert types[-1] == "exchange_response"
    assert {"exchange_request", "text_delta", "assistant_message", "message_stop"} <= set(types)
    assert all(event["sub"] != 0 for event in events if event["type"] == "message_stop")


def test_a_session_goes_on_with_its_own_model_and_history(bottega: Call, script: Script) -> None:
    model = script([say("First.")], [say("Second.")])
    first = bottega("run", "--json", "-m", model, "one")
    session = json.loads(first.out.splitlines()[0])["session_id"]

    done = bottega("run", "--session", session[-8:], "two")

    assert done.out == "Second.\n"


def test_a_session_stays_in_its_folder(bottega: Call, tmp_path: Path) -> None:
    done = bottega("run", "--session", "abcd1234", "--cwd", str(tmp_path), "hi")

    assert one_sentence(done).startswith("A session stays in its folder.")
    assert done.code == 2


@pytest.mark.requirement("A42", "A07")
def test_a_failure_of_the_provider_is_said_with_its_next_step(
    bottega: Call, script: Script
) -> None:
    failing = {
        "do": "fail",
        "code": "bad_key",
        "message": "The key was refused.",
        "hint": "Set it.",
    }

    done = bottega("run", "-m", script([failing]), "hi")

    assert done == (1, "", "bottega: The key was refused. Set it.\n")


@pytest.mark.requirement("A07")
def test_an_error_without_words_is_still_an_error(bottega: Call, script: Script) -> None:
    done = bottega("run", "-m", script([{"do": "fail", "message": ""}]), "hi")

    assert one_sentence(done) == "Unexpected error."


def test_a_limit_has_an_exit_code_of_its_own(bottega: Call, script: Script) -> None:
    turns = [[{"do": "call", "name": "list_dir", "input": {"path": f"{n}"}}] for n in range(9)]

    done = bottega("run", "--limits", "strict", "-m", script(*turns), "loop")

    assert done.code == 3
    assert "8 model calls were made" in one_sentence(done)


def test_an_answer_cut_off_at_the_output_limit_is_printed_and_told_by_the_exit_code(
    bottega: Call, script: Script
) -> None:
    cut = [say("So far and"), {"do": "stop", "reason": "max_tokens"}]

    done = bottega("run", "-m", script(cut), "hi")

    assert (done.code, done.out) == (3, "So far and\n")


def test_what_a_terminal_would_obey_is_not_printed(bottega: Call, script: Script) -> None:
    evil = "\x1b]0;owned\x07red \x1b[31mtext\x1b[0m\x9b2J \u202egnp.exe"

    done = bottega("run", "-m", script([say(evil, pieces=7)]), "hi")

    assert done.out == "red text gnp.exe\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", ""], "The prompt is empty."),
        (["run", "--temperature", "hot", "x"], "Invalid value for '--temperature'"),
        (["run", "--effort", "huge", "x"], "The setting 'effort' (--effort) cannot be 'huge'"),
        (["run", "--limits", "none", "x"], "it takes default, strict"),
        (["run", "--cwd", "/not/there", "x"], "'/not/there' is not a folder."),
        (["run", "--agent", "nobody", "x"], "There is no agent 'nobody'."),
        (["run", "--modle", "x"], "No such option '--modle'. Did you mean"),
        (["rnu"], "No such command 'rnu'. Did you mean"),
        (["run", "-m", "openai/gpt-5", "x"], "The provider 'openai' has no key."),
        (["run", "-m", "nonsense", "x"], "There is no provider for the model 'nonsense'."),
        (["run", "-m", "scripted//not/there.json", "x"], "/not/there.json"),
        (["show", "abcd1234"], "There is no session 'abcd1234' here."),
        (["run", "--session", "zzzz9999", "x"], "There is no session 'zzzz9999' here."),
    ],
)
def test_bad_input_gets_one_clear_sentence(bottega: Call, arguments: list[str], told: str) -> None:
    done = bottega(*arguments)

    assert told in one_sentence(done)
    assert done.out == ""


def test_wrong_usage_has_the_exit_code_of_wrong_usage(bottega: Call) -> None:
    assert bottega("run", "--modle", "x").code == 2
    assert bottega("run", "").code == 2
    assert bottega("nothing").code == 2


@pytest.mark.requirement("A04", "X22")
def test_debug_logs_every_stage_and_how_long_the_exchange_took(child: Call, script: Script) -> None:
    look = [{"do": "call", "name": "list_dir", "input": {"path": "."}}]
    model = script(look, [say("The secret word is xyzzy.")])

    done = child("run", "--debug", "-m", model, "what is the password?")

    stages = (
        *("prompt admitted", "exchange started", "request sent", "first piece of the answer"),
        *("answer complete", "tool started name=list_dir", "tool completed name=list_dir"),
    )
    places = [done.err.index(stage) for stage in stages]
    assert places == sorted(places)
    assert re.search(r"exchange completed duration_ms=\d+ reason=no_more_actions", done.err)
    assert "password" not in done.err
    assert "xyzzy" not in done.err
    assert done.out == "The secret word is xyzzy.\n"


def test_a_dash_reads_the_prompt_from_standard_input(child: Call, script: Script) -> None:
    model = script([say("Read.")])

    assert child("run", "-m", model, "-", stdin="hello\nworld\n").out == "Read.\n"
    listed = json.loads(child("sessions", "--json").out)
    assert listed[0]["title"] == "hello"
