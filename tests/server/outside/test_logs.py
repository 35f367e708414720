"""Lines of the log: what they tell, what they never tell, and that they hold nobody up."""

import asyncio
import json
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bottega.server.outside.logs import LONGEST, HumanLines, JsonLines, Lines, begin
from bottega.server.outside.scrub import BLOT, Scrub
from bottega.server.outside.stalls import Stalls
from bottega.settings import load
from bottega.spending.key import KeyRing
from tests.server.outside.beside import run_beside
from tests.server.serving import Serving

CANARY = "canary-9f8e7d6c5b4a"


def lines_of(said: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.splitlines()]


@pytest.mark.requirement("X22")
async def test_each_stage_of_an_exchange_is_a_line_with_its_times(
    home: Path, folder: Path, scripted: Callable[..., str]
) -> None:
    call = {"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": CANARY}}
    model = scripted([{"do": "think", "text": CANARY}, call], [{"do": "say", "text": CANARY}])
    with Serving(home, folder, "--log-format", "json") as serving:
        code = await run_beside(home, folder, model, f"write {CANARY}", "--mode", "ask")
        _, said = serving.stop()
    assert code == 4, "it waits for an answer"

    told = [line for line in lines_of(said) if line["logger"] == "bottega.stage"]
    names = [line["message"] for line in told]
    assert names == [
        "prompt admitted",
        "exchange started",
        "request sent",
        "first piece of the answer",
        "answer complete",
        "asked",
    ]
    assert len({line["session_id"] for line in told}) == 1
    assert len({line["message_id"] for line in told}) == 1
    assert all(line["at_ms"] >= 0 for line in told)
    assert CANARY not in said


async def test_a_request_has_an_id_in_its_answer_and_in_its_line(home: Path, folder: Path) -> None:
    odd = {"X-Request-Id": CANARY}
    with Serving(home, folder, "--debug") as serving:
        async with (
            serving.client() as client,
            client.session.get(f"/api/sessions?q={CANARY}", headers=odd) as response,
        ):
            number = response.headers["X-Request-Id"]
        async with (
            aiohttp.ClientSession(serving.address) as stranger,
            stranger.get("/api/sessions", headers=odd) as response,
        ):
            refused = response.headers["X-Request-Id"]
        _, said = serving.stop()
    assert number.startswith("req_")
    (line,) = [each for each in said.splitlines() if number in each]
    assert "method=GET route=/api/sessions status=200" in line
    (line,) = [each for each in said.splitlines() if refused in each]
    assert "route=(none) status=401" in line, "the door's word, before any route"
    assert CANARY not in said


async def test_no_secret_is_in_any_line_figure_error_or_answer(
    home: Path, folder: Path, scripted: Callable[..., str]
) -> None:
    """Canaries in the environment, the key ring, the config file and headers; none comes out anywhere."""
    home.mkdir(mode=0o700)
    KeyRing(home).set("openai", f"sk-ring-{CANARY}", "https://api.openai.com")
    (home / "config.toml").write_text(
        f'[providers.own]\nbase_url = "http://me:login-{CANARY}@127.0.0.1:1/v1"\n'
        f'[mcp.tool]\ncommand = "true"\nenv = {{ KEY = "mcp-{CANARY}" }}\n'
    )
    environment = {
        "ANTHROPIC_API_KEY": f"sk-ant-{CANARY}",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
        "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
        "BOTTEGA_METRICS_TOKEN": f"metrics-{CANARY}",
    }
    out: list[str] = []
    with Serving(
        home, folder, "--debug", "--log-format", "json", environment=environment
    ) as serving:
        async with serving.client() as client:
            for method, path in (
                *(("GET", path) for path in ("agents", "models", "settings", "keys", "discovery")),
                *(("GET", path) for path in ("rules", "instructions", "openapi.json")),
                *(("POST", f"keys/{name}/test") for name in ("openai", "anthropic", "own")),
                ("PUT", "keys/openai"),
                ("PATCH", "settings"),
                ("GET", f"sessions/{CANARY}?token={CANARY}"),
                ("GET", f"agents/x?key={CANARY}"),
                ("GET", f"../ws/{CANARY}{CANARY}"),
            ):
                body = (
                    {"key": CANARY * 1000} if method == "PUT" else {} if method == "PATCH" else None
                )
                headers = {"Cookie": f"bottega={CANARY}", "X-Api-Key": CANARY}
                status, answer = await client.call(method, f"/api/{path}", body, headers=headers)
                assert status < 500
                if f"sessions/{CANARY}" not in path:  # whoever names it hears its name
                    out.append(json.dumps(answer))
            out.append((await client.call("GET", "/metrics"))[1])
        async with serving.client(CANARY) as stranger:
            out.append(json.dumps(await stranger.call("GET", "/api/sessions")))
        assert (
            await run_beside(home, folder, scripted([{"do": "say", "text": CANARY}]), CANARY) == 0
        )
        _, said = serving.stop()

    assert "stage" in said
    hits = [line for text in (*out, said) for line in text.splitlines() if CANARY in line]
    assert hits == []


async def test_a_stderr_that_nobody_reads_holds_nothing_up(home: Path, folder: Path) -> None:
    with Serving(home, folder, "--debug", "--log-format", "json") as serving:
        async with aiohttp.ClientSession(serving.address) as client:
            slowest = 0.0
            for _ in range(15):
                began = time.monotonic()
                await asyncio.gather(*(_ask(client) for _ in range(40)))
                slowest = max(slowest, time.monotonic() - began)
        # 600 lines of some 300 bytes: more than twice what a pipe holds.
        assert slowest < 5
        began = time.monotonic()
        os.kill(serving.pid, signal.SIGTERM)
        async with asyncio.timeout(10):
            while _runs(serving.pid):
                await asyncio.sleep(0.02)
        assert time.monotonic() - began < 10
        serving.kill()


async def _ask(client: aiohttp.ClientSession) -> None:
    async with client.get("/api/sessions") as response:
        assert response.status in (401, 429)


def record(message: str, **fields: object) -> logging.LogRecord:
    made = logging.LogRecord("bottega.test", logging.INFO, "", 0, message, None, None)
    made.fields = fields
    return made


def test_lines_that_nobody_reads_are_dropped_and_counted() -> None:
    reading, writing = os.pipe()
    lines = Lines("json", str, writing, most=50)
    for n in range(3000):
        lines.emit(record("x" * 1000, n=n))
    assert 2000 < lines.dropped < 3000
    got = b""
    while b"lines dropped" not in got:
        got += os.read(reading, 65536)
        lines.emit(record("more"))
    # What still waits is read to its end: a thread that is left in a write would write on into
    # whatever gets that number next.
    rest = threading.Thread(target=_read_all, args=(reading,))
    rest.start()
    lines.close()
    os.close(writing)
    rest.join()
    os.close(reading)


def _read_all(file: int) -> None:
    while os.read(file, 65536):
        pass


def test_a_secret_across_the_end_of_a_long_line_is_blotted_out(home: Path) -> None:
    reading, writing = os.pipe()
    settings = load(home=home, environment={})
    lines = Lines("human", Scrub(lambda: settings, (CANARY,)), writing)
    begun = len(HumanLines().format(record("")))
    lines.emit(record("x" * (LONGEST - begun - 10) + CANARY))
    lines.close()
    os.close(writing)
    with os.fdopen(reading) as told:
        line = told.read()
    assert line.endswith(f"x{BLOT}\n")


def test_a_line_that_cannot_be_made_fails_nobody() -> None:
    reading, writing = os.pipe()
    lines = Lines("human", str, writing)
    broken = logging.LogRecord("bottega.test", logging.INFO, "", 0, "%d", ("x",), None)
    lines.emit(broken)
    lines.emit(record("well"))
    lines.close()
    os.close(writing)
    assert lines.dropped == 1
    assert b"well" in os.read(reading, 1000)
    os.close(reading)


def test_nobody_forges_a_line() -> None:
    evil = "a\nERROR bottega: forged \x1b[2J\u202e"
    human = HumanLines().format(record("said", name=evil))
    assert "\n" not in human
    assert "\x1b" not in human
    assert json.loads(JsonLines().format(record("said", name=evil)))["name"] == evil
    assert "\n" not in JsonLines().format(record("said", name=evil))


def test_the_loggers_are_as_they_were_afterwards(capfd: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    end = begin(Lines("human", str), logging.DEBUG)
    logging.getLogger("bottega.test").debug("seen")
    end()
    assert (root.handlers, root.level) == before
    assert "DEBUG test: seen" in capfd.readouterr().err


def test_what_is_known_to_be_secret_is_blotted_out(home: Path) -> None:
    home.mkdir(mode=0o700)
    settings = load(home=home, environment={"SOME_TOKEN": 'va"lue-1234', "PLAIN": "harmless-1"})
    scrub = Scrub(lambda: settings, ("given-0001",))
    assert scrub("has given-0001 in it") == f"has {BLOT} in it"
    assert scrub('va"lue-1234') == BLOT
    assert scrub('{"x": "va\\"lue-1234"}') == f'{{"x": "{BLOT}"}}'
    assert scrub("harmless-1") == "harmless-1"
    for text in (
        "Authorization: Bearer abcdefgh12345678",
        "sk-abcdefghijklmnop",
        "http://127.0.0.1:1/sign-in#abcdefghijklmnopqrstuv",
        "GET /ws/abcdefghijklmnopqrstuv",
        "https://me:hunter22@example.org/",
    ):
        assert BLOT in scrub(text), text
    assert scrub("GET /api/sessions status=200") == "GET /api/sessions status=200"


def test_a_key_that_is_kept_later_is_blotted_out_too(home: Path) -> None:
    home.mkdir(mode=0o700)
    settings = load(home=home, environment={})
    scrub = Scrub(lambda: settings)
    scrub._looked = -1e9  # type: ignore[attr-defined]
    assert scrub("plain-key-000111") == "plain-key-000111"
    KeyRing(home).set("openai", "plain-key-000111", "https://api.openai.com")
    scrub._looked = -1e9  # type: ignore[attr-defined]
    assert scrub("plain-key-000111") == BLOT


async def test_a_person_is_told_what_is_wrong_and_programs_every_stage(
    home: Path, folder: Path
) -> None:
    for form, lines in (("human", False), ("json", True)):
        with Serving(home, folder, "--log-format", form) as serving:
            async with serving.client() as client:
                await client.get("/api/sessions")
            _, said = serving.stop()
        assert ("answered" in said) is lines


async def test_a_loop_that_stood_still_is_noticed_and_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    stalls = Stalls()
    watching = asyncio.create_task(stalls.run())
    async with asyncio.timeout(10):
        while not stalls.count:
            await asyncio.sleep(0)
            time.sleep(0.09)  # noqa: ASYNC251 - this is what is to be noticed
    watching.cancel()
    assert stalls.longest() > 0.05
    assert caplog.records[0].fields["stall_ms"] >= 50  # type: ignore[attr-defined]


def _runs(pid: int) -> bool:
    """Whether a process has not ended yet; nobody may have taken notice of its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] != "Z"
    except FileNotFoundError:
        return False
