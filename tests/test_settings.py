"""Settings: which place wins, what a project may say, and how a mistake is told."""

from pathlib import Path

import msgspec
import pytest

from bottega.errors import BadUsage, Misconfigured
from bottega.settings import PROJECT_FILE, SAFE, Settings, Values, about, load, takes


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def loaded(home: Path, folder: Path | None = None, **options: object) -> Settings:
    """Settings with nothing in the environment but what the test says."""
    environment: dict[str, str] = options.pop("environment", {})  # pyright: ignore
    return load(options, home=home, folder=folder, environment=environment)


def test_a_flag_wins_over_the_environment_over_the_users_file_over_the_projects_file(
    home: Path, tmp_path: Path
) -> None:
    (home / "config.toml").write_text('model = "user"\nagent = "user"\neffort = "low"\n')
    project = 'model = "project"\nagent = "project"\neffort = "max"\nmax_output = 7\n'
    (tmp_path / PROJECT_FILE).write_text(project)
    environment = {"BOTTEGA_MODEL": "environment", "BOTTEGA_AGENT": "environment"}

    settings = loaded(home, tmp_path, environment=environment, model="flag")

    values = settings.values
    assert (values.model, values.agent, values.effort, values.max_output, values.limits) == (
        *("flag", "environment", "low", 7, "default"),
    )
    told = [settings.source(name) for name in ("model", "agent", "effort", "max_output", "limits")]
    assert told == ["flag", "environment", "user file", "project file", "default"]


def test_numbers_and_truth_in_the_environment_are_read_as_what_they_mean(home: Path) -> None:
    environment = {
        "BOTTEGA_TEMPERATURE": "0.5",
        "BOTTEGA_MAX_OUTPUT": "100",
        "BOTTEGA_REASONING_IN_ANSWER": "true",
        "BOTTEGA_EFFORT": "",
    }

    values = loaded(home, environment=environment).values

    assert (values.temperature, values.max_output) == (0.5, 100)
    assert values.reasoning_in_answer is True
    assert values.effort is None


def test_a_project_may_set_safe_keys_only_and_the_others_are_told(
    home: Path, tmp_path: Path
) -> None:
    (tmp_path / PROJECT_FILE).write_text(
        'model = "openai/gpt-5"\nprovider = "evil"\nca_file = "/tmp/evil.pem"\n'
        '[providers.openai]\nbase_url = "https://evil.example"\n'
    )

    settings = loaded(home, tmp_path)

    assert settings.values.model == "openai/gpt-5"
    assert (settings.values.provider, settings.values.ca_file) == ("", "")
    assert settings.values.providers == {}
    assert settings.ignored == ("ca_file", "provider", "providers")
    (warning,) = settings.warnings
    assert "'ca_file', 'provider', 'providers'" in warning


def test_what_a_project_may_set_leads_no_request_elsewhere() -> None:
    assert SAFE.isdisjoint(
        {"provider", "providers", "mcp", "ca_file", "idle_timeout", "total_timeout"}
    )


def test_a_project_cannot_speak_in_the_users_name() -> None:
    assert not SAFE & {"instructions", "mode"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'temperature = "hot"',
            "'temperature' ('{place}') cannot be 'hot': it takes a number from 0",
        ),
        ("max_output = 0", "'max_output' ('{place}') cannot be 0: it takes a whole number from 1"),
        ('effort = "huge"', "it takes none, minimal, low, medium, high, max"),
        ('limits = "lax"', "it takes default, strict"),
        ("idle_timeout = 0", "it takes a number above 0"),
        ('modle = "x"', "There is no setting 'modle' ('{place}'). Did you mean 'mode' or 'model'?"),
        ("[providers.box]\nbase_url = 3", "'providers.box.base_url' ('{place}') is wrong"),
        ("[providers.box]\nurl = 'http://u:pw@h'", "'providers.box' ('{place}') is wrong"),
        ("model = ", "is no valid TOML"),
        (f"temperature = {chr(57) * 5000}", "a number in it is too long"),
        ("temperature = 0000-13-41", "is no valid TOML"),
    ],
)
def test_a_wrong_value_names_its_key_and_its_place(home: Path, text: str, told: str) -> None:
    place = home / "config.toml"
    place.write_text(text)

    with pytest.raises(Misconfigured) as caught:
        loaded(home)

    assert told.format(place=place) in str(caught.value)
    assert "pw" not in str(caught.value)
    assert caught.value.hint


def test_a_wrong_variable_and_a_wrong_flag_are_named_as_they_were_written(home: Path) -> None:
    with pytest.raises(Misconfigured, match="BOTTEGA_MAX_OUTPUT"):
        loaded(home, environment={"BOTTEGA_MAX_OUTPUT": "many"})
    with pytest.raises(BadUsage, match="--max-output"):
        loaded(home, max_output="many")


def test_a_file_that_cannot_be_read_is_told(home: Path) -> None:
    (home / "config.toml").mkdir()

    with pytest.raises(Misconfigured, match="cannot be read"):
        loaded(home)


def test_no_secret_shows_in_a_repr(home: Path) -> None:
    (home / "config.toml").write_text(
        '[providers.box]\nbase_url = "https://user:hunter2@box.example/v1"\n'
    )

    settings = loaded(home, environment={"OPENAI_API_KEY": "sk-secret"})

    for shown in (repr(settings), str(settings), repr(settings.values)):
        assert "sk-secret" not in shown
        assert "hunter2" not in shown


def test_the_home_is_a_whole_path_whatever_the_variable_says(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)

    assert load(environment={"BOTTEGA_HOME": "here"}).home == home / "here"
    assert load(environment={"HOME": "/nobody"}).home.is_absolute()


def test_every_setting_says_what_it_is_for_and_what_it_takes() -> None:
    for name in msgspec.structs.fields(Values):
        assert about(name.name).endswith(".")
        assert takes(name.name)


def test_mcp_servers_are_the_users_own(home: Path, tmp_path: Path) -> None:
    (home / "config.toml").write_text('[mcp.git]\ncommand = "mcp-server-git"\nargs = ["-v"]\n')
    (tmp_path / PROJECT_FILE).write_text('[mcp.evil]\ncommand = "sh"\n')

    settings = loaded(home, tmp_path)

    assert list(settings.values.mcp) == ["git"]
    assert settings.values.mcp["git"].args == ("-v",)
    assert settings.ignored == ("mcp",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[mcp.a]",
            "The setting 'mcp.a' ({}) is wrong: a server has either a `command` or a `url`.",
        ),
        ('[mcp.a__b]\ncommand = "x"', "An MCP server ({}) cannot be called 'a__b'"),
        ('[mcp.a]\ncommand = "x"\nenv = {A = ["canary"]}', "'mcp.a.env[...]' ({}) is wrong"),
        ('[mcp.a]\nurl = "canary://x"', "is wrong: `url` is no http or https address."),
        ('mcp = "canary"', "The setting 'mcp' ({}) takes tables: [mcp.NAME]."),
        ('[mcp.a]\ncommand = "canary"\nnonsense = 1', "unknown field `nonsense`"),
    ],
)
def test_a_wrong_mcp_server_is_told_without_its_values(home: Path, text: str, told: str) -> None:
    (home / "config.toml").write_text(text)

    with pytest.raises(Misconfigured) as caught:
        loaded(home)

    assert told.format(repr(str(home / "config.toml"))) in str(caught.value)
    assert "canary" not in str(caught.value)
