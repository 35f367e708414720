"""A ticket, as it is given out."""

from pydantic import BaseModel, Field


class TicketShape(BaseModel):
    ticket: str = Field(
        description="For one socket at `/ws/{ticket}`, or one GET with `?ticket=`, within 30 s."
    )
