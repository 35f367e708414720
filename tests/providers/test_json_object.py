"""Whether a growing text is an object is judged as if all of it was read anew with each piece."""

from random import Random

from bottega.providers.protocol.json_object import GrowingObject
from bottega.providers.protocol.loose_json import arguments
from tests.hunt import examples

PIECES = ("{", "}", "[", "]", '"', "\\", '\\"', '"a"', ":", ",", "1", " ", "\n", "\u00a0", "", "{}")
WHOLE = ('{"a": "b"}', '{"a": {"b": ["}", "\\""]}}', '{"\\\\": 1}')


def test_it_is_whole_where_the_text_can_be_taken_for_an_object() -> None:
    for seed in range(examples(2_000, 200_000)):
        dice = Random(seed)
        text = "".join(dice.choices(PIECES, k=8))
        if dice.random() < 0.6:
            text = f"{dice.choice(WHOLE)}{dice.choice(('', '', ' ', text))}"
        found, so_far = GrowingObject(), ""
        while len(so_far) < len(text):
            piece = text[len(so_far) : len(so_far) + dice.randint(1, 5)]
            found.add(piece)
            so_far += piece
            if dice.random() < 0.7:
                whole = arguments(so_far) is not None
                assert found.is_whole(lambda: so_far) == whole, (seed, so_far)  # noqa: B023


def test_nothing_is_no_object_yet() -> None:
    assert not GrowingObject().is_whole(str)
