"""Learn Hexplode's evaluation from deep searches: the values of stacks and of pairs of neighbours.

    python benchmarks/tune_hexplode.py [--games 1000] [--nodes 10000] [--side 4] [--seed 1] [--out FILE.npz]

Alpha-beta plays itself from random openings of 2 to 23 moves, with a random move now and then. In every position of
these games, and in one that is one to four random moves away, as searches meet them at their horizon, a deep search
says what the position is worth; in the former, a fifth of that is who won. Positions in which captures are pending are
left out: there, quiescence search does not ask for the evaluation. What remains are the rows of a logistic regression,
whose weights become kibitz/games/hexplode/evaluation.npz. A fifth of the games is held out to measure how well they
predict the deep searches. The searches use the current evaluation; so run it again to learn from better ones.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from kibitz.compiler import compiled, native, numbers, records
from kibitz.games.hexplode import evaluation
from kibitz.games.hexplode.evaluation import KIND, KINDS, TALLEST, WEIGHTS
from kibitz.games.hexplode.rules import Hexplode
from kibitz.games.hexplode.tiles import CAPACITY, neighbours
from kibitz.rules.contract import OVER
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream, below, uniform
from kibitz.search.alphabeta import HISTORY, TRIED_FROM
from kibitz.search.negamax import AGE, PLY, goes_on, new_stack, open_frame, stand_pat, work
from kibitz.search.scores import INFINITE, STEP, WIN, Horizon, guess

DEEPEST, QUIET, LATE = 30, 8, 3  # of the searches
RANDOM = 0.05  # the share of random moves
RESULT = 0.2  # the weight of the result beside the score
PENALTY = 5.0  # on the squares of the weights


class Positions(NamedTuple):
    """What a game teaches."""

    boards: Any  # with the mover's stacks positive
    movers: Any
    scores: Any  # of a deep search
    played: Any  # 1 if the position occurred in the game, 0 if it is some random moves away


@compiled
def think(game, stack, nodes):
    """The best move in row 0 of a stack and its score, by iterative deepening until the nodes are used up."""
    place, f, s = stack.place, stack.frames[0], stack.states[0]
    place[AGE] = (place[AGE] + 1) % 100
    spent, score, move, depth = 0, 0, -1, 1
    while depth <= DEEPEST and spent <= nodes and abs(score) <= WIN - STEP:
        place[PLY] = 0
        open_frame(f, f.key, -INFINITE, INFINITE, depth, 0)
        f.ordered = 1
        f.count = game.moves(s, f.moves)
        for i in range(f.count):
            f.priority[i] = INFINITE if f.moves[i] == move else stack.history[s.turn, f.moves[i]]
        stack.frames[1].killers[0] = stack.frames[1].killers[1] = -1
        spent += work(game, stack, 1 << 60)
        score, move = f.best, f.move
        depth += 1
    return move, score


@compiled
def is_quiet(game, stack):
    """Whether no capture is worth more to the player to move than the evaluation of row 0 says."""
    f, s = stack.frames[0], stack.states[0]
    score = guess(game, s, s.turn, stack.by)
    if goes_on(game, stack, 0, stack.noisy):
        stack.place[PLY] = 0
        open_frame(f, f.key, -INFINITE, INFINITE, 0, 0)
        stand_pat(f, score)
        work(game, stack, 1 << 60)
        return f.best == score
    return True


@compiled
def note(game, stack, nodes, found, count, played):
    """Write the position in row 0 of a stack if it is quiet; return the best move and the new count."""
    s = stack.states[0]
    quiet = is_quiet(game, stack)
    move, score = think(game, stack, nodes) if quiet or played else (-1, 0)
    if quiet:
        for tile in range(game.tiles):
            found.boards[count, tile] = s.stacks[tile] if s.turn == 0 else -s.stacks[tile]
        found.movers[count] = s.turn
        found.scores[count] = score
        found.played[count] = played
        count += 1
    return move, count


@compiled
def play_game(game, states, stack, nodes, opening, rng, found):
    """Play a game from states[0] and write its positions; return how many, and the winner."""
    states[1] = states[0]
    s, aside, moves = states[1], states[2], stack.frames[0].moves
    for _ in range(opening):
        game.play(s, moves[below(rng, game.moves(s, moves))])
    count = 0
    while s.turn != OVER:
        states[2] = states[1]
        for _ in range(1 + below(rng, 4)):
            if aside.turn != OVER:
                game.play(aside, moves[below(rng, game.moves(aside, moves))])
        if aside.turn != OVER:
            stack.states[0] = states[2]
            _, count = note(game, stack, nodes, found, count, 0)
        stack.states[0] = states[1]
        move, count = note(game, stack, nodes, found, count, 1)
        if uniform(rng) < RANDOM:
            move = moves[below(rng, game.moves(s, moves))]
        game.play(s, move)
    return count, s.winner


def play_games(game: Hexplode, games: int, nodes: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boards with the mover's stacks positive, the share of the win that they are worth, and the number of the game."""
    by = Horizon(numbers(2, "f8"), evaluation=True)
    stack = new_stack(game, DEEPEST, 1 << 17, by, LATE, QUIET, TRIED_FROM[HISTORY])
    states = records(3, game.dtype)
    states[0] = native(Engine(game).start())
    most = 2 * game.max_plies
    found = Positions(numbers((most, game.tiles), "i1"), *(numbers(most, kind) for kind in ("i1", "i8", "i1")))
    rows = []
    for number in range(games):
        stack.table[:] = 0
        stack.history[:] = 0
        stream = Stream(seed, number)
        count, winner = play_game(game, states, stack, nodes, stream.randrange(2, 24), stream.words, found)
        boards, movers, scores, played = (np.array(column[:count]) for column in found)
        share = 0.5 + 0.5 * scores / WIN
        weight = RESULT * played
        rows.append((boards, weight * (movers == winner) + (1 - weight) * share, np.full(count, number)))
        print(f"\r{number + 1:,} games", end="", flush=True)
    print()
    return tuple(np.concatenate(column) for column in zip(*rows, strict=True))  # type: ignore[return-value]


def columns_of(boards: np.ndarray, side: int) -> sparse.csr_matrix:
    """How many stacks of each kind, and pairs of neighbours of each two kinds, a position has."""
    kinds = KIND[CAPACITY[side, : boards.shape[1]], TALLEST + boards.astype("i8")].astype("i8")
    here, there = np.array([(a, b) for a, near in enumerate(neighbours(side)) for b in near if a < b]).T
    low, high = np.minimum(kinds[:, here], kinds[:, there]), np.maximum(kinds[:, here], kinds[:, there])
    of_kinds = len(KINDS)
    places = np.concatenate([kinds, of_kinds + low * of_kinds + high], axis=1)
    starts = np.arange(len(boards) + 1) * places.shape[1]
    shape = len(boards), of_kinds * (of_kinds + 1)
    found = sparse.csr_matrix((np.ones(places.size), places.ravel(), starts), shape)
    found.sum_duplicates()
    return found


def fit(columns: sparse.csr_matrix, worth: np.ndarray) -> np.ndarray:
    """The maximum-likelihood weights."""

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logit = columns @ weights
        slope = columns.T @ (1 / (1 + np.exp(-logit)) - worth) + PENALTY * weights
        return float((np.logaddexp(0, logit) - worth * logit).sum() + PENALTY / 2 * weights @ weights), slope

    start = np.zeros(columns.shape[1])
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 400}).x


def tables(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values of stacks alone and of pairs, in thousandths."""
    of_kinds = len(KINDS)
    thousandths = np.round(1000 * weights).astype("i2")
    pairs = thousandths[of_kinds:].reshape(of_kinds, of_kinds)
    return thousandths[:of_kinds], np.triu(pairs) + np.triu(pairs, 1).T


def excess(logit: np.ndarray, worth: np.ndarray) -> float:
    """How much worse a prediction is than the truth: the mean Kullback–Leibler divergence."""
    p, q = np.clip(worth, 1e-9, 1 - 1e-9), 1 / (1 + np.exp(-logit))
    return float(np.mean(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, default in (("games", 1000), ("nodes", 10_000), ("side", 4), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    options = parser.parse_args()
    started = time.process_time()
    boards, worth, number = play_games(Hexplode(side=options.side), options.games, options.nodes, options.seed)
    minutes = (time.process_time() - started) / 60
    print(f"{len(worth):,} positions from {options.games:,} games in {minutes:.0f} minutes of one core")
    columns = columns_of(boards, options.side)
    held_out = number % 5 == 0
    with np.load(evaluation.WEIGHTS) as now:
        current = np.concatenate([now["alone"], np.triu(now["beside"]).ravel()]) / 1000
    fitted = fit(columns[~held_out], worth[~held_out])
    for name, weights in (("current", current), ("fitted", fitted)):
        divergence = excess(columns[held_out] @ weights, worth[held_out])
        print(f"{name:>8}: divergence of {divergence:.4f} from the deep searches on held-out games")
    alone, beside = tables(fit(columns, worth))
    np.savez_compressed(options.out, alone=alone, beside=beside)
    print(f"Written to {options.out}.")


if __name__ == "__main__":
    main()
