"""Ur's own bots: perfect play from the table of the solved game, values for the steps, and two simple habits."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.bots import Ranked, Report, Searcher
from kibitz.compiled import compiled, mode, numbers
from kibitz.errors import SpecError
from kibitz.game import Game
from kibitz.games.ur.rules import count_bits
from kibitz.player import CompiledPlayer
from kibitz.search import greedy as search
from kibitz.solve import Values, is_solved, values_of
from kibitz.solve.positions import new_step
from kibitz.solve.values import value_moves
from kibitz.table import View


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
        best = 0
        for i in range(1, count):
            if reader.worth[i] > reader.worth[best]:
                best = i
        return moves[best]

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
        steps = step_values(game, self.values) if self.values else numbers(0, "f8")
        return (*super().memory(game), steps)

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        outlook, worlds, steps = memory
        outlook.states[0] = s
        if len(steps):
            compare_pieces(game, outlook, steps, moves, count, player)
        else:
            search.look_ahead(game, outlook, moves, count, player, worlds, rng)
        best = 0
        for i in range(1, count):
            if outlook.worth[i] > outlook.worth[best]:
                best = i
        return moves[best]


@compiled
def compare_pieces(game: Any, outlook: search.Outlook, steps: Any, moves: Any, count: int, player: int) -> None:
    """Value each move by where it leaves the pieces: one's own less the opponent's."""
    for i in range(count):
        outlook.states[1] = outlook.states[0]
        game.play(outlook.states[1], moves[i])
        s = outlook.states[1]
        outlook.worth[i] = sum_steps(game, s, player, steps) - sum_steps(game, s, 1 - player, steps)


@compiled
def sum_steps(game: Any, s: Any, player: int, steps: Any) -> float:
    home = game.pieces - s.hand[player] - count_bits(s.at[player])
    total = s.hand[player] * steps[0] + home * steps[game.home]
    for step in range(1, game.home):
        total += (s.at[player] >> step & 1) * steps[step]
    return total


def step_values(game: Any, name: str) -> Any:
    """The values of the steps from the hand to home, by the name of a rule or of a file."""
    path = range(game.home + 1)
    if name == "pow2":
        found = [2.0**step for step in path]
    elif name == "rosettes":
        found = [float(step**2 * (2 if game.rosette_steps >> step & 1 else 1)) for step in path]
    else:
        found = _read_numbers(name)
    if len(found) != len(path):
        raise SpecError(f"{name} has {len(found)} numbers; greedy needs one for each step from 0 to {game.home}.")
    values = numbers(len(found), "f8")
    for step, value in enumerate(found):
        values[step] = value
    return values


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
    return {"perfect": Perfect, "greedy": Greedy, "first": First, "last": Last, "best": best}


BOTS = _own_bots
