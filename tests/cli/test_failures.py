"""What a person is told when a provider cannot be used: one sentence, an exit code, nothing lost."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call, one_sentence
from tests.cli.vendor import Answer, Vendor

KEY = "sk-test-1234567890abcdef"


@pytest.fixture
def openai(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> Vendor:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", vendor.url)
    return vendor


_WRONG_KEY = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}", "code": "k"}})
_NO_MODEL = json.dumps(
    {"error": {"message": "The model does not exist", "code": "model_not_found"}}
)
_IN_BODY = json.dumps({"error": {"message": "Something is wrong on our side", "type": "server"}})


@pytest.mark.requirement("A42")
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(401, _WRONG_KEY), "key"),
        (Answer(404, _NO_MODEL), "does not know the model"),
        (Answer(200, "<html><body>Please log in</body></html>", "text/html"), "web page"),
        (Answer(403, "<html>Blocked by Example Corp</html>", "text/html"), "web page"),
        (Answer(200, _IN_BODY), "Something is wrong on our side"),
        (Answer(400, json.dumps({"error": {"message": "Bad request here"}})), "Bad request here"),
    ],
    ids=["wrong key", "unknown model", "login page", "proxy page", "error with 200", "bad request"],
)
def test_a_provider_that_refuses_is_told_in_one_sentence_and_the_prompt_is_kept(
    bottega: Call, openai: Vendor, answer: Answer, told: str
) -> None:
    openai.answer = answer

    done = bottega("run", "-m", "openai/gpt-none", "my precious prompt")

    said = one_sentence(done)
    assert (done.code, done.out) == (1, "")
    assert told in said
    assert KEY not in said
    assert "<" not in said
    shown = bottega("show", json.loads(bottega("sessions", "--json").out)[0]["id"]).out
    assert "› my precious prompt" in shown
    assert KEY not in shown


def test_an_address_where_nobody_listens_is_told(bottega: Call, vendor: Vendor, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text(
        f'[providers.box]\nbase_url = "{vendor.gone()}"\nkey_env = "BOX_KEY"\n'
    )

    done = bottega("doctor", "--json")

    found = next(f for f in json.loads(done.out) if f["topic"] == "box")
    assert found["state"] == "bad"
    assert "127.0.0.1" in found["what"]
