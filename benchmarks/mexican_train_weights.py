"""Fit the weights of Mexican Train's `keen`, so that they predict what `best` chose.

    kibitz arena mexican_train best:deals=1600 shed shed shed --games 1200 --seed 31 --log LOG
    python benchmarks/mexican_train_weights.py LOG

The odds of a move are assumed to grow exponentially with its worth (a conditional logit); the maximum-likelihood
weights are found by Newton's method. Only moves of the first bot in the log count, where it had a choice.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from kibitz.compiler import compiled, native, numbers, records
from kibitz.games.mexican_train.keen_weights import LEARNED, Weights, worth_of
from kibitz.games.mexican_train.policies import STEPS
from kibitz.games.mexican_train.rules import MexicanTrain
from kibitz.games.mexican_train.sequences import Planner, new_planner, plan
from kibitz.records.log import Log
from kibitz.rules.engine import Engine

UNITS = [Weights(*row) for row in np.eye(len(LEARNED)).tolist()]  # the worth by one of them is a single feature
PRIOR = 1e-5  # how strongly weights are drawn to zero, so that none diverges
MOST_STEPS = 50


@compiled
def describe(
    game: Any, states: Any, moves: Any, seat: int, legal: Any, planner: Planner, unit: Weights, out: Any, chosen: Any
) -> int:
    """Replay a game; for every option of a seat that had a choice, write one feature and whether it was taken."""
    states[1] = states[0]
    s, count = states[1], 0
    for ply in range(len(moves)):
        if s.turn == seat:
            options = game.moves(s, legal)
            if options > 1:
                plan(planner, seat, s.hand[seat], s.end[seat], STEPS)
                for i in range(options):
                    out[count] = worth_of(game, s, legal[i], seat, planner, unit)
                    chosen[count] = (1 if i == 0 else 0) + (2 if legal[i] == moves[ply] else 0)
                    count += 1
        game.play(s, moves[ply])
    return count


def read(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The features of each option [option, feature], which were taken, and where each decision begins."""
    game = MexicanTrain()
    states, legal, planner = records(2, game.dtype), numbers(game.max_moves, "i8"), new_planner()
    states[0] = native(Engine(game).start())
    out, chosen = numbers(game.max_plies, "f8"), numbers(game.max_plies, "i8")
    features, marks = [], []
    for games in Log(folder).batches():
        for row, moves in enumerate(games.moves):
            seat = int(np.flatnonzero(games.bots[row] == 0)[0])
            columns = []
            for unit in UNITS:
                count = describe(game, states, moves.astype("i8"), seat, legal, planner, unit, out, chosen)
                columns.append(np.array(out[:count]))
            features.append(np.column_stack(columns))
            marks.append(np.array(chosen[:count]))
    mark = np.concatenate(marks)
    return np.concatenate(features), mark > 1, np.flatnonzero(mark & 1)


def fit(features: np.ndarray, taken: np.ndarray, begins: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """The maximum-likelihood weights, their standard errors, and the mean log-likelihood of a decision."""
    scale = features.std(axis=0) + 1e-9
    x, decisions = features / scale, len(begins)
    decision = np.repeat(np.arange(decisions), np.diff(np.append(begins, len(x))))
    weights = np.zeros(x.shape[1])
    for _ in range(MOST_STEPS):
        worth = x @ weights
        odds = np.exp(worth - np.maximum.reduceat(worth, begins)[decision])
        p = odds / np.add.reduceat(odds, begins)[decision]
        mean = np.add.reduceat(x * p[:, None], begins, axis=0)
        slope = x.T @ (taken - p) - 2 * PRIOR * decisions * weights
        curvature = (x * p[:, None]).T @ x - mean.T @ mean + 2 * PRIOR * decisions * np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)))
    return weights / scale, errors / scale, float(np.log(p[taken]).mean())


def agreement(weights: np.ndarray, features: np.ndarray, taken: np.ndarray, begins: np.ndarray) -> float:
    """How often the move with the greatest worth was taken."""
    worth = features @ weights
    most = np.repeat(np.maximum.reduceat(worth, begins), np.diff(np.append(begins, len(worth))))
    return float((taken & (worth >= most)).sum() / len(begins))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path)
    features, taken, begins = read(parser.parse_args().log)
    weights, errors, likelihood = fit(features, taken, begins)
    unit = weights[Weights._fields.index("pips")]
    table = Table(
        "", "fitted", "±", "current", title=f"{len(begins):,} decisions, log-likelihood {likelihood:.4f} each"
    )
    for name, weight, error, now in zip(Weights._fields, weights / unit, errors / unit, LEARNED, strict=True):
        table.add_row(name, f"{weight:.2f}", f"{error:.2f}", f"{now:.2f}")
    console = Console()
    console.print(table)
    for name, by in (("fitted", weights), ("current", np.array(LEARNED))):
        console.print(
            f"The best move by the {name} weights was chosen {agreement(by, features, taken, begins):.1%} of the time."
        )


if __name__ == "__main__":
    main()
