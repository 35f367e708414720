"""What is known of the server from outside, for the routes that tell it."""

from collections.abc import Callable

from starlette.requests import HTTPConnection

from bottega.server.house import House
from bottega.server.outside.counts import Counts
from bottega.server.outside.readiness import Readiness
from bottega.server.outside.stalls import Stalls


class Watched:
    def __init__(self, house: House) -> None:
        self.house = house
        self.counts = Counts()
        self.stalls = Stalls()
        self.readiness = Readiness(house)
        self.lines_dropped: Callable[[], int] = lambda: 0


def watched_of(connection: HTTPConnection) -> Watched:
    watched: Watched = connection.app.state.watched
    return watched
