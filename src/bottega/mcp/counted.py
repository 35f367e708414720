"""What a server says, counted before the SDK decodes it on the event loop: a few bytes may be a million values."""

from bottega.fairness import FOREIGN_JSON
from bottega.json_size import MOST_MESSAGE, SMALL, Crowded, check_size, members_of


async def counted(message: bytes) -> str:
    """Why a message is not to be decoded, as the end of a sentence; empty: it may be, by now."""
    try:
        check_size(message, MOST_MESSAGE)
    except Crowded as crowded:
        return str(crowded)
    if (members := members_of(message, MOST_MESSAGE)) > SMALL:
        await FOREIGN_JSON.take(members)
    return ""
