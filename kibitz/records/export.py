"""Exports logs for other tools: all games in one Parquet file, or all plies as CSV.

A table of plies has a layout. The default layout fits every game; a game can add named layouts in a file `layouts.py`
next to its rules:

    LAYOUTS = {"camelai": Camelai()}  # each a Layout
"""

from __future__ import annotations

import contextlib
import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kibitz.errors import KibitzError
from kibitz.records.files import written_aside
from kibitz.records.log import Log, as_log
from kibitz.rules.contract import CHANCE, Game
from kibitz.rules.registry import GameLike, spec_of
from kibitz.rules.spec import unknown
from kibitz.table import Record, Table
from kibitz.table.replay import steps

PLY = ("game", "ply", "player", "bot", "kind", "move", "name")  # the columns that precede the game's own
PLIES = "plies"  # the default layout


def merge(
    log: str | Path, out: str | Path | None = None, *, progress: Callable[[int, int], None] | None = None
) -> Path:
    """Write all finished games of a log, in order, to one Parquet file, by default next to its folder; return it.

    `progress(done, total)` is called regularly with numbers of games.
    """
    from kibitz.records.columns import write_parquet  # imported on demand: pyarrow is slow to import

    source = Log(log)
    path = _new(out, source, ".parquet")
    total = source.span()[0] if progress else 0
    with _complaining_of(path):
        write_parquet(path, source.tables(), source.index, progress and (lambda done: progress(done, total)))
    return path


class Layout(ABC):
    """The layout of a table of plies: its columns, its rows and the names of its files."""

    @abstractmethod
    def columns(self, game: Game, merged: bool) -> Sequence[str]:
        """The header of the table, for one game or for all games `merged`."""

    @abstractmethod
    def rows(self, number: int, record: Record, game: Game, merged: bool) -> Iterator[Sequence[Any]]:
        """The rows of a game, with a cell for every column; None becomes an empty cell."""

    def file(self, number: int, digits: int) -> str:
        """The name of a game's file; no number has more than `digits` digits."""
        return f"game-{number:0{digits}}.csv"


class Plies(Layout):
    """One row per ply: who did what, followed by the resulting position in the game's own columns."""

    def columns(self, game: Game, merged: bool) -> Sequence[str]:
        return (*PLY, *(f"state_{name}" if name in PLY else name for name in _own_columns(game)))

    def rows(self, number: int, record: Record, game: Game, merged: bool) -> Iterator[Sequence[Any]]:
        own = _own_columns(game)
        for ply, (table, name) in enumerate(steps(record, game), 1):
            turn, move = table.history[-1]
            columns = table.board.columns(game, table.state)
            if list(columns) != own:
                raise KibitzError(
                    f"{type(table.board).__name__}.columns of {record.game} must always return the same columns."
                )
            who = (turn, "", "chance") if turn == CHANCE else (turn, record.seats[turn], "move")
            yield (number, ply, *who, move, name, *columns.values())


def layout_of(game: Game, name: str = PLIES) -> Layout:
    """Find a layout by name: the default one, or one of the game's own."""
    layouts: dict[str, Layout] = {PLIES: Plies(), **game.extra_mapping("layouts")}
    if name not in layouts:
        raise unknown(f"layout of {spec_of(game)} called", name, layouts)
    return layouts[name]


def export_csv(
    log: Log | str | Path,
    out: str | Path | None = None,
    *,
    merged: bool = False,
    layout: str = PLIES,
    game: GameLike | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write every ply of every finished game as a row: one CSV file per game in the folder `out`, or one file `merged`.

    A row says who did what, followed by the resulting position in the game's own columns (see kibitz.Board.columns);
    all rows have the same columns. `layout` selects another layout if the game has one. `game` gives the rules if they
    cannot be found by the game's spec. `progress(done, total)` is called after every game.
    """
    source = as_log(log)
    if not source.has_moves:
        raise KibitzError(f"The log {source.path} does not contain the moves of its games.")
    rules = source.rules(game)
    shape = layout_of(rules, layout)
    header = shape.columns(rules, merged)
    path = _new(out, source, ".csv" if merged else "-csv")
    total, numbers = source.span()
    with _complaining_of(path):
        games = _counted(source.records(), total, progress)
        if merged:
            with written_aside(path) as file:
                file.write(_csv([header]))
                for number, record in games:
                    file.write(_csv(shape.rows(number, record, rules, merged)))
        else:
            path.mkdir()
            digits = len(str(max(0, numbers.stop - 1)))
            for number, record in games:
                rows = shape.rows(number, record, rules, merged)
                (path / shape.file(number, digits)).write_bytes(_csv([header, *rows]))
    return path


def _own_columns(game: Game) -> list[str]:
    table = Table(game, deal=False)
    return list(table.board.columns(game, table.state))


def _counted(
    games: Iterable[tuple[int, Record]], total: int, progress: Callable[[int, int], None] | None
) -> Iterator[tuple[int, Record]]:
    """The same games; each counts as done when the next one is requested."""
    for done, game in enumerate(games, 1):
        yield game
        if progress:
            progress(done, total)


def _csv(rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _new(out: str | Path | None, log: Log, ending: str) -> Path:
    """The path to write to, which must not exist yet; by default next to the log."""
    place = log.path.resolve()
    path = Path(out) if out else place.with_name((place.stem if place.is_file() else place.name) + ending)
    if path.exists():
        raise KibitzError(f"{path} already exists; remove it or choose another path with --out.")
    return path


@contextlib.contextmanager
def _complaining_of(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise KibitzError(f"Cannot write {path}: {error.strerror or error}.") from error
