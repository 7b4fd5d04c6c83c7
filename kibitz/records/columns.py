"""Games as Arrow columns and Parquet files: the only module that uses pyarrow. Import it when a log is opened."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.errors import KibitzError
from kibitz.records.checksum import add_checksum, is_damaged
from kibitz.records.files import written_aside
from kibitz.records.games import Games, Outcome

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
except ImportError:
    raise KibitzError('Logs need pyarrow; install it with: pip install "kibitz[logs]"') from None

INDEX_KEY = b"kibitz"  # the metadata key of the index, which every file contains so that it can be read on its own
SCHEMA = pa.schema(
    [
        ("game", pa.int64()),  # its number in the tournament
        ("group", pa.int64()),  # games in the same group have the same luck
        ("rules", pa.string()),  # the game's spec
        ("seed", pa.string()),
        ("seats", pa.list_(pa.string())),  # the spec of the bot in each seat
        ("bots", pa.list_(pa.int16())),  # its index in the tournament's list of bots
        ("payoff", pa.list_(pa.float64())),  # by seat
        ("score", pa.list_(pa.float64())),  # by seat; null after a fault
        ("outcome", pa.string()),
        ("fault_seat", pa.int8()),  # null if there was no fault
        ("fault", pa.string()),
        ("decisions", pa.list_(pa.int32())),  # by seat
        ("seconds", pa.list_(pa.float64())),  # by seat
        ("turns", pa.list_(pa.int8())),  # who acted at each ply; −1: chance
        ("moves", pa.list_(pa.int32())),  # the move or outcome at each ply
    ]
)
_DAMAGE = (pa.ArrowException, LookupError, MemoryError, OSError, TypeError, ValueError)  # what reading one may raise
_WORDS = pa.array([outcome.words for outcome in Outcome])


def batch_of(games: Games, tournament: dict[str, Any]) -> pa.RecordBatch:
    """Convert games to a batch of rows."""
    count, players = games.bots.shape
    by_seat = np.arange(count + 1, dtype="i4") * players
    plies = np.zeros(count + 1, "i4")
    np.cumsum(np.fromiter(map(len, games.moves), "i4", count), out=plies[1:])
    columns = {
        "game": games.game,
        "group": games.group,
        "rules": pa.repeat(_strings([tournament["game"]])[0], count),
        "seed": pa.repeat(_strings([str(tournament["seed"])])[0], count),
        "seats": _lists(by_seat, _strings(tournament["bots"]).take(pa.array(games.bots.ravel()))),
        "bots": _lists(by_seat, games.bots),
        "payoff": _lists(by_seat, games.payoff),
        "score": _lists(by_seat, games.score),
        "outcome": _WORDS.take(pa.array(games.outcome)),
        "fault_seat": pa.array(games.fault_seat, mask=games.fault_seat < 0),
        "fault": _strings([_clean(text) for text in games.fault]) if any(games.fault) else pa.nulls(count, pa.string()),
        "decisions": _lists(by_seat, games.choices),
        "seconds": _lists(by_seat, games.seconds),
        "turns": _lists(plies, np.concatenate(games.turns, dtype="i1")),
        "moves": _lists(plies, np.concatenate(games.moves, dtype="i4")),
    }
    return pa.RecordBatch.from_arrays([pa.array(columns[name]) for name in SCHEMA.names], schema=SCHEMA)


def _lists(offsets: np.ndarray, values: Any) -> pa.ListArray:
    """Rows of values; NaN becomes null, so that means and sums ignore it."""
    if isinstance(values, np.ndarray):
        values = pa.array(values.ravel(), from_pandas=True)
    return pa.ListArray.from_arrays(offsets, values)


def _strings(texts: Sequence[str | None]) -> pa.StringArray:
    """Convert via an object array: given a list, pyarrow first looks for pandas, which takes longer than the rest."""
    return pa.array(np.array(texts, object), pa.string())


def _clean(text: str) -> str | None:
    """Text that can be encoded as UTF-8, whatever a bot put into its error message."""
    return text.encode("utf-8", "replace").decode() or None


def games_of(table: pa.Table) -> Games:
    """Convert rows, of which there must be at least one, to games."""
    players = len(table["bots"][0])

    def by_seat(name: str, kind: str) -> np.ndarray:
        return pc.list_flatten(table[name]).to_numpy().astype(kind, copy=False).reshape(-1, players)

    def by_ply(name: str, kind: str) -> list[np.ndarray]:
        flat = pc.list_flatten(table[name]).to_numpy().astype(kind, copy=False)
        ends = np.cumsum(pc.list_value_length(table[name]).to_numpy(), dtype="i8").tolist()
        return [flat[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)]

    return Games(
        game=table["game"].to_numpy(),
        group=table["group"].to_numpy(),
        bots=by_seat("bots", "i2"),
        payoff=by_seat("payoff", "f8"),
        score=by_seat("score", "f8"),
        outcome=pc.index_in(table["outcome"], _WORDS).to_numpy().astype("i1"),
        fault_seat=pc.fill_null(table["fault_seat"], -1).to_numpy().astype("i1", copy=False),
        fault=pc.fill_null(table["fault"], "").to_pylist(),
        choices=by_seat("decisions", "i4"),
        seconds=by_seat("seconds", "f8"),
        turns=by_ply("turns", "i1"),
        moves=by_ply("moves", "i4"),
    )


def to_bytes(batch: pa.RecordBatch) -> bytes:
    """Serialise a batch for the journal."""
    return batch.serialize().to_pybytes()


def read_entries(
    entries: Iterable[bytes], columns: Sequence[str] | None = None, between: tuple[int, int] | None = None
) -> pa.Table:
    """The games in the entries of a journal; see read_parquet."""
    batches = [pa.ipc.read_record_batch(pa.py_buffer(entry), SCHEMA) for entry in entries]
    table = pa.Table.from_batches(batches, SCHEMA).select(columns or SCHEMA.names)
    return (
        table if between is None else table.filter((pc.field("game") >= between[0]) & (pc.field("game") <= between[1]))
    )


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Concatenate tables, in the order of the games' numbers, without duplicates."""
    together = pa.concat_tables(tables)
    numbers = together["game"].to_numpy()
    if (numbers[1:] > numbers[:-1]).all():
        return together
    return together.take(pa.array(np.unique(numbers, return_index=True)[1]))


def write_parquet(path: Path, tables: Iterable[pa.Table], index: dict[str, Any]) -> int:
    """Write tables to a file atomically, each as a row group; return the number of games."""
    schema = SCHEMA.with_metadata({INDEX_KEY: json.dumps(index).encode()})
    games = 0
    with written_aside(path) as file:
        with pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True) as writer:
            for table in tables:
                writer.write_table(table.cast(schema))
                games += len(table)
        add_checksum(file)
    return games


def read_parquet(path: Path, columns: Sequence[str] | None = None, between: tuple[int, int] | None = None) -> pa.Table:
    """The games in a file: some or all columns, of games with numbers in `between` (both ends included) or of all."""
    filters = None if between is None else [("game", ">=", between[0]), ("game", "<=", between[1])]
    try:
        table = pq.read_table(
            path,
            columns=columns if columns is None else list(columns),
            filters=filters,
            partitioning=None,  # a folder named a=b is just a folder
            page_checksum_verification=True,
        )
        return table.select(columns or SCHEMA.names).replace_schema_metadata()
    except _DAMAGE as error:
        raise _unreadable(path, error) from None


def check_parquet(path: Path) -> None:
    """Raise an error if a file is not as it was written; reads all of it."""
    try:
        damaged = is_damaged(path)
    except OSError as error:
        raise _unreadable(path, error) from None
    if damaged:
        raise _unreadable(path, "its checksum is wrong")


def read_index(path: Path) -> dict[str, Any]:
    """The index stored in a file."""
    try:
        metadata = pq.read_schema(path).metadata or {}
        if INDEX_KEY not in metadata:
            raise KibitzError(f"{path} is a Parquet file, but not a kibitz log.")
        return json.loads(metadata[INDEX_KEY])
    except _DAMAGE as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception | str) -> KibitzError:
    reason = str(error).strip().partition("\n")[0].rstrip(".")
    return KibitzError(f"{path} is damaged or incomplete ({reason}); move it away to continue without its games.")
