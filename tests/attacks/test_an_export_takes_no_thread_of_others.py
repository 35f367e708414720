"""Severity: high. A guest takes many exports at once: they are made in the guest's own share of threads, and nothing of
the server uses those that the web framework has for everybody."""

import ast
import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

import bottega.server
from bottega.server.app import routers
from bottega.server.outside import metrics
from bottega.server.pages import pages, studio

SERVER = Path(bottega.server.__file__).parent
MODULES = sorted(SERVER.rglob("*.py"))
SHARED = {
    "StreamingResponse", "FileResponse", "StaticFiles", "UploadFile", "BackgroundTask", "BackgroundTasks",
    "run_in_threadpool", "iterate_in_threadpool", "to_thread.run_sync",
}  # fmt: skip
"""What the framework does, for some arguments at least, in its own forty threads."""
ROUTES = [
    route
    for router in (*routers(), pages.router, studio.router, metrics.router)
    for route in router.routes
    if isinstance(route, APIRoute)
]


def names(path: Path) -> Iterator[str]:
    """Everything that a module takes from elsewhere or names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.Attribute):
            yield node.attr
            if isinstance(node.value, ast.Attribute | ast.Name):
                yield f"{getattr(node.value, 'attr', getattr(node.value, 'id', ''))}.{node.attr}"


def dependencies(dependant: Dependant) -> Iterable[Dependant]:
    yield dependant
    for each in dependant.dependencies:
        yield from dependencies(each)


def test_no_module_uses_the_frameworks_threads() -> None:
    found = {str(path.relative_to(SERVER)): SHARED.intersection(names(path)) for path in MODULES}
    assert {path: shared for path, shared in found.items() if shared} == {
        "sending.py": {"StreamingResponse"}
    }


def test_every_route_and_what_it_depends_on_runs_on_the_loop() -> None:
    assert len(ROUTES) > 50
    blocking = {
        f"{route.path}: {each.call}"
        for route in ROUTES
        for each in dependencies(route.dependant)
        if not (inspect.iscoroutinefunction(each.call) or inspect.isasyncgenfunction(each.call))
    }
    assert not blocking
