"""The Python library: open a studio, start or resume a session, prompt it, and follow what happens.

async with bottega.Studio() as studio:
    session = await studio.start(model="guide")
    async for event in session.prompt("list the files"):
        ...
"""

from bottega.studio.answer import Answer
from bottega.studio.session import Session
from bottega.studio.studio import Studio, existing_folder

__all__ = ["Answer", "Session", "Studio", "existing_folder"]
