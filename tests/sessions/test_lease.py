"""Leases: one worker at a time; from the dead at once, from the stuck after a while, from the living never."""

import asyncio

import pytest

from bottega.errors import NotFound, StorageFailed
from bottega.sessions import lease as leases
from bottega.sessions.lease import STALE, Contender, Lease, beat, let_go, release
from bottega.sessions.session import SessionRow
from bottega.storage.database import Database
from bottega.storage.home import Life
from tests.processes import running
from tests.storage.gate import Gate, fill_the_disk, free_the_disk

HOLD = """
    import asyncio, sys
    from pathlib import Path
    from bottega.sessions.lease import Contender
    from bottega.sessions.tables import MIGRATIONS
    from bottega.storage.database import Database
    from bottega.storage.home import Home, Life

    async def main():
        database = Database.open(Home(Path(sys.argv[1])), MIGRATIONS)
        life = Life(database.home, "wrk_there")
        contender = Contender(database.home, "wrk_there")
        lease = await database.write(lambda connection: contender.take(connection, int(sys.argv[2])))
        print(lease.generation, flush=True)
        sys.stdin.read()

    asyncio.run(main())
    """


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def take(database: Database, session: SessionRow, contender: Contender) -> Lease | None:
    return await database.write(lambda connection: contender.take(connection, session.n))


async def start_running(database: Database, session: SessionRow) -> None:
    await database.write(
        lambda connection: connection.execute(
            "INSERT INTO inbox (session, message_id, place, idx, hash, body, status, admitted_by,"
            " created_at) VALUES (?, 'm1', 1, 1, 'hash', x'00', 'running', 'cli', 1)",
            (session.n,),
        ).close()
    )


async def test_a_free_lease_is_had_once(database: Database, session: SessionRow) -> None:
    life = Life(database.home, "wrk_a")
    mine, theirs = Contender(database.home, "wrk_a"), Contender(database.home, "wrk_b")
    lease = await take(database, session, mine)
    assert lease
    assert (lease.worker, lease.generation, lease.takeovers) == ("wrk_a", 1, 0)
    assert await take(database, session, theirs) is None
    assert await take(database, session, mine) is None, "who has it does not get it again"
    life.end()


async def test_a_lease_is_taken_from_the_dead_at_once(
    database: Database, session: SessionRow
) -> None:
    contender = Contender(database.home, "wrk_here")
    await start_running(database, session)
    with running(HOLD, database.home.path, str(session.n)) as process:
        assert await take(database, session, contender) is None
        process.kill()
        process.wait(20)
        lease = await take(database, session, contender)
    assert lease
    assert lease.worker == "wrk_here"
    assert lease.generation == 2
    assert lease.takeovers == 1


async def test_a_lease_is_taken_from_the_stuck_after_a_while(
    database: Database, session: SessionRow
) -> None:
    life = Life(database.home, "wrk_a")
    held = await take(database, session, Contender(database.home, "wrk_a"))
    assert held
    clock = Clock()
    contender = Contender(database.home, "wrk_b", clock=clock)
    assert await take(database, session, contender) is None
    clock.now += STALE - 0.1
    assert await take(database, session, contender) is None
    assert await database.write(lambda connection: beat(connection, held))
    clock.now += 1
    assert await take(database, session, contender) is None, "it has beaten"
    clock.now += STALE
    lease = await take(database, session, contender)
    assert lease
    assert lease.generation == held.generation + 1
    assert not await database.write(lambda connection: beat(connection, held))
    life.end()


async def test_a_beat_that_was_seen_once_long_ago_proves_nothing(
    database: Database, session: SessionRow
) -> None:
    """Another contender's clock, or this one's before it looked, do not count."""
    life = Life(database.home, "wrk_a")
    await take(database, session, Contender(database.home, "wrk_a"))
    clock = Clock()
    first = Contender(database.home, "wrk_b", clock=clock)
    await take(database, session, first)
    clock.now += STALE
    assert await take(database, session, Contender(database.home, "wrk_c", clock=clock)) is None
    assert await take(database, session, first) is not None
    life.end()


async def test_a_released_lease_is_free_and_the_next_has_a_higher_number(
    database: Database, session: SessionRow
) -> None:
    life = Life(database.home, "wrk_a")
    first = await take(database, session, Contender(database.home, "wrk_a"))
    assert first
    assert await database.write(lambda connection: release(connection, first))
    second = await take(database, session, Contender(database.home, "wrk_b"))
    assert second
    assert second.generation == 2
    await database.write(lambda connection: let_go(connection, first))
    assert await take(database, session, Contender(database.home, "wrk_a")) is not None, (
        "wrk_b has no life lock, so it is dead"
    )
    life.end()


async def test_an_old_holder_cannot_release_its_successors_lease(
    database: Database, session: SessionRow
) -> None:
    old = await take(database, session, Contender(database.home, "wrk_a"))
    life = Life(database.home, "wrk_b")
    assert old
    assert await take(database, session, Contender(database.home, "wrk_b"))
    await database.write(lambda connection: let_go(connection, old))
    assert await take(database, session, Contender(database.home, "wrk_c")) is None
    life.end()


async def test_a_lease_is_not_released_while_a_prompt_waits(
    database: Database, session: SessionRow
) -> None:
    lease = await take(database, session, Contender(database.home, "wrk_a"))
    assert lease
    await start_running(database, session)
    assert not await database.write(lambda connection: release(connection, lease))


async def test_takeovers_count_the_dead_and_not_those_who_let_go(
    database: Database, session: SessionRow
) -> None:
    await start_running(database, session)
    counts: list[int] = []
    for number in range(3):
        lease = await take(database, session, Contender(database.home, f"wrk_{number}"))
        assert lease
        counts.append(lease.takeovers)
    assert counts == [0, 1, 2], "each holder but the first found a dead one's exchange"
    await database.write(lambda connection: let_go(connection, lease))
    after = await take(database, session, Contender(database.home, "wrk_9"))
    assert after
    assert after.takeovers == 2


async def test_a_deleted_session_has_no_lease(database: Database, session: SessionRow) -> None:
    await database.write(lambda connection: connection.execute("DELETE FROM sessions").close())
    with pytest.raises(NotFound):
        await take(database, session, Contender(database.home, "wrk_a"))


async def test_a_lease_that_its_worker_holds_but_does_not_use_can_be_had_again(
    database: Database, session: SessionRow
) -> None:
    """Whoever it was taken for may have gone away before it could be used."""
    in_use: set[int] = set()
    contender = Contender(database.home, "wrk_a", in_use)
    first = await take(database, session, contender)
    again = await take(database, session, contender)
    assert first is not None
    assert again is not None
    assert again.generation == first.generation + 1
    in_use.add(session.n)
    assert await take(database, session, contender) is None


async def test_a_beat_that_cannot_be_stored_is_not_the_last_one(
    database: Database, session: SessionRow
) -> None:
    lease = await take(database, session, Contender(database.home, "wrk_here"))
    assert lease
    gate = Gate(database)
    await gate.close()
    lost = asyncio.ensure_future(database.write(fill_the_disk))
    beating = asyncio.create_task(leases.beating(database, lease, every=0))
    try:
        await asyncio.sleep(0)
        await gate.open()
        with pytest.raises(StorageFailed):
            await lost
        await database.write(free_the_disk)
        before = beats(database, session)
        async with asyncio.timeout(10):
            while beats(database, session) < before + 2:
                await database.write(lambda connection: None)
    finally:
        beating.cancel()


def beats(database: Database, session: SessionRow) -> int:
    find = "SELECT beat FROM sessions WHERE n = ?"
    return database.read_now(lambda c: c.execute(find, (session.n,)).fetchone()[0])
