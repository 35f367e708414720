"""A prompt as simple clients send it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.server.shapes.words import MessageId, Name, Path, Words


class ChatRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    message: Words = Field(min_length=1)
    project_id: Name | None = Field(None, description="Left out: your first project.")
    container_id: Path | None = Field(None, description="The path of a subfolder of the project.")
    agent_id: Name | None = Field(None, description="The slug of an agent.")
    edit_mode: Literal["plan", "ask", "allow"] | None = None
    session_id: Name | None = Field(None, description="Go on with it; left out: begin one.")
    message_id: MessageId | None = Field(
        None, description="With one, the same request again is the same prompt."
    )
