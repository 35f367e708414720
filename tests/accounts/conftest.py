"""An open database with people in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.accounts.passes import Passes
from bottega.accounts.people import People
from bottega.runtime import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home

SECRET = b"a secret of these tests, and of nobody else"


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    opened = Database.open(Home(home), MIGRATIONS)
    yield opened
    opened.close()


@pytest.fixture
def people(database: Database) -> People:
    return People(database)


@pytest.fixture
def passes(database: Database) -> Passes:
    return Passes(database, SECRET)
