import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.approvals.touch import Touch
from bottega.tools.schedule import LIMIT, Claim, conflict, run_all
from bottega.tools.tool import Effect

READ = Claim(frozenset({"read"}))
NETWORK = Claim(frozenset({"network"}))


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


@pytest.mark.requirement("N09", "A43")
async def test_reads_run_at_the_same_time_and_results_keep_the_models_order() -> None:
    watch = Watch()
    names = ["slow", "b", "c"]
    assert await run_all([(name, READ) for name in names], watch.run) == ["SLOW", "B", "C"]
    assert frozenset(names) in watch.seen
    assert watch.finished == ["b", "c", "slow"]


async def test_no_more_than_the_limit_run_at_once() -> None:
    watch = Watch()
    await run_all([(str(n), NETWORK) for n in range(12)], watch.run)
    assert max(len(running) for running in watch.seen) == LIMIT


async def test_with_a_limit_of_one_calls_run_one_after_the_other() -> None:
    watch = Watch()
    names = ["slow1", "b", "slow2", "d"]
    await run_all([(name, READ) for name in names], watch.run, limit=1)
    assert watch.finished == names
    assert max(len(running) for running in watch.seen) == 1


@pytest.mark.requirement("C2")
@pytest.mark.parametrize("effect", ["write", "execute"])
async def test_a_call_that_may_change_anything_runs_alone_and_in_its_place(effect: Effect) -> None:
    watch = Watch()
    alone = Claim(frozenset({effect}))
    calls = [("slow1", READ), ("b", READ), ("w1", alone), ("w2", alone), ("slow2", READ)]
    await run_all(calls, watch.run)
    assert watch.finished == ["b", "slow1", "w1", "w2", "slow2"]
    for running in watch.seen:
        assert len(running) == 1 or not running & {"w1", "w2"}


def reads(*paths: str) -> Claim:
    return Claim(frozenset({"read"}), Touch(reads=paths))


def writes(*paths: str) -> Claim:
    return Claim(frozenset({"write"}), Touch(writes=paths))


def runs(command: str = "make", shell: str = "") -> Claim:
    return Claim(frozenset({"execute"}), Touch(command=command, shell=shell))


STATE = Claim(frozenset({"state"}))


@pytest.mark.requirement("C2")
@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (reads("a"), reads("a"), False),
        (reads("a"), reads("."), False),
        (reads("a"), writes("a"), True),
        (reads("a"), writes("b"), False),
        (reads("a.py"), writes("a"), False),
        (reads("src"), writes("src/deep/a"), True),
        (reads("src/a"), writes("src"), True),
        (READ, writes("a"), True),
        (writes("a"), writes("a"), True),
        (writes("a"), writes("b"), False),
        (writes("a", "b"), writes("c", "b"), True),
        (runs(), reads("a"), True),
        (runs(), writes("a"), True),
        (runs(), runs(), True),
        (runs(shell="sh_1"), runs(shell="sh_1"), True),
        (runs(), NETWORK, False),
        (runs(), STATE, False),
        (NETWORK, NETWORK, False),
        (NETWORK, writes("a"), False),
        (STATE, STATE, True),
        (STATE, writes("a"), False),
        (Claim(), runs(), False),
    ],
)
def test_two_calls_conflict_where_their_order_could_be_told(
    one: Claim, other: Claim, expected: bool
) -> None:
    assert conflict(one, other) is expected
    assert conflict(other, one) is expected


def test_calls_into_one_shell_run_one_after_the_other_whatever_else_they_do() -> None:
    closes = Claim(frozenset({"state"}), Touch(shell="sh_1"))
    assert conflict(runs(shell="sh_1"), closes)
    assert not conflict(runs(shell="sh_2"), closes)


@pytest.mark.requirement("C2")
async def test_a_call_waits_for_the_earlier_ones_that_it_conflicts_with_and_for_no_others() -> None:
    watch = Watch()
    calls = [("slow-write-a", writes("a")), ("read-a", reads("a")), ("write-b", writes("b"))]
    assert await run_all(calls, watch.run) == ["SLOW-WRITE-A", "READ-A", "WRITE-B"]
    assert watch.finished == ["write-b", "slow-write-a", "read-a"]


@pytest.mark.requirement("C2")
@given(
    st.lists(
        st.tuples(
            st.sampled_from("rw"), st.lists(st.sampled_from(["a", "b", "d/x", "d"]), max_size=2)
        ),
        max_size=8,
    ),
    st.integers(1, 4),
)
async def test_whatever_runs_at_once_files_end_as_if_it_had_run_in_the_models_order(
    steps: list[tuple[str, list[str]]], limit: int
) -> None:
    async def outcome(limit: int) -> tuple[list[list[int]], dict[str, int]]:
        files: dict[str, int] = {}

        async def run(place: int) -> list[int]:
            kind, paths = steps[place]
            for _ in range(len(steps) - place):
                await asyncio.sleep(0)
            touched = [file for file in ("a", "b", "d/x") if any(_under(file, p) for p in paths)]
            if kind == "r":
                return [files.get(file, -1) for file in touched]
            files.update(dict.fromkeys(touched, place))
            return []

        claims = [
            reads(*paths or ".") if kind == "r" else writes(*paths or ".") for kind, paths in steps
        ]
        return await run_all(list(enumerate(claims)), run, limit), files

    assert await outcome(limit) == await outcome(1)


def _under(file: str, path: str) -> bool:
    return file == path or file.startswith(path + "/")


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
        async with asyncio.timeout(30):
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
    async with asyncio.timeout(30):
        await started.acquire()
        await started.acquire()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert sorted(ended) == ["a", "b"]


async def test_no_calls_are_no_results() -> None:
    assert await run_all([], Watch().run) == []
