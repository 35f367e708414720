"""The frames that a client may send: strict shapes, tagged by `type`. One without is a simple client's prompt."""

from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from bottega.errors import BadUsage, Problem
from bottega.messages.json_size import DEEPEST, fault_of
from bottega.sessions.asks import Word

_UUID = r"\A[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"
Uuid = Annotated[str, Meta(pattern=_UUID)]
_PLAIN = r"\A[^\0]*\Z"
"""Without NUL, which cannot be stored."""
_ONE_LINE = r"\A[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*\Z"
"""Nothing that commands a terminal, or turns letters around."""
Name = Annotated[str, Meta(max_length=200, pattern=_ONE_LINE)]
Path = Annotated[str, Meta(max_length=1000, pattern=_PLAIN)]
Words = Annotated[str, Meta(max_length=800_000, pattern=_PLAIN)]
Index = Annotated[int, Meta(ge=0, le=2**53)]
Ref = Annotated[str, Meta(max_length=200)] | Annotated[int, Meta(ge=-(2**53), le=2**53)] | None
Mode = Literal["", "plan", "ask", "allow"]
Side = Annotated[int, Meta(ge=1, le=1000)]


LOOKED_AT, MEMBERS = 2 * DEEPEST, 20_000
"""A frame of more characters than that is decoded only if it has no more members than this, and is not too deep."""


class _Frame(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True
):
    ref: Ref = None


class NewTab(_Frame, frozen=True, tag="new-tab"):
    tab_id: Uuid
    session_id: Name = ""
    project_id: Name = ""
    container: Path = ""
    agent: Name = ""
    model: Name = ""
    mode: Mode = ""
    after: Index = 0


class Seen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tab_id: Uuid
    last_seen: Index


class Restore(_Frame, frozen=True, tag="restore"):
    tabs: Annotated[list[Seen], Meta(max_length=1000)] = []


class Prompt(_Frame, frozen=True, tag="prompt"):
    tab_id: Uuid
    message_id: Uuid
    text: Words
    project_id: Name = ""
    container: Path = ""
    agent: Name = ""
    model: Name = ""
    mode: Mode = ""
    steer: bool = False


class Cancel(_Frame, frozen=True, tag="cancel"):
    tab_id: Uuid
    message_id: Uuid


class Visible(_Frame, frozen=True, tag="visible"):
    tab_id: Uuid
    last_seen: Index = 0


class Hidden(_Frame, frozen=True, tag="hidden"):
    tab_id: Uuid


class CloseTab(_Frame, frozen=True, tag="close-tab"):
    tab_id: Uuid


class Answer(_Frame, frozen=True, tag="answer"):
    tab_id: Uuid
    ask_id: Name
    word: Word
    note: Words = ""
    input: dict[str, Any] | None = None
    grant: Path = ""
    hash: Name = ""
    mode: Literal["plan", "ask", "allow"] = "ask"
    """With `accept`: the mode in which the plan is carried out."""


class Ping(_Frame, frozen=True, tag="ping"):
    pass


class ShellAttach(_Frame, frozen=True, tag="shell-attach"):
    project_id: Name
    shell_id: Name
    offset: Index = 0


class ShellInput(_Frame, frozen=True, tag="shell-input"):
    project_id: Name
    shell_id: Name
    text: Annotated[str, Meta(max_length=100_000)]


class ShellResize(_Frame, frozen=True, tag="shell-resize"):
    project_id: Name
    shell_id: Name
    columns: Side
    rows: Side


class ShellDetach(_Frame, frozen=True, tag="shell-detach"):
    project_id: Name
    shell_id: Name


class Simple(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A prompt of a client that knows neither tabs nor indexes."""

    message: Words
    project_id: Name = ""
    container_id: Path | None = ""
    agent_id: Name | None = ""
    edit_mode: Mode | None = ""
    session_id: Name = ""
    message_id: Uuid = ""
    ref: Ref = None


OfShell = ShellAttach | ShellInput | ShellResize | ShellDetach
Typed = (
    NewTab | Restore | Prompt | Cancel | Visible | Hidden | CloseTab | Answer | Ping
    | ShellAttach | ShellInput | ShellResize | ShellDetach
)  # fmt: skip
Frame = Typed | Simple


class BadFrame(BadUsage):
    """What came is no frame that is known here."""

    code = "bad_frame"


class _Head(msgspec.Struct, frozen=True):
    type: str | None = None
    ref: Ref = None
    tab_id: str = ""


TYPES = tuple(str(each.__struct_config__.tag) for each in get_args(Typed))
_WORDS = {
    _UUID: "a UUID",
    _PLAIN: "a text without NUL",
    _ONE_LINE: "one line without control characters",
}
"""What a pattern means, for those who are told that something does not fit it."""
_HEAD = msgspec.json.Decoder(_Head)
_TYPED = msgspec.json.Decoder(Typed)
_SIMPLE = msgspec.json.Decoder(Simple)


class Heard(msgspec.Struct, frozen=True):
    """A frame, or what is wrong with it, and what an answer has to carry."""

    frame: Frame | Problem
    ref: Ref = None
    tab_id: str = ""


def heard(text: str) -> Heard:
    """Read one frame; what cannot be read is a problem of that frame alone."""
    if len(text) > LOOKED_AT and fault_of(text.encode("utf-8", "replace"), MEMBERS):
        said = f"A frame has {MEMBERS} fields and elements at most, {DEEPEST} levels deep."
        return Heard(BadFrame(said, hint="Send less at once."))
    try:
        head = _HEAD.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return Heard(_bad(f"This frame cannot be read: {error}."))
    try:
        frame = _SIMPLE.decode(text) if head.type is None else _TYPED.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return Heard(_unfit(head.type, str(error)), head.ref, head.tab_id[:100])
    return Heard(frame, head.ref, head.tab_id)


def _unfit(kind: str | None, why: str) -> BadFrame:
    if kind is not None and kind not in TYPES:
        said = f"There is no frame of the type {kind[:40]!r}."
        return BadFrame(said, hint=f"There are {', '.join(TYPES)}.")
    named = f"The frame {kind!r}" if kind else "This frame, which has no type,"
    for pattern, meant in _WORDS.items():
        why = why.replace(f"`str` matching regex {pattern!r}", meant)
    return _bad(f"{named} does not fit: {why}.")


def _bad(detail: str) -> BadFrame:
    return BadFrame(detail, hint="docs/protocol.md lists the frames and their fields.")
