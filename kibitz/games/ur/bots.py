"""Ur's own bots: perfect play from the table of the solved game, greedy play by step values, and two simple habits."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.compiler import mode, numbers, running_time
from kibitz.errors import KibitzError, SpecError
from kibitz.games.ur.features import FEATURES
from kibitz.learn import learned as learned
from kibitz.learn.brain import Brain
from kibitz.learn.learner import Learner
from kibitz.learn.linear_value import best_move, new_value_function
from kibitz.players.bot import Ranked, Report, Searcher
from kibitz.players.compiled_player import CompiledPlayer, best_of
from kibitz.players.limit import Limit
from kibitz.players.options import FILE, option
from kibitz.rules.contract import Game
from kibitz.search import greedy
from kibitz.solve import Values, is_solved, values_of
from kibitz.solve.positions import new_buffers
from kibitz.solve.values import value_moves
from kibitz.table import View

STEPS = FEATURES["tree"]
# Step values that a tree of brains once found. They came with 0.526 for the hand, but the published results are those
# of a brain that gives no value to pieces in hand: with 0.526 it wins two games in a hundred fewer.
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
    """Moves the piece furthest behind."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return moves[0]


@dataclass(frozen=True)
class Last(CompiledPlayer):
    """Moves the piece furthest ahead."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return moves[count - 1]


@dataclass(frozen=True)
class Perfect(CompiledPlayer, Searcher):
    """Plays perfectly, by the table of the solved game."""

    file: str = option("", names=FILE)  # a table written by `kibitz solve --out`; by default the one in the cache

    def memory(self, game: Game) -> tuple[Any, ...]:
        reader = _values(game, self.file, mode()).reader
        return (reader._replace(step=new_buffers(game), worth=numbers(game.max_moves, "f8")),)

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        reader = memory[0]
        reader.step.states[1] = s
        value_moves(game, reader)
        return best_of(moves, count, reader.worth)

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        """Look the moves up, which is too fast to need a limit."""
        start = running_time()
        ranked = _values(view.game, self.file, mode()).ranked(view.state)
        moves = tuple(Ranked(valued.move, valued.value, exact=True, line=(valued.move,)) for valued in ranked)
        return Report(moves, len(moves), "positions", 1, running_time() - start)


@dataclass(frozen=True)
class UrGreedy(greedy.Greedy):
    """Takes the move that leads to the best position, by win probability or by step values."""

    values: str = option("", names=FILE, public_choices=("pow2", "rosettes"))  # or a file: a number for each step

    def memory(self, game: Game) -> tuple[Any, ...]:
        steps = step_values(game, self.values) if self.values else STEPS.start(game)
        return (*super().memory(game), new_value_function(game, STEPS, steps), bool(self.values))

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        outlook, worlds, value, by_steps = memory
        if by_steps:
            return best_move(game, value, s, moves, count, player)
        outlook.states[0] = s
        greedy.look_ahead(game, outlook, moves, count, player, worlds, rng)
        return best_of(moves, count, outlook.worth)

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        if self.values:
            raise KibitzError("Step values are not win probabilities, which an analysis needs; leave out values=.")
        return super().search(view, limit, ranking)


@dataclass(frozen=True)
class UrLearned(learned.Learned):
    """Plays by learned step values, or by a brain that `kibitz train` wrote."""

    def brain(self, game: Game) -> Brain:
        return super().brain(game) if self.file else ANCESTOR


def step_values(game: Any, name: str) -> list[float]:
    """The values of the steps from the hand to home, by the name of a formula or a file."""
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
        raise SpecError(f"{path} should contain only numbers: {error}.") from None


@functools.lru_cache(maxsize=4)
def _values(game: Game, file: str, mode: str) -> Values:
    """The values of a game, read once per mode: plain Python reads arrays of another kind."""
    return values_of(game, file)


def _own_bots(game: Game) -> Mapping[str, Any]:
    best = "perfect" if is_solved(game) else "expectimax:depth=4"
    return {
        "perfect": Perfect,
        "greedy": UrGreedy,
        "learned": UrLearned,
        "learner": Learner,
        "first": First,
        "last": Last,
        "best": best,
    }


def _levels(game: Game) -> Mapping[str, tuple[str, str]]:
    solved = "Plays perfectly: the game is solved."
    unsolved = "Looks four moves ahead and weighs every throw by its odds."
    return {
        "casual": ("last", "Always moves the piece furthest ahead."),
        "strong": ("learned", "Weighs what every square is worth, as it learned from games."),
        "best": ("best", solved if is_solved(game) else unsolved),
    }


BOTS = _own_bots
LEVELS = _levels
