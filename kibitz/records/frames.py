"""Games as polars data frames: those in memory, and those of a log, which are read when they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kibitz.errors import KibitzError
from kibitz.records.games import Games

if TYPE_CHECKING:
    from kibitz.records.log import Log


def polars() -> ModuleType:
    """The module polars; an error that says how to install it if it is missing."""
    try:
        import polars
    except ModuleNotFoundError:
        raise KibitzError('A data frame needs polars; install it with: pip install "kibitz[frames]"') from None
    return polars


def games_frame(batches: Sequence[Games], game: str, seed: int | str, bots: Sequence[str]) -> Any:
    """Games in memory as a data frame, with the columns of a log."""
    pl = polars()
    from kibitz.records.columns import SCHEMA, batch_of

    tournament = {"game": game, "seed": seed, "bots": list(bots)}
    if not batches:
        return pl.from_arrow(SCHEMA.empty_table())
    return pl.from_arrow(batch_of(Games.joined(batches), tournament))


def scan(log: Log) -> Any:
    """The finished games of a log as a polars LazyFrame, in the order of their numbers."""
    pl = polars()
    from polars.io.plugins import register_io_source

    from kibitz.records.columns import SCHEMA

    def read(columns: list[str] | None, predicate: Any, rows: int | None, _: int | None) -> Iterator[Any]:
        # polars asks for columns in its own order, and for those of the predicate as well.
        for table in log.tables(columns):
            frame = pl.from_arrow(table)
            frame = frame if columns is None else frame.select(columns)
            frame = frame if predicate is None else frame.filter(predicate)
            frame = frame if rows is None else frame.head(rows)
            yield frame
            if rows is not None and (rows := rows - len(frame)) <= 0:
                return

    return register_io_source(read, schema=pl.from_arrow(SCHEMA.empty_table()).schema)
