"""The benchmarks of `kibitz bench`: the speed of kibitz on this machine, compared with OpenSpiel if it is installed.

Machines are noisy, so kibitz and its peer take turns, and each row gives the median of several rounds; what counts is
the ratio. If the peer is not installed, its columns stay empty.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from kibitz.compiler import numbers, records
from kibitz.players.roster import bot
from kibitz.rules.contract import Game
from kibitz.rules.registry import find_game, spec_of
from kibitz.rules.rng import Stream
from kibitz.search.playout import playouts
from kibitz.table import Table

ROUNDS = 5
SIMULATIONS = 50_000
PEER_ROLLOUTS = 10_000
SECONDS = 0.25  # the length of a round, if it can be chosen


def rows() -> Iterator[dict[str, Any]]:
    """Run the benchmarks one by one: game, what, unit, kibitz, peer, peer_value, ratio."""
    peer = "OpenSpiel (C++)" if importlib.util.find_spec("pyspiel") else None
    connect_four = find_game("connect_four")
    yield _row(
        connect_four,
        "random games",
        "games/s",
        lambda: _random_games(connect_four),
        peer,
        _open_spiel_random_games,
    )
    yield _row(
        connect_four,
        "uct from the empty board",
        "simulations/s",
        lambda: _uct(connect_four),
        peer,
        _open_spiel_mcts,
    )
    yield _row(
        connect_four, "alphabeta to depth 14", "nodes/s", lambda: _alphabeta(connect_four, "depth=14"), None, None
    )
    yield _row(connect_four, "table: a move between two bots", "moves/s", lambda: _table(connect_four), None, None)
    separo, hexplode = find_game("separo"), find_game("hexplode")
    yield _row(separo, "random games", "games/s", lambda: _random_games(separo), None, None)
    yield _row(separo, "uct from the opening", "simulations/s", lambda: _uct(separo), None, None)
    yield _row(hexplode, "random games", "games/s", lambda: _random_games(hexplode), None, None)
    yield _row(
        hexplode, "alphabeta from the opening", "nodes/s", lambda: _alphabeta(hexplode, "nodes=2000000"), None, None
    )


def _row(
    game: Game, what: str, unit: str, measure: Callable[[], float], peer: str | None, measure_peer: Any
) -> dict[str, Any]:
    """Measure both in turn, after a first round that is not counted."""
    own, others = [], []
    for _ in range(ROUNDS + 1):
        own.append(measure())
        if peer:
            others.append(measure_peer())
    value = statistics.median(own[1:])
    peer_value = statistics.median(others[1:]) if others else None
    return {
        "game": spec_of(game),
        "what": what,
        "unit": unit,
        "kibitz": value,
        "peer": peer,
        "peer_value": peer_value,
        "ratio": value / peer_value if peer_value else None,
    }


def _rate(run: Callable[[], int]) -> float:
    """Units per second; `run` returns the number of units it did."""
    start = time.perf_counter()
    done = run()
    while time.perf_counter() - start < SECONDS:
        done += run()
    return done / (time.perf_counter() - start)


def _random_games(game: Game) -> float:
    states = records(2, game.dtype)
    states[0] = Table(game, seed=1).state.record
    buffers = numbers(game.max_moves, "i8"), numbers(1, "f8"), Stream(1).words
    payoff, totals = numbers(game.players, "f8"), numbers(game.players, "f8")

    def run() -> int:
        playouts(game, states, 10_000, *buffers, payoff, totals)
        return 10_000

    return _rate(run)


def _uct(game: Game) -> float:
    report = bot(f"uct:sims={SIMULATIONS}", game).analyse(Table(game, seed=1).view(0))
    return float(report.work / report.seconds)


def _alphabeta(game: Game, budget: str) -> float:
    report = bot(f"alphabeta:{budget}", game).analyse(Table(game, seed=1).view(0))
    return float(report.work / report.seconds)


def _table(game: Game) -> float:
    player = bot("random", game)

    def run() -> int:
        table = Table(game, seed=1)
        while not table.over:
            table.play(player.choose(table.view(table.turn)))
        return len(table.history)

    return _rate(run)


def _open_spiel_random_games() -> float:
    # One simulation whose leaf is evaluated by many rollouts: almost all time is spent in C++ rollouts.
    return PEER_ROLLOUTS * _open_spiel_mcts(simulations=1, rollouts=PEER_ROLLOUTS)


def _open_spiel_mcts(simulations: int = SIMULATIONS, rollouts: int = 1) -> float:
    """Simulations per second of OpenSpiel's C++ MCTSBot from the empty board."""
    import pyspiel

    game = pyspiel.load_game("connect_four")
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)  # the second is the seed
    searcher = pyspiel.MCTSBot(game, evaluator, 1.0, simulations, 1000, True, 1, False)
    state = game.new_initial_state()
    start = time.perf_counter()
    searcher.mcts_search(state)
    return simulations / (time.perf_counter() - start)
