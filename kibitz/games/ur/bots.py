"""Ur's own bots: perfect play from the table of the solved game, values for the steps, and two simple habits."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import mode, numbers
from kibitz.errors import KibitzError, SpecError
from kibitz.game import Game
from kibitz.games.ur.features import FEATURES
from kibitz.learn import player as learned
from kibitz.learn.brain import Brain
from kibitz.learn.features import best_move, new_mind
from kibitz.learn.learner import Learner
from kibitz.player import CompiledPlayer, best_of
from kibitz.search import greedy as search
from kibitz.solve import Values, is_solved, values_of
from kibitz.solve.positions import new_step
from kibitz.solve.values import value_moves
from kibitz.table import View

STEPS = FEATURES["tree"]
# The values of the steps that a tree of brains once found. It came with 0.526 for the hand, but its published results
# are those of a brain to which pieces in the hand are worth nothing: with 0.526 it wins two games in a hundred fewer.
ANCESTOR = Brain(
    game="ur",
    method="tree",
    weights=(
        *(0.0, -0.347, 3.849, 2.402, 6.648, 4.627, 6.000, 7.297),
        *(10.813, 7.080, 6.949, 10.294, 8.088, 12.688, 13.205, 15.465),
    ),
)


@dataclass(frozen=True)
class First(CompiledPlayer):
    """Moves the piece that is furthest behind."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return moves[0]


@dataclass(frozen=True)
class Last(CompiledPlayer):
    """Moves the piece that is furthest ahead."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return moves[count - 1]


@dataclass(frozen=True)
class Perfect(CompiledPlayer, Searcher):
    """Never errs: plays by the table of the solved game."""

    file: str = ""  # a table that `kibitz solve --out` made; by default the one it keeps

    def memory(self, game: Game) -> tuple[Any, ...]:
        reader = _values(game, self.file, mode()).reader
        return (reader._replace(step=new_step(game), worth=numbers(game.max_moves, "f8")),)

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        reader = memory[0]
        reader.step.states[1] = s
        value_moves(game, reader)
        return best_of(moves, count, reader.worth)

    def analyse(self, view: View) -> Report:
        start = time.perf_counter()
        ranked = _values(view.game, self.file, mode()).ranked(view.state)
        moves = tuple(Ranked(valued.move, valued.value, exact=True, line=(valued.move,)) for valued in ranked)
        return Report(moves, len(moves), "positions", 1, time.perf_counter() - start)


@dataclass(frozen=True)
class Greedy(search.Greedy):
    """Takes the move after which the position looks best, by the odds to win or by values given to the steps."""

    values: str = ""  # pow2, rosettes, or a file with a number for each step, from the hand to home

    def memory(self, game: Game) -> tuple[Any, ...]:
        steps = step_values(game, self.values) if self.values else STEPS.start(game)
        return (*super().memory(game), new_mind(game, STEPS, steps), bool(self.values))

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        outlook, worlds, mind, by_steps = memory
        if by_steps:
            return best_move(game, mind, s, moves, count, player)
        outlook.states[0] = s
        search.look_ahead(game, outlook, moves, count, player, worlds, rng)
        return best_of(moves, count, outlook.worth)

    def analyse(self, view: View) -> Report:
        if self.values:
            raise KibitzError("Values of steps are no odds, which an analysis tells; leave out values=.")
        return super().analyse(view)


@dataclass(frozen=True)
class Learned(learned.Learned):
    """Plays by what was learned: values of the steps, unless a brain that `kibitz train` wrote is given."""

    def brain(self, game: Game) -> Brain:
        return super().brain(game) if self.file else ANCESTOR


def step_values(game: Any, name: str) -> list[float]:
    """The values of the steps from the hand to home, by the name of a rule or of a file."""
    path = range(game.home + 1)
    if name == "pow2":
        found = [float(step**2) for step in path]
    elif name == "rosettes":
        found = [float(step**2 * (2 if game.rosette_steps >> step & 1 else 1)) for step in path]
    else:
        found = _read_numbers(name)
    if len(found) != len(path):
        raise SpecError(f"{name} has {len(found)} numbers; greedy needs one for each step from 0 to {game.home}.")
    return found


def _read_numbers(path: str) -> list[float]:
    try:
        return [float(word) for word in Path(path).read_text().replace(",", " ").split()]
    except OSError as error:
        raise SpecError(f"greedy takes values=pow2, values=rosettes or a file; {path}: {error.strerror}.") from None
    except ValueError as error:
        raise SpecError(f"{path} should hold numbers and nothing else: {error}.") from None


@functools.lru_cache(maxsize=4)
def _values(game: Game, file: str, mode: str) -> Values:
    """The values of a game, read once. (The mode counts: plain Python reads arrays of another kind.)"""
    return values_of(game, file)


def _own_bots(game: Game) -> Mapping[str, Any]:
    best = "perfect" if is_solved(game) else "expectimax:depth=4"
    own = {"perfect": Perfect, "greedy": Greedy, "learned": Learned, "learner": Learner, "first": First, "last": Last}
    return {**own, "best": best}


def _levels(game: Game) -> Mapping[str, tuple[str, str]]:
    best = (
        "Never errs: the game is solved." if is_solved(game) else "Looks four moves ahead, all throws with their odds."
    )
    return {
        "casual": ("last", "Runs with the piece that is furthest ahead."),
        "strong": ("greedy", "Weighs where each move leaves both sides."),
        "best": ("best", best),
    }


BOTS = _own_bots
LEVELS = _levels
