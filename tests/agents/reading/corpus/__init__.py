"""Answers of models, good and bad, by a few words that tell them apart."""

from tests.agents.reading.corpus import everyday, examples, right, signals, vendors, wrong
from tests.agents.reading.corpus.case import Case

_PARTS = (right, examples, wrong, vendors, signals, everyday)

CORPUS: dict[str, Case] = {
    f"{part.__name__.rpartition('.')[2]}: {words}": case
    for part in _PARTS
    for words, case in part.CASES.items()
}
