"""A guest names a model so that its price is that of one and its address that of another. Severity: high."""

import pytest

from bottega.errors import Misconfigured
from bottega.origin import is_exposed
from bottega.providers.route import Endpoint, Routes, resolve

ROUTES = Routes({"gemini": Endpoint(key="k"), "openai": Endpoint(key="k")})


@pytest.mark.parametrize(
    "name",
    [
        "gemini/gemma-3-27b-it/../models/gemini-2.5-pro",
        "gemini/../../other/model",
        "gemini/./models/x",
        "gemini/models//x",
        "gemini/x?key=1",
        "gemini/x#y",
        "gemini/%2e%2e/x",
        "gemini/..\\x",
        "openai/gpt/../x",
    ],
)
def test_what_would_change_the_address_is_refused(name: str) -> None:
    with pytest.raises(Misconfigured, match="not the name of a model"):
        resolve(name, ROUTES)


@pytest.mark.parametrize("name", ["gemini/models/gemini-2.5-pro", "openai/@cf/meta/x:8b"])
def test_ordinary_names_with_slashes_are_taken(name: str) -> None:
    assert resolve(name, ROUTES).model == name.partition("/")[2]


@pytest.mark.parametrize("host", ["134744072", "0x08080808", "8.8.8.8", "010.8.8.8"])
def test_a_public_number_is_public_however_it_is_spelled(host: str) -> None:
    assert is_exposed(f"http://{host}/v1")


@pytest.mark.parametrize("host", ["10.0.0.1", "gpu", "gpu.local", "127.0.0.1"])
def test_a_network_of_ones_own_is_not_exposed(host: str) -> None:
    assert not is_exposed(f"http://{host}/v1")
