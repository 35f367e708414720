"""Bottega's way from a provider's socket to its stream events: transport, splitter, decoder, nothing behind them."""

from contextlib import aclosing

from bottega.messages.message import user
from bottega.providers.connect import Transport
from bottega.providers.provider import Finished, Request, Target, TextPiece
from bottega.providers.transport import HttpProvider
from bottega.providers.wires import wire
from stopwatch import LENGTHS, QUESTION, Figures, Work, cpu_of, main, stream_figures


async def stream(url: str, quick: bool) -> Figures:
    transport = Transport(proxies={})

    def streamer(base: str) -> Work:
        provider = HttpProvider(wire("openai-chat"), Target("mock", base), transport)

        async def read() -> int:
            count, end = 0, None
            async with aclosing(provider.stream(Request("mock-1", (user(QUESTION),)))) as events:
                async for event in events:
                    if isinstance(event, TextPiece):
                        count += 1
                    elif isinstance(event, Finished):
                        end = event
            assert end, "the answer has no end"
            return count

        return read

    figures = await stream_figures(streamer, url, quick)
    for length in () if quick else LENGTHS:
        read = streamer(f"{url}/burst-{length}/v1")
        figures[f"stream.{length}"] = await cpu_of(read, 0.5, least=1) / length * 1e6
    await transport.close()
    return flat(figures, "stream")


def flat(figures: Figures, group: str) -> Figures:
    """Add how the cost of a chunk grows with the length of the answer."""
    short, long = f"{group}.{LENGTHS[0]}", f"{group}.{LENGTHS[-1]}"
    if long in figures:
        figures[f"{group}.flat"] = figures[long] / figures[short]
    return figures


if __name__ == "__main__":
    main(stream=stream)
