from typing import Any

import pytest

from bottega.errors import BadUsage, NotFound
from bottega.tools.bound import LIMIT, weight
from bottega.tools.builtin.shell.read_output import READ_OUTPUT
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.outputs.source import Source
from tests.tools.contexts import Workbench, outcome_of, said


async def read(bench: Workbench, output_id: str, **more: Any) -> dict[str, Any]:
    outcome = await outcome_of(READ_OUTPUT, {"output_id": output_id, **more}, bench)
    return said(outcome)["result"]


@pytest.fixture
def kept(bench: Workbench) -> str:
    """An output of 1,000 lines, and some errors."""
    output = bench.outputs.create()
    output.spool("stdout").write(b"".join(b"line %d\n" % n for n in range(1, 1_001)))
    output.spool("stderr").write(b"\x1b[31mwrong\x1b[0m\n")
    output.close(keep=True)
    return output.id


@pytest.mark.requirement("A48")
async def test_lines_are_read_by_their_numbers(bench: Workbench, kept: str) -> None:
    assert await read(bench, kept, start_line=500, end_line=502) == {
        "output_id": kept,
        "content": "line 500\nline 501\nline 502",
        "start_line": 500,
        "end_line": 502,
        "lines": 1_000,
    }
    assert (await read(bench, kept, end_line=2))["content"] == "line 1\nline 2"
    assert (await read(bench, kept, start_line=999))["content"] == "line 999\nline 1000"
    assert (await read(bench, kept, tail=2))["content"] == "line 999\nline 1000"
    assert (await read(bench, kept))["start_line"] == 901
    assert (await read(bench, kept, stream="stderr"))["content"] == "wrong"


async def test_what_is_too_much_at_once_says_how_to_go_on(bench: Workbench, kept: str) -> None:
    result = await read(bench, kept, start_line=1)
    assert "start_line" in result["note"]
    assert weight(result) <= LIMIT
    assert result["start_line"] == 1
    assert result["end_line"] < 1_000
    result = await read(bench, kept, tail=1_000)
    assert result["end_line"] == 1_000
    assert weight(result) <= LIMIT


@pytest.mark.requirement("A48")
async def test_a_very_long_line_is_read_column_by_column(bench: Workbench) -> None:
    line = "".join(f"{n:06}é" for n in range(30_000))
    bench.outputs = Outputs(
        bench.outputs.folder, elsewhere={"blob_1": Source(f"a\n{line}\nb".encode())}.get
    )
    read_so_far, column = "", 1
    while True:
        result = await read(bench, "blob_1", start_line=2, start_column=column)
        assert result["start_column"] == column
        assert weight(result) <= LIMIT
        read_so_far += result["content"]
        column = result["end_column"] + 1
        if "note" not in result:
            break
        assert result["note"] == f"The line goes on: start_column {column}."
    assert read_so_far == line
    with pytest.raises(NotFound, match="nothing at column"):
        await read(bench, "blob_1", start_line=2, start_column=column)


async def test_text_is_found_plain_and_by_pattern(bench: Workbench, kept: str) -> None:
    assert (await read(bench, kept, search="line 77"))["matches"][:2] == [
        "77: line 77",
        "770: line 770",
    ]
    found = await read(bench, kept, search=r"line [78]00$", regex=True)
    assert found["matches"] == ["700: line 700", "800: line 800"]
    found = await read(bench, kept, search="nowhere")
    assert (found["matches"], found["note"]) == ([], "Nothing in the output matches.")
    found = await read(bench, kept, search="line")
    assert len(found["matches"]) == 100
    assert "more matches" in found["note"]
    with pytest.raises(BadUsage, match="unclosed"):
        await read(bench, kept, search="[", regex=True)


async def test_wrong_questions_get_clear_answers(bench: Workbench, kept: str) -> None:
    with pytest.raises(NotFound, match="The output has 1,000 lines"):
        await read(bench, kept, start_line=2_000)
    with pytest.raises(BadUsage, match="end before they start"):
        await read(bench, kept, start_line=5, end_line=4)
    with pytest.raises(BadUsage, match="or tail"):
        await read(bench, kept, tail=4, search="x")
    with pytest.raises(NotFound, match=f"There are: {kept}"):
        await read(bench, "out_nope")
    assert READ_OUTPUT.validator({"output_id": kept, "start_line": 0}) != ()


async def test_an_output_that_still_comes_says_that_it_does(bench: Workbench) -> None:
    output = bench.outputs.create()
    output.spool("stdout").write(b"so far\n")
    assert await read(bench, output.id) == {
        "output_id": output.id,
        "running": True,
        "content": "so far",
        "start_line": 1,
        "end_line": 1,
        "lines": 1,
    }
    output.close(keep=True)
    assert "running" not in await read(bench, output.id)


async def test_a_result_that_was_kept_elsewhere_is_read_alike(bench: Workbench) -> None:
    other = Source(b'{"a": 1,\n"b": 2}')
    bench.outputs = Outputs(bench.outputs.folder, elsewhere={"blob_1": other}.get)
    assert (await read(bench, "blob_1", start_line=2))["content"] == '"b": 2}'
    assert (await read(bench, "blob_1", search='"a"'))["matches"] == ['1: {"a": 1,']
