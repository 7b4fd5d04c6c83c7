"""Simulations per second of ModelSearch, by model and size of batches; and what a batch costs in strength.

    export OPENBLAS_NUM_THREADS=1                                   # for NumPy
    python benchmarks/model_search.py                               # Connect Four, Ur and Mexican Train
    python benchmarks/model_search.py --games connect_four --sims 4096 --widths 256 256
    python benchmarks/model_search.py strength                      # against zero, in Connect Four

The model is a network of two hidden layers with random weights, in NumPy and, where it is installed, in PyTorch; each
has one thread. "no model" is a function that returns the same arrays every time: what the search itself costs. The
figures are simulations per second of CPU time, so that a busy machine gives about the same ones: the median of five
searches from the opening position, after a first one that is not counted.

Strength is the share of the win of a ModelSearch against `zero` with as many simulations, from openings of four random
moves. Both have the network that ships with Connect Four, one of them in NumPy.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kibitz
from kibitz.environments import Observer
from kibitz.learn.zero.network_file import network_for

GAMES = ["connect_four", "ur", "mexican_train"]
BATCHES = (1, 8, 64, 256)
ROUNDS = 5
STRENGTH = ((200, 64), (200, 16), (800, 64))  # simulations and sizes of batches
MATCH = 300  # games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["speed", "strength"], default="speed")
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("--sims", type=int, default=2048)
    parser.add_argument("--widths", type=int, nargs=2, default=(128, 64))
    options = parser.parse_args()
    if options.what == "strength":
        for sims, batch in STRENGTH:
            print(f"| {sims} | {batch} | {share(sims, batch)} |", flush=True)
        return
    print(f"| | {' | '.join(map(str, BATCHES))} |", flush=True)
    for name in options.games:
        game = kibitz.game(name)
        for title, make in MODELS.items():
            evaluate = make(game, options.widths)
            if evaluate is not None:
                figures = [f"{rate(game, evaluate, options.sims, batch):,.0f}" for batch in BATCHES]
                print(f"| {name}, {title} | {' | '.join(figures)} |", flush=True)


def rate(game: Any, evaluate: Callable[..., Any], sims: int, batch: int) -> float:
    """Simulations per second of CPU time."""
    table = kibitz.Table(game, seed=1)
    view = table.view(table.turn)
    found = []
    for _ in range(ROUNDS + 1):
        bot = kibitz.ModelSearch(evaluate=evaluate, sims=sims, batch=batch)
        bot.best(view, kibitz.Limit(simulations=1))  # loads what is compiled
        bot = kibitz.ModelSearch(evaluate=evaluate, sims=sims, batch=batch)
        began = time.process_time()
        report = bot.best(view)
        found.append(report.work / (time.process_time() - began))
    return statistics.median(found[1:])


def share(sims: int, batch: int) -> str:
    """The share of the win against `zero`, with its 95 % interval."""
    game = kibitz.game("connect_four")
    bot = kibitz.ModelSearch(evaluate=shipped_model(game), sims=sims, batch=batch)
    found = kibitz.arena(game, [bot, f"zero:sims={sims}"], games=MATCH, seed=1, opening=4).pair(0, 1)
    assert found is not None
    return f"{100 * found.share:.1f} % ({100 * found.low:.1f}–{100 * found.high:.1f})"


def shipped_model(game: Any) -> Callable[..., Any]:
    """The network that ships with a game for two players, in NumPy."""
    network = network_for(game, "", "zero").network

    def evaluate(observations: np.ndarray, masks: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        hidden = np.maximum(observations.astype("f4") @ network.features + network.first_bias, 0)
        hidden = np.maximum(hidden @ network.second + network.second_bias, 0)
        own, other = (1 / (1 + np.exp(-(hidden @ network.values.T + network.value_bias)))).T
        return hidden @ network.moves.T + network.move_bias, own / (own + other)

    return evaluate


def no_model(game: Any, widths: tuple[int, int]) -> Callable[..., Any]:
    most = max(BATCHES)
    policy, values = np.zeros((most, game.actions)), np.full((most, game.players), 1 / game.players)
    return lambda observations, masks, turns: (policy[: len(turns)], values[: len(turns)])


def weights(game: Any, widths: tuple[int, int]) -> list[np.ndarray]:
    """Random weights: two hidden layers, then a logit for each action and a value for each player."""
    random = np.random.default_rng(1)
    sizes = [(Observer(game).size, widths[0]), widths, (widths[1], game.actions), (widths[1], game.players)]
    return [random.normal(size=size).astype("f4") / np.float32(np.sqrt(size[0])) for size in sizes]


def numpy_model(game: Any, widths: tuple[int, int]) -> Callable[..., Any]:
    first, second, moves, values = weights(game, widths)

    def evaluate(observations: np.ndarray, masks: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        hidden = np.maximum(np.maximum(observations.astype("f4") @ first, 0) @ second, 0)
        return hidden @ moves, 1 / (1 + np.exp(-(hidden @ values)))

    return evaluate


def torch_model(game: Any, widths: tuple[int, int]) -> Callable[..., Any] | None:
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    first, second, moves, values = (torch.from_numpy(part) for part in weights(game, widths))

    @torch.inference_mode()
    def evaluate(observations: np.ndarray, masks: np.ndarray, turns: np.ndarray) -> tuple[Any, Any]:
        seen = torch.from_numpy(observations).float()
        hidden = torch.relu(torch.relu(seen @ first) @ second)
        return hidden @ moves, torch.sigmoid(hidden @ values)

    return evaluate


MODELS = {"no model": no_model, "NumPy": numpy_model, "PyTorch": torch_model}


if __name__ == "__main__":
    main()
