from collections.abc import AsyncIterator

import pytest_asyncio

from bottega.providers.http.transport import Transport


@pytest_asyncio.fixture
async def transport() -> AsyncIterator[Transport]:
    """Connections without any proxy, whatever the machine is set to."""
    opened = Transport(proxies={})
    yield opened
    await opened.close()
