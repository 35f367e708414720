"""What a client knows of a session without asking: it goes with every fact."""

from typing import Any

import msgspec

from bottega.client.mirror import Mirror
from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import Text
from bottega.sessions.asks import Ask
from bottega.sessions.session import SessionRow

ROW = SessionRow(1, "ses_1", 1, 1, "", "m", "a", "/", "idle", 1, 0)
ASKED = facts.ApprovalRequired("ask_1", "tool", "t1", "write_file", "hash", "May it?")


def told(index: int, payload: msgspec.Struct, message_id: str = "") -> Event:
    return Event(facts.NAMES[type(payload)], index, payload, message_id, index=index)


class Told:
    """A mirror, and the facts that it is told one after the other."""

    def __init__(self) -> None:
        self.mirror = Mirror(ROW, "ask")

    def note(self, payload: msgspec.Struct, message_id: str = "", **beside: Any) -> str:
        fact = told(self.mirror.row.last_index + 1, payload, message_id)
        self.mirror.note(fact, **beside)
        return self.mirror.row.status


def queued() -> facts.PromptQueued:
    return facts.PromptQueued((Text("go"),))


def test_what_is_asked_makes_a_session_wait_until_all_of_it_is_answered() -> None:
    told = Told()
    assert told.note(queued(), "m1") == "queued"
    assert told.note(facts.UserMessage((Text("go"),)), "m1") == "running"
    ask = Ask("ask_1", 1, "m1", 0, ASKED, {})
    assert told.note(ASKED, "m1", ask=ask) == "waiting"
    assert told.note(facts.ApprovalResolved("ask_1", "deny", "hash"), "m1") == "running"
    end = facts.ExchangeResponse(True, "no_more_actions", "end_turn", 1)
    assert told.note(end, "m1") == "idle"


def test_a_plan_that_is_offered_makes_nobody_wait() -> None:
    told = Told()
    told.note(facts.UserMessage((Text("go"),)), "m1")
    offered = msgspec.structs.replace(ASKED, kind="plan")
    assert told.note(offered, "m1", ask=Ask("ask_1", 1, "m1", 0, offered, {})) == "running"


def test_prompts_that_are_moved_are_known_in_their_new_order_behind_what_runs() -> None:
    told = Told()
    for name in ("m1", "m2", "m3"):
        told.note(queued(), name)
    told.note(facts.UserMessage((Text("go"),)), "m1")
    told.note(facts.PromptMoved(("m3", "m2")), "m3")
    assert told.mirror.under_way == ["m1", "m3", "m2"]
    told.note(facts.PromptCancelled(), "m3")
    assert told.mirror.under_way == ["m1", "m2"]


def test_a_fact_that_was_minded_before_changes_nothing() -> None:
    mirror = Mirror(msgspec.structs.replace(ROW, last_index=5), "ask", ["m1"])
    mirror.note(told(5, queued(), "m2"))
    assert mirror.under_way == ["m1"]
