"""Severity: high (H3). `scripted/PATH` names a file of the machine: nobody but who is at its terminal may say it.

Every way to name a model over HTTP and the socket is tried with every kind of path, as the host and as a guest; a
repository and a file that is imported name none either.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.errors import Misconfigured
from bottega.providers.script import load
from tests.server.serving import Client, Serving


class Place:
    def __init__(self, place: Path) -> None:
        self.place = place
        self.folder = place / "project"
        self.folder.mkdir(parents=True)
        (self.folder / "script.json").write_text('[[{"do": "say", "text": "I am the model now."}]]')
        (self.folder / "no.json").write_text("{")
        (place / "outside.json").write_text('[[{"do": "say", "text": "I am the model now."}]]')
        (self.folder / "link.json").symlink_to(place / "outside.json")
        os.mkfifo(self.folder / "fifo")
        self.names = [
            f"scripted/{self.folder}/fifo",
            f"scripted/{self.folder}/script.json",
            f"scripted/{self.folder}/no.json",
            f"scripted/{self.folder}/is-not-there",
            f"scripted/{self.folder}",
            "scripted//etc/shadow",
            "scripted//etc/nonexistent",
            "scripted//dev/zero",
            "scripted/../../../../etc/passwd",
            "scripted/script.json",
            "scripted/",
            "scripted",
            " scripted//dev/zero ",
        ]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("scripts") / "place")


@pytest.fixture(scope="module")
def serving(place: Place) -> Iterator[Serving]:
    none = {"BOTTEGA_SCRIPTS": ""}
    with Serving(place.place / "home", place.folder, environment=none) as serving:
        yield serving


@pytest.fixture(params=["host", "guest"])
async def client(
    serving: Serving, place: Place, request: pytest.FixtureRequest
) -> AsyncIterator[Client]:
    token = serving.token(request.param)
    if request.param == "guest":
        _bottega(place, "projects", "add", str(place.folder), "--for", "guest")
    async with serving.client(token) as client:
        yield client


def _bottega(place: Place, *words: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "bottega", "--home", str(place.place / "home"), *words],
        cwd=options.pop("cwd", place.folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=options.pop("timeout", 30),
        check=False,
        **options,
    )


def _refused(status: int, answer: Any) -> str:
    assert status in (400, 403, 422), answer
    assert answer["code"] == "scripted_model", answer
    return answer["detail"]


async def test_no_way_over_http_plays_a_script_or_tells_what_files_there_are(
    client: Client, place: Place
) -> None:
    project = (await client.get("/api/projects"))["projects"][0]["id"]
    session = (await client.post("/api/sessions", {"project_id": project, "model": "guide"}))["id"]
    at = f"/api/sessions/{session}"
    told: set[str] = set()
    began = time.monotonic()
    for name in place.names:
        for method, path, body in (
            ("POST", "/api/sessions", {"project_id": project, "model": name}),
            ("PATCH", at, {"model": name}),
            (
                "POST",
                f"{at}/prompts",
                {"message_id": str(uuid.uuid4()), "content": "hi", "model": name},
            ),
        ):
            told.add(_refused(*await client.call(method, path, body)))
    assert len(told) == 1, told
    assert time.monotonic() - began < 10
    assert (await client.get("/healthz")) is not None


async def test_no_frame_of_the_socket_plays_one(client: Client, place: Place) -> None:
    project = (await client.get("/api/projects"))["projects"][0]["id"]
    session = (await client.post("/api/sessions", {"project_id": project, "model": "guide"}))["id"]
    ticket = (await client.post("/api/tickets"))["ticket"]
    tab = str(uuid.uuid4())
    frames: list[dict[str, Any]] = []
    for name in place.names:
        new = {"type": "new-tab", "tab_id": str(uuid.uuid4()), "project_id": project}
        said = {"type": "prompt", "tab_id": tab, "message_id": str(uuid.uuid4()), "text": "hi"}
        frames += [{**new, "model": name}, {**said, "model": name}]
    answers: list[dict[str, Any]] = []
    async with client.session.ws_connect(f"/ws/{ticket}") as socket, asyncio.timeout(20):
        await socket.send_json({"type": "new-tab", "tab_id": tab, "session_id": session})
        for number, frame in enumerate(frames):
            await socket.send_json({**frame, "ref": number})
        while len(answers) < len(frames):
            heard = await socket.receive_json()
            if "ref" in heard:
                answers.append(heard)
    assert {each.get("code") for each in answers} == {"scripted_model"}, answers[:3]
    assert len({each["detail"] for each in answers}) == 1


async def test_no_setting_and_no_agent_that_is_set_over_http_names_one(
    serving: Serving, place: Place
) -> None:
    async with serving.client() as host:
        for name in place.names:
            for patch in ({"model": name}, {"agents": {"coder": {"model": name}}}):
                _refused(*await host.call("PATCH", "/api/settings", patch))
            agent = {"spec": {"system_prompt": "x", "model": name}}
            _refused(*await host.call("PUT", "/api/agents/mine", agent))
        _refused(*await host.call("PATCH", "/api/settings", {"provider": "scripted"}))
    assert not (place.place / "home" / "agents" / "mine.toml").exists()


async def test_an_agent_or_a_default_that_names_one_is_refused_when_a_server_runs_it(
    serving: Serving, place: Place
) -> None:
    agents = place.place / "home" / "agents"
    agents.mkdir(exist_ok=True)
    (agents / "played.toml").write_text(
        f'system_prompt = "x"\nmodel = "scripted/{place.folder}/script.json"\n'
    )
    async with serving.client() as host:
        project = (await host.get("/api/projects"))["projects"][0]["id"]
        body = {"project_id": project, "agent": "played"}
        _refused(*await host.call("POST", "/api/sessions", body))
        session = await host.post("/api/sessions", {"project_id": project, "model": "guide"})
        at = f"/api/sessions/{session['id']}"
        _refused(*await host.call("PATCH", at, {"agent": "played"}))


async def test_a_session_that_names_one_from_before_is_not_played_by_a_server(
    serving: Serving, place: Place
) -> None:
    model = f"scripted/{place.folder}/script.json"
    done = await asyncio.to_thread(_bottega, place, "run", "-m", model, "go")
    assert done.stdout == "I am the model now.\n", done.stderr
    async with serving.client() as host:
        session = next(
            each for each in (await host.get("/api/sessions"))["sessions"] if each["model"] == model
        )
        at = f"/api/sessions/{session['id']}"
        await host.call("POST", f"{at}/prompts", {"message_id": str(uuid.uuid4()), "content": "hi"})
        async with asyncio.timeout(20):
            while True:
                page = await host.get(f"{at}/events", params={"limit": 1000})
                ends = [e for _, e in page["events"] if e["type"] == "exchange_response"]
                if len(ends) == 2:
                    break
                await asyncio.sleep(0.05)
    assert "I am the model now" not in json.dumps(ends[1])
    assert "terminal" in json.dumps(page["events"])


@pytest.mark.parametrize("name", ["scripted//dev/zero", "scripted/script.json"])
def test_a_repository_is_not_the_model(place: Place, name: str) -> None:
    (place.folder / ".bottega.toml").write_text(f'model = "{name}"\n')
    try:
        done = _bottega(place, "run", "--mode", "allow", "hi", cwd=place.folder)
    finally:
        (place.folder / ".bottega.toml").unlink()
    assert done.returncode != 0
    assert "I am the model" not in done.stdout
    assert ".bottega.toml" in done.stderr


@pytest.mark.parametrize("name", ["/dev/zero", "fifo"])
def test_a_terminal_is_told_at_once_that_a_script_is_none(place: Place, name: str) -> None:
    done = _bottega(place, "run", "-m", f"scripted/{name}", "hi", cwd=place.folder, timeout=20)
    assert done.returncode == 1
    assert "cannot be read" in done.stderr


@pytest.mark.parametrize(
    "script",
    [
        {"rules": [{"when": "/(a+)+$/", "turns": []}]},
        {"rules": [{"when": "/(a|aa)*b/", "turns": []}]},
        {"rules": [{"when": "/.*.*.*.*.*x/", "turns": []}]},
        {"turns": [[{"do": "pause", "ms": 1e12}]]},
        {"turns": [[{"do": "retry", "delay": 1e9}]]},
        {"turns": [[{"do": "say", "text": "x", "pace_ms": 1e12}]]},
    ],
)
def test_no_pattern_or_pause_of_a_script_takes_long(place: Place, script: dict[str, Any]) -> None:
    path = place.place / "hostile.json"
    path.write_text(json.dumps(script))
    with pytest.raises(Misconfigured, match="is not valid"):
        load(path)


def test_a_file_that_is_imported_does_not_choose_a_script(place: Place) -> None:
    model = f"scripted/{place.folder}/script.json"
    assert _bottega(place, "run", "-m", model, "exported").returncode == 0
    shown = _bottega(place, "sessions", "--json").stdout
    session = json.loads(shown)[0]["id"]
    out = place.place / "out.jsonl"
    assert _bottega(place, "export", session, "-o", str(out)).returncode == 0
    assert model in out.read_text()
    done = _bottega(place, "import", str(out))
    assert done.returncode == 0, done.stderr
    imported = done.stdout.split()[1].rstrip(":")
    assert "scripted" not in _bottega(place, "show", imported).stdout.splitlines()[0]
