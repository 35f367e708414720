"""Who asks, and whether what they name is theirs. Every route declares it by one of these types in its parameters.

A thing that is another person's is not found: nobody learns that it exists.
"""

from typing import Annotated

from fastapi import Depends, Path, Request

from bottega.accounts.people import Person
from bottega.errors import NotFound, Problem, Refused
from bottega.projects.projects import Project
from bottega.server.house import House, house_of
from bottega.server.shells import ServedShell
from bottega.sessions.asks import Ask
from bottega.studio.session import Session

COOKIE = "bottega"


class NotSignedIn(Problem):
    """Nobody, or a pass that is not good."""

    code = "not_signed_in"


async def the_house(request: Request) -> House:
    return house_of(request)


async def signed_in(request: Request) -> Person:
    """The person behind the cookie or the bearer token of this request."""
    passes = house_of(request).passes
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        person = passes.holder(token.strip(), "token")
    else:
        person = passes.holder(request.cookies.get(COOKIE, ""), "login")
    if person is None:
        raise NotSignedIn(
            "You are not signed in.", hint="`bottega people link` prints a sign-in link."
        )
    return person


Asked = Annotated[House, Depends(the_house)]
Signed = Annotated[Person, Depends(signed_in)]
"""Somebody of this home, whoever it is. For routes that name nothing that could be another's."""


async def the_host(person: Signed) -> Person:
    if not person.is_host:
        raise Refused("Only the person whose home this is may do that.")
    return person


Hosting = Annotated[Person, Depends(the_host)]
"""The person whose home it is: settings, keys and whatever else concerns all."""


async def own_session(
    house: Asked, person: Signed, session_id: Annotated[str, Path(max_length=100)]
) -> Session:
    return house.studio.owned(session_id, person.n)


async def own_project(
    house: Asked, person: Signed, project_id: Annotated[str, Path(max_length=100)]
) -> Project:
    return house.projects.owned(project_id, person.n)


async def own_ask(
    house: Asked, person: Signed, ask_id: Annotated[str, Path(max_length=100)]
) -> Ask:
    ask = house.studio.runtime.asks.exactly(ask_id)
    if ask and house.studio.runtime.sessions.numbered(ask.session).owner == person.n:
        return ask
    raise NotFound(f"There is no ask {ask_id!r} here.")


async def own_shell(
    house: Asked,
    person: Signed,
    project: Annotated[Project, Depends(own_project)],
    shell_id: Annotated[str, Path(max_length=100)],
) -> ServedShell:
    return house.shells.get(person.n, project, shell_id)


OwnSession = Annotated[Session, Depends(own_session)]
OwnProject = Annotated[Project, Depends(own_project)]
OwnAsk = Annotated[Ask, Depends(own_ask)]
OwnShell = Annotated[ServedShell, Depends(own_shell)]

GUARDS = {
    own_session: "session_id",
    own_project: "project_id",
    own_ask: "ask_id",
    own_shell: "shell_id",
}
"""What checks each name in a path: a name in a path that none of them takes fails the build."""
