"""Speed of the arena: `.venv/bin/python benchmarks/arena.py [--games 20000000]`.

Processor time is shown next to wall-clock time, because it is reliable even on a busy machine.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.players.roster import resolve_all
from kibitz.tournament.match import Match
from kibitz.tournament.schedule import Schedule

PYTHON_GAMES = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000_000, help="games of compiled players")
    games = parser.parse_args().games
    table = Table("Benchmark", "Wall clock", "Processor", "Rate")
    kibitz.arena("connect_four", ["random", "random"], games=200_000, seed=0)  # warm-up
    rates = {}
    for workers in (1, 2):
        with Stopwatch() as taken:
            kibitz.arena("connect_four", ["random", "random"], games=games, workers=workers, seed=0)
        rates[workers] = games / taken.clock
        table.add_row(
            f"connect_four random random, {games:,} games, --workers {workers}",
            f"{taken.clock:.1f} s",
            f"{taken.processor:.1f} s",
            f"{games / taken.clock:,.0f} games/s ({games / taken.processor:,.0f} per processor second)",
        )
    table.add_row("two workers compared with one", "", "", f"{rates[2] / rates[1]:.2f} ×")
    for keeps in (False, True):
        with Stopwatch() as taken:
            moves = play_python_bots(keeps)
        table.add_row(
            f"Python bots at a Table, {PYTHON_GAMES} games" + (", moves kept for a log" if keeps else ""),
            f"{taken.clock:.2f} s",
            f"{taken.processor:.2f} s",
            f"{taken.processor / moves * 1e6:.0f} µs per move",
        )
    Console().print(table)


class Stopwatch:
    """A context manager that measures the seconds spent in it."""

    def __enter__(self) -> Stopwatch:
        self.clock, self.processor = -time.perf_counter(), -time.process_time()
        return self

    def __exit__(self, *error: object) -> None:
        self.clock += time.perf_counter()
        self.processor += time.process_time()


class First:
    """A bot that takes hardly any time."""

    def choose(self, view: kibitz.View) -> int:
        return view.moves[0]


class Seats:
    """The same bot in every seat, in this process, to measure the overhead of a match alone."""

    def seat(self, specs: list[str]) -> list[Any]:
        return [First() for _ in specs]

    def close(self) -> None:
        pass


def play_python_bots(keep_moves: bool) -> int:
    """Play games of Python bots; return the number of moves."""
    rules = kibitz.game("connect_four")
    schedule, number = Schedule(2, 2, PYTHON_GAMES), np.arange(PYTHON_GAMES)
    with contextlib.closing(Match(rules, resolve_all(["first", "first"], rules), 1, 10.0)) as match:
        match._players = Seats()  # type: ignore[assignment]
        games = match.play(number, schedule.group(number), schedule.seats(number), keep_moves)
    return int(games.choices.sum())


if __name__ == "__main__":
    main()
