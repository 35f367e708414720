"""Who runs what, and having one of them begin anew: the host's alone."""

from fastapi import APIRouter

from bottega.server.problems import responses
from bottega.server.shapes.worker import WorkerList, WorkerShape
from bottega.server.who import Asked, Hosting, OwnWorker

router = APIRouter(prefix="/workers", tags=["workers"])


@router.get("")
async def list_workers(house: Asked, person: Hosting) -> WorkerList:
    return WorkerList(workers=[WorkerShape.of(member) for member in house.staff.members()])


@router.post("/{worker_id}/restart", status_code=202, responses=responses(404, 409))
async def restart_worker(house: Asked, worker: OwnWorker) -> WorkerShape:
    """Have its process end and a new one begin. What it ran is taken over by others, or goes on in the new one."""
    await house.staff.restart(worker.id)
    return WorkerShape.of(worker)
