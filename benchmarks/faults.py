"""Let bots misbehave in every way there is, in every kind of sandbox, and check what came of it.

    .venv/bin/python benchmarks/faults.py [--times 20] [--kills 20]

For every kind of sandbox that this machine gives, two tournaments (one for bots that use up their time, one for all
others) are played by a bot from a file and a program, each of which commits every fault of tests/rogues.py `--times`
times, against a bystander and a bot that tells them what to do. The table shows how often the outcome of the game was
the expected one, and which it was. After each tournament, no process, descriptor, temporary file or control group may
be left. Then tournaments are killed (kill -9) while their bots think: no process of them may be left. Linux only.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

import kibitz

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import rogues
import trials
from processes import LONG, is_running, wait_for

SHORT = 0.1  # seconds per move, for bots that use up any time they get


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20, help="an even number: half of them in each seat")
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    console, failed = Console(width=120), False
    table = Table("Fault", "Kind", *map(str, trials.LEVELS), title=f"As expected, of {options.times} games each")
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for level in trials.LEVELS:
        started = time.perf_counter()
        for group, move_time in ((rogues.PATIENT, LONG), (rogues.HURRIED, SHORT)):
            names = [fault.__name__ for fault in group if is_harmless(fault.__name__, level)]
            with tempfile.TemporaryDirectory() as folder:
                failed |= not judge(Path(folder), level, names, options.times // 2, move_time, cells)
        cells.setdefault(("cannot be created", trials.BOT), {})[level] = stillborn(level, options.times)
        console.print(f"{level}: faults in {time.perf_counter() - started:.0f} s")
        for number in range(options.kills):
            kill(level, number)
        console.print(f"{level}: {options.kills} × kill -9 while bots think: no process left")
    for (fault, kind), row in cells.items():
        table.add_row(fault, kind, *(row.get(level, "not promised") for level in trials.LEVELS))
    console.print(table)
    if failed:
        raise SystemExit("Not everything came as expected.")


def is_harmless(name: str, level: str) -> bool:
    """Whether a fault can be tried on this machine at all, at a level that does not promise to stop it."""
    if name == "forks_without_end":
        return trials.has_bounded_processes(level)
    return name != "kills_its_parent" or not trials.survives_its_parent(level)


def judge(
    place: Path,
    level: str,
    names: list[str],
    times: int,
    move_time: float,
    cells: dict[tuple[str, str], dict[str, str]],
) -> bool:
    """Play a tournament, and enter what came of each fault; whether all was as expected."""
    (place / "tmp").mkdir()
    (place / "court").mkdir()
    here, tempfile.tempdir = os.getcwd(), str(place / "tmp")
    try:
        with trials.Court(place / "court", level) as court:
            os.chdir(court.cwd)
            before = trials.left(court.folder)
            judged, _ = court.trials(names, times, move_time)
            left = trials.left(court.folder) - before
    finally:
        os.chdir(here)
        tempfile.tempdir = None
    good = Counter((trial.fault, trial.kind) for trial in judged if trial.is_as_expected(level))
    for trial in judged:
        if not trial.is_as_expected(level):
            print(f"{level}, {trial.kind}, {trial.fault}: {trial.outcome.words}: {trial.message}", flush=True)
        key = trial.fault, trial.kind
        outcome, words = trials.expected(*key, level)
        got = {trials.BLOCKED: ", blocked", trials.FOUND: ", reached"}.get(words[0] if words else "", "")
        cells.setdefault(key, {})[level] = f"{good[key]} {outcome.words}{got}"
    if left:
        print(f"{level}: left behind: {left}", flush=True)
    return not left and all(trial.is_as_expected(level) for trial in judged)


def stillborn(level: str, times: int) -> str:
    """Let a bot play that cannot be created once games count; how often that was its exception."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(rogues.__file__, folder)
        bots = [f"{folder}/rogues.py:Stillborn", "random"]
        result = kibitz.arena(trials.NIM, bots, games=times, seed=1, move_time=LONG, sandbox=level, workers=1)
    lost = sum("stillborn" in words for _, bot, words in result.tally.fault_words if bot == 0)
    if lost != times or result.tally.bots.payoff.tolist() != [0, times]:
        raise SystemExit(f"{level}: a bot that cannot be created lost only {lost} of {times} games.")
    return f"{lost} {trials.EXCEPTION.words}"


def kill(level: str, number: int) -> None:
    """Kill a tournament, and wait until nothing is left of it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(rogues.__file__, folder)
        ponders, honest = f"{folder}/rogues.py:Ponders", f"{folder}/rogues.py:Honest"
        pids = trials.kill_tournament([ponders, honest if number % 2 else "random"], level)
        wait_for(lambda: not any(map(is_running, pids)))


if __name__ == "__main__":
    main()
