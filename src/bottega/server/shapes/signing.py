"""Who is signed in, and by what."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.accounts.passes import Pass
from bottega.accounts.people import Person


class SignIn(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    link: str = Field(
        min_length=1,
        max_length=200,
        description="The words behind the `#` of a sign-in link; good once.",
    )
    instead: bool = Field(
        False, description="Whoever else is signed in with this browser is signed out."
    )


class PersonShape(BaseModel):
    id: str
    name: str
    is_host: bool = Field(description="Whether the home is theirs: settings and keys.")
    created_at: int = Field(description="Milliseconds UTC.")
    seen_at: int = Field(description="When they were last there, to a minute; 0: never.")

    @classmethod
    def of(cls, person: Person) -> "PersonShape":
        return cls(
            id=person.id,
            name=person.name,
            is_host=person.is_host,
            created_at=person.created_at,
            seen_at=person.seen_at,
        )


class SignedInShape(PersonShape):
    """Who has just signed in with a browser."""

    page_key: str = Field(
        description="Sent as `X-Bottega-Page` with each request that has the cookie; to be kept by the page alone."
    )

    @classmethod
    def by(cls, person: Person, page_key: str) -> "SignedInShape":
        return cls(page_key=page_key, **PersonShape.of(person).model_dump())


class PassShape(BaseModel):
    """A pass that is good; never the pass itself."""

    id: str
    kind: Literal["link", "login", "token"] = Field(
        description="A link signs somebody in, a login is a browser's, a token a program's."
    )
    created_at: int = Field(description="Milliseconds UTC.")
    expires_at: int
    is_this: bool = Field(description="Whether this request was made with it.")

    @classmethod
    def of(cls, known: Pass, this: str) -> "PassShape":
        return cls(
            id=known.id,
            kind=known.kind,
            created_at=known.created_at,
            expires_at=known.expires_at,
            is_this=known.id == this,
        )


class PassList(BaseModel):
    passes: list[PassShape]
