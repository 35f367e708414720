import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from bottega.errors import NotFound
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.outputs.part import tail
from bottega.workspaces.outputs.source import Source
from tests.processes import running


def test_an_output_is_found_by_its_id_while_it_comes_and_afterwards(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path / "outputs")
    output = outputs.create()
    output.spool("stdout").write(b"one\n")
    assert outputs.running(output.id)
    assert tail(outputs.find(output.id), 5).text == "one"
    output.spool("stdout").write(b"two\n")
    assert tail(outputs.find(output.id), 5).text == "one\ntwo"
    output.close(keep=True)
    output.close(keep=True)
    assert not outputs.running(output.id)
    assert tail(Outputs(tmp_path / "outputs").find(output.id), 5).text == "one\ntwo"


def test_two_streams_that_begin_at_once_are_both_kept(tmp_path: Path) -> None:
    outputs, both = Outputs(tmp_path / "outputs"), Barrier(2)

    with ThreadPoolExecutor(2) as threads:
        for _ in range(200):
            output = outputs.create()
            spools = [output.spool(stream) for stream in ("stdout", "stderr")]
            list(threads.map(lambda spool: (both.wait(), spool.write(b"one\n")), spools))
            assert output.failed == ""
            output.close(keep=False)


def test_nobody_but_the_owner_may_look_into_the_files(tmp_path: Path) -> None:
    output = Outputs(tmp_path / "outputs").create()
    output.spool("stdout").write(b"secret")
    files = [each for each in output.folder.rglob("*")]
    assert [each.stat().st_mode & 0o077 for each in (output.folder, *files)] == [0, 0, 0]
    output.close(keep=True)


def test_what_is_not_kept_leaves_nothing(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path / "outputs")
    output = outputs.create()
    output.spool("stdout").write(b"one\n")
    output.close(keep=False)
    assert outputs.names() == []


def test_streams_are_apart(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path / "outputs")
    output = outputs.create()
    output.spool("stderr").write(b"wrong\n")
    assert tail(outputs.find(output.id), 5).text == "wrong", "the only one there is"
    output.spool("stdout").write(b"right\n")
    assert tail(outputs.find(output.id), 5).text == "right"
    assert tail(outputs.find(output.id, "stderr"), 5).text == "wrong"
    output.close(keep=True)


def test_an_unknown_id_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path / "outputs")
    with pytest.raises(NotFound, match="None is kept here"):
        outputs.find("out_1")
    output = outputs.create()
    with pytest.raises(NotFound, match="None is kept here"):
        outputs.find(output.id)
    output.spool("stdout").write(b"one\n")
    with pytest.raises(NotFound, match=rf"{output.id} \(still running\)"):
        outputs.find("out_1")
    for name in ("../outputs", ".", "..", "", "/etc", f"{output.id}/stdout"):
        with pytest.raises(NotFound):
            outputs.find(name)
    with pytest.raises(NotFound, match="has no stderr. It has stdout"):
        outputs.find(output.id, "stderr")
    output.close(keep=True)


def test_an_id_may_lead_elsewhere(tmp_path: Path) -> None:
    kept = {"blob_1": Source(b"a result\n")}
    outputs = Outputs(tmp_path / "outputs", elsewhere=kept.get)
    assert tail(outputs.find("blob_1"), 5).text == "a result"
    with pytest.raises(NotFound):
        outputs.find("blob_2")


def test_the_oldest_goes_when_there_is_too_much_but_never_one_that_still_comes(
    tmp_path: Path,
) -> None:
    outputs = Outputs(tmp_path / "outputs", room=2_500)
    made = sorted((outputs.create() for _ in range(4)), key=lambda each: each.id)
    for each in made:
        each.spool("stdout").write(b"x" * 1_000)
    for each in made[1:]:
        each.close(keep=True)
    outputs.prune()
    assert outputs.names() == [made[0].id, made[3].id]
    made[0].close(keep=True)


def test_an_output_of_a_process_that_died_runs_no_more(tmp_path: Path) -> None:
    code = """
        import sys
        from pathlib import Path
        from bottega.workspaces.outputs.outputs import Outputs
        output = Outputs(Path(sys.argv[1])).create()
        output.spool("stdout").write(b"the last words")
        print(output.id, flush=True)
        sys.stdin.read()
    """
    outputs = Outputs(tmp_path / "outputs")
    with running(code, tmp_path / "outputs"):
        (name,) = outputs.names()
        assert outputs.running(name)
    assert not outputs.running(name)
    assert tail(outputs.find(name), 5).text == "the last words"


def test_a_folder_that_cannot_be_made_keeps_nothing_and_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    outputs = Outputs(tmp_path / "file" / "outputs")
    output = outputs.create()
    output.spool("stdout").write(b"lost")
    assert output.failed == "Not a directory"
    output.close(keep=True)
    outputs.prune()
    assert outputs.names() == []


def test_a_folder_that_vanished_is_an_empty_output(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path / "outputs")
    output = outputs.create()
    output.spool("stdout").write(b"one\n")
    source = outputs.find(output.id)
    shutil.rmtree(output.folder)
    assert tail(source, 5).text == ""
    output.close(keep=True)
