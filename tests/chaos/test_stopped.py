"""A worker that only slept: once another has taken over, nothing that it does counts, on disk or in the log."""

import os
import signal
from pathlib import Path

import msgspec
import pytest

from bottega.sessions import lease as leases
from bottega.studio import Studio
from tests.chaos.after_death import calls_are_answered_once
from tests.chaos.victim import Victim

SCRIPT = {
    "turns": [
        [{"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": "late"}}],
        [{"do": "say", "text": "Done."}],
    ]
}


@pytest.mark.chaos
@pytest.mark.parametrize("point", ["fence.before_lock", "tool.after_intent"])
async def test_a_sleepers_write_is_refused_once_another_worker_has_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    (tmp_path / "s.json").write_bytes(msgspec.json.encode(SCRIPT))
    victim = Victim(home, f"scripted/{tmp_path / 's.json'}", folder, f"{point}=stop")
    pid = victim.process.pid
    assert pid
    assert os.WIFSTOPPED(_stopped(pid))
    monkeypatch.setattr(leases, "STALE", 0.0)
    async with Studio(home) as studio:
        (row,) = await studio.sessions()
        for _ in range(3):  # its beat is seen, and seen again unchanged
            await studio.resume(row.id)
        assert studio.runtime.sessions.get(row.id).status == "idle"
        os.kill(pid, signal.SIGCONT)
        victim.last_words()
        log = await (await studio.resume(row.id)).facts()
    assert not (folder / "a.txt").exists()
    assert not list(folder.iterdir())
    calls_are_answered_once(log)
    assert [event.type for event in log].count("exchange_response") == 1


def _stopped(pid: int) -> int:
    """Wait until the process has stopped; it is the fork server's child, so its state is read, not waited for."""
    while True:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state == "T":
            return 0x7F
        assert state != "Z", "it ended instead"
        os.sched_yield()
