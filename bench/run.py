"""Measure Bottega beside its peers: `python bench/run.py [--only stream,turn] [--rounds N] [--quick] [--save]`.

All stacks read from the same mock provider in the same run; each measurement is a process of its own on the first
core, the mock has the second. CPU time is the figure wherever work is measured; rounds are interleaved, so that a busy
machine is busy for all. `--save` keeps the results in `bench/results.json`, beside which later runs are printed.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import machine
import peers
import table
from rows import OURS, Samples
from tasks import GROUPS, HERE, TASKS, Failure, Task, environment, on_core, run

KEPT = HERE / "results.json"


def main() -> int:
    asked = arguments()
    python = own_python()
    missing = "" if asked.no_peers else peers.ready()
    absent = asked.no_peers or bool(missing)
    if missing:
        print(f"Going on without the peers: {missing}\n")
    tasks = chosen(asked.only, absent)
    told = machine.facts(python, None if absent else str(peers.PYTHON))
    begin = time.monotonic()
    with mock_provider() as url:
        samples, failures = measured(tasks, asked.rounds, python, url, asked.quick)
    kept = json.loads(KEPT.read_text())["figures"] if KEPT.exists() else {}
    report(samples, kept, told, failures)
    print(
        f"\n{asked.rounds} rounds in {time.monotonic() - begin:.0f} s; ranges are over the rounds."
    )
    if asked.save:
        save(samples, told)
    return 1 if any(task.stack == OURS for task in failures) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", default="", help=f"some of: {','.join(GROUPS)}")
    parser.add_argument("--rounds", type=int, default=0, help="3, or 1 with --quick")
    parser.add_argument("--quick", action="store_true", help="a rough look in a minute")
    parser.add_argument("--no-peers", action="store_true", help="Bottega and the floors only")
    parser.add_argument("--save", action="store_true", help="keep the results in the repository")
    asked = parser.parse_args()
    asked.rounds = asked.rounds or (1 if asked.quick else 3)
    asked.only = [name for name in asked.only.split(",") if name]
    if unknown := set(asked.only) - set(GROUPS):
        parser.error(f"there is no {sorted(unknown)[0]!r}; there are {', '.join(GROUPS)}")
    return asked


def own_python() -> str:
    """The project's interpreter; where there is none yet, the one that runs this."""
    own = peers.ROOT / ".venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def chosen(groups: list[str], without_peers: bool) -> list[Task]:
    """The tasks of these groups, or all; those of peers only if they are installed."""
    strangers = {task.stack for task in TASKS if task.of_peer}
    return [
        task
        for task in TASKS
        if (not groups or task.group in groups) and not (without_peers and task.stack in strangers)
    ]


@contextmanager
def mock_provider() -> Iterator[str]:
    """The mock in a process of its own on the second core; yields its address."""
    command = [sys.executable, str(HERE / "mock_provider.py")]
    pipe = subprocess.PIPE
    with on_core(1):
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment())
    with process:
        assert process.stdout
        assert process.stdin
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.stdin.close()


def measured(
    tasks: list[Task], rounds: int, python: str, url: str, quick: bool
) -> tuple[Samples, dict[Task, str]]:
    """Every task once a round; one that failed is not tried again."""
    samples: Samples = {}
    failures: dict[Task, str] = {}
    for number in range(rounds):
        for task in tasks:
            if task in failures:
                continue
            note(f"round {number + 1} of {rounds}: {task.group}, {task.stack}")
            try:
                figures = run(task, python, url, quick)
            except Failure as failure:
                failures[task] = str(failure)
                continue
            for key, value in figures.items():
                samples.setdefault(key, {}).setdefault(task.stack, []).append(value)
    note("")
    return samples, failures


def note(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def report(
    samples: Samples, kept: Samples, told: dict[str, str], failures: dict[Task, str]
) -> None:
    for name, value in told.items():
        print(f"{name}: {value}")
    for lines in (table.goals(samples, kept), table.stacks(samples)):
        print("", *lines, sep="\n")
    for task, why in failures.items():
        print(f"\nfailed: {task.group} of {task.stack}: {why}")


def save(samples: Samples, told: dict[str, str]) -> None:
    """Keep what was measured; groups that were left out stay as they were."""
    old = json.loads(KEPT.read_text())["figures"] if KEPT.exists() else {}
    rounded = {
        key: {stack: [float(f"{value:.4g}") for value in values] for stack, values in of.items()}
        for key, of in samples.items()
    }
    figures = old | rounded
    lines = [f"  {json.dumps(key)}: {json.dumps(figures[key])}" for key in sorted(figures)]
    machine_facts = json.dumps(told, indent=1).replace("\n", "\n ")
    figures_text = ",\n".join(lines)
    KEPT.write_text(f'{{\n "machine": {machine_facts},\n "figures": {{\n{figures_text}\n }}\n}}\n')
    print(f"Kept in {KEPT.relative_to(peers.ROOT)}.")


if __name__ == "__main__":
    os.chdir(peers.ROOT)
    sys.exit(main())
