"""The server's life: open the studio, listen, tell where, and end without losing anything."""

import asyncio
import errno
import logging
import os
import resource
import socket
from collections.abc import Awaitable, Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import uvicorn
from starlette.types import ASGIApp

from bottega.accounts.secret import mark_of, secret
from bottega.errors import Misconfigured, Refused
from bottega.server.app import create_app
from bottega.server.chores import chores
from bottega.server.guard.connections import Shares
from bottega.server.guard.door import Door
from bottega.server.guard.impatient import Config, Impatient
from bottega.server.house import House, Options
from bottega.server.hub.line import PING, PONG, Line
from bottega.server.options import address_of, checked
from bottega.server.outside.metrics import metrics_token
from bottega.server.outside.outside import Outside
from bottega.server.preload import preload
from bottega.server.staff.settle import settle
from bottega.server.staff.staff import Alone, Staff
from bottega.server.staff.stop import Stop
from bottega.server.staff.supervisor import Supervisor
from bottega.sessions.session import HOST
from bottega.settings import Settings
from bottega.storage import serving
from bottega.studio import Studio
from bottega.workspaces import own_code

_log = logging.getLogger(__name__)

Ready = Callable[[str, str], None]
"""Is told the address, and the address with a sign-in link, once the server listens."""


_FILES = 65_536
"""Open files of the server, if the system allows so many."""


def raise_descriptor_limit() -> None:
    """Allow the server many open files; shells often start programs with fewer than the system has for them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
    with suppress(OSError, ValueError):
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _room_for_people() -> int:
    """Connections of people that there is room for: the other half of the open files is for what they do."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _FILES // 2 if allowed == resource.RLIM_INFINITY else min(allowed, _FILES) // 2


async def serve(settings: Settings, options: Options, folder: Path, ready: Ready) -> None:
    """Serve until a signal comes."""
    raise_descriptor_limit()
    await asyncio.to_thread(preload, settings)
    options = msgspec.structs.replace(options, metrics_token=metrics_token(settings))
    key = await asyncio.to_thread(_secret, settings)
    options = checked(options)
    alone = not options.workers
    with (
        closing(listen(options.host, options.port, serving.server_of(settings.home))) as listening,
        Stop(settings.values.grace + MARGIN).heard() as stop,
    ):
        async with Studio(
            settings=settings, admits_as="server", on_crash=None, runs=alone, attends=alone
        ) as studio:
            options = msgspec.structs.replace(options, port=listening.getsockname()[1])
            house = House(studio, key, options)
            await asyncio.to_thread(studio.runtime.every_tool)
            house.staff = _staff(house)
            await _begin_here(house, folder)
            here = address_of(options)

            async def tell() -> None:
                link = await house.passes.give(house.people.host(), "link")
                ready(here, f"{here}/sign-in#{link}")

            app = create_app(house)
            settle()
            outside: Outside = app.state.outside
            config = _config(outside.around(Door(app, house)), options)
            server = _Server(config, tell, house.closing)
            bound = (listening.getsockname()[0], options.port)
            with serving.known(settings.home, here, mark_of(key), bound):
                ending = asyncio.create_task(_ended(stop, house, server))
                beside = asyncio.create_task(chores(studio))
                try:
                    async with outside:
                        await server.serve(sockets=[listening])
                        await ending
                finally:
                    beside.cancel()
                    await asyncio.wait({beside})
                    await house.close()


ACCEPTED = 64
"""Connections that are taken in before anything else has its turn …"""
QUEUED = 1024
"""… while so many wait with the system."""
MARGIN = 4.0
"""Seconds, past those that exchanges have to finish, after which an end that hangs is taken."""


def _staff(house: House) -> Staff:
    """Who runs what is admitted here, at work."""
    if not house.options.workers:
        return Alone(house.studio)
    options = house.options
    debug = ("--debug",) if options.debug else ()
    home = str(house.studio.settings.home)
    command = (
        own_code.INTERPRETER,
        "-P",
        "-m",
        "bottega",
        "--home",
        home,
        *debug,
        "work",
        "--owned",
    )
    told = ("--log-format", options.log_format)
    supervisor = Supervisor(
        house.studio,
        (*command, *told),
        options.workers,
        house.tell_session,
    )
    house.studio.opened.elsewhere = supervisor
    _fix_imports()
    supervisor.start()
    return supervisor


def _fix_imports() -> None:
    """Have every worker, however late it starts, find its modules only where this process does."""
    inherited = os.environ  # noqa: TID251
    if "PYTHONPATH" in inherited:
        found = own_code.real_entries(inherited["PYTHONPATH"].split(os.pathsep))
        inherited["PYTHONPATH"] = os.pathsep.join(found)


async def _ended(stop: Stop, house: House, server: uvicorn.Server) -> None:
    """Once somebody wants the end: admit nothing, tell everyone, let what runs finish or go; then stop listening."""
    await stop.asked()
    house.studio.opened.stop_admitting()
    for tell in house.at_stop:
        tell()
    await house.staff.leave()
    server.should_exit = True


async def _begin_here(house: House, folder: Path) -> None:
    """The start folder is the host's project, unless it is one that can be none."""
    try:
        await house.projects.add(folder, HOST)
    except Refused as problem:
        _log.warning("the start folder is no project: %s", problem)


class _Server(uvicorn.Server):
    def __init__(
        self,
        config: uvicorn.Config,
        tell: Callable[[], Awaitable[None]],
        closing: asyncio.Event,
    ) -> None:
        super().__init__(config)
        self._tell = tell
        self._closing = closing

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Signals are heard by whoever started this: runs have to end before the listening does."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(QUEUED)
        await self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._closing.set()
        await super().shutdown(sockets)


def _secret(settings: Settings) -> bytes:
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return secret(settings.home, settings.environment.get("BOTTEGA_SECRET", ""))


def _config(app: ASGIApp, options: Options) -> uvicorn.Config:
    return Config(
        app,
        backlog=ACCEPTED,
        http=Impatient,
        shares=Shares(people=_room_for_people()),
        h11_max_incomplete_event_size=HEAD_SIZE,
        proxy_headers=False,  # else whoever is on this machine could name any client: the door hears proxies
        ssl_certfile=options.tls_cert or None,
        ssl_keyfile=options.tls_key or None,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws=Line,
        ws_max_size=1_000_000,
        ws_ping_interval=PING,
        ws_ping_timeout=PONG,
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )


HEAD_SIZE = 64_000
"""Bytes of a request's head; the door refuses an address that is long, and says so."""


def listen(host: str, port: int, running: serving.Serving | None = None) -> socket.socket:
    """A bound socket; refuse an address that cannot be had. `running` is who serves this home already, if any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, as asyncio sends small answers at once only over what is TCP by name.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(QUEUED)
    except OSError as error:
        listening.close()
        hint = "Give another with --host and --port."
        if error.errno == errno.EADDRINUSE:
            hint = "Give another with --port; 0 takes any that is free."
            if running and urlsplit(running.address).port == port:
                hint = f"This home is served already, at {running.address}: `bottega people link` signs you in there."
        raise Misconfigured(
            f"The server cannot listen at {host}:{port}: {error.strerror or error}.", hint=hint
        ) from error
    return listening
