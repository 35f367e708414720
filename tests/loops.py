"""The loops that tests run in: what a test has closed is closed when its loop is.

A connection that was closed while something was still to be sent lives on until the other side has read it. A loop that
ends before that would leave it behind, and some later test would be blamed. What nobody closed is told at once: the
collector would find it in some later test.
"""

import asyncio
import warnings


class Loop(asyncio.SelectorEventLoop):
    def close(self) -> None:
        if self.is_closed():
            return
        known: dict[int, asyncio.WriteTransport] = dict(self._transports)  # type: ignore[attr-defined]
        open_still = [each for each in known.values() if getattr(each, "_sock", None)]
        forgotten = [repr(each) for each in open_still if not each.is_closing()]
        for each in open_still:
            each.abort()
        if open_still:
            self.call_soon(self.stop)
            self.run_forever()
        super().close()
        if forgotten:
            warnings.warn(f"nobody closed {', '.join(forgotten)}", ResourceWarning, stacklevel=2)


def install() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.14 on

        class Policy(asyncio.DefaultEventLoopPolicy):
            _loop_factory = Loop

        asyncio.set_event_loop_policy(Policy())  # pyright: ignore[reportDeprecated]
