"""Signals while an exchange runs: the first one asks, the second one no longer waits."""

import asyncio
import os
import signal
from contextlib import suppress

import pytest

from bottega.cli.signals import Stop, stoppable


class Slow:
    """An exchange that hears that it should stop, and takes its time."""

    def __init__(self, refusals: int = 0) -> None:
        self.asked = asyncio.Event()
        self._refusals = refusals

    async def cancel(self) -> bool:
        self._refusals -= 1
        if self._refusals >= 0:
            return False  # its prompt is not stored yet
        self.asked.set()
        return True


async def test_the_first_signal_asks_until_it_is_heard_and_the_second_cancels() -> None:
    exchange = Slow(refusals=2)
    entered, stopped = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        with stoppable(exchange) as stop:
            entered.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                assert stop.at_once
                assert (stop.code, stop.leaves) == (130, False)
                stopped.set()

    async with asyncio.timeout(30):
        task = asyncio.create_task(run())
        await entered.wait()
        os.kill(os.getpid(), signal.SIGINT)
        await exchange.asked.wait()
        assert not task.done()
        os.kill(os.getpid(), signal.SIGINT)
        await stopped.wait()
        await task


async def test_an_exchange_that_waits_for_a_person_is_left_waiting_by_all_but_ctrl_c() -> None:
    exchange = Slow()
    entered = asyncio.Event()

    async def run() -> Stop:
        with stoppable(exchange, lambda: True) as stop:
            entered.set()
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            return stop

    async with asyncio.timeout(30):
        task = asyncio.create_task(run())
        await entered.wait()
        os.kill(os.getpid(), signal.SIGHUP)
        stop = await task

    assert (stop.code, stop.leaves, stop.at_once) == (129, True, True)
    assert not exchange.asked.is_set()


@pytest.mark.parametrize(("which", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
async def test_what_is_not_ctrl_c_means_to_leave(which: signal.Signals, code: int) -> None:
    exchange = Slow()
    async with asyncio.timeout(30):
        with stoppable(exchange) as stop:
            os.kill(os.getpid(), which)
            await exchange.asked.wait()

    assert (stop.code, stop.leaves, stop.at_once) == (code, True, False)
