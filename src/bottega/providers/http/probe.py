"""A look at a provider without asking a model: is it there, does it take the key, what does it offer.

One cheap request or two, ten seconds at most, nothing tried twice: for `keys test` and `doctor`.
"""

import msgspec

from bottega.messages.json_size import MOST_LINE, check_size
from bottega.providers.http import faults
from bottega.providers.http.address import without_login
from bottega.providers.http.body import Body, read_up_to
from bottega.providers.http.connect import Timeouts, Transport
from bottega.providers.http.faults import Where
from bottega.providers.http.send import failure, is_sendable, refusal, send
from bottega.providers.provider import Failed, Target, Wire, WireRequest

PATIENCE = Timeouts(connect=5.0, idle=10.0, total=10.0)
MAX_LIST = 16 * 1024 * 1024


class _Model(msgspec.Struct):
    id: str = ""
    name: str = ""
    supportedGenerationMethods: tuple[str, ...] = ("generateContent",)  # noqa: N815


class _Page(msgspec.Struct):
    data: list[_Model] = []
    models: list[_Model] = []


async def check(
    wire: Wire, target: Target, transport: Transport, timeouts: Timeouts = PATIENCE
) -> Failed | list[str]:
    """The models that the provider offers to this key, or why it does not."""
    # This one lists its models to anybody, so that the list says nothing about the key.
    if target.name == "openrouter":
        refused = await _get(wire, target, transport, f"{target.base_url}/key", timeouts)
        if isinstance(refused, Failed):
            return refused
    return await list_models(wire, target, transport, timeouts)


async def list_models(
    wire: Wire, target: Target, transport: Transport, timeouts: Timeouts = PATIENCE
) -> Failed | list[str]:
    """The names of the models that the provider offers, in its own order."""
    url = _address(wire.name, target.base_url)
    body = await _get(wire, target, transport, url, timeouts)
    if isinstance(body, Failed):
        return body
    try:
        check_size(body, MOST_LINE)
        page: _Page | list[_Model] = msgspec.json.decode(body, type=_Page | list[_Model])
    except (ValueError, RecursionError):
        return faults.not_an_answer(Where(target.name, url, "", timeouts), 200)
    models = page if isinstance(page, list) else page.data + page.models
    spoken_to = [each for each in models if "generateContent" in each.supportedGenerationMethods]
    names = [(each.id or each.name).removeprefix("models/") for each in spoken_to]
    secrets = faults.secrets(target, transport.proxy(url))
    return [name for name in names if name and faults.without(name, secrets) == name]


async def _get(
    wire: Wire, target: Target, transport: Transport, url: str, timeouts: Timeouts
) -> bytes | Failed:
    headers = {**_login(wire.name, target.key), **target.headers}
    sent = without_login(WireRequest(url, headers, b""))
    where = Where(target.name, sent.url, transport.proxy(sent.url), timeouts)
    if not is_sendable(sent.headers):
        return faults.bad_header(target.name)
    try:
        response = await send(transport, where, sent.headers)
        try:
            if response.status < 300:
                return await read_up_to(MAX_LIST, Body(response))
            failed = await refusal(response, wire, where)
        finally:
            response.close()
    except Exception as error:
        failed = failure(error, where)
    if failed.status == 404:
        failed = faults.nothing_there(where)
    return faults.hide(failed, faults.secrets(target, where.proxy))


def _address(wire: str, base_url: str) -> str:
    match wire:
        case "anthropic":
            return f"{base_url}/v1/models?limit=1000"
        case "gemini":
            return f"{base_url}/v1beta/models?pageSize=1000"
        case _:
            return f"{base_url}/models"


def _login(wire: str, key: str) -> dict[str, str]:
    match wire:
        case "anthropic":
            headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
        case "gemini":
            headers = {"x-goog-api-key": key}
        case _:
            headers = {"Authorization": f"Bearer {key}"}
    return headers if key else {}
