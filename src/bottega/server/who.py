"""Who asks, and whether what they name is theirs. Every route declares it by one of these types in its parameters.

A thing that is another person's is not found: nobody learns that it exists.
"""

import asyncio
import hmac
from typing import Annotated, BinaryIO, Literal
from urllib.parse import parse_qsl

import msgspec
from fastapi import Depends, Path, Query, Request
from starlette.types import Scope

from bottega.accounts.passes import Kind, Pass
from bottega.accounts.people import Person
from bottega.agents.shelf import Shelved
from bottega.agents.spec import SLUG
from bottega.errors import NotFound, Problem, Refused
from bottega.projects.projects import Project
from bottega.server.house import House, house_of
from bottega.server.shells.shell import ServedShell
from bottega.server.staff.staff import Member
from bottega.sessions.asks import Ask
from bottega.studio.session import Session
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.outputs.source import Source

PAGE_KEY = b"x-bottega-page"
"""The header by which the studio's own pages prove to be that."""

OPEN = {("GET", "/api/openapi.json"), ("HEAD", "/api/openapi.json"), ("POST", "/api/sign-in")}
"""The only requests under `/api` that nobody need be signed in for."""

_DECIDED = "bottega.caller"


class NotSignedIn(Problem):
    """Nobody, or a pass that is not good."""

    code = "not_signed_in"

    def __init__(self, *, with_token: bool = False) -> None:
        if with_token:
            hint = "`bottega people token NAME` prints one, on the machine that runs this server."
            said = "You are not signed in: this token is not good here, or not any more."
            super().__init__(said, hint=hint)
        else:
            hint = "`bottega people link` prints a sign-in link, `bottega people token` a program's token."
            super().__init__("You are not signed in.", hint=hint)


async def the_house(request: Request) -> House:
    return house_of(request)


class Caller(msgspec.Struct, frozen=True):
    """Who asks, and what proves it."""

    person: Person
    kind: Kind
    words: str


def caller_of(scope: Scope, house: House) -> Caller | None:
    """Who is behind the bearer token or the cookie of this request: the one place where that is decided.

    A request with an `Authorization` is judged by that alone, whatever else it carries. It is decided once a request.
    """
    if _DECIDED not in scope:
        kind, words = _carried(scope, house)
        person = house.passes.holder(words, kind) if words else None
        scope[_DECIDED] = Caller(person, kind, words) if person else None
    return scope[_DECIDED]


def _carried(scope: Scope, house: House) -> tuple[Kind, str]:
    """The pass that a request carries. The cookie alone opens pages, but nothing that is anybody's.

    A browser sends a cookie to every port of a host, so that any server there learns it; what stands in the storage of
    our pages it keeps to our address. A download, which a browser begins by itself, has a ticket in its address.
    """
    headers = dict(scope["headers"])
    if b"authorization" in headers:
        scheme, _, words = headers[b"authorization"].decode("latin-1").partition(" ")
        return "token", words.strip() if scheme.lower() == "bearer" else ""
    if not scope["path"].startswith(f"{house.options.base_path}/api/"):
        return "login", cookie_in(headers, house)
    if scope["type"] == "http" and scope["method"] == "GET" and (words := _ticket_in(scope)):
        ticket = house.tickets.take(words)
        return (ticket.kind, ticket.words) if ticket else ("login", "")
    words = cookie_in(headers, house)
    said = headers.get(PAGE_KEY, b"")
    is_ours = bool(words) and hmac.compare_digest(house.passes.page_key(words).encode(), said)
    return "login", words if is_ours else ""


def _ticket_in(scope: Scope) -> str:
    if b"ticket=" not in scope["query_string"]:
        return ""
    try:
        fields = parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=100)
    except ValueError:  # more fields than any request of ours has
        return ""
    return next((value for name, value in fields if name == "ticket"), "")


def cookie_name(house: House) -> str:
    """Servers on several ports of one host share a browser's cookies: each has its own."""
    return f"bottega-{house.options.port}"


_ENOUGH = 2
"""Cookies of one name that are looked for: more than one is refused."""
_BLANKS = 16


def cookies_in(headers: dict[bytes, bytes], house: House) -> list[str]:
    """What each cookie of ours holds."""
    header, wanted = headers.get(b"cookie", b""), f"{cookie_name(house)}=".encode()
    found: list[str] = []
    at = header.find(wanted)
    while (
        at >= 0 and len(found) < _ENOUGH
    ):  # strangers send what they like: nothing is made of other cookies
        end = header.find(b";", at)
        end = len(header) if end < 0 else end
        before = header[max(0, at - _BLANKS) : at].rstrip(b" \t")
        if not before or before.endswith(b";"):
            found.append(header[at + len(wanted) : end].decode("latin-1").strip())
        at = header.find(wanted, at + 1)
    return found


def cookie_in(headers: dict[bytes, bytes], house: House) -> str:
    """What our cookie holds; empty: there is none."""
    return next(iter(cookies_in(headers, house)), "")


async def calling(request: Request) -> Caller:
    caller = caller_of(request.scope, house_of(request))
    if caller is None:
        raise NotSignedIn(with_token="authorization" in request.headers)
    return caller


Calling = Annotated[Caller, Depends(calling)]
"""As `Signed`, for routes that need what was carried."""


async def signed_in(caller: Calling) -> Person:
    """The person behind the cookie or the bearer token of this request."""
    return caller.person


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
    raise NotFound(
        f"There is no ask {ask_id!r} here.", hint="GET /api/asks lists what waits for you."
    )


async def own_pass(
    house: Asked, person: Signed, pass_id: Annotated[str, Path(max_length=100)]
) -> Pass:
    return house.passes.owned(pass_id, person)


async def own_worker(
    house: Asked, person: Signed, worker_id: Annotated[str, Path(max_length=100)]
) -> Member:
    """All of them are the host's."""
    for member in house.staff.members() if person.is_host else ():
        if member.id == worker_id:
            return member
    raise NotFound(f"There is no worker {worker_id!r} here.", hint="GET /api/workers lists them.")


async def any_agent(
    house: Asked, person: Signed, slug: Annotated[str, Path(max_length=64)]
) -> Shelved:
    """Agents are for all to choose, but for remote ones, which are the host's unless they are shared."""
    return await asyncio.to_thread(house.studio.runtime.sharing.agent, slug, person.n)


async def agent_slug(
    person: Hosting, slug: Annotated[str, Path(pattern=SLUG, max_length=64)]
) -> str:
    """The name of an agent of the host's, whether it is there already or not."""
    return slug


async def key_name(person: Hosting, name: Annotated[str, Path(max_length=100)]) -> str:
    """What a key is kept under; keys are the host's."""
    return name


async def own_shell(
    house: Asked,
    person: Signed,
    project: Annotated[Project, Depends(own_project)],
    shell_id: Annotated[str, Path(max_length=100)],
) -> ServedShell:
    return await house.shells.get(person.n, project, shell_id)


AnyAgent = Annotated[Shelved, Depends(any_agent)]
AgentSlug = Annotated[str, Depends(agent_slug)]
KeyName = Annotated[str, Depends(key_name)]
OwnSession = Annotated[Session, Depends(own_session)]


async def own_prompt(
    house: Asked,
    session: OwnSession,
    message_id: Annotated[str, Path(max_length=100, description="A prompt of this session.")],
) -> str:
    """The id of a prompt that was said to this session, whatever became of it."""
    named = message_id.lower()
    await house.studio.runtime.inbox.index_of(session.row, named)
    return named


async def own_blob(
    house: Asked,
    session: OwnSession,
    blob: Annotated[str, Path(max_length=100, description="Its name, as an event tells it.")],
) -> BinaryIO:
    """A blob that this session, or a child of it, has; whoever takes it closes it."""
    return await asyncio.to_thread(house.studio.runtime.attachments.open, session.row.n, blob)


async def own_output(
    house: Asked,
    session: OwnSession,
    output_id: Annotated[str, Path(max_length=100, description="As a result names it.")],
    stream: Annotated[Literal["", "stdout", "stderr"], Query()] = "",
) -> Source:
    """What a command of this session printed."""
    outputs = Outputs(house.studio.runtime.database.home.outputs / session.id)
    return await asyncio.to_thread(outputs.find, output_id, stream)


OwnOutput = Annotated[Source, Depends(own_output)]
OwnBlob = Annotated[BinaryIO, Depends(own_blob)]
OwnPrompt = Annotated[str, Depends(own_prompt)]
OwnProject = Annotated[Project, Depends(own_project)]
OwnAsk = Annotated[Ask, Depends(own_ask)]
OwnPass = Annotated[Pass, Depends(own_pass)]
OwnWorker = Annotated[Member, Depends(own_worker)]
OwnShell = Annotated[ServedShell, Depends(own_shell)]

GUARDS = {
    own_session: "session_id",
    own_project: "project_id",
    own_ask: "ask_id",
    own_pass: "pass_id",
    own_worker: "worker_id",
    any_agent: "slug",
    agent_slug: "slug",
    key_name: "name",
    own_prompt: "message_id",
    own_shell: "shell_id",
    own_blob: "blob",
    own_output: "output_id",
}
"""What checks each name in a path: a name in a path that none of them takes fails the build."""
