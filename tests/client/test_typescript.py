"""The TypeScript client: its types are those of the server, and a kill of the server costs it nothing."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from tests.server.serving import Serving

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"


@pytest.fixture(scope="module")
def modules() -> Path:
    """Where npm has put the compiler."""
    if not (WEB / "node_modules/typescript").is_dir():
        pytest.skip("the TypeScript compiler is not installed (npm could not)")
    return WEB / "node_modules"


TYPED = """
import { Client } from "%s/src/api/client.js";
const me = new Client({ address: "" });
void me.http.get("/api/sessions").then((page) => page.sessions[0]?.title);
// @ts-expect-error there is no such path
void me.http.get("/api/nowhere");
// @ts-expect-error and no such field
void me.http.get("/api/sessions").then((page) => page.nothing);
"""


@pytest.fixture(scope="module")
def compiled(modules: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client as JavaScript; the compiler accepts it, and finds what is not there in a program that uses it."""
    place = tmp_path_factory.mktemp("typed")
    (place / "typed.ts").write_text(TYPED % WEB)
    options = {"outDir": str(place / "built"), "rootDir": "/", "noEmit": False, "types": []}
    settings = {"extends": f"{WEB}/tsconfig.json", "compilerOptions": options}
    included = {"include": [f"{WEB}/src/api", "typed.ts"], "exclude": [f"{WEB}/src/api/*.test.ts"]}
    (place / "tsconfig.json").write_text(json.dumps(settings | included))
    done = subprocess.run(
        ["node", modules / "typescript/bin/tsc", "-p", place],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    (place / "built/package.json").write_text('{"type": "module"}')
    return place / "built" / str(WEB / "src/api/client.js").lstrip("/")


def test_the_types_are_those_of_the_server_as_it_is(modules: Path, tmp_path: Path) -> None:
    described = subprocess.run(
        [sys.executable, WEB / "describe.py"], capture_output=True, text=True, check=True
    )
    (tmp_path / "openapi.json").write_text(described.stdout)
    made = tmp_path / "schema.d.ts"
    subprocess.run(
        ["node", modules / "openapi-typescript/bin/cli.js", tmp_path / "openapi.json"]
        + ["-o", made, "--default-non-nullable", "false"],
        capture_output=True,
        check=True,
    )
    assert made.read_text() == (WEB / "src/api/schema.d.ts").read_text(), "run `make client`"


@pytest.mark.requirement("S03", "X02")
def test_through_a_kill_of_the_server_each_event_comes_once_and_in_order(
    compiled: Path, serving: Serving, scripted: Callable[..., str], tmp_path: Path
) -> None:
    slow = {"do": "say", "text": "word " * 40, "pieces": 40, "pace_ms": 10}
    model = scripted([slow], [slow], [slow], [slow], [slow])
    driver = Path(__file__).with_name("drive.mjs")
    command = ["node", "--no-warnings", "--experimental-websocket", driver, compiled]
    with subprocess.Popen(
        [*command, serving.address, serving.token(), model], stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout
        try:
            told = _until(program.stdout, lambda line: line.get("index", 0) >= 12)
            serving.kill()
            serving.start()
            told += [json.loads(line) for line in program.stdout]
            assert program.wait(20) == 0
        finally:
            program.kill()
    states = [line["state"] for line in told if "state" in line]
    assert states[0] == "open"
    assert states.count("open") >= 2
    rows = [(line["index"], line["event"]) for line in told if "index" in line]
    assert all(line["mine"] for line in told if "index" in line)
    stored = _stored(serving.home)
    assert [index for index, _ in rows] == list(range(1, len(rows) + 1))
    assert rows == stored[: len(rows)]
    ends = [event["message_id"] for _, event in rows if event["type"] == "exchange_response"]
    assert len(ends) == len(set(ends)) == 3


def _until(lines: IO[str], enough: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    for line in lines:
        told.append(json.loads(line))
        if enough(told[-1]):
            return told
    raise AssertionError(told)


def _stored(home: Path) -> list[tuple[int, Any]]:
    database = sqlite3.connect(home / "bottega.db")
    rows = database.execute("SELECT idx, body FROM events ORDER BY idx").fetchall()
    database.close()
    return [(index, json.loads(body)) for index, body in rows]
