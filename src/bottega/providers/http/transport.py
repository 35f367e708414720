"""A provider over HTTP, for any wire protocol and address: tries again, starts anew, ends once.

Before the first piece of an answer a failed try is repeated as the policy says; after it, the
answer is declared void and asked for once more. A failure that judges the request is final.
"""

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable

import msgspec

from bottega.errors import Problem
from bottega.providers.http import faults
from bottega.providers.http.address import without_login
from bottega.providers.http.attempt import Attempt
from bottega.providers.http.connect import Timeouts, Transport
from bottega.providers.http.retry import Policy, can_help, most, next_delay
from bottega.providers.http.send import is_sendable
from bottega.providers.provider import (
    Failed,
    Finished,
    Request,
    Reset,
    Retrying,
    Started,
    StreamEvent,
    Target,
    Wire,
    WireRequest,
)

__all__ = ["HttpProvider", "Timeouts", "Transport"]

log = logging.getLogger(__name__)


class HttpProvider:
    """Speaks `wire` to `target`; `provider.Provider` says what `stream` promises."""

    def __init__(
        self,
        wire: Wire,
        target: Target,
        transport: Transport,
        *,
        timeouts: Timeouts | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random: Callable[[], float] = random.random,
    ) -> None:
        self.name = target.name
        self._wire = wire
        self._target = target
        self._transport = transport
        self._timeouts = timeouts or Timeouts()
        self._policy = Policy(attempts=target.max_attempts)
        self._sleep = sleep
        self._random = random

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        """Yield the answer; to close the iterator, or cancel its reader, drops the connection."""
        sent = self._written(request)
        if isinstance(sent, Failed):
            yield sent
            return
        secrets = faults.secrets(self._target, self._transport.proxy(sent.url))
        tries = _Tries(self._policy, self._timeouts.total, self._random)
        while True:
            attempt = self._attempt(request, sent, tries.left)
            try:
                while attempt.end is None:
                    for event in await attempt.read():
                        if isinstance(event, Started):
                            yield Started(faults.without(event.model, secrets))
                        else:
                            yield event
                end = attempt.end
                if isinstance(end, Finished):
                    yield msgspec.structs.replace(
                        end,
                        model=faults.without(end.model, secrets),
                        provider_stop=faults.without(end.provider_stop, secrets),
                        notices=sent.notices + end.notices,
                    )
                    await attempt.settle()
                    return
            finally:
                attempt.close()
            end = faults.hide(end, secrets)
            delay = tries.after(end, attempt.spoke)
            if delay is None:
                yield end
                return
            if attempt.spoke:
                yield Reset(end.message)
            number, of = tries.number, most(self._policy, end)
            yield Retrying(number, of, delay, end.message, end.unanswered)
            await self._sleep(delay)

    def _written(self, request: Request) -> WireRequest | Failed:
        try:
            sent = self._wire.to_wire(request, self._target)
        except Problem as problem:
            return Failed(problem.message, "bad_request", hint=problem.hint)
        except Exception as error:
            log.error("A request to %r could not be written", self.name, exc_info=error)
            return faults.unwritable(self.name)
        if not is_sendable(sent.headers):
            return faults.bad_header(self.name)
        return without_login(sent)

    def _attempt(self, request: Request, sent: WireRequest, left: float) -> Attempt:
        timeouts = msgspec.structs.replace(self._timeouts, total=left)
        where = faults.Where(self.name, sent.url, self._transport.proxy(sent.url), timeouts)
        return Attempt(self._transport, self._wire, self._wire.decoder(request), sent, where)


class _Tries:
    """Counts the tries of one request and the time that they take."""

    def __init__(self, policy: Policy, total: float, random: Callable[[], float]) -> None:
        self.number = 1
        """The try that runs or comes next, from 1."""
        self._policy = policy
        self._random = random
        self._deadline = time.monotonic() + total
        self._failed_at: float | None = None
        self._waited = 0.0
        self._void = False

    @property
    def left(self) -> float:
        """Seconds until the request's time is up, never 0: to aiohttp that means for ever."""
        return max(0.001, self._deadline - time.monotonic())

    def after(self, failed: Failed, spoke: bool) -> float | None:
        """The wait before the next try; None if this failure is final."""
        last = self.number >= most(self._policy, failed)
        if last or not can_help(failed) or (spoke and self._void):
            return None
        now = time.monotonic()
        if self._failed_at is None:
            self._failed_at = now
        spent = max(self._waited, now - self._failed_at)
        delay = next_delay(self._policy, self.number, spent, failed.retry_after, self._random)
        if delay is None or delay > self._deadline - now:
            return None
        self.number += 1
        self._waited += delay
        self._void = self._void or spoke
        return delay
