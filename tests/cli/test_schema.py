"""`bottega run --schema`: the JSON value alone on standard output, or nothing and the reason."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Script, one_sentence, say
from tests.cli.vendor import Answer, Vendor

NUMBERS = '{"type": "array", "items": {"type": "integer"}}'


def test_the_value_alone_goes_to_standard_output(bottega: Call, script: Script) -> None:
    look = [say("Let me look."), {"do": "call", "name": "list_dir", "input": {"path": "."}}]
    model = script(look, [say("```json\n[1,\n 2]\n```")])

    done = bottega("run", "-m", model, "--schema", NUMBERS, "count")

    assert done == (0, "[1,2]\n", "")


def test_the_schema_may_stand_in_a_file(bottega: Call, script: Script, work: Path) -> None:
    (work / "numbers.json").write_text(NUMBERS)

    done = bottega("run", "-m", script([say("[3]")]), "--schema", "numbers.json", "count")

    assert done == (0, "[3]\n", "")


def test_an_answer_that_never_fits_prints_no_value(bottega: Call, script: Script) -> None:
    model = script(*[[say("One and two.")]] * 4)

    done = bottega("run", "-m", model, "--schema", NUMBERS, "count")

    assert (done.code, done.out) == (1, "")
    assert one_sentence(done).startswith("The model gave no answer that fits the schema")


def test_an_answer_that_was_cut_off_prints_no_value(bottega: Call, script: Script) -> None:
    model = script([say("[1, 2]"), {"do": "stop", "reason": "max_tokens"}])

    done = bottega("run", "-m", model, "--schema", NUMBERS, "count")

    assert (done.code, done.out) == (3, "")


def test_as_json_the_value_stands_in_the_last_event(bottega: Call, script: Script) -> None:
    done = bottega("run", "--json", "-m", script([say("[1]")]), "--schema", NUMBERS, "count")

    last = json.loads(done.out.splitlines()[-1])
    assert (last["type"], last["data"]["output"]) == ("exchange_response", [1])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--schema", '{"type": "strange"}'], "The schema is no valid JSON schema"),
        (["--schema", "{broken"], "The schema is no JSON object"),
        (["--schema", "missing.json"], "The schema 'missing.json' cannot be read"),
        (["--schema", "a.txt"], "The schema in 'a.txt' is no JSON object"),
        (["--schema", NUMBERS, "--stream"], "--schema prints one value"),
        (["--schema", NUMBERS, "--agent", "site-builder"], "The agent 'site-builder' writes"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_no_session(
    bottega: Call, script: Script, given: list[str], told: str
) -> None:
    done = bottega("run", "-m", script([say("[1]")]), *given, "count")

    assert done.code == 2
    assert one_sentence(done).startswith(told)
    assert json.loads(bottega("sessions", "--json").out or "[]") == []


@pytest.mark.parametrize(
    ("model", "in_text", "is_held"),
    [("gpt-4.1", False, True), ("gpt-4", False, False), ("gpt-4.1", True, False)],
    ids=["held", "cannot be held", "writes its calls as text"],
)
def test_a_model_that_cannot_be_held_to_a_schema_is_asked_in_words(
    bottega: Call,
    vendor: Vendor,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    in_text: bool,
    is_held: bool,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", vendor.url)
    home.mkdir()
    (home / "config.toml").write_text(f"text_calls = {[f'openai/{model}'] if in_text else []}\n")
    piece = {"choices": [{"index": 0, "delta": {"content": '{"n": 7}'}, "finish_reason": "stop"}]}
    stream = f"data: {json.dumps(piece)}\n\ndata: [DONE]\n\n"
    vendor.answer = Answer(200, stream, "text/event-stream")
    schema = json.dumps(
        {
            "type": "object",
            "properties": {"n": {"type": "integer"}},
            "required": ["n"],
            "additionalProperties": False,
        }
    )

    done = bottega("run", "-m", f"openai/{model}", "--schema", schema, "count")

    assert (done.code, done.out) == (0, '{"n":7}\n')
    (body,) = [json.loads(each) for each in vendor.bodies if each]
    assert ("response_format" in body) is is_held
    assert "must fit this JSON schema" in json.dumps(body["messages"][-1])
