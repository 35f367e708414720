"""What waits for somebody, with all that has to be seen to decide on it."""

from typing import Any, cast

import msgspec
from pydantic import BaseModel, Field

from bottega.server.shapes.open_body import OpenBody
from bottega.server.shapes.words import Mode, Name, Object, Words
from bottega.sessions.asked import Page
from bottega.sessions.asks import Ask, Word, answers_to
from bottega.sessions.session import SessionRow


class AskShape(BaseModel):
    id: str
    session_id: str
    title: str = Field(description="Of the session.")
    message_id: str
    created_at: int
    kind: str = Field(description="tool, question, plan, client, limit, resume …")
    question: str
    choices: list[str] = Field(description="Of a question: what may be chosen.")
    words: list[str] = Field(description="The answers that it takes.")
    tool_id: str
    tool_name: str
    input: dict[str, Any] = Field(description="The arguments of the call.")
    arguments: str = Field(
        "",
        description="The same as JSON, where a number in them is larger than JavaScript's are exact; else empty.",
    )
    detail: dict[str, Any] = Field(
        description="What else has to be seen: reason, diff, command, sandbox, network, url, offers."
    )
    hash: str = Field(description="Of all that is decided on: an answer names it.")
    child: str = Field(description="The id of the child session that asks; empty: it asks itself.")
    asker: str = Field(description="The agent of that child.")
    answer: str | None = Field(description="Null while it is open.")
    cut: bool = Field(
        False, description="In a list: large arguments or details are left out; ask for it alone."
    )

    @classmethod
    def of(cls, ask: Ask, session: SessionRow, *, cut: bool = False) -> "AskShape":
        asked = ask.asked
        return cls(
            id=ask.id,
            session_id=session.id,
            title=session.title,
            message_id=ask.message_id,
            created_at=ask.created_at,
            kind=asked.kind,
            question=asked.question,
            choices=list(asked.choices),
            words=list(answers_to(asked)),
            tool_id=asked.tool_id,
            tool_name=asked.tool_name,
            input=ask.input,
            arguments=_as_json(ask.input) if _holds_large_number(ask.input) else "",
            detail=asked.detail,
            hash=asked.hash,
            child=ask.child,
            asker=ask.asker,
            answer=ask.reply.word if ask.reply else None,
            cut=cut,
        )


_EXACT = 2**53 - 1
"""JavaScript rounds what is larger."""


def _holds_large_number(given: dict[str, Any]) -> bool:
    left: list[Any] = [given]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left += cast("dict[str, Any]", value).values()
        elif isinstance(value, list):
            left += cast("list[Any]", value)
        elif isinstance(value, int | float) and abs(value) > _EXACT:
            return True
    return False


def _as_json(given: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(given), indent=2).decode()


class AskList(BaseModel):
    asks: list[AskShape] = Field(description="The oldest first.")
    next: int = Field(0, description="Give it as `after` for those that follow; 0: there are none.")

    @classmethod
    def of(cls, page: Page) -> "AskList":
        asks = [AskShape.of(each.ask, each.session, cut=each.cut) for each in page.asks]
        return cls(asks=asks, next=page.next)


class NewAnswer(OpenBody):
    word: Word = Field(description="One of the ask's `words`.")
    hash: Name = Field(description="The hash of what you were shown.")
    note: Words = Field(
        "", description="A word to the model, an answer, or a plan as you changed it."
    )
    input: Object | None = Field(None, description="With `edit` or `result`.")
    grant: Name = Field(
        "", description="With `allow_all`: one of `detail.offers`; empty: this tool."
    )
    mode: Mode = Field(
        "ask", description="With `accept`: the mode in which the plan is carried out."
    )


class Answered(BaseModel):
    id: str
    word: str
    message_id: str = Field(description="Of what goes on now: of a plan, the prompt that does it.")
