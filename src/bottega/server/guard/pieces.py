"""A long answer goes out a piece at a time, once the one before is on its way: nothing piles up for slow readers."""

from starlette.types import Message, Send

PIECE = 64 * 1024


async def in_pieces(send: Send, message: Message) -> None:
    body = message.get("body", b"")
    if message["type"] != "http.response.body" or len(body) <= PIECE:
        await send(message)
        return
    more = message.get("more_body", False)
    whole = memoryview(body)
    for start in range(0, len(whole), PIECE):
        last = start + PIECE >= len(whole)
        piece = bytes(whole[start : start + PIECE])
        await send({**message, "body": piece, "more_body": more or not last})
