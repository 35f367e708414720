"""Tickets: what a socket is opened with."""

from fastapi import APIRouter

from bottega.server.shapes.ticket import TicketShape
from bottega.server.who import Asked, Calling

router = APIRouter(prefix="/tickets", tags=["socket"])


@router.post("", status_code=201)
async def give_ticket(house: Asked, caller: Calling) -> TicketShape:
    """A ticket for `/ws/{ticket}`, or for a download that a browser begins: `?ticket=`. Good once, for 30 s."""
    return TicketShape(ticket=house.tickets.give(caller.person, caller.words, caller.kind))
