"""What somebody says, made fit to be stored and sent."""

import msgspec

from bottega.errors import BadUsage
from bottega.messages.block import Block, Text
from bottega.providers.protocol.surrogates import mend


def said(content: str | tuple[Block, ...]) -> tuple[Block, ...]:
    """Its blocks; refuses what says nothing."""
    blocks = (Text(content),) if isinstance(content, str) else content
    blocks = tuple(map(_mended, blocks))
    if not any(not isinstance(block, Text) or block.text.strip() for block in blocks):
        raise BadUsage("The prompt is empty.", hint="Say what the agent should do.")
    return blocks


def _mended(block: Block) -> Block:
    """Half a character, as a terminal may give it, can be neither stored nor sent."""
    if not isinstance(block, Text) or (whole := mend(block.text)) is block.text:
        return block
    return msgspec.structs.replace(block, text=whole)
