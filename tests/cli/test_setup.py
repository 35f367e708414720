"""The commands that set Bottega up: keys, settings, models, the doctor, the database, completion."""

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from bottega.cli.main import ENTRIES
from bottega.cli.main import bottega as program
from tests.cli.conftest import Call, Script, one_sentence, say
from tests.cli.vendor import Answer, Vendor
from tests.workspaces.sandbox.needs import needs_bubblewrap

KEY = "sk-test-1234567890abcdef"


def test_every_command_is_listed_in_help_with_its_own_first_sentence() -> None:
    context = program.make_context("bottega", [], resilient_parsing=True)
    for name, entry in ENTRIES.items():
        command = program.get_command(context, name)
        assert command
        assert command.get_short_help_str(200) == entry.help
        assert command.name == name


def test_every_command_explains_itself(bottega: Call) -> None:
    for name in ENTRIES:
        done = bottega(name, "--help")
        assert done.code == 0
        assert done.out.startswith(f"Usage: bottega {name}")
    alone = bottega()
    assert (alone.code, alone.err) == (0, "")
    assert "Set up:" in alone.out
    assert bottega("--version").out.startswith("bottega 0.")


def test_a_key_is_read_from_standard_input_kept_and_never_shown(
    child: Call, bottega: Call, home: Path
) -> None:
    done = child("keys", "set", "openai", stdin=f"{KEY}\n")

    assert (done.code, done.out) == (0, "")
    shown = bottega("keys", "list").out + bottega("doctor", "--offline").out
    assert "sk-…cdef" in shown
    assert KEY not in shown + done.err
    assert KEY.encode() not in b"".join(p.read_bytes() for p in home.iterdir() if p.is_file())
    assert bottega("keys", "rm", "openai").code == 0
    assert "No key is stored for 'openai'." in one_sentence(bottega("keys", "rm", "openai"))


def test_keys_in_the_environment_are_named_by_their_variables(
    bottega: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

    listed, told = bottega("keys", "list").out, bottega("doctor", "--offline").out

    assert listed == "anthropic  in ANTHROPIC_API_KEY\n"
    assert "keys: ANTHROPIC_API_KEY is set" in told
    assert KEY not in listed + told


def test_a_key_for_nobody_is_refused_before_it_is_typed(bottega: Call) -> None:
    told = one_sentence(bottega("keys", "set", "opneai"))

    assert told.startswith("There is no provider 'opneai'. There are openai, anthropic")


def test_who_needs_no_key_is_given_none(bottega: Call) -> None:
    told = bottega("keys", "set", "lmstudio")

    assert one_sentence(told).startswith("The provider 'lmstudio' needs no key.")
    assert "Kept" not in told.err


def test_a_token_of_a_remote_agent_is_tested_by_using_it(
    bottega: Call, env: dict[str, str]
) -> None:
    agents = Path(env["BOTTEGA_HOME"]) / "agents"
    agents.mkdir(parents=True)
    (agents / "office.toml").write_text('remote = { address = "https://bottega.example" }\n')

    told = one_sentence(bottega("keys", "test", "bottega.example"))

    assert told.endswith("Test it with: bottega run --agent office hello")


def test_a_key_is_tested_at_the_provider(
    bottega: Call, vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", vendor.url)
    vendor.answer = Answer(200, json.dumps({"data": [{"id": "gpt-x"}, {"id": "gpt-y"}]}))

    good = bottega("keys", "test")
    vendor.answer = Answer(401, json.dumps({"error": {"message": f"Bad key {KEY}"}}))
    bad = bottega("keys", "test", "openai")

    assert good == (0, "✓ openai takes the key; it offers 2 models.\n", "")
    assert bad.code == 1
    assert bad.out.startswith("✗ openai ")
    assert KEY not in bad.out + bad.err
    assert "There are no keys." not in good.out


def test_testing_without_any_key_says_what_to_do(bottega: Call) -> None:
    assert one_sentence(bottega("keys", "test")).startswith("There are no keys.")


def test_models_lists_what_providers_offer_with_windows_and_prices(
    bottega: Call, vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", vendor.url)
    vendor.answer = Answer(200, json.dumps({"data": [{"id": "gpt-4o"}, {"id": "my-own-model"}]}))

    told = json.loads(bottega("models", "--json").out)
    out = bottega("models", "openai").out

    offered = {m["name"]: m for p in told["providers"] for m in p["models"]}
    assert {"guide", "openai/gpt-4o", "openai/my-own-model"} <= offered.keys()
    assert offered["openai/gpt-4o"]["context_window"] > 100_000
    assert offered["openai/gpt-4o"]["output_price"] > offered["openai/gpt-4o"]["input_price"] > 0
    assert offered["openai/my-own-model"]["input_price"] is None
    assert "openai/gpt-4o" in out
    assert "guide  " not in out


def test_models_that_cannot_be_asked_are_listed_from_what_is_known(
    bottega: Call, vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", vendor.gone())

    done = bottega("models")

    assert done.code == 0
    assert "! " in done.out
    assert "127.0.0.1" in done.out
    assert "openai/gpt-4o" in done.out
    assert "openai/gpt-4o" in bottega("models", "--offline").out


def test_the_doctor_finds_what_is_wrong_and_says_how_to_mend_it(
    bottega: Call, home: Path, vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    well = bottega("doctor", "--offline")
    assert (well.code, well.out.splitlines()[-1]) == (0, "All is well.")

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", vendor.url)
    vendor.answer = Answer(401, json.dumps({"error": {"message": "no"}}))
    ill = bottega("doctor", "--json")
    findings: list[dict[str, Any]] = json.loads(ill.out)
    assert ill.code == 1
    assert [f["topic"] for f in findings if f["state"] == "bad"] == ["openai"]

    (home / "config.toml").write_text("model = ")
    broken = bottega("doctor")
    assert broken.code == 1
    assert "✗ settings: The file" in broken.out
    assert broken.out.endswith("1 thing to mend.\n")


@needs_bubblewrap
def test_the_doctor_tells_where_commands_run(bottega: Call) -> None:
    findings: list[dict[str, Any]] = json.loads(bottega("doctor", "--offline", "--json").out)
    (sandbox,) = [each for each in findings if each["topic"] == "sandbox"]
    assert sandbox["state"] == "good"
    assert sandbox["what"].startswith("bubblewrap 0.")
    assert sandbox["what"].endswith("self-test passed")


def test_the_doctor_says_what_to_install_where_there_is_no_bubblewrap(
    bottega: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    told = bottega("doctor", "--offline")
    assert "Allow mode is off" in told.out
    assert "apt-get install bubblewrap" in told.out
    assert told.code == 0


def test_settings_are_changed_with_their_comments_kept(bottega: Call, home: Path) -> None:
    file = home / "config.toml"
    home.mkdir()
    file.write_text('# mine\nmodel = "guide"  # for now\n')

    assert bottega("config", "set", "temperature", "0.5").code == 0
    assert bottega("config", "set", "model", "openai/gpt-5").code == 0
    assert bottega("config", "set", "providers.box.base_url", "http://127.0.0.1:9/v1").code == 0

    text = file.read_text()
    assert text.startswith('# mine\nmodel = "openai/gpt-5"  # for now\ntemperature = 0.5\n')
    assert '[providers.box]\nbase_url = "http://127.0.0.1:9/v1"' in text
    assert bottega("config", "get", "temperature").out == "0.5\n"
    assert bottega("config", "get", "providers.box.wire").out == "openai-chat\n"
    listed = json.loads(bottega("config", "list", "--json").out)
    assert listed["model"] == {"value": "openai/gpt-5", "source": "user file"}
    assert bottega("config", "unset", "temperature").code == 0
    assert bottega("config", "get", "temperature").out == "(not set)\n"
    assert bottega("config", "path").out == f"{file}\n"


def test_a_config_file_that_makes_no_sense_can_be_looked_at_and_mended(
    bottega: Call, home: Path
) -> None:
    file = home / "config.toml"
    home.mkdir()
    file.write_text('mode = "wild"\nmodell = "x"\n\n[[rules]]\nverdict = "deny"\n')

    listed = bottega("config", "list")
    assert "mode = ask" in listed.out
    assert "'mode'" in listed.err
    assert listed.err.endswith("This is without your config file.\n")
    assert listed.code == 1
    assert bottega("config", "path").out == f"{file}\n"
    assert "'modell'" in one_sentence(bottega("config", "set", "mode", "ask")), "what is left"
    assert bottega("config", "unset", "modell").code == 1, "mode is still wrong"
    file.write_text('modell = "x"\n')
    assert bottega("config", "unset", "modell").code == 0
    file.write_text('mode = "wild"\n')
    assert bottega("config", "set", "mode", "plan").code == 0
    assert bottega("config", "get", "mode").out == "plan\n"
    file.write_text('[[rules]]\nverdict = "maybe"\n')
    assert "'maybe'; it takes allow, ask, deny" in one_sentence(bottega("sessions"))


def test_a_new_config_file_is_its_owners_alone(bottega: Call, home: Path) -> None:
    bottega("config", "set", "effort", "low")

    assert stat.S_IMODE((home / "config.toml").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["set", "temperature", "hot"], "The setting 'temperature' cannot be 'hot'"),
        (["set", "modle", "x"], "There is no setting 'modle'. Did you mean 'mode' or 'model'?"),
        (["set", "providers.box.key", "x"], "'providers.box.key' is no setting."),
        (["set", "providers.box.wire", "x"], "The setting 'providers.box.wire'"),
        (["set", "rules", "x"], "The setting 'rules' takes tables: [[rules]], in the file itself."),
        (["set", "model.x", "y"], "'model.x' is no setting."),
        (["get", "nothing"], "There is no setting 'nothing'."),
        (["get", "providers.box"], "Nothing is set for 'providers.box'."),
    ],
)
def test_a_setting_that_makes_no_sense_is_not_written(
    bottega: Call, home: Path, arguments: list[str], told: str
) -> None:
    assert told in one_sentence(bottega("config", *arguments))
    assert not (home / "config.toml").exists()


def test_a_projects_file_is_heeded_and_what_it_may_not_say_is_told(
    bottega: Call, work: Path
) -> None:
    (work / ".bottega.toml").write_text('model = "guide"\nprovider = "evil"\n')

    done = bottega("run", "hi")

    assert done.code == 0
    assert "guide" in bottega("sessions").out
    assert "may not set 'provider'" in done.err
    assert done.err.count("\n") == 1


def test_the_database_is_checked_backed_up_and_trimmed(
    bottega: Call, script: Script, home: Path
) -> None:
    assert "no database" in bottega("db", "check").out
    assert "no database" in one_sentence(bottega("db", "backup"))
    bottega("run", "-m", script([say("Many words in pieces.")]), "hi")

    assert bottega("db", "check").out.startswith("✓ All is well")
    copy = Path(bottega("db", "backup").out.strip())
    assert copy.parent == home / "backups"
    assert copy.stat().st_size > 0
    trimmed = bottega("db", "trim").out
    assert trimmed.startswith("Dropped ")
    assert "0 pieces" not in trimmed
    assert "Dropped 0 pieces" in bottega("db", "trim").out
    session = json.loads(bottega("sessions", "--json").out)[0]["id"]
    assert "Many words in pieces." in bottega("show", session).out


def test_damage_is_found_and_has_an_exit_code(bottega: Call, home: Path) -> None:
    bottega("sessions")
    with (home / "bottega.db").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)

    done = bottega("db", "check")

    assert done.code == 1
    assert done.out.startswith("✗ ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(bottega: Call, shell: str) -> None:
    done = bottega("completion", shell)

    assert done.code == 0
    assert "_BOTTEGA_COMPLETE" in done.out


def test_completion_knows_commands_without_importing_them(child: Call) -> None:
    asked = {"_BOTTEGA_COMPLETE": "bash_complete", "COMP_WORDS": "bottega s", "COMP_CWORD": "1"}

    done = child(more=asked)

    assert done.out.split() == ["plain,serve", "plain,sessions", "plain,show", "plain,search"]


def test_something_unexpected_is_one_sentence_and_a_trace_only_with_debug(
    bottega: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    told = bottega("run", "-")
    traced = bottega("--debug", "run", "-")

    assert told.code == 1
    assert told.err == (
        "bottega: Something went wrong inside Bottega (AttributeError);"
        " run again with --debug to see where.\n"
    )
    assert "Traceback" in traced.err
