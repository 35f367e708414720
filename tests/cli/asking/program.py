"""Questions on the terminal that this program is started on, one after the other; prints each reply as a line of JSON.

`python -m tests.cli.asking.program live|plain PIPE`: each line of PIPE is the JSON of an `Ask`.
"""

import asyncio
import os
import sys
from pathlib import Path

import msgspec

from bottega.cli.asking import place
from bottega.cli.asking.choice import Choice
from bottega.cli.asking.question import Question
from bottega.cli.screen.live import FRAME, Live
from bottega.cli.screen.plain import Canvas, Plain
from bottega.cli.screen.terminal import Terminal
from bottega.cli.talk.echo import quiet
from bottega.sessions.asks import Ask, Reply


async def main(kind: str, ask: Ask) -> Reply:
    terminal = Terminal(sys.stdout, os.environ)
    canvas: Canvas = Live(terminal) if kind == "live" else Plain(terminal, terminal, terminal)
    moving = asyncio.create_task(move(canvas))
    desk = place.desk(canvas, terminal)
    question = Choice(desk, ask) if ask.kind == "question" else Question(desk, ask, "/work")
    try:
        return await question.reply()
    finally:
        moving.cancel()
        canvas.close()


async def move(canvas: Canvas) -> None:
    while True:
        await asyncio.sleep(FRAME)
        canvas.tick()


if __name__ == "__main__":
    with quiet(), Path(sys.argv[2]).open() as pipe:
        print("ready", flush=True)
        for line in pipe:
            answer = asyncio.run(main(sys.argv[1], msgspec.json.decode(line, type=Ask)))
            print("REPLY", msgspec.json.encode(answer).decode(), flush=True)
