"""Time, memory and disk space that logs of very long tournaments take, without moves.

    .venv/bin/python benchmarks/long_logs.py [--games 1000000 5000000 50000000] [--folder DIR]

For each number of games, it plays `kibitz arena connect_four random random --no-moves --log …`, resumes the finished
tournament and one whose log contains only the first half of the parts, merges the log, writes the report, computes the
standings, replays the last game and reads all games in Python, each in a process of its own. CPU time, which µs/game
refers to, is the sum over all cores. Peak memory is that of the whole process, of which the program and its libraries
take about half: compare it with a tournament of 1,000 games, which comes first. The logs are deleted. Linux and macOS
only.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STANDINGS = "import sys; from kibitz.records.log import Log; from kibitz.report.report import result_of; "
STANDINGS += "print(result_of(Log(sys.argv[1])))"
READ = "import sys; from kibitz.records.log import Log; print(sum(map(len, Log(sys.argv[1]).batches())))"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, nargs="+", default=[1_000_000, 5_000_000, 50_000_000])
    parser.add_argument("--folder", type=Path, help="where to write the logs; by default, a temporary folder")
    options = parser.parse_args()
    print(f"{'':32}{'games':>12}{'seconds':>10}{'CPU s':>10}{'µs/game':>10}{'peak MB':>10}")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        measure(1000, Path(folder, "warm-up"), show=False)  # compiles
        for games in (1000, *options.games):
            measure(games, Path(folder, str(games)))


def measure(games: int, log: Path, show: bool = True) -> None:
    """Run all commands on a log of `games` games, print what each took, and delete the log."""
    half, merged = log.with_name(f"{log.name}-half"), log.with_name(f"{log.name}.parquet")
    arena = ("arena", "connect_four", "random", "random", "--games", str(games), "--seed", "1", "--no-moves")
    last = ("--game", str(games - 1))
    steps = {
        "play with a log": kibitz(*arena, "--log", log),
        "play without a log": kibitz(*arena),
        "resume when finished": kibitz("arena", "--resume", log),
        "resume when half finished": kibitz("arena", "--resume", half),
        "logs merge": kibitz("logs", "merge", log),
        "report": kibitz("report", log),
        "report on the merged log": kibitz("report", merged),
        "standings in Python": python(STANDINGS, log),
        "all games in Python": python(READ, log),
        "replay the last game": kibitz("replay", log, *last),
        "replay it from the merged log": kibitz("replay", merged, *last),
    }
    for name, command in steps.items():
        if half.name in map(os.path.basename, command):
            keep_half(log, half)
        seconds, busy, megabytes = run(command)
        if show:
            took = f"{seconds:10.1f}{busy:10.1f}{1e6 * busy / games:10.2f}"
            print(f"{name:32}{games:12,}{took}{megabytes:10,.0f}", flush=True)
    if show:
        parts = sorted(log.glob("*.parquet"))
        size = sum(part.stat().st_size for part in parts)
        print(f"  {len(parts)} parts, {size / games:.1f} bytes per game; merged, {merged.stat().st_size / games:.1f}")
    shutil.rmtree(log)
    shutil.rmtree(half)
    merged.unlink()


def kibitz(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "kibitz", *map(str, words)]


def python(program: str, log: Path) -> list[str]:
    return [sys.executable, "-c", program, str(log)]


def keep_half(log: Path, half: Path) -> None:
    """Copy a log with the first half of its parts."""
    parts = sorted(log.glob("*.parquet"))
    half.mkdir()
    for path in (log / "tournament.json", *parts[: (len(parts) + 1) // 2]):
        shutil.copy(path, half)


def run(command: list[str]) -> tuple[float, float, float]:
    """Run a command; return the seconds that it took, on the clock and of all cores, and its peak memory in MB."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed.")
    kilobytes = usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, kilobytes / 1024


if __name__ == "__main__":
    main()
