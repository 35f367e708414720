"""The door: what every request and every socket passes before the application sees it.

In this order: is it meant for us (Host), does no other site ask (Origin), who asks, not too often, not too many at
once, not too much. Nothing is read of a body before all that is settled, and every answer is dressed, refusals too.
Then one waits for a place: of each a few requests are worked on at the same time, see `places`.

Nobody is locked out by others. People are as many as the owner has let in, so a part of every room is sure to each of
them. Strangers are without number: a request of theirs takes up nothing but its connection, see `connections`, while
its body comes or its answer is read.
"""

import asyncio
from collections.abc import Hashable
from contextlib import nullcontext
from functools import partial

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.errors import Problem
from bottega.fairness import acting_for
from bottega.server import problems
from bottega.server.guard.bodies import (
    SIGN_IN,
    bounded,
    has_body,
    limit_of,
    read_whole,
    refuse_of_stranger,
)
from bottega.server.guard.connections import Seat, network_of
from bottega.server.guard.doubled import refuse_doubled
from bottega.server.guard.dress import API, PAGE, dressed
from bottega.server.guard.impatient import EXTENSION as SEAT
from bottega.server.guard.leaving import while_there
from bottega.server.guard.names import Names
from bottega.server.guard.places import Places, Queue
from bottega.server.guard.proxy import Proxies
from bottega.server.guard.rates import Buckets, Rate, Room
from bottega.server.guard.unsent import Outgoing, Unsent, in_pieces
from bottega.server.guard.visit import Visit
from bottega.server.house import House
from bottega.server.problems import Halt
from bottega.server.who import OPEN, NotSignedIn, caller_of, cookie_in

_LOOKS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""

_ALWAYS = frozenset({"/healthz"})
"""Answered whoever asks and however often: it costs no more than a refusal."""

LONGEST_ADDRESS = 16_384
"""Bytes of a path and its query."""
HELD_UP = 0.5
"""Seconds that a stranger who asks too often waits for being told so."""

WAITING = 128
"""Requests of one person that may wait for a thread."""


class Measures(msgspec.Struct, frozen=True, kw_only=True):
    """How much is let in."""

    person: Rate = Rate(2000, 500)
    """Requests of one person."""
    stranger: Rate = Rate(400, 100)
    """Requests from one address that nobody is signed in for."""
    sign_in: Rate = Rate(10, 1 / 6)
    """Tries to sign in, from one address."""
    sockets: Rate = Rate(2000, 500)
    """Sockets that are opened from one address."""
    requests: int = 1000
    """Requests of people that are answered at the same time."""
    streams: int = 5000
    """Answers that go on and on, and sockets."""
    people_at_work: Places = Places(all=64, each=4, waiting=400, sure=2)
    """Requests of people that are worked on; the others that are inside wait for that."""
    strangers_at_work: Places = Places(all=8, each=2, waiting=32)
    """Of strangers, by their address."""
    signing_in: Places = Places(all=4, each=1, waiting=16)
    """Tries to sign in."""
    long: int = 32
    """Requests of one that take long, such as a slow upload, and no longer need a place."""


class Door:
    def __init__(self, app: ASGIApp, house: House, measures: Measures | None = None) -> None:
        chosen = measures or Measures()
        self._app = app
        self._house = house
        self._names = Names(house.options)
        self._proxies = Proxies(house.options.proxies)
        self._path = house.options.base_path
        self._api = f"{self._path}/api/"
        self._persons = Buckets(chosen.person)
        self._strangers = Buckets(chosen.stranger)
        self._signing = Buckets(chosen.sign_in)
        self._opening = Buckets(chosen.sockets)
        self._requests = _shared(chosen.requests)
        self._streams = _shared(chosen.streams)
        self._people_at_work = Queue(chosen.people_at_work)
        self._strangers_at_work = Queue(chosen.strangers_at_work)
        self._signing_in = Queue(chosen.signing_in)
        self._long = Room(chosen.requests, chosen.long, sure=chosen.long)
        self._unsent = Unsent()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        visit = Visit(self._streams, self._long)
        dress = API if scope["path"].startswith(self._api) else PAGE

        async def outer_turn() -> bool:
            return await self._outer_turn(scope)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                dressed(message, dress)
                visit.settle(message)
            await in_pieces(send, message, None if isinstance(key, int) else outer_turn)

        key: Hashable = None
        try:
            self._meant_for_us(scope, headers)
            key = await self._known(scope)
            if isinstance(key, int):
                self._enter(visit, key, scope)
            elif not self._is_sign_in(scope):
                refuse_of_stranger(scope["method"], headers)
            receive = await self._begun(visit, key, scope, headers, receive)
        except Halt as halt:
            visit.end()
            await _hold_up(halt, scope)
            await halt.response()(scope, receive, sent)
            return
        except Problem as problem:
            visit.end()
            await problems.of(problem)(scope, receive, sent)
            return
        except BaseException:
            visit.end()
            raise
        try:
            await self._answer(key, scope, receive, sent)
        finally:
            visit.end()

    async def _answer(self, key: Hashable, scope: Scope, receive: Receive, send: Send) -> None:
        if not isinstance(
            key, int
        ):  # what strangers get is the same for all of them, and held once
            await self._app(scope, receive, send)
            return

        async def instead() -> None:
            await _unread().response()(scope, receive, send)

        outgoing = Outgoing(self._unsent, key, send, instead)
        try:
            await while_there(self._app, key, scope, receive, outgoing.send)
        finally:
            outgoing.end()

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        visit = Visit(self._streams, self._long)
        try:
            self._meant_for_us(scope, headers)
            key = self._opens(scope)
            if isinstance(key, int) and not visit.begin(self._streams, key):
                raise _overloaded()
        except Halt as halt:
            await _hold_up(halt, scope)
            await halt.response()(scope, receive, send)
            return
        try:
            with acting_for(key) if isinstance(key, int) else nullcontext():
                await self._app(scope, receive, send)
        finally:
            visit.end()

    def _meant_for_us(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        """Refuse what was sent to another name, or by another site's page, or says one thing twice."""
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            raise Halt(
                414,
                "too_long",
                f"The address of this request is longer than {LONGEST_ADDRESS} bytes.",
                "Send long texts in a body.",
            )
        refuse_doubled(scope, self._house)
        self._proxies.hear(scope, headers)
        secure = scope["scheme"] in ("https", "wss")
        server = scope.get("server")
        host = headers.get(b"host", b"").decode("latin-1")
        if not self._names.knows(host, secure, server):
            raise Halt(
                421,
                "wrong_host",
                f"This server was not started for the name {host[:100]!r}.",
                "Use the address that it printed, or start it with --allow-host NAME.",
            )
        origin = headers.get(b"origin")
        if origin is not None:
            if not self._names.is_ours(origin.decode("latin-1"), secure, server):
                raise _another_site()
        elif b"cookie" in headers:
            self._refuse_cross_site(scope, headers)
        self._beneath(scope)

    def _refuse_cross_site(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        """Without an origin the cookie alone changes nothing; the browser must say that our own page asks."""
        if not cookie_in(headers, self._house):
            return
        site = headers.get(b"sec-fetch-site")
        if site == b"same-origin":
            return
        changes = scope["type"] == "http" and scope["method"] not in _LOOKS
        is_navigation = headers.get(b"sec-fetch-mode") == b"navigate"
        if changes or (site not in (None, b"none") and not is_navigation):
            raise _another_site()

    def _beneath(self, scope: Scope) -> None:
        """Have the application see the paths below the server's own."""
        if self._path:
            path = scope["path"]
            if path == self._path:
                path = scope["path"] = f"{path}/"
            if not path.startswith(f"{self._path}/"):
                raise Halt(
                    404, "not_found", "Nothing is here.", f"This server is at {self._path}/."
                )
            scope["root_path"] = self._path

    async def _known(self, scope: Scope) -> Hashable:
        """Who asks: a person's number, or a stranger's address, and not too often."""
        path = scope["path"]
        address = _address(scope)
        if path[len(self._path) :] in _ALWAYS:
            return None
        if not path.startswith(self._api):
            caller = caller_of(scope, self._house)
            if caller is None:
                return _spend(self._strangers, address)
            return _spend(self._persons, caller.person.n)
        if self._is_sign_in(scope):
            return _spend(self._signing, address)
        if (scope["method"], path[len(self._path) :]) in OPEN:
            return _spend(self._strangers, address)
        caller = caller_of(scope, self._house)
        if caller is None:
            _spend(self._strangers, address)
            raise NotSignedIn(with_token=b"authorization" in dict(scope["headers"]))
        _spend(self._persons, caller.person.n)
        await self._house.seen(caller.person)
        return caller.person.n

    def _is_sign_in(self, scope: Scope) -> bool:
        return f"{scope['method']} {scope['path'][len(self._path) :]}" == SIGN_IN

    def _opens(self, scope: Scope) -> Hashable:
        """Who wants a socket: a person with a ticket, or a stranger's address, and not too often."""
        ticket = self._house.tickets.known(scope["path"].rpartition("/")[2])
        if ticket is None:
            return _spend(self._opening, _address(scope))
        _claim(scope, ticket.person.n)
        return _spend(self._persons, ticket.person.n)

    def _enter(self, visit: Visit, person: int, scope: Scope) -> None:
        _claim(scope, person)
        if self._house.studio.waiting(person) >= WAITING:
            raise _too_much_waits()
        if self._unsent.is_full(person):
            raise _unread()
        if not visit.begin(self._requests, person):
            raise _overloaded()

    async def _begun(
        self,
        visit: Visit,
        key: Hashable,
        scope: Scope,
        headers: dict[bytes, bytes],
        receive: Receive,
    ) -> Receive:
        """Return when it is this request's turn to be worked on, with its body, which was looked at."""
        place = partial(self._place, visit, key, scope)
        if has_body(headers):
            limit = limit_of(scope["method"], scope["path"][len(self._path) :])
            receive = bounded(receive, headers, limit.size, limit.patience)
            if limit.members and scope["method"] not in _LOOKS:
                return await read_whole(receive, limit.members, place)
        await place()
        return receive

    async def _outer_turn(self, scope: Scope) -> bool:
        """However many strangers fetch something long: one piece of it goes out in a round of the event loop.

        False: the stranger has left, and what waits for somebody who is gone takes up no round.
        """
        seat: Seat | None = scope.get(SEAT)
        if seat and seat.is_gone:
            return False
        await self._house.turns.next("strangers")
        return not (seat and seat.is_gone)

    async def _place(self, visit: Visit, key: Hashable, scope: Scope) -> None:
        if key is None:
            return
        if isinstance(key, int):
            await visit.work(self._people_at_work, key)
            await self._house.turns.next(key)
        elif self._is_sign_in(scope):
            await visit.work(self._signing_in, key)
        else:
            await visit.work(self._strangers_at_work, key)
        seat: Seat | None = scope.get(SEAT)
        if seat and seat.is_gone:  # nobody waits for the answer any more
            raise _overloaded()


def _shared(most: int) -> Room:
    """Half of the room is the most that one may fill; a sixteenth is sure to everyone."""
    each = max(1, most // 2)
    return Room(most, each, sure=max(1, each // 8))


def _claim(scope: Scope, person: int) -> None:
    """The connection is this person's from now on; refused where the person has too many."""
    seat: Seat | None = scope.get(SEAT)
    if seat and not seat.belongs_to(person):
        raise Halt(
            429, "too_many", "You have too many open connections.", "Close some.", retry_after=5
        )


async def _hold_up(halt: Halt, scope: Scope) -> None:
    """Whoever asks too often waits for the refusal: asking on is worth nothing."""
    if halt.status_code == 429 and scope.get(SEAT) is not None and scope[SEAT].person is None:
        await asyncio.sleep(HELD_UP)


def _too_much_waits() -> Halt:
    return Halt(
        429,
        "too_many",
        f"{WAITING} of your requests wait for their turn already.",
        "Wait for answers before you ask for more.",
        retry_after=1,
    )


def _overloaded() -> Halt:
    return Halt(
        503,
        "overloaded",
        "The server has too much to do just now.",
        "Ask again a little later.",
        retry_after=1,
    )


def _unread() -> Halt:
    return Halt(
        503,
        "overloaded",
        "Too much of what you asked for waits to be read.",
        "Read the answers that are under way, then ask again.",
        retry_after=1,
    )


def _another_site() -> Halt:
    return Halt(
        403,
        "another_site",
        "This request does not come from a page of this server.",
        "Open the server's own address; programs send a token instead of a cookie.",
    )


def _spend(buckets: Buckets, key: Hashable) -> Hashable:
    if wait := buckets.take(key):
        raise Halt(
            429,
            "too_often",
            "That was asked too often.",
            f"Ask again in {max(1, round(wait))} s.",
            retry_after=wait,
        )
    return key


def _address(scope: Scope) -> str:
    """The address that a stranger is known by; of the new kind everybody has very many, so a network counts as one."""
    client = scope.get("client")
    return network_of(client[0] if client else "")
