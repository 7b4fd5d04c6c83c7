"""Fit Hexplode's evaluation to self-play: predict the winner from the stacks and the pairs of neighbours.

    python benchmarks/tune_hexplode.py [--games 4000] [--depth 4] [--side 4] [--seed 1]

Alpha-beta plays itself, in every other game by counters instead of the current evaluation, from random openings of 2 to
23 moves. Every position of these games is one row of a logistic regression, whose weights are the tables of
kibitz/games/hexplode/evaluation.py; they are printed in the same form. A fifth of the games is held out to measure how
well they predict the winner. Both sides of a game use the same evaluation; otherwise the habits of the stronger one
would predict the winner. Copy the tables into the file and run it again, until a match shows no further gain.
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np

from kibitz.compiler import compiled, native, records
from kibitz.games.hexplode import evaluation
from kibitz.games.hexplode.evaluation import OUTSIDE, kind_of
from kibitz.games.hexplode.rules import Hexplode
from kibitz.games.hexplode.tiles import CAPACITY, neighbours
from kibitz.rules.contract import OVER
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream, below
from kibitz.search.negamax import AGE, PLY, new_stack, open_frame, work
from kibitz.search.scores import INFINITE

NEVER = 1 << 20  # a depth at which moves would be tried out to order them
PENALTY = 3.0  # on the squares of the weights


@compiled
def think(game, stack, depth):
    """The move that alpha-beta finds at a depth for row 0 of its stack, deepening two plies at a time."""
    place, f, s = stack.place, stack.frames[0], stack.states[0]
    place[PLY] = 0
    place[AGE] = (place[AGE] + 1) % 100
    for plies in range(2 - depth % 2, depth + 1, 2):
        open_frame(f, f.key, -INFINITE, INFINITE, plies, 0)
        f.ordered = 1
        f.count = game.moves(s, f.moves)
        for i in range(f.count):
            f.priority[i] = stack.history[s.turn, f.moves[i]]
        stack.frames[1].killers[0] = stack.frames[1].killers[1] = -1
        work(game, stack, 1 << 60)
    return f.move


@compiled
def play_game(game, states, players, depth, opening, rng, boards, movers):
    """Play from states[0] and write every position after the opening; return how many, and the winner."""
    states[1] = states[0]
    s, moves = states[1], players[0].frames[0].moves
    for _ in range(opening):
        game.play(s, moves[below(rng, game.moves(s, moves))])
    count = 0
    while s.turn != OVER:
        for tile in range(game.tiles):
            boards[count, tile] = s.stacks[tile]
        movers[count] = s.turn
        count += 1
        if s.turn == 0:
            players[0].states[0] = states[1]
            move = think(game, players[0], depth)
        else:
            players[1].states[0] = states[1]
            move = think(game, players[1], depth)
        game.play(s, move)
    return count, s.winner


def play_games(game: Hexplode, games: int, depth: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boards with the mover as player 0, whether the mover won, and the number of the game."""
    by_worth, by_points = (
        [new_stack(game, depth + 3, 1 << 14, points, late=0, probe_depth=NEVER) for _ in range(2)]
        for points in (False, True)
    )
    states = records(2, game.dtype)
    states[0] = native(Engine(game).start())
    boards, movers = np.zeros((game.max_plies, game.tiles), "i1"), np.zeros(game.max_plies, "i1")
    choice, found = random.Random(seed), []
    for number in range(games):
        players = tuple(by_points if number % 2 else by_worth)
        for stack in players:
            stack.table[:] = 0
            stack.history[:] = 0
        opening = choice.randrange(2, 24)
        rng = Stream(seed, number).words
        count, winner = play_game(game, states, players, depth, opening, rng, boards, movers)
        signs = (1 - 2 * movers[:count])[:, None]
        found.append((boards[:count] * signs, movers[:count] == winner, np.full(count, number)))
    return tuple(np.concatenate(column) for column in zip(*found, strict=True))  # type: ignore[return-value]


class RegressionColumns:
    """The columns of the regression: stacks by capacity and counters, own and theirs; pairs of neighbours by kind."""

    def __init__(self, side: int) -> None:
        self.side = side
        self.stacks = [(c, sign * n) for sign in (1, -1) for c in evaluation.OWN for n in range(1, c)]
        pairs = [(a, b) for a in range(OUTSIDE) for b in range(a, OUTSIDE)]
        self.pairs = pairs[1:]  # two empty tiles are worth nothing

    def of(self, boards: np.ndarray) -> np.ndarray:
        capacity = CAPACITY[self.side, : boards.shape[1]]
        columns = [((capacity == c) & (boards == stack)).sum(axis=1) for c, stack in self.stacks]
        table = np.zeros((7, 11), "i1")
        for c in evaluation.OWN:
            table[c, 6 - c : 5 + c] = [kind_of(c, stack) for stack in range(1 - c, c)]
        kinds = table[capacity, 5 + boards.astype("i8")]
        here, there = np.array([(a, b) for a, near in enumerate(neighbours(self.side)) for b in near if a < b]).T
        low = np.minimum(kinds[:, here], kinds[:, there])
        code = low * OUTSIDE + np.maximum(kinds[:, here], kinds[:, there])
        columns += [(code == a * OUTSIDE + b).sum(axis=1) for a, b in self.pairs]
        return np.stack(columns, axis=1).astype("f4")

    def current(self) -> np.ndarray:
        """The weights of the current tables."""
        stacks = [(evaluation.OWN if n > 0 else evaluation.THEIRS)[c][abs(n) - 1] for c, n in self.stacks]
        return np.array(stacks + [evaluation.BESIDE[a][b] for a, b in self.pairs]) / 1000

    def shown(self, weights: np.ndarray) -> str:
        """Weights in the form of the evaluation's tables."""
        numbers = [round(1000 * weight) for weight in weights]
        stacks, pairs = dict(zip(self.stacks, numbers, strict=False)), {(0, 0): 0}
        pairs |= dict(zip(self.pairs, numbers[len(self.stacks) :], strict=True))
        lines = []
        for name, sign in (("OWN", 1), ("THEIRS", -1)):
            rows = {c: tuple(stacks[c, sign * n] for n in range(1, c)) for c in evaluation.OWN}
            lines.append(f"{name} = {rows}")
        lines.append("BESIDE = (")
        for a in range(OUTSIDE):
            lines.append(f"    {tuple(pairs[min(a, b), max(a, b)] for b in range(OUTSIDE))},")
        return "\n".join([*lines, ")"])


def fit(columns: np.ndarray, won: np.ndarray) -> np.ndarray:
    """The maximum-likelihood weights, by Newton's method."""
    weights = np.zeros(columns.shape[1])
    for _ in range(25):
        p = 1 / (1 + np.exp(-columns @ weights))
        slope = columns.T @ (p - won) + PENALTY * weights
        curvature = (columns * (p * (1 - p))[:, None]).T @ columns + PENALTY * np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def log_loss(columns: np.ndarray, won: np.ndarray, weights: np.ndarray) -> float:
    """The mean logarithmic loss; for pure guesses it is ln 2 = 0.693."""
    logit = columns @ weights
    return float(np.mean(np.log1p(np.exp(np.where(won, -logit, logit)))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, default in (("games", 4000), ("depth", 4), ("side", 4), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    started = time.process_time()
    boards, won, number = play_games(Hexplode(side=options.side), options.games, options.depth, options.seed)
    print(f"{len(won):,} positions from {options.games:,} games in {time.process_time() - started:.0f} s on one core")
    features = RegressionColumns(options.side)
    columns = features.of(boards)
    held_out = number % 10 >= 8
    weights = fit(columns[~held_out].astype("f8"), won[~held_out])
    few = len(features.stacks)
    only_stacks = np.zeros_like(weights)
    only_stacks[:few] = fit(columns[~held_out][:, :few].astype("f8"), won[~held_out])
    for name, tried in (("stacks alone", only_stacks), ("current", features.current()), ("fitted", weights)):
        print(f"{name:>12}: loss {log_loss(columns[held_out], won[held_out], tried):.4f} on held-out games")
    print(features.shown(fit(columns.astype("f8"), won)))


if __name__ == "__main__":
    main()
