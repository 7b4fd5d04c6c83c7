"""How often positions are won that a search values so and so: `.venv/bin/python benchmarks/chances.py GAME`.

Two equal players play many games. In each position they search a fixed number of nodes with the game's `best`, and play
the move that it likes best; but once in ten moves any legal one, so that there are good and bad positions as in games
of people. What the search said of each undecided position, and what the player to move got in the end, is fitted by one
number: the slope k of P(win) = 1 / (1 + exp(-k · ln(value / (1 - value)))), which a game keeps as CHANCE_SCALE, beside
its bots.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import kibitz
from kibitz.analysis.chances import chance
from kibitz.players.bot import Searcher
from kibitz.rules.rng import Stream

AT_RANDOM = 0.1  # of all moves
MOST_OPENING = 6  # random moves at the start
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
JUMP = 0.2


class Valued(NamedTuple):
    """A position of a game."""

    game: int
    value: float  # to the player to move, by the search
    share: float  # that they got in the end
    change: tuple[float, float] | None  # the values to one player before and after the best move, if it was played


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=120)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = kibitz.game(options.game)
    found = [p for number in range(options.games) for p in played(game, number, options.nodes, options.seed)]
    show(options.game, found, options)


def played(game: kibitz.Game, number: int, nodes: int, seed: int) -> list[Valued]:
    """The undecided positions of one game."""
    table, luck = kibitz.Table(game, seed, number=number), Stream(seed, "mistakes", number)
    search = kibitz.bot("best", game)
    assert isinstance(search, Searcher)
    for _ in range(int(luck.random() * (MOST_OPENING + 1))):
        table.play(luck.choice(table.moves))
    seen: list[tuple[int, float, bool]] = []  # who moved, the value, and whether they played the best move
    while not table.over:
        view = table.view(table.turn)
        best = search.analyse(view, kibitz.Limit(nodes=nodes)).best
        is_best = luck.random() >= AT_RANDOM
        if not best.exact:
            seen.append((view.player, best.value, is_best))
        else:
            seen.append((view.player, -1.0, is_best))
        table.play(best.move if is_best else luck.choice(table.moves))
    payoff = table.payoff()
    positions = []
    for (player, value, is_best), after in zip(seen, [*seen[1:], None], strict=True):
        if value < 0:
            continue
        change = None
        if is_best and after is not None and after[1] >= 0:
            change = value, after[1] if after[0] == player else 1 - after[1]
        positions.append(Valued(number, value, payoff[player], change))
    return positions


def fitted(positions: list[Valued]) -> float:
    """The slope that makes the results most likely."""
    values, shares = (np.array([getattr(p, what) for p in positions]) for what in ("value", "share"))
    slopes = np.arange(0.05, 3.0, 0.01)
    return float(round(slopes[np.argmin([surprise(chance(values, slope), shares) for slope in slopes])], 2))


def standard_error(positions: list[Valued], groups: int = 10) -> float:
    """The standard error of the slope, by the jackknife over groups of whole games: positions of one are alike."""
    left = [fitted([p for p in positions if p.game % groups != group]) for group in range(groups)]
    return float(np.sqrt((groups - 1) * np.var(left)))


def surprise(chances: np.ndarray, shares: np.ndarray) -> float:
    """The cross-entropy of some results."""
    sure = np.clip(chances, 1e-6, 1 - 1e-6)
    return float(-np.mean(shares * np.log(sure) + (1 - shares) * np.log(1 - sure)))


def show(spec: str, positions: list[Valued], options: argparse.Namespace) -> None:
    slope = fitted(positions)
    values, shares = (np.array([getattr(p, what) for p in positions]) for what in ("value", "share"))
    table = Table("Value", "Positions", "Mean value", "Calibrated", "Won", title=f"{spec}, {options.games} games")
    for low, high in itertools.pairwise(BINS):
        here = (values >= low) & (values < high)
        if here.any():
            means = (values[here].mean(), chance(values[here], slope).mean(), shares[here].mean())
            table.add_row(f"{low:.0%}–{high:.0%}", str(int(here.sum())), *(f"{mean:.1%}" for mean in means))
    screen = Console()
    screen.print(table)
    changes = [p.change for p in positions if p.change is not None]
    for name, scale in (("value", 1.0), ("calibrated", slope)):
        moved = [abs(chance(before, scale) - chance(after, scale)) for before, after in changes]
        jumps = statistics.mean(change > JUMP for change in moved)
        brier = float(np.mean((chance(values, scale) - shares) ** 2))
        entropy = surprise(chance(values, scale), shares)
        screen.print(
            f"{name}: Brier {brier:.4f}, cross-entropy {entropy:.4f}; after the best move it changes by "
            f"{statistics.mean(moved):.1%} on average, by more than {JUMP:.0%} in {jumps:.1%} of {len(changes)} moves"
        )
    screen.print(f"CHANCE_SCALE = {slope}, give or take {standard_error(positions):.2f}")


if __name__ == "__main__":
    main()
