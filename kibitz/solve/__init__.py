"""Solving games: the exact value of every position, by the solver that fits the game.

`solve(game)` solves a game; `values_of(game)` reads the values of a game with chance that was solved before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.filesize import decimal

from kibitz.compiler import is_loading_only, running_time
from kibitz.errors import KibitzError, NotCompiled
from kibitz.notices import tell
from kibitz.rules.contract import Game
from kibitz.rules.engine import Engine
from kibitz.rules.registry import GameLike, as_game, spec_of
from kibitz.solve.exhaustive import Progress, Solution, solve_exhaustively
from kibitz.solve.files import Label, find_kept, kept_path, read_table, write_table
from kibitz.solve.index import Found, own_index
from kibitz.solve.iteration import VALUE_BYTES, Iteration
from kibitz.solve.packing import expected_size
from kibitz.solve.positions import Positions
from kibitz.solve.store import UnfinishedTable
from kibitz.solve.values import Values

THREADS, RAY = ENGINES = ("threads", "ray")
MEMORY = 4_000_000_000  # bytes for the positions and their values, by default
TOLERANCE = 1e-9
SMALLEST_TOLERANCE = 1e-13  # below this, the last digits of a float would have to converge
QUICK = 3_000_000  # positions that take only seconds, so that they are solved on demand


@dataclass(frozen=True)
class ValueTable:
    """The solution of a game with chance."""

    label: Label
    values: Values
    path: Path | None  # where it is stored, if anywhere


def solve(
    game: GameLike,
    *,
    tolerance: float = TOLERANCE,
    memory: int = MEMORY,
    threads: int = 0,
    engine: str = THREADS,
    address: str | None = None,
    out: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> Solution | ValueTable:
    """Solve a game: exhaustively if it has no chance, else by value iteration, with the table stored in `out`.

    The layers of a game with its own numbering can be solved by the Ray cluster at `address`, or else one on this
    machine: `engine="ray"`. `threads` is then the number of workers.

    Examples:
        >>> from kibitz.solve import solve
        >>> solution = solve("examples/chomp.py:Chomp")
        >>> solution.value, solution.plies
        (1.0, 12)
    """
    game = as_game(game)
    if why := misfit(game):
        raise KibitzError(f"{spec_of(game)} cannot be solved: {why}")
    if game.has_chance:
        return solve_chance(game, tolerance, memory, threads, out, progress, engine, address)
    _check_engine(game, engine, address, layers=1)
    if out:
        raise KibitzError(f"{spec_of(game)} has no chance, so solving it leaves no table; leave out --out.")
    return solve_exhaustively(game, memory, progress)


def misfit(game: GameLike) -> str | None:
    """Why a game cannot be solved, as a sentence that says what would work; None if it can."""
    game = as_game(game)
    if game.has_hidden_information:
        return "it has hidden information; use ismcts or mc."
    if game.players != 2:
        return f"the value of a position is defined for two players, not {game.players}; use uct."
    if not game.is_constant_sum:
        return "its utilities have no constant sum, so that a position has no value; use uct or maxn."
    return None


def solve_chance(
    game: Game,
    tolerance: float = TOLERANCE,
    memory: int = MEMORY,
    threads: int = 0,
    out: Path | None = None,
    progress: Progress = lambda done, total: None,
    engine: str = THREADS,
    address: str | None = None,
) -> ValueTable:
    """Solve a game with chance by value iteration."""
    if not SMALLEST_TOLERANCE <= tolerance < 1:
        raise KibitzError(f"The tolerance must be at least {SMALLEST_TOLERANCE:g} and less than 1.")
    index = own_index(game)
    _check_engine(game, engine, address, len(index.layers()) if index else 1)
    if index is None:
        if out:
            raise KibitzError(
                f"{spec_of(game)} has no position_index, by which a table would be ordered; leave out --out."
            )
        positions = Positions(game, memory, VALUE_BYTES)
        positions.find_all(lambda found: progress(found, None))
        index = Found(positions)
    part = UnfinishedTable(out, index, tolerance) if out else None
    try:
        iteration = Iteration(game, index, tolerance, memory, part)
        iteration.compile()
        if index.size > QUICK:
            _announce(iteration, threads, engine, out)

        def show() -> None:
            progress(iteration.almost_done, index.size)

        start = running_time()
        for _ in _solved_layers(iteration, memory, threads, engine, address, show):
            pass
    except KeyboardInterrupt:
        if part and part.solved:
            tell(f"Stopped; {part.done:,} of {index.size:,} positions are solved, and the same command continues.")
        raise
    finally:
        if part:
            part.close()
    seconds = running_time() - start
    values = Values(game, index, iteration.store.values)
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
        write_table(out, label, part.read)
        part.remove()
        values = Values(game, index, read_table(out, index)[1])
    return ValueTable(label, values, out)


def _announce(iteration: Iteration, threads: int, engine: str, out: Path | None) -> None:
    """Say what solving a large game will take."""
    memory, seconds = iteration.estimate(threads)
    positions = sum(layer.size for layer in iteration.layers)
    takes = [f"up to {decimal(memory)} of memory"]
    if engine != RAY:
        time = f"about {round(seconds / 60)} min" if seconds > 60 else "less than a minute"
        takes.append(f"{time} if this machine has nothing else to do")
    if out:
        kept, meanwhile = expected_size(positions, iteration.tolerance), VALUE_BYTES * positions
        takes.append(f"a table of about {decimal(kept)}, and {decimal(meanwhile)} of disk space in the meantime")
    solved = f", {iteration.done:,} of which are solved already" if iteration.done else ""
    tell(f"{spec_of(iteration.game)} has {positions:,} positions{solved}: {'; '.join(takes)}.")


def _check_engine(game: Game, engine: str, address: str | None, layers: int) -> None:
    """Raise an error if a game cannot be solved by an engine."""
    if engine not in ENGINES:
        raise KibitzError(f"There is no engine {engine!r} to solve games; choose one of {', '.join(ENGINES)}.")
    if address is not None and engine != RAY:
        raise KibitzError(f"An address is for the engine ray; the engine {engine} runs on this machine.")
    if engine == RAY and layers == 1:
        raise KibitzError(
            f"{spec_of(game)} is not divided into layers that could be solved independently, so a cluster is no help; "
            "leave out the engine ray."
        )


def _solved_layers(
    iteration: Iteration, memory: int, threads: int, engine: str, address: str | None, meanwhile: Callable[[], None]
) -> Iterator[int]:
    if engine == RAY:
        from kibitz.solve.on_cluster import run_on_cluster

        return run_on_cluster(iteration, memory, threads or None, address, meanwhile)
    return iteration.run(threads, meanwhile)


def values_of(game: GameLike, file: str = "") -> Values:
    """The values of a game from a table: the given one, or the stored one. Small games are solved on demand.

    Examples:
        >>> import kibitz
        >>> from kibitz.solve import values_of
        >>> table = kibitz.Table("ur:pieces=2", seed=1)
        >>> values = values_of(table.game)
        >>> 0 < values.value(table.state, player=0) < 1, table.name(values.ranked(table.state)[0].move)
        (True, '0-1')
    """
    game = as_game(game)
    index = own_index(game)
    if index is None:
        raise KibitzError(f"There are no tables of {spec_of(game)}, because it has no position_index.")
    path = Path(file) if file else find_kept(index)
    if path is None:
        if index.size > QUICK:
            raise KibitzError(
                f"{spec_of(game)} has not been solved yet; run `kibitz solve {spec_of(game)}` once, "
                "or name its table: perfect:file=…"
            )
        if is_loading_only():
            raise NotCompiled(f"{spec_of(game)} has not been solved yet.")
        tell(f"Solving {spec_of(game)} … (once; kept for next time)")
        table = solve_chance(game)
        path = kept_path(index)
        try:
            write_table(path, table.label, lambda first, end: table.values.reader.values[first:end])
        except KibitzError:  # if the cache cannot be written, it is solved again next time
            return table.values
    return Values(game, index, read_table(path, index)[1])


def kept_table(game: GameLike) -> Path | None:
    """Where the table of a game is stored by default; None for a game without one."""
    game = as_game(game)
    index = own_index(game) if game.has_chance else None
    return kept_path(index) if index else None


def is_solved(game: GameLike) -> bool:
    """Whether the values of a game are available, or will be within seconds."""
    index = own_index(as_game(game))
    return index is not None and (index.size <= QUICK or find_kept(index) is not None)


__all__ = ["Solution", "ValueTable", "Values", "is_solved", "kept_table", "misfit", "solve", "values_of"]
