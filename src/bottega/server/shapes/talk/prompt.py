"""A prompt: what is said to a session, and what waits there to be run."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from bottega.messages.block import Audio, Block, Document, Image, Media, Text
from bottega.providers.provider import Effort, Wishes
from bottega.server.shapes.open_body import OpenBody
from bottega.server.shapes.words import Index, MessageId, Mode, Name, Object, Words
from bottega.sessions.inbox import Prompt, Waiting

MOST_BLOCKS = 100
LARGEST = 40_000_000
"""Characters of base64: 30 MB."""

LISTED = 4_000
"""Characters of a prompt that a list shows."""

_MEDIA = {"image": Image, "audio": Audio, "document": Document}


class TextPart(OpenBody):
    type: Literal["text"]
    text: Words


class MediaPart(OpenBody):
    type: Literal["image", "audio", "document"]
    media_type: Annotated[str, Field(max_length=200, pattern=r"^[\w.+-]+/[\w.+-]+$")]
    data: Annotated[str, Field(min_length=1, max_length=LARGEST, pattern=r"^[A-Za-z0-9+/=\s]+$")]
    name: Name = ""


Part = Annotated[TextPart | MediaPart, Field(discriminator="type")]
Content = Words | Annotated[list[Part], Field(min_length=1, max_length=MOST_BLOCKS)]


class WishesShape(OpenBody):
    """How the model should answer this prompt; what is left out is as the agent and the settings say."""

    effort: Effort | None = None
    temperature: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None = None
    max_output: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None


class NewPrompt(OpenBody):
    message_id: MessageId
    content: Content
    model: Name = Field("", description="For this prompt alone; empty: the session's.")
    agent: Name = ""
    mode: Mode | None = Field(None, description="The session changes to it with this prompt.")
    # Not `schema`, which the shape's own class has a meaning for.
    output_schema: Object | None = Field(
        None, alias="schema", description="A JSON schema that the final response must fit."
    )
    steer: bool = Field(False, description="Say it into what runs; if nothing does, run it.")
    wishes: WishesShape = WishesShape()
    attended: bool = Field(
        True, description="Somebody is there to answer: a limit is asked about, and not the end."
    )
    hops: Annotated[int, Field(ge=0, le=100)] = Field(
        0, description="How many other Bottegas it came through."
    )


class Admitted(BaseModel):
    message_id: str
    index: int = Field(description="Where the prompt stands in the log.")
    repeated: bool = Field(description="It was sent before; nothing was added.")


class PromptShape(BaseModel):
    message_id: str
    status: Literal["queued", "running"]
    text: str = Field(description="Its words.")
    parts: list[dict[str, str]] = Field(description="What came with it: type, media_type and name.")
    model: str
    agent: str
    steer: bool
    index: int
    created_at: int
    mine: bool = Field(description="You said it.")
    cut: bool = Field(False, description="In a list: it is longer; ask for it alone.")

    @classmethod
    def of(cls, waiting: Waiting, person: int, most: int | None = None) -> "PromptShape":
        prompt = waiting.prompt
        text = "".join(block.text for block in prompt.content if isinstance(block, Text))
        return cls(
            message_id=prompt.message_id,
            status=waiting.status,
            text=text[:most],
            parts=[_named(block) for block in prompt.content if isinstance(block, Media)],
            model=prompt.model,
            agent=prompt.agent,
            steer=prompt.steer,
            index=waiting.index,
            created_at=waiting.created_at,
            mine=waiting.person == person,
            cut=most is not None and len(text) > most,
        )


class PromptList(BaseModel):
    prompts: list[PromptShape] = Field(description="What runs, then what waits, in its order.")


class PromptChange(OpenBody):
    """While it waits. What is left out stays as it is."""

    content: Content | None = None
    place: Index | None = Field(None, description="Its place among those that wait, from 0.")


class Stopped(BaseModel):
    stopped: bool = Field(description="False: it was over already.")


def blocks(content: "str | list[Part]") -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(content),)
    return tuple(_block(part) for part in content)


def prompt_of(said: NewPrompt) -> Prompt:
    return Prompt(
        said.message_id,
        blocks(said.content),
        said.model,
        said.agent,
        Wishes(said.wishes.effort, said.wishes.temperature, said.wishes.max_output),
        steer=said.steer,
        attended=said.attended,
        schema=said.output_schema,
        hops=said.hops,
    )


def _block(part: TextPart | MediaPart) -> Block:
    if isinstance(part, TextPart):
        return Text(part.text)
    return _MEDIA[part.type](part.media_type, part.data, name=part.name)


def _named(media: Media) -> dict[str, str]:
    kind = next(name for name, each in _MEDIA.items() if isinstance(media, each))
    return {"type": kind, "media_type": media.media_type, "name": media.name}
