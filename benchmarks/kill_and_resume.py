"""Kill a logged tournament repeatedly, at random moments, and check that nothing is lost or changed.

    .venv/bin/python benchmarks/kill_and_resume.py [--games 2000] [--kills 20] [--seed 1]

For each kind of tournament (all players compiled; bots in this process; a bot in its own process; two workers) it
plays one without interruption, then the same with kill -9 at random moments, resumed each time, and compares the final
standings and the logs, ignoring timings. Where there are workers, one of them is killed before the tournament is: it
must go on. After each kill, no process of the tournament may be left. Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import kibitz
from kibitz.errors import KibitzError
from kibitz.records.games import Games
from kibitz.records.log import Log
from kibitz.tournament.result import ArenaResult

BOT = """
import time

class Draws:
    def choose(self, view):
        time.sleep(0.001)  # or the tournament would end before it is killed often enough
        return view.rng.choice(view.moves)
"""
LEFT_SECONDS = 60.0  # until all processes of a killed tournament must have ended
RUN = "import json, sys, kibitz; kibitz.arena(**json.loads(sys.argv[1]), resume=True)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bots = Path(folder, "bots.py")
        bots.write_text(BOT)
        kinds: dict[str, dict[str, Any]] = {
            "compiled": {"bots": ["random", "greedy", "random"], "workers": 2, "games": options.games * 500},
            "in this process": {"bots": ["mc:sims=300", "mc:sims=200"], "workers": 1},
            "in its own process": {"bots": ["random", f"{bots}:Draws"], "workers": 1},
            "two workers": {"bots": ["mc:sims=300", f"{bots}:Draws"], "workers": 2},
        }
        for name, what in kinds.items():
            what = {"game": "connect_four", "games": options.games, "seed": options.seed, **what}
            place = Path(folder, name.replace(" ", "_"))
            warm_up = 2.0 if name == "two workers" else 0.0
            print(f"{name}: {check(what, place, options.kills, random.Random(options.seed), warm_up)}", flush=True)


def check(what: dict[str, Any], place: Path, kills: int, moments: random.Random, warm_up: float) -> str:
    """Play a tournament whole and in pieces; return a summary. `warm_up` is the time that workers take to start."""
    started = time.perf_counter()
    whole = kibitz.arena(**what, log=place / "whole")
    what = {**what, "secret": whole.secret}
    seconds = time.perf_counter() - started
    folder = place / "killed"
    finished: list[int] = []
    while len(finished) < kills:
        before = size(folder)
        command = [sys.executable, "-c", RUN, json.dumps({**what, "log": str(folder)})]
        process = subprocess.Popen(command)
        # Every fourth kill comes while it starts or reads its log, the others while it plays.
        if len(finished) % 4 == 3:
            time.sleep(moments.uniform(0.0, 0.7))
        else:
            while process.poll() is None and size(folder) <= before:
                time.sleep(0.001)
            time.sleep(moments.uniform(0.0, warm_up + seconds / kills))
            if workers := [pid for pid in family(process.pid) if "tournament.executors" in command_of(pid)]:
                os.kill(moments.choice(workers), signal.SIGKILL)
                time.sleep(moments.uniform(0.0, warm_up))
        everyone = family(process.pid)
        if process.poll() is not None:
            raise SystemExit(f"It ended by itself with exit code {process.returncode} after {count(folder)} games.")
        process.kill()
        process.wait()
        deadline = time.monotonic() + LEFT_SECONDS
        while left := [command_of(pid) for pid in everyone if command_of(pid)]:
            if time.monotonic() > deadline:
                raise SystemExit(f"Processes of a killed tournament are left: {left}")
            time.sleep(0.05)
        finished.append(count(folder))
    resumed = kibitz.arena(**what, log=folder, resume=True)
    if timeless(resumed) != timeless(whole):
        raise SystemExit("The final standings differ.")
    if not same(Log(folder).games(), Log(place / "whole").games()):
        raise SystemExit("The logs differ.")
    cut = ", ".join(map(str, finished))
    return f"{kills} × kill -9 after {cut} of {whole.played} games: same standings, same log"


def family(pid: int) -> list[int]:
    """The processes that a process started, in any of its threads, and those that they started."""
    children: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            children += map(int, path.read_text().split())
    return children + [descendant for child in children for descendant in family(child)]


def command_of(pid: int) -> str:
    """The command that a process runs; empty once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def count(folder: Path) -> int:
    """The number of games in a log so far."""
    try:
        return len(Log(folder).finished())
    except KibitzError:  # it does not exist yet
        return 0


def size(folder: Path) -> int:
    """The size of the games in a log, in bytes."""
    total = 0
    for path in folder.glob("games-*"):
        with contextlib.suppress(FileNotFoundError):  # it took its final name just now
            total += path.stat().st_size
    return total


def timeless(result: ArenaResult) -> dict[str, Any]:
    """A result without what depends on the clock or on the games that were already in the log."""
    summary = result.summary()
    del summary["seconds"], summary["resumed"]
    for standing in summary["standings"]:
        del standing["move_ms"]
    return summary


def same(some: Games, others: Games) -> bool:
    """Whether these are the same games, ignoring timings."""
    for column in dataclasses.fields(Games):
        ours, theirs = getattr(some, column.name), getattr(others, column.name)
        if column.name == "seconds":
            continue
        if isinstance(ours, np.ndarray):
            ours, theirs = [ours], [theirs]
        if len(ours) != len(theirs):
            return False
        if not all(np.array_equal(a, b, equal_nan=column.name == "score") for a, b in zip(ours, theirs, strict=True)):
            return False
    return True


if __name__ == "__main__":
    main()
