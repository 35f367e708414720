"""Whether the server is alive, and whether it can do its work; open to all, and silent about anything else."""

from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from bottega.server.outside.readiness import Reason
from bottega.server.outside.watched import watched_of

router = APIRouter(tags=["outside"])


class Alive(BaseModel):
    alive: Literal[True] = True


class Ready(BaseModel):
    ready: bool
    reasons: list[Reason] = Field(description="What keeps it from working; empty: nothing does.")


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz", summary="The process is alive")
async def alive() -> Alive:
    return Alive()


@router.head("/readyz", include_in_schema=False)
@router.get(
    "/readyz",
    summary="It can do its work",
    response_model=Ready,
    responses={503: {"model": Ready, "description": "It cannot; `reasons` says why."}},
)
async def ready(request: Request) -> JSONResponse:
    reasons = await watched_of(request).readiness.reasons()
    body = Ready(ready=not reasons, reasons=reasons).model_dump()
    headers = {"Cache-Control": "no-store", **({"Retry-After": "5"} if reasons else {})}
    return JSONResponse(body, 503 if reasons else 200, headers)
