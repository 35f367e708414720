"""The frames that the hub sends, but for events, whose bytes are joined. An answer has the `ref` of what it answers."""

from typing import Any

import msgspec

from bottega.errors import Problem
from bottega.server.hub.frames import Ref


class Told(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    def encoded(self, ref: Ref = None) -> bytes:
        """The frame's bytes, as the answer to a frame with that `ref`."""
        body = msgspec.json.encode(self)
        return body if ref is None else b'%b,"ref":%b}' % (body[:-1], msgspec.json.encode(ref))


class SessionCreated(Told, frozen=True, tag="session-created"):
    tab_id: str
    session_id: str
    last_index: int


class OpenTab(msgspec.Struct, frozen=True, kw_only=True):
    """A tab as `tabs` lists it."""

    tab_id: str
    session_id: str
    last_index: int
    title: str
    status: str


class Tabs(Told, frozen=True, tag="tabs"):
    tabs: list[OpenTab]
    gone: list[str]
    """Those that were asked for and are no more: closed elsewhere, or their session was deleted."""


class Visible(Told, frozen=True, tag="visible"):
    tab_id: str
    session_id: str
    last_index: int


class Hidden(Told, frozen=True, tag="hidden"):
    tab_id: str


class TabClosed(Told, frozen=True, tag="tab-closed"):
    tab_id: str
    session_id: str
    last: bool
    """No other tab shows the session: what it holds is freed."""


class Accepted(Told, frozen=True, tag="accepted"):
    tab_id: str
    session_id: str
    message_id: str
    index: int
    repeated: bool


class Cancelled(Told, frozen=True, tag="cancelled"):
    tab_id: str
    message_id: str
    found: bool
    """False: it was over before, or never was."""


class Answered(Told, frozen=True, tag="answered"):
    tab_id: str
    ask_id: str


class Pong(Told, frozen=True, tag="pong"):
    pass


class SessionEnded(Told, frozen=True, tag="session-ended"):
    tab_id: str
    session_id: str


class Error(Told, frozen=True, tag="error", omit_defaults=True):
    code: str
    detail: str
    hint: str
    tab_id: str = ""


HEARTBEAT = b'{"type":"heartbeat"}'
PONG = Pong()


def error(problem: Problem, tab_id: str = "") -> Error:
    return Error(code=problem.code, detail=problem.message, hint=problem.hint, tab_id=tab_id)


def encoded(frame: dict[str, Any]) -> bytes:
    """A frame that somebody else made."""
    return msgspec.json.encode(frame)
