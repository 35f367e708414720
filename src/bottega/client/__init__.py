"""For programs that use a Bottega at some address: the same words as the studio's own library.

async with bottega.client.Remote("http://127.0.0.1:8448", token) as studio:
    session = await studio.start(agent="coder")
    async for event in session.prompt("list the files"):
        ...

Lost connections and servers that start again are nobody's worry: calls are repeated where that is safe, and whoever
follows goes on at its cursor, with nothing left out and nothing twice.
"""

from bottega.client.remote import Remote
from bottega.client.session import RemoteSession

__all__ = ["Remote", "RemoteSession"]
