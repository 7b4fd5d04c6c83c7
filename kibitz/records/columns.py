"""Games as Arrow columns and Parquet files: the only module that uses pyarrow. Import it when a log is opened."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
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
WITH_MOVES = [name for name in SCHEMA.names if name not in ("rules", "seed", "seats")]  # the index has these
WITHOUT_MOVES = [name for name in WITH_MOVES if name not in ("turns", "moves")]
GROUP_GAMES = 1 << 16  # in a row group, of which all has to be read to find a single game
ANY = range(-(1 << 63), (1 << 63) - 1)  # all numbers that games could have
_ASCENDING = ("game", "group")  # of which differences are stored
_FORMAT: dict[str, Any] = {
    "compression": "zstd",
    "write_page_checksum": True,
    "use_dictionary": [
        f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name
        for field in SCHEMA
        if field.name not in _ASCENDING
    ],
    "column_encoding": dict.fromkeys(_ASCENDING, "DELTA_BINARY_PACKED"),
}
_DAMAGE = (pa.ArrowException, LookupError, MemoryError, OSError, TypeError, ValueError)  # what reading one may raise
_WORDS = pa.array([outcome.words for outcome in Outcome])


def batch_of(games: Games, tournament: dict[str, Any]) -> pa.RecordBatch:
    """Convert games to a batch of rows."""
    count, players = games.bots.shape
    by_seat = np.arange(count + 1, dtype="i4") * players
    plies = np.zeros(count + 1, "i4")
    turns, moves = np.zeros(0, "i1"), np.zeros(0, "i4")
    if any(map(len, games.moves)):
        np.cumsum(np.fromiter(map(len, games.moves), "i4", count), out=plies[1:])
        turns, moves = np.concatenate(games.turns, dtype="i1"), np.concatenate(games.moves, dtype="i4")
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
        "turns": _lists(plies, turns),
        "moves": _lists(plies, moves),
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
    """Convert rows, of which there must be at least one, to games; `turns` and `moves` may be missing."""
    players = len(table["bots"][0])

    def by_seat(name: str, kind: str) -> np.ndarray:
        return pc.list_flatten(table[name]).to_numpy().astype(kind, copy=False).reshape(-1, players)

    def by_ply(name: str, kind: str) -> list[np.ndarray]:
        flat = np.zeros(0, kind)
        if name in table.column_names:
            flat = pc.list_flatten(table[name]).to_numpy().astype(kind, copy=False)
        if not len(flat):  # the moves were not kept, or not read
            return [flat] * len(table)
        ends = np.cumsum(pc.list_value_length(table[name]).to_numpy(), dtype="i8").tolist()
        return [flat[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)]

    faults = table["fault"]
    return Games(
        game=table["game"].to_numpy(),
        group=table["group"].to_numpy(),
        bots=by_seat("bots", "i2"),
        payoff=by_seat("payoff", "f8"),
        score=by_seat("score", "f8"),
        outcome=pc.index_in(table["outcome"], _WORDS).to_numpy().astype("i1"),
        fault_seat=pc.fill_null(table["fault_seat"], -1).to_numpy().astype("i1", copy=False),
        fault=pc.fill_null(faults, "").to_pylist() if faults.null_count < len(table) else [""] * len(table),
        choices=by_seat("decisions", "i4"),
        seconds=by_seat("seconds", "f8"),
        turns=by_ply("turns", "i1"),
        moves=by_ply("moves", "i4"),
    )


def to_bytes(batch: pa.RecordBatch) -> bytes:
    """Serialise a batch for the journal."""
    return batch.serialize().to_pybytes()


def read_entries(entries: Iterable[bytes]) -> pa.Table:
    """The games in the entries of a journal."""
    batches = [pa.ipc.read_record_batch(pa.py_buffer(entry), SCHEMA) for entry in entries]
    return pa.Table.from_batches(batches, SCHEMA)


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Concatenate tables, in the order of the games' numbers, without duplicates."""
    together = pa.concat_tables(tables) if tables else SCHEMA.empty_table()
    numbers = together["game"].to_numpy()
    if (numbers[1:] > numbers[:-1]).all():
        return together
    return together.take(pa.array(np.unique(numbers, return_index=True)[1]))


def write_parquet(
    path: Path, tables: Iterable[pa.Table], index: dict[str, Any], progress: Callable[[int], None] | None = None
) -> None:
    """Write tables, which must be in order, to a file atomically; `progress` is told the number of games so far."""
    schema = SCHEMA.with_metadata({INDEX_KEY: json.dumps(index).encode()})
    games = 0
    with written_aside(path) as file:
        with pq.ParquetWriter(file, schema, **_FORMAT) as writer:
            for table in tables:
                writer.write_table(table.cast(schema), row_group_size=GROUP_GAMES)
                games += len(table)
                if progress is not None:
                    progress(games)
        add_checksum(file)


def parquet_span(path: Path) -> range:
    """A range that includes the numbers of all games in a file, from its footer alone; empty if there are none."""
    try:
        metadata = pq.read_metadata(path)
        column = metadata.schema.names.index("game")
        groups = [metadata.row_group(number).column(column).statistics for number in range(metadata.num_row_groups)]
    except _DAMAGE as error:
        raise _unreadable(path, error) from None
    if not all(group is not None and group.has_min_max for group in groups):
        return ANY
    return range(min(group.min for group in groups), max(group.max for group in groups) + 1) if groups else range(0)


def read_parquet(path: Path, numbers: range) -> pa.Table:
    """The games in a file with these numbers."""
    filters = [("game", ">=", numbers.start), ("game", "<", numbers.stop)]
    try:
        # A folder named a=b is just a folder, hence no partitioning.
        table = pq.read_table(path, filters=filters, partitioning=None, page_checksum_verification=True)
        return table.select(SCHEMA.names).replace_schema_metadata()
    except _DAMAGE as error:
        raise _unreadable(path, error) from None


def parquet_batches(path: Path, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
    """All games in a file in the order of their numbers, `rows` at a time; some of the columns, including `game`."""
    last = -1
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            for group in range(file.num_row_groups):  # one by one, which takes less memory
                for batch in file.iter_batches(rows, row_groups=[group], columns=list(columns)):
                    table = pa.Table.from_batches([batch]).select(columns).replace_schema_metadata()
                    numbers = table["game"].to_numpy()
                    if not (np.diff(numbers, prepend=last) > 0).all():
                        raise ValueError("its games are not in order")
                    last = numbers[-1]
                    yield table
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
