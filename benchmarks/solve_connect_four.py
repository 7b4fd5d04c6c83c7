"""Connect Four solved on small boards: by alphabeta, by a second solver that shares no code with it, and by OpenSpiel.

    python benchmarks/solve_connect_four.py [--peer]

With --peer, OpenSpiel's Python alpha_beta_search solves the board of 5 columns and 4 rows as well, which takes about a
minute and needs open_spiel. Compilation is not counted.
"""

from __future__ import annotations

import sys
import time

import numba
import numpy as np
from rich.console import Console
from rich.table import Table

import kibitz

BOARDS = ((4, 4), (5, 4), (5, 5), (6, 5))  # columns, rows
ENTRIES = 1 << 22


@numba.njit
def has_four(discs, rows):
    for step in (1, rows, rows + 1, rows + 2):
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


@numba.njit
def negamax(columns, rows, mine, theirs, alpha, beta, keys, bounds):
    """1, 0 or −1 for the player to move: recursive, columns from the middle, immediate wins first."""
    filled = mine | theirs
    reach = np.empty(columns, np.int64)
    count = 0
    for i in range(columns):
        column = columns // 2 + (i // 2 + i % 2) * (1 if i % 2 == columns % 2 else -1)
        bottom = 1 << column * (rows + 1)
        disc = (filled + bottom) & ((bottom << rows) - bottom)
        if disc:
            if has_four(mine | disc, rows):
                return 1
            reach[count] = disc
            count += 1
    if count == 0:
        return 0
    key = mine << 1 | 1  # a position is its discs and whose they are; the spare top cells are always empty
    key = key * 0x9E3779B97F4A7C1 ^ filled * 0xBF58476D1CE4E5
    at = (key ^ key >> 29) & (len(keys) - 1)
    if keys[at, 0] == mine and keys[at, 1] == filled:
        alpha = max(alpha, bounds[at, 0])
        beta = min(beta, bounds[at, 1])
        if alpha >= beta:
            return alpha
    best, floor = -1, alpha
    for i in range(count):
        best = max(best, -negamax(columns, rows, theirs, mine | reach[i], -beta, -max(alpha, best), keys, bounds))
        if best >= beta:
            break
    keys[at, 0] = mine
    keys[at, 1] = filled
    bounds[at, 0] = best if best > floor else -1
    bounds[at, 1] = best if best < beta else 1
    return best


def second_opinion(columns, rows, mine=0, theirs=0):
    """The game's value for the player to move: 1, 0 or −1. Discs are bits as in kibitz's rules."""
    keys, bounds = np.full((ENTRIES, 2), -1, np.int64), np.zeros((ENTRIES, 2), np.int8)
    return negamax(columns, rows, mine, theirs, -1, 1, keys, bounds)


def by_alphabeta(columns, rows):
    game = kibitz.game("connect_four", columns=columns, rows=rows)
    view = kibitz.Table(game).view(0)
    kibitz.bot("alphabeta:depth=2", game).choose(view)  # compiles
    report = kibitz.bot(f"alphabeta:depth={columns * rows}", game).best(view)
    assert report.best.exact
    return round(2 * report.value - 1), report.seconds, report.work


def by_second_opinion(columns, rows):
    second_opinion(3, 3)  # compiles
    start = time.perf_counter()
    return second_opinion(columns, rows), time.perf_counter() - start


def by_open_spiel(columns, rows):
    import pyspiel
    from open_spiel.python.algorithms import minimax

    game = pyspiel.load_game(f"connect_four(rows={rows},columns={columns})")
    start = time.perf_counter()
    value, _ = minimax.alpha_beta_search(game)
    return round(value), time.perf_counter() - start


def main(peer: bool) -> None:
    table = Table(
        "columns × rows", "value", "alphabeta", "nodes", "second solver", "OpenSpiel", title="Connect Four solved"
    )
    for columns, rows in BOARDS:
        value, seconds, nodes = by_alphabeta(columns, rows)
        second, second_seconds = by_second_opinion(columns, rows)
        assert value == second, f"{columns} × {rows}: alphabeta says {value}, the second solver {second}"
        there = "–"
        if peer and (columns, rows) == (5, 4):
            spiel, spiel_seconds = by_open_spiel(columns, rows)
            assert value == spiel, f"{columns} × {rows}: alphabeta says {value}, OpenSpiel {spiel}"
            there = f"{spiel_seconds:.1f} s, {spiel_seconds / seconds:.0f} times as long"
        shown = {1: "first player wins", 0: "draw", -1: "second player wins"}[value]
        table.add_row(f"{columns} × {rows}", shown, f"{seconds:.2f} s", f"{nodes:,}", f"{second_seconds:.2f} s", there)
    Console().print(table)


if __name__ == "__main__":
    main(peer="--peer" in sys.argv[1:])
