"""Games solved for good: what every position is worth, by the solver that fits the game.

`solve(game)` solves it; `values_of(game)` has the values of a game with chance that was solved before.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kibitz.engine import Engine
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.games import spec_of
from kibitz.notice import tell
from kibitz.solve.exhaustive import Progress, Solution, solve_exhaustively
from kibitz.solve.files import Label, Part, find_kept, kept_path, read_table, write_table
from kibitz.solve.index import Found, own_index
from kibitz.solve.iteration import VALUE_BYTES, Iteration
from kibitz.solve.positions import Positions
from kibitz.solve.values import Values

MEMORY = 4_000_000_000  # bytes for the positions and their values, where no limit is given
TOLERANCE = 1e-9
SMALLEST_TOLERANCE = 1e-13  # below, the last digits of a float would have to settle
QUICK = 3_000_000  # positions that are solved in seconds, so that it can be done unasked


@dataclass(frozen=True)
class ValueTable:
    """The solution of a game with chance."""

    label: Label
    values: Values
    path: Path | None  # where it is kept


def solve(
    game: Game,
    *,
    tolerance: float = TOLERANCE,
    memory: int = MEMORY,
    threads: int = 0,
    out: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> Solution | ValueTable:
    """Solve a game: exhaustively where there is no chance, else by value iteration, whose table `out` keeps."""
    if why := misfit(game):
        raise KibitzError(f"{spec_of(game)} cannot be solved: {why}")
    if game.has_chance:
        return solve_chance(game, tolerance, memory, threads, out, progress)
    if out:
        raise KibitzError(f"{spec_of(game)} has no chance and is solved in one go; it leaves no table for --out.")
    return solve_exhaustively(game, memory, progress)


def misfit(game: Game) -> str | None:
    """Why there is no solver for a game, as a sentence that says what would work; None when there is one."""
    if game.has_hidden_information:
        return "players who do not know the position can only play by odds; use ismcts or mc."
    if game.players != 2:
        return f"the value of a position is defined for two players, and here are {game.players}; use uct."
    return None


def solve_chance(
    game: Game,
    tolerance: float = TOLERANCE,
    memory: int = MEMORY,
    threads: int = 0,
    out: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> ValueTable:
    """Solve a game with chance by value iteration."""
    if not SMALLEST_TOLERANCE <= tolerance < 1:
        raise KibitzError(f"The tolerance must be from {SMALLEST_TOLERANCE:g} to below 1.")
    index = own_index(game)
    if index is None:
        if out:
            raise KibitzError(
                f"The positions of {spec_of(game)} have no numbers of their own to order a table by; leave out --out."
            )
        positions = Positions(game, memory, VALUE_BYTES)
        positions.find_all(lambda found: progress(found, None))
        index = Found(positions)
    iteration = Iteration(game, index, tolerance, memory)
    iteration.compile()
    start = time.perf_counter()
    part = Part(out, index, iteration) if out else None
    try:
        for place in iteration.run(threads):
            if part:
                part.keep(place)
            progress(iteration.done, index.size)
    finally:
        if part:
            part.close()
    seconds = time.perf_counter() - start
    values = Values(game, index, iteration.values)
    label = Label(
        game=spec_of(game),
        index=index.name,
        positions=index.size,
        tolerance=tolerance,
        value=values.value(Engine(game).start()),
        sweeps=round(iteration.sweeps, 1),
        seconds=round(seconds, 3),
    )
    if out and part:
        write_table(out, label, iteration.values)
        part.remove()
    return ValueTable(label, values, out)


def values_of(game: Game, file: str = "") -> Values:
    """The values of a game from a table: a given one, or the one that is kept. Small games are solved when need be."""
    index = own_index(game)
    if index is None:
        raise KibitzError(f"There are no tables of {spec_of(game)}: its positions have no numbers of their own.")
    path = Path(file) if file else find_kept(index)
    if path is None:
        if index.size > QUICK:
            raise KibitzError(
                f"{spec_of(game)} has not been solved here; run `kibitz solve {spec_of(game)}` once, "
                "or name a table of it: perfect:file=…"
            )
        tell(f"Solving {spec_of(game)} … (once; kept for next time)")
        table = solve_chance(game)
        with contextlib.suppress(KibitzError):  # a cache that cannot be written only means to solve it again
            write_table(kept_path(index), table.label, table.values.reader.values)
        return Values(game, index, np.asarray(table.values.reader.values, "<f4"))
    return Values(game, index, read_table(path, index)[1])


def kept_table(game: Game) -> Path | None:
    """Where the table of a game is kept for the user; None for a game that leaves none."""
    index = own_index(game) if game.has_chance else None
    return kept_path(index) if index else None


def is_solved(game: Game) -> bool:
    """Whether the values of a game are at hand, or will be within seconds."""
    index = own_index(game)
    return index is not None and (index.size <= QUICK or find_kept(index) is not None)


__all__ = ["Solution", "ValueTable", "Values", "is_solved", "kept_table", "misfit", "solve", "values_of"]
