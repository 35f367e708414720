"""What sessions and answers need of an open studio: its parts, and its worker."""

from bottega.agents.limits import Window
from bottega.runtime import Runtime
from bottega.sessions.inbox import Place
from bottega.sessions.session import SessionRow
from bottega.workers.acting.hands import Hands
from bottega.workers.worker import OnCrash, Worker


class Opened:
    def __init__(self, runtime: Runtime, on_crash: OnCrash, place: Place) -> None:
        self.runtime = runtime
        self._on_crash: OnCrash = on_crash
        self._place: Place = place
        self._worker: Worker | None = None
        values = runtime.settings.values
        self.hands = Hands(
            runtime.log,
            runtime.sandboxes,
            rules=values.rules,
            mode=values.mode,
            patience=values.patience,
            window=Window(
                values.window_hours,
                values.window_tokens or None,
                round(values.window_usd * 1_000_000) or None,
            ),
        )

    @property
    def worker(self) -> Worker:
        """The worker of this process; born when first needed, so that a mere reader is none."""
        if self._worker is None:
            parts = self.runtime
            self._worker = Worker(
                parts.log,
                parts.attachments,
                parts.plan,
                self.hands,
                on_crash=self._on_crash,
                place=self._place,
            )
        return self._worker

    async def cancel(self, row: SessionRow, message_id: str) -> bool:
        """Stop that exchange, or take the prompt back if it still waits; False if it is over."""
        inbox = self.runtime.inbox
        if not await inbox.interrupt(row, message_id):
            return await inbox.cancel(row, message_id)
        self.worker.attend(row)  # where it only waited for an answer, nobody else would close it
        return True

    async def close(self) -> None:
        if self._worker:
            await self._worker.close()
        await self.hands.close()
        await self.runtime.close()
