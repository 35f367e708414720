"""What the owner sets for one model."""

import msgspec
import pytest

from bottega.messages.message import Usage
from bottega.providers.of_model import OfModel


@pytest.mark.parametrize("name", ["input_usd", "output_usd"])
def test_half_a_price_is_refused(name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="both input_usd and output_usd"):
        msgspec.convert({name: 1}, OfModel)


def test_what_only_another_name_sets_is_added() -> None:
    one, other = OfModel(effort="low"), OfModel(effort="high", input_usd=1, output_usd=2)
    both = one.or_else(other)
    assert (both.effort, both.cost(Usage(10, 10))) == ("low", 30)
