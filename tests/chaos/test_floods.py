"""Programs that print without end: memory stays where it is, and the disk has its cap."""

import msgspec
import pytest

from tests.hunt import LONG
from tests.processes import run

SIZE = 1024 if LONG else 80
"""MiB."""

CODE = """
    import asyncio, json, sys
    from pathlib import Path
    from bottega.tools.builtin.shell.bash_exec import BASH_EXEC
    from bottega.workspaces.sandbox.local import Local
    from tests.tools.contexts import Workbench

    def memory(name):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))

    async def main(folder, command):
        local = Local(folder / "state")
        (folder / "work").mkdir()
        bench = Workbench(folder / "work")
        bench.sandboxes[False] = await local.open(bench.root)
        await BASH_EXEC.run({"command": "echo warm; seq 1 20000"}, bench)
        bench.emitted.clear()
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
        before = memory("VmRSS:")
        outcome = await BASH_EXEC.run({"command": command, "timeout": 600}, bench)
        grown = memory("VmHWM:") - before
        kept = sum(each.stat().st_size for each in bench.outputs.folder.rglob("*") if each.is_file())
        await bench.sandboxes[False].close()
        print(json.dumps({
            "grown": grown, "kept": kept, "emitted": sum(map(len, bench.emitted)),
            "code": outcome.result["exit_code"], "end": outcome.result["stdout"][-20:],
        }))

    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
"""


@pytest.mark.chaos
@pytest.mark.parametrize(
    "command",
    [
        pytest.param("yes 'a line of ordinary text' | head -c {size}", id="lines"),
        pytest.param("head -c {size} /dev/zero | tr '\\0' x", id="one-line"),
        pytest.param("head -c {size} /dev/zero | tr '\\0' '\\r'", id="carriage-returns"),
        pytest.param("head -c {size} /dev/urandom", id="binary"),
        pytest.param("head -c {size} /dev/zero | tr '\\0' '\\033'", id="escapes"),
        pytest.param("yes err | head -c {size} >&2", id="errors"),
    ],
)
def test_a_flood_of_output_takes_no_memory_and_no_more_disk_than_the_cap(
    command: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    size = SIZE * 1024 * 1024
    command = command.format(size=size) + "; echo the end"
    done = run(CODE, tmp_path_factory.mktemp("flood"), command, seconds=600)
    assert done.returncode == 0, done.stderr
    found = msgspec.json.decode(done.stdout)
    print(command, found)
    assert found["grown"] <= 64, "MiB"
    assert found["kept"] <= 257 * 1024 * 1024
    assert found["emitted"] <= 260 * 1024
    assert found["code"] == 0
    assert found["end"].endswith("end\n")
