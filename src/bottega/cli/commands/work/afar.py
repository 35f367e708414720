"""`bottega run --at ADDRESS`: the same prompt, in a session of a server elsewhere."""

from pathlib import Path

from bottega.cli.commands.work.ending import Output, shown_to_the_end
from bottega.cli.commands.work.wish import Wish
from bottega.cli.nearby import greet, server
from bottega.client import Remote, RemoteSession
from bottega.errors import BadUsage, NotFound
from bottega.settings import Settings


async def run_at(settings: Settings, at: str, wish: Wish, output: Output) -> int:
    """The exit code of the exchange there."""
    if settings.source("limits") == "flag":
        raise BadUsage("--limits are set where the agent runs.", hint="Leave them out with --at.")
    async with server(settings, at) as found:
        await greet(found)
        async with found.remote() as remote:
            return await _run(remote, settings, wish, output, at)


async def _run(remote: Remote, settings: Settings, wish: Wish, output: Output, at: str) -> int:
    session = await _session(remote, settings, wish)
    wishes, _ = settings.wishes()
    answer = session.prompt(
        wish.text,
        model=_flag(settings, "model"),
        agent=_flag(settings, "agent") if wish.session else "",
        wishes=wishes,
        wait=output.asks,
        schema=wish.schema,
    )
    return await shown_to_the_end(settings.environment, session, answer, output, at=at)


async def _session(remote: Remote, settings: Settings, wish: Wish) -> RemoteSession:
    if wish.session:
        session = await remote.resume(await remote.named(wish.session))
        if wish.mode:
            await session.change_mode(wish.mode)
        return session
    agent, mode = _flag(settings, "agent"), wish.mode or ""
    try:
        return await remote.start(agent=agent, folder=wish.folder or Path.cwd(), mode=mode)
    except NotFound:
        if wish.folder:
            raise
        # This folder is in no project of the server: one's first it is, as where nothing is said.
        return await remote.start(agent=agent, mode=mode)


def _flag(settings: Settings, name: str) -> str:
    """What was asked for with this call; what is set here says nothing of what is there."""
    return str(getattr(settings.values, name)) if settings.source(name) == "flag" else ""
