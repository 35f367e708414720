"""What a person notices while strangers and another person do their worst: first answer, memory afterwards.

    python bench/hostile_load.py 60

Two addresses of this machine connect, do not read, pipeline, and ask for the document and for names that are not there,
at full rate; a person who is signed in searches, sends schemas and long prompts, and lists. Printed is how long another
person's requests took, and the server's memory before and after. Bounds are in `tests/attacks`.
"""

import argparse
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent))

Act = Callable[[], None]
HELD = 150
"""Connections that each address keeps open without reading."""
DEEP = {"type": "object", "$defs": {"a30": {}}, "$ref": "#/$defs/a0"} | {
    "$defs": {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(30)}
    | {"a30": {}}
}


class Load:
    """The hostile ones, and the one who is measured."""

    def __init__(self, address: str, hostile: str, victim: str, seed: int = 1) -> None:
        place = urlsplit(address)
        self._place = (place.hostname or "", place.port or 0)
        self._host = place.netloc
        self._hostile, self._victim = hostile, victim
        self._over = threading.Event()
        self._dice = random.Random(seed)
        self.waits: list[float] = []
        """Seconds that each request of the victim's took."""
        self.first_tokens: list[float] = []
        """Seconds from each of the victim's prompts to the first word of its answer."""
        self.failures: list[str] = []
        self.counts: dict[str, int] = {}

    def run(self, seconds: float, session: str, *measured: tuple[str, str, Any]) -> None:
        """Be attacked for so long, by a process of its own; the victim asks for each of these, and prompts."""
        address = f"http://{self._host}"
        command = [sys.executable, __file__, str(seconds), "--attack", address]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as attacking:
            assert attacking.stdin
            assert attacking.stdout
            attacking.stdin.write(f"{self._hostile}\n")
            attacking.stdin.flush()
            assert attacking.stdout.readline()  # it has begun
            ends = time.monotonic() + seconds
            while time.monotonic() < ends:
                for each in measured:
                    self.ask(*each)
                self.prompt(session)
                time.sleep(0.05)
            self.counts = json.loads(attacking.stdout.readline())

    def attack(self, seconds: float) -> None:
        acts: list[tuple[str, Act]] = []
        for address in ("127.0.0.1", "127.0.0.2"):
            acts += [(f"{way} {address}", self._stranger(address, way)) for way in _STRANGERS]
        acts += [(way, self._person(way)) for way in _PERSON]
        threads = [threading.Thread(target=self._repeat, args=each, daemon=True) for each in acts]
        for thread in threads:
            thread.start()
        print("begun", flush=True)
        time.sleep(seconds)
        self._over.set()
        print(json.dumps(self.counts), flush=True)
        os._exit(0)  # what hangs in a request is not waited for

    def _repeat(self, name: str, act: Act) -> None:
        while not self._over.is_set():
            try:
                act()
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.001)  # refused, or cut: the next one
            self.counts[name] = self.counts.get(name, 0) + 1

    def ask(self, method: str, path: str, body: Any) -> None:
        """A request of the victim's, over a connection of its own."""
        sent = body() if callable(body) else body
        begun = time.monotonic()
        try:
            status = self._call(self._victim, method, path, sent)
        except (OSError, http.client.HTTPException) as problem:
            self.failures.append(f"{path}: {problem}")
            return
        self.waits.append(time.monotonic() - begun)
        if status >= 300:
            self.failures.append(f"{path}: {status}")

    def prompt(self, session: str) -> None:
        """Say something as the victim, and wait for the answer: its first word is what counts."""
        wire = http.client.HTTPConnection(*self._place, timeout=20)
        carried = {"Authorization": f"Bearer {self._victim}", "Content-Type": "application/json"}
        said = {"message_id": str(uuid.uuid4()), "content": "hello"}
        begun = time.monotonic()
        try:
            wire.request("POST", f"/api/sessions/{session}/prompts", json.dumps(said), carried)
            answer = wire.getresponse()
            told = json.loads(answer.read())
            if answer.status != 202:
                self.failures.append(f"prompt: {told}")
                return
            listening = {**carried, "Accept": "text/event-stream"}
            after = f"/api/sessions/{session}/events?after={told['index']}"
            wire.request("GET", after, headers=listening)
            events = wire.getresponse()
            own, first = said["message_id"].encode(), 0.0
            while line := events.readline():
                if own not in line:
                    continue
                if b'"text_delta"' in line and not first:
                    first = time.monotonic() - begun
                    self.first_tokens.append(first)
                elif b'"exchange_response"' in line:
                    return
            self.failures.append("prompt: the stream ended")
        except (OSError, http.client.HTTPException) as problem:
            self.failures.append(f"prompt: {problem}")
        finally:
            wire.close()

    def _call(self, token: str, method: str, path: str, body: Any = None) -> int:
        wire = http.client.HTTPConnection(*self._place, timeout=20)
        carried = {"Content-Type": "application/json"}
        if token:
            carried["Authorization"] = f"Bearer {token}"
        try:
            wire.request(method, path, json.dumps(body) if body is not None else None, carried)
            answer = wire.getresponse()
            answer.read()
            return answer.status
        finally:
            wire.close()

    def _person(self, way: str) -> Act:
        def act() -> None:
            method, path, body = _PERSON[way](self._dice)
            self._call(self._hostile, method, path, body)

        return act

    def _stranger(self, address: str, way: str) -> Act:
        held: list[socket.socket] = []

        def act() -> None:
            wire = socket.socket()
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            wire.settimeout(5)
            wire.bind((address, 0))
            wire.connect(self._place)
            wire.sendall(_STRANGERS[way](self._host, self._dice))
            if way not in _READ:
                held.append(wire)
                if len(held) > HELD:
                    held.pop(0).close()
                return
            with wire:
                wire.recv(65_536)

        return act


def _get(host: str, path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


_READ = {"document", "names", "signing"}
_STRANGERS: dict[str, Callable[[str, random.Random], bytes]] = {
    "silent": lambda host, dice: b"",
    "dripping": lambda host, dice: f"GET / HTTP/1.1\r\nHost: {host}\r\nX".encode(),
    "unread": lambda host, dice: _get(host, "/reference"),
    "pipelined": lambda host, dice: _get(host, "/api/openapi.json") * 16,
    "document": lambda host, dice: _get(host, "/api/openapi.json"),
    "names": lambda host, dice: _get(host, f"/assets/{dice.random()}{'x' * 30_000}.js"),
    "signing": lambda host, dice: _get(host, f"/api/{dice.random()}"),
}
_PERSON: dict[str, Callable[[random.Random], tuple[str, str, Any]]] = {
    "search": lambda dice: ("GET", "/api/search?limit=200&q=a-a-a-a-a-a-a-a-b", None),
    "schema": lambda dice: (
        *("POST", "/api/chat/agent/stream"),
        {"message": "x", "schema": DEEP, "session_id": "x"},
    ),
    "long": lambda dice: (
        *("POST", "/api/sessions/none/prompts"),
        {"message_id": str(uuid.uuid4()), "content": "a-" * 49_000, "schema": DEEP},
    ),
    "list": lambda dice: ("GET", "/api/sessions?limit=100", None),
}


def resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def settled(pid: int, bound: int, seconds: float = 40.0) -> int:
    """The memory of the process, once it is back below the bound or the time is up."""
    ends = time.monotonic() + seconds
    while (now := resident(pid)) > bound and time.monotonic() < ends:
        time.sleep(0.5)
    return now


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=60.0)
    parser.add_argument("--attack", metavar="ADDRESS", help=argparse.SUPPRESS)
    given = parser.parse_args()
    seconds: float = given.seconds
    if given.attack:
        Load(given.attack, sys.stdin.readline().strip(), "").attack(seconds)
    from tests.attacks.hostile import Person, target

    with tempfile.TemporaryDirectory() as place, target(Path(place)) as server:
        load = Load(server.address, server.token("hostile"), server.token())
        with Person(server) as host:
            session = host.session(model="guide")
        load.run(min(seconds, 5), session, *measured(session))
        before = settled(server.pid, 0, 10)
        load = Load(server.address, server.token("hostile"), server.token())
        load.run(seconds, session, *measured(session))
        after = settled(server.pid, int(before * 1.1))
        waits, tokens = sorted(load.waits), sorted(load.first_tokens)
        print(f"asked {sum(load.counts.values())} times in {seconds:.0f} s: {load.counts}")
        print(f"victim: {len(waits)} answers, longest {waits[-1]:.3f} s, {load.failures[:5]}")
        print(
            f"first tokens: {len(tokens)}, median {tokens[len(tokens) // 2]:.3f} s,"
            f" 99 of 100 within {tokens[len(tokens) * 99 // 100]:.3f} s, longest {tokens[-1]:.3f} s"
        )
        print(f"memory: {before >> 20} MB before, {after >> 20} MB after")


def measured(session: str) -> list[tuple[str, str, Any]]:
    """What the victim asks for."""
    return [
        ("GET", "/api/me", None),
        ("GET", "/api/sessions", None),
        ("GET", "/healthz", None),
        ("GET", f"/api/sessions/{session}", None),
    ]


if __name__ == "__main__":
    main()
