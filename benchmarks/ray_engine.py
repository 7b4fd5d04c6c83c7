"""The engine ray against the engine processes: `.venv/bin/python benchmarks/ray_engine.py [--seconds 60] [--rounds 4]`.

Both play the same tournament on this machine in turn, with one worker and with two. Their speed is counted from the
moment when all workers are at work, so that starting them does not count. From what a worker achieves, and from
the processor time that the main process spends on a game when games are very short, follows how many it can serve.

`--kills 6` kills a node every ten seconds instead, and adds another, in a tournament on a cluster of three nodes on
this machine; the result must be that of one core, and no process may be left.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kill_and_resume import RUN, command_of, count, family, same, timeless
from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.records.log import Log
from kibitz.tournament.result import ArenaResult

GAME = "connect_four"
QUICK = ["mc:sims=1", "mc:sims=2"]  # bots with which the main process has as much to do as possible
BILLION = 10**9
START_SECONDS = 4.0  # from the first game to the moment from which the speed counts
LEFT_SECONDS = 60.0  # until all processes of a cluster must have ended
STORE_BYTES = 80_000_000


class Pace:
    """A callback for progress that measures how fast games are played once all workers are at work.

    Games arrive in batches, so it looks at the clock when some have arrived.
    """

    def __init__(self) -> None:
        self.began: float | None = None
        self.first: tuple[float, float, int] | None = None
        self.last = (0.0, 0.0, 0)

    def __call__(self, result: ArenaResult) -> None:
        if result.played == self.last[2]:
            return
        self.last = time.perf_counter(), time.process_time(), result.played
        self.began = self.began or self.last[0]
        if self.first is None and self.last[0] - self.began > START_SECONDS:
            self.first = self.last

    @property
    def rate(self) -> float:
        """Games per second."""
        assert self.first is not None, "The tournament is too short."
        return (self.last[2] - self.first[2]) / (self.last[0] - self.first[0])

    @property
    def seconds_per_game(self) -> float:
        """Processor time of this process."""
        assert self.first is not None
        return (self.last[1] - self.first[1]) / (self.last[2] - self.first[2])


def measured(engine: str, workers: int, seconds: float, bots: list[str], folder: Path) -> Pace:
    """Play for some seconds after the start, with a log."""
    pace = Pace()

    def progress(result: ArenaResult) -> None:
        pace(result)
        if pace.first is not None and pace.last[0] - pace.first[0] > seconds:
            raise KeyboardInterrupt

    with tempfile.TemporaryDirectory(dir=folder) as log:
        kibitz.arena(GAME, bots, 10**9, seed=1, engine=engine, workers=workers, log=Path(log, "log"), progress=progress)
    return pace


def compare(options: argparse.Namespace) -> None:
    bots = [f"uct:sims={options.sims}", f"uct:sims={options.sims},c=1.0"]
    table = Table("Round", "Workers", "processes, games/s", "ray, games/s", "ratio")
    ratios: dict[int, list[float]] = {1: [], 2: []}
    rates: dict[int, list[float]] = {1: [], 2: []}
    costs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            for workers in (1, 2):
                engines = ["processes", "ray"] if number % 2 == 0 else ["ray", "processes"]
                paces = {e: measured(e, workers, options.seconds, bots, Path(folder)) for e in engines}
                local, ray = paces["processes"].rate, paces["ray"].rate
                ratios[workers].append(ray / local)
                rates[workers].append(ray)
                table.add_row(str(number + 1), str(workers), f"{local:.1f}", f"{ray:.1f}", f"{ray / local:.3f}")
            costs.append(measured("ray", 2, options.seconds / 4, QUICK, Path(folder)).seconds_per_game)
    console = Console()
    console.print(f"{GAME} {' '.join(bots)}, {options.seconds:g} s each, with a log", table)
    for workers in (1, 2):
        console.print(f"ray / processes with {workers} worker(s), median: {statistics.median(ratios[workers]):.3f}")
    console.print(model(statistics.median(rates[1]), statistics.median(rates[2]), statistics.median(costs)))


def model(one: float, two: float, cost: float) -> Table:
    """Games per second with many workers: each plays as fast as one of two, and the main process serves 1 / cost."""
    table = Table("Workers", "Games/s", "A billion games take", title="Modelled: min(workers × r, 1 / d)")
    console = Console()
    console.print(f"two workers compared with one: {two / one:.2f} ×")
    console.print(f"r = {two / 2:.1f} games/s per worker, d = {cost * 1e6:.0f} µs per game in the main process")
    console.print(f"limit: {1 / cost:,.0f} games/s, reached with {math.ceil(2 / cost / two):,} workers")
    for workers in (2, 8, 64, 256, 1024):
        rate = min(workers * two / 2, 1 / cost)
        table.add_row(f"{workers:,}", f"{rate:,.0f}", f"{BILLION / rate / 86_400:,.1f} days")
    return table


def kill_nodes(options: argparse.Namespace) -> None:
    """A tournament during which nodes are killed has the result of one that is left alone."""
    bots = [f"uct:sims={options.sims}", f"uct:sims={options.sims // 2}"]
    what: dict[str, Any] = {"game": GAME, "bots": bots, "games": options.games, "seed": 1}
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        whole = kibitz.arena(**what, log=Path(folder, "whole"))
        killed: list[int] = []
        log = Path(folder, "killed")
        with cluster(folder) as machines:
            there = {"engine": "ray", "address": machines.address, "log": str(log)}
            tournament = subprocess.Popen([sys.executable, "-c", RUN, json.dumps({**what, **there})])
            while len(killed) < options.kills and tournament.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    tournament.wait(options.every if count(log) else 0.1)
                if count(log) and tournament.poll() is None:
                    machines.remove_node(machines.worker_nodes.copy().pop(), allow_graceful=False)
                    machines.add_node(num_cpus=1, object_store_memory=STORE_BYTES, wait=False)
                    killed.append(count(log))
            if tournament.wait() or len(killed) < options.kills:
                raise SystemExit(f"It ended after {len(killed)} of {options.kills} kills; play more --games.")
        if timeless(kibitz.arena(**what, log=log, resume=True)) != timeless(whole):
            raise SystemExit("The final standings differ.")
        if not same(Log(log).games(), Log(Path(folder, "whole")).games()):
            raise SystemExit("The logs differ.")
    cut = ", ".join(map(str, killed))
    print(f"{options.kills} nodes killed after {cut} of {whole.played} games: same standings, same log, nothing left")


@contextlib.contextmanager
def cluster(folder: str) -> Iterator[Any]:
    """A head without CPUs and two nodes with one each; afterwards, none of their processes may be left."""
    from ray._common.utils import get_default_ray_temp_dir
    from ray.cluster_utils import Cluster

    os.makedirs(get_default_ray_temp_dir(), exist_ok=True)  # where Cluster notes its address, whatever its folder
    head = {"num_cpus": 0, "object_store_memory": STORE_BYTES, "temp_dir": folder, "include_dashboard": False}
    machines = Cluster(initialize_head=True, head_node_args=head)
    everyone: set[int] = set()
    try:
        for _ in range(2):
            machines.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
        yield machines
        everyone.update(family(os.getpid()))
    finally:
        machines.shutdown()
    deadline = time.monotonic() + LEFT_SECONDS
    while left := [command_of(pid) for pid in everyone if command_of(pid)]:
        if time.monotonic() > deadline:
            raise SystemExit(f"Processes of the cluster are left: {left}")
        time.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--sims", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=0, help="kill so many nodes instead of measuring")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two kills")
    parser.add_argument("--games", type=int, default=8000, help="of the tournament with kills")
    options = parser.parse_args()
    if options.kills:
        kill_nodes(options)
    else:
        compare(options)


if __name__ == "__main__":
    main()
