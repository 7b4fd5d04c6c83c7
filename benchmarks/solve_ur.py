"""The Royal Game of Ur solved: values compared with published ones, time and memory.

    python benchmarks/solve_ur.py            # 1 to 5 pieces, classic and Finkel, on one thread and on all cores
    python benchmarks/solve_ur.py --seven    # also 7 pieces: minutes
    python benchmarks/solve_ur.py --blitz    # also Blitz: minutes, and 1.6 GB
    python benchmarks/solve_ur.py --masters  # also Masters: half an hour, 8 GB of memory and 6 GB of disk space

Compilation is not counted. Every game is solved in its own process, so that its memory can be measured, and its table
is written to a temporary folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

PROGRAM = """
import json, resource, sys, tempfile
from pathlib import Path
import kibitz
from kibitz.solve import solve

spec, tolerance, threads, memory = json.loads(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    out = Path(folder) / "ur.table"
    label = solve(kibitz.game(spec), tolerance=tolerance, threads=threads, memory=memory, out=out).label
    size = out.stat().st_size
used = resource.getrusage(resource.RUSAGE_SELF)
memory = used.ru_maxrss * 1024
print(json.dumps([label.value, label.positions, label.sweeps, label.seconds, used.ru_utime, memory, size]))
"""


class Case(NamedTuple):
    spec: str
    tolerance: float
    published: float | None = None
    memory: int = 4_000_000_000


USUAL = [
    Case("ur:pieces=1", 1e-12, 0.526890704591),
    Case("ur:pieces=2", 1e-12, 0.516791183373),
    Case("ur:pieces=4", 1e-12, 0.515044738720),
    Case("ur:pieces=5", 1e-9),
    Case("ur:pieces=1,rosettes=14", 1e-12, 0.530049839525),
    Case("ur:pieces=2,rosettes=14", 1e-12, 0.518572907496),
    Case("ur:pieces=4,rosettes=14", 1e-12, 0.516159233557),
    Case("ur:pieces=5,rosettes=14", 1e-9),
]
MORE = {
    "--seven": [Case("ur:pieces=7,rosettes=14", 1e-7, 0.515404732509), Case("ur:pieces=7", 1e-7)],
    "--blitz": [Case("ur:pieces=5,rosettes=16,safe=no,captures=yes", 1e-9, 0.504052555)],
    "--masters": [Case("ur:pieces=7,rosettes=16,coins=3,safe=no", 1e-7, 0.504809002, 7_000_000_000)],
}


def solved(case: Case, threads: int) -> list[float]:
    """Value, positions, sweeps, seconds, processor time, peak memory and size of the table, from a separate process."""
    question = json.dumps([case.spec, case.tolerance, threads, case.memory])
    command = [sys.executable, "-c", PROGRAM, question]
    answer: list[float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer


def main(options: list[str]) -> None:
    table = Table(title="Ur solved")
    for title in (
        "game",
        "tolerance",
        "value",
        "published",
        "positions",
        "sweeps",
        "threads",
        "seconds",
        "CPU",
        "memory",
        "table",
    ):
        table.add_column(title, justify="left" if title == "game" else "right")
    for case in [*USUAL, *(case for option in options for case in MORE[option])]:
        for threads in sorted({1, os.cpu_count() or 1}) if case in USUAL else [os.cpu_count() or 1]:
            value, positions, sweeps, seconds, cpu, peak, size = solved(case, threads)
            published = f"{case.published:.12f}" if case.published else "–"
            numbers = f"{value:.12f}", published, f"{positions:,}", f"{sweeps:g}", str(threads), f"{seconds:.2f}"
            sizes = f"{peak / 1e9:.2f} GB", f"{size / 1e6:.1f} MB"
            table.add_row(case.spec, f"{case.tolerance:g}", *numbers, f"{cpu:.2f}", *sizes)
    Console(width=180).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
