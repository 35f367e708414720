import asyncio

import pytest

from bottega.tools.schedule import run_all
from bottega.tools.tool import Effect

READ: frozenset[Effect] = frozenset({"read"})
NETWORK: frozenset[Effect] = frozenset({"read", "network"})


class Watch:
    """Runs calls and notes which ran at the same time."""

    def __init__(self) -> None:
        self.running: set[str] = set()
        self.seen: list[frozenset[str]] = []
        self.finished: list[str] = []

    async def run(self, name: str) -> str:
        self.running.add(name)
        self.seen.append(frozenset(self.running))
        for _ in range(20 if name.startswith("slow") else 5):
            await asyncio.sleep(0)
        self.running.discard(name)
        self.finished.append(name)
        return name.upper()


@pytest.mark.requirement("N09")
async def test_reads_run_at_the_same_time_and_results_keep_the_models_order() -> None:
    watch = Watch()
    names = ["slow", "b", "c"]
    assert await run_all([(name, READ) for name in names], watch.run) == ["SLOW", "B", "C"]
    assert frozenset(names) in watch.seen
    assert watch.finished == ["b", "c", "slow"]


async def test_no_more_than_the_limit_run_at_once() -> None:
    watch = Watch()
    await run_all([(str(n), NETWORK) for n in range(12)], watch.run)
    assert max(len(running) for running in watch.seen) == 3


async def test_with_a_limit_of_one_calls_run_one_after_the_other() -> None:
    watch = Watch()
    names = ["slow1", "b", "slow2", "d"]
    await run_all([(name, READ) for name in names], watch.run, limit=1)
    assert watch.finished == names
    assert max(len(running) for running in watch.seen) == 1


@pytest.mark.parametrize("effect", ["write", "execute", "state"])
async def test_a_call_that_changes_something_runs_alone_and_in_its_place(effect: Effect) -> None:
    watch = Watch()
    alone: frozenset[Effect] = frozenset({"read", effect})
    calls = [("slow1", READ), ("b", READ), ("w1", alone), ("w2", alone), ("slow2", READ)]
    await run_all(calls, watch.run)
    assert watch.finished == ["b", "slow1", "w1", "w2", "slow2"]
    for running in watch.seen:
        assert len(running) == 1 or not running & {"w1", "w2"}


async def test_the_first_exception_ends_the_others_and_comes_as_it_is() -> None:
    ended: list[str] = []

    async def run(name: str) -> None:
        if name == "bad":
            await asyncio.sleep(0)
            raise KeyError("bad")
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    with pytest.raises(KeyError):
        async with asyncio.timeout(5):
            await run_all([("a", READ), ("bad", READ)], run)
    assert ended == ["a"]


async def test_a_cancel_reaches_every_running_call() -> None:
    started = asyncio.Semaphore(0)
    ended: list[str] = []

    async def run(name: str) -> None:
        started.release()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    task = asyncio.create_task(run_all([("a", READ), ("b", READ)], run))
    async with asyncio.timeout(5):
        await started.acquire()
        await started.acquire()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert sorted(ended) == ["a", "b"]


async def test_no_calls_are_no_results() -> None:
    assert await run_all([], Watch().run) == []
