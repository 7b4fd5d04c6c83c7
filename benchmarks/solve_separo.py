"""SEPARO solved on small boards: by alphabeta, and by a second solver that shares no code with it but the rules.

    python benchmarks/solve_separo.py [--sizes 5 6 7] [--second 7] [--table 22]

All four first moves are mirror images of each other, so the first one is played, and the position after it is solved.
The second solver runs on boards of up to --second points along an edge: it is slow. Times are those
of one core, without compilation.
"""

from __future__ import annotations

import argparse
import time

from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.players.bot import Report
from kibitz.players.limit import Limit
from kibitz.rules.contract import OVER
from kibitz.rules.engine import Engine
from kibitz.state import State

WORDS = {1.0: "Red wins", 0.5: "draw", 0.0: "Blue wins"}


def by_alphabeta(table: kibitz.Table, entries: int) -> tuple[Report, float]:
    """The proof, and the seconds it took."""
    view = table.view(1)
    kibitz.bot("alphabeta:depth=1", table.game).choose(view)  # compiles
    start = time.process_time()
    report = kibitz.bot(f"alphabeta:table={entries}", table.game).best(view, Limit(depth=table.game.max_plies))
    assert report.best.exact
    return report, time.process_time() - start


class SecondOpinion:
    """Alpha-beta with a dictionary of all positions met: no deepening, no evaluation, no hash that could collide."""

    def __init__(self, game: kibitz.Game) -> None:
        self.engine = Engine(game)
        self.bounds: dict[tuple[tuple[int, ...], int], tuple[float, float]] = {}

    def value(self, s: State, alpha: float = 0.0, beta: float = 1.0) -> float:
        """Red's share of the win with perfect play, if it lies between alpha and beta; otherwise a bound."""
        if s.turn == OVER:
            return float(self.engine.payoff(s)[0])
        key = tuple(s.points.tolist()), int(s.turn)
        low, high = self.bounds.get(key, (0.0, 1.0))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        red = s.turn == 0
        best, a, b = 0.0 if red else 1.0, alpha, beta
        for move in self.engine.moves(s):
            following = s.copy()
            self.engine.play(following, move)
            value = self.value(following, a, b)
            best = max(best, value) if red else min(best, value)
            a, b = (max(a, best), b) if red else (a, min(b, best))
            if a >= b:
                break
        self.bounds[key] = (best if best > alpha else low), (best if best < beta else high)
        return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=[5, 6, 7])
    parser.add_argument("--second", type=int, default=7)
    parser.add_argument("--table", type=int, default=22, help="log2 of the number of entries of alphabeta's table")
    options = parser.parse_args()
    console, shown = Console(), Table("size", "value", "alphabeta", "nodes", "second solver", "positions")
    for size in options.sizes:
        table = kibitz.Table(f"separo:size={size}")
        table.play(table.moves[0])
        report, seconds = by_alphabeta(table, options.table)
        value, second = 1.0 - report.value, ("–", "–")
        if size <= options.second:
            start, opinion = time.process_time(), SecondOpinion(table.game)
            found = opinion.value(table.state)
            assert found == value, f"{size}: alphabeta says {WORDS[value]}, the second solver {WORDS[found]}"
            second = f"{time.process_time() - start:.1f} s", f"{len(opinion.bounds):,}"
        shown.add_row(str(size), WORDS[value], f"{seconds:.2f} s", f"{report.work:,}", *second)
        console.print(f"[dim]{size}: {WORDS[value]}; best line: {' '.join(table.view(1).line_names(report.line))}[/]")
    console.print(shown)


if __name__ == "__main__":
    main()
