"""How long it takes to compile a game and a search, and to check a game. Prints a table for docs/benchmarks.md.

    python benchmarks/compilation.py [--rounds 3]

Each row is the CPU time of a whole command, Python's start included, with an empty and with a warm cache: the least of
several rounds, because other work on the machine only ever adds to it.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
OTHELLO = "examples/othello.py:Othello"
COMMANDS = {
    "Othello, `analyse --bot uct:sims=1`": ("analyse", OTHELLO, "--bot", "uct:sims=1"),
    "Othello, `check`": ("check", OTHELLO),
    "Connect Four, `analyse --bot uct:sims=1`": ("analyse", "connect_four", "--bot", "uct:sims=1"),
    "Connect Four, `analyse --bot alphabeta:depth=1`": ("analyse", "connect_four", "--bot", "alphabeta:depth=1"),
    "Mexican Train, `analyse --bot ismcts:sims=1`": ("analyse", "mexican_train", "--bot", "ismcts:sims=1"),
    "`kibitz --version`": ("--version",),
}


def cpu_seconds(command: tuple[str, ...], cache: str) -> float:
    """The CPU time of a command and all its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "kibitz", *command],
        cwd=ROOT,
        env={**os.environ, "KIBITZ_CACHE": cache},
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print("| | empty cache | warm cache |\n| --- | --- | --- |")
    for title, command in COMMANDS.items():
        times = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as cache:
                times.append([cpu_seconds(command, cache) for _ in range(2)])
        cold, warm = (min(column) for column in zip(*times, strict=True))
        print(f"| {title} | {cold:.2f} s | {warm:.2f} s |", flush=True)


if __name__ == "__main__":
    main()
