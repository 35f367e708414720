"""Writes the golden logs of this codec version: `python -m tests.golden.make`.

A golden log is a promise to everybody who has stored one: what exists is never written again. A
line is `[index, body]`; beside each log stands what its replay gives, as `[index, sub, type]`.
"""

from pathlib import Path

from bottega.events import codec
from bottega.events.event import Event
from bottega.events.fold import replay
from tests.golden.endings import ENDINGS
from tests.golden.scenarios import SCENARIOS

STORIES = {**SCENARIOS, **ENDINGS}

FOLDER = Path(__file__).parent / f"v{codec.VERSION}"


def written(log: list[Event]) -> bytes:
    """The log's lines."""
    return b"".join(b"[%d,%s]\n" % (event.index, codec.encode(event)) for event in log)


def expected(log: list[Event]) -> bytes:
    """What the replay gives, an event a line, so that a difference can be read."""
    rows = [f'[{event.index},{event.sub},"{event.type}"]' for event in replay(log)]
    return ("[\n" + ",\n".join(rows) + "\n]\n").encode()


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, log in STORIES.items():
        path = FOLDER / f"{name}.jsonl"
        if path.exists():
            print(f"{path.name} exists and stays as it is")
            continue
        path.write_bytes(written(log))
        path.with_suffix(".expected.json").write_bytes(expected(log))
        print(f"{path.name} written")


if __name__ == "__main__":
    main()
