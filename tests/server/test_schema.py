"""Every operation of the OpenAPI, with what fits its schema and what does not: only answers that the schema knows.

Ids of things that are really there are put into half of the paths, so that more is met than "not found".
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.hunt import examples
from tests.server.crossing.belongings import MAKERS, owner_of, token_of
from tests.server.serving import Serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SECONDS = 20
"""For one answer."""


class Visitor:
    """The host, who has one of everything and calls any operation."""

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self.ids: dict[str, str] = {}
        self.answers: Counter[int] = Counter()
        self.http = requests.Session()
        self.http.trust_env = False
        self.schema = schemathesis.openapi.from_url(f"{serving.address}/api/openapi.json")

    async def have_everything(self, folder: Path) -> None:
        async with owner_of(self.serving, "host", folder) as owner:
            self.ids = (await owner.make(*MAKERS)).ids

    def sign_in(self) -> None:
        """With a new token: an operation may have ended the last one."""
        token = asyncio.run(token_of(self.serving, "host"))
        self.http.headers["Authorization"] = f"Bearer {token}"

    def call(self, case: Case) -> None:
        """Send it, and hold the answer against the schema."""
        response = case.call(session=self.http, timeout=SECONDS)
        self.answers[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)


@pytest.fixture(scope="module")
def visitor(shared: Serving, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    visitor = Visitor(shared)
    asyncio.run(visitor.have_everything(tmp_path_factory.mktemp("visitor") / "project"))
    with visitor.http:
        yield visitor


@pytest.mark.fuzz
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_request_has_an_answer_that_the_schema_does_not_know(
    visitor: Visitor, mode: GenerationMode
) -> None:
    wrong: list[str] = []
    for found in visitor.schema.get_all_operations():
        operation = found.ok()
        visitor.sign_in()

        @settings(
            max_examples=examples(2, 300),
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate],
            database=None,
        )
        @given(case=operation.as_strategy(generation_mode=mode), is_real=st.booleans())
        def hunt(case: Case, is_real: bool) -> None:
            for name in case.path_parameters or {}:
                if is_real and name in visitor.ids:
                    case.path_parameters[name] = visitor.ids[name]
            visitor.call(case)

        try:
            hunt()
        except Unsatisfiable:
            pass  # it takes nothing that could be wrong
        except BaseExceptionGroup as group:
            wrong += [f"{operation.label}: {each}" for each in group.exceptions]
    print(dict(visitor.answers))
    assert wrong == []
    assert visitor.answers[200], "nothing was ever right"
    visitor.sign_in()
    assert visitor.http.get(f"{visitor.serving.address}/api/me", timeout=SECONDS).ok
