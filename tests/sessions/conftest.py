import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bottega.sessions.inbox import Inbox
from bottega.sessions.log import Log
from bottega.sessions.session import SessionRow, Sessions
from bottega.sessions.tables import MIGRATIONS
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home", patience=0.1)


@pytest.fixture(scope="session")
def new_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home as it is after its first start; to copy is quicker than to make."""
    path = tmp_path_factory.mktemp("new") / "home"
    Database.open(Home(path), MIGRATIONS).close()
    return path


@pytest.fixture
def database(home: Home, new_home: Path) -> Iterator[Database]:
    shutil.copytree(new_home, home.path)
    database = Database.open(home, MIGRATIONS)
    yield database
    database.close()


@pytest.fixture
def blobs(database: Database) -> Blobs:
    return Blobs(database.home.blobs)


@pytest.fixture
async def log(database: Database) -> AsyncIterator[Log]:
    log = Log(database)
    yield log
    log.close()


@pytest.fixture
def inbox(log: Log) -> Inbox:
    return Inbox(log)


@pytest.fixture
async def session(database: Database) -> SessionRow:
    return await Sessions(database).create(model="m", agent="coder", folder="/nowhere")
