"""One person's agent types into, reads or closes the shell of another's, as both work in one folder. Severity: high.

A shell holds what its person's agent put into it: variables, logins, the network that somebody allowed.
"""

import json
from collections.abc import Iterator

import pytest

from tests.attacks.two_people import MODEL, Person, add, crowded, person_of
from tests.server.serving import Serving

SECRET = "hosts-token-55"


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    place = tmp_path_factory.mktemp("shared")
    with crowded(place) as server:
        (place / "host" / "sub").mkdir()
        add(server, "same", place / "host")
        add(server, "nested", place / "host" / "sub")
        yield server


async def _called(person: Person, session: str, name: str, **arguments: str) -> str:
    return await person.ran(f"CALL {name} {json.dumps(arguments)}", session)


async def _begun(person: Person, container: str) -> str:
    body = {
        "project_id": person.project,
        "container": container,
        "model": MODEL,
        "mode": "allow",
    }
    return (await person.client.post("/api/sessions", body))["id"]


@pytest.mark.parametrize(("name", "container"), [("same", ""), ("nested", "sub")])
async def test_a_shell_in_a_folder_that_two_share_is_only_its_persons(
    serving: Serving, name: str, container: str
) -> None:
    async with (
        serving.client(serving.token()) as first,
        serving.client(serving.token(name)) as second,
    ):
        host, other = await person_of(first), await person_of(second)
        session, theirs = await _begun(host, container), await _begun(other, "")
        shell = json.loads(await _called(host, session, "shell_open"))["result"]["session_id"]
        await _called(host, session, "shell_exec", session_id=shell, command=f"TOKEN={SECRET}")

        guessed = await _called(other, theirs, "shell_exec", session_id="sh_x", command="id")
        assert shell not in guessed
        told = [
            await _called(other, theirs, "shell_exec", session_id=shell, command="echo =$TOKEN="),
            await _called(other, theirs, "read_output", output_id=shell),
            await _called(other, theirs, "shell_close", session_id=shell),
        ]
        assert SECRET not in "".join(told)
        assert all("NOT_FOUND" in each or "There is no" in each for each in told), told

        again = await _begun(host, container)
        answer = await _called(host, again, "shell_exec", session_id=shell, command="echo =$TOKEN=")
        assert f"={SECRET}=" in answer, "the person's other sessions in the folder use it"
