"""The log of a tournament: a folder to which finished games are added, and which survives a crash of its writer.

`tournament.json` describes the tournament. Games are stored in parts, `games-000001.parquet` and so on. The part being
written is a journal, `games-000002.journal`, to which games are appended as they end; once it is large or old enough,
it is sealed: written as Parquet under the same number, forced to the disk, then deleted. If both exist, the writer died
in between and the journal no longer counts. So no game is ever lost or stored twice.

How the secret of a tournament is kept is described in secret.py.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import platform
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.errors import KibitzError
from kibitz.records.files import ASIDE, Lock, make_folder, written_aside
from kibitz.records.identity import IDENTITY, check_identity
from kibitz.records.journal import Journal, entries
from kibitz.records.secret import SECRET_FILE, commitment, delete_secret, keep_secret
from kibitz.records.trust import ORIGIN, foreign_file, origin_of
from kibitz.rules.contract import Game
from kibitz.rules.registry import GameLike, as_game, find_game
from kibitz.table import Record
from kibitz.table.replay import names_of
from kibitz.version import VERSION

if TYPE_CHECKING:
    import pyarrow as pa

    from kibitz.records.games import Games
    from kibitz.records.parts import Part

INDEX = "tournament.json"
LOCK = ".lock"
PART = "games-" + 6 * "[0-9]"  # a pattern of names
SCHEMA_VERSION = 1
PART_BYTES = 32 << 20  # a journal is sealed when it is larger than this …
PART_SECONDS = 300.0  # … or older than this
READ_AT_ONCE = 100_000  # games in memory, or somewhat more


def _columns() -> ModuleType:
    from kibitz.records import columns  # imported when a log is opened: pyarrow is slow to import

    return columns


class LogWriter:
    """Writes the log of a tournament. A log has one writer at a time."""

    def __init__(
        self,
        folder: str | Path,
        tournament: dict[str, Any],
        *,
        resume: bool = False,
        identity: dict[str, Any] | None = None,
        secret: str | None = None,
    ) -> None:
        """Begin the log of a tournament in a new or empty folder, or continue an existing one (`resume`).

        `tournament` describes the tournament in JSON-compatible values, including `game`, `seed` and `bots` (the list
        of specs); `identity` is what it depends on besides (see identity.py). A log can only be resumed with the same,
        and with the same secret, which is not part of the log before `publish_secret`.
        """
        self.folder = Path(folder)
        self.tournament = json.loads(json.dumps(tournament))
        self._identity = identity
        self._secret = secret
        self._columns = _columns()
        self._last_part = 0  # its number
        self._journal: Journal | None = None
        self._begun = 0.0
        self._open = False
        self._failure: KibitzError | None = None  # what ended the log early, told again to every other thread
        try:
            make_folder(self.folder)
            self._check(resume)  # before anything is written, even the lock
            self._lock = Lock(self.folder / LOCK, f"The log {self.folder} is being written")
        except OSError as error:
            raise self._failed(error) from error
        try:
            if (index := self._check(resume)) and identity is not None:
                check_identity(self.folder, index, identity)
            self._index = index or self._begin()
            self._recover()
        except OSError as error:
            self._lock.release()
            raise self._failed(error) from error
        except BaseException:
            self._lock.release()
            raise
        self._open = True

    def _check(self, resume: bool) -> dict[str, Any] | None:
        """The index of the folder if it holds this tournament, None if it is empty; otherwise raise an error."""
        if not (self.folder / INDEX).exists():
            if any(path.name not in (LOCK, SECRET_FILE) and path.suffix != ASIDE for path in self.folder.iterdir()):
                raise KibitzError(f"The folder {self.folder} is not empty; a log needs its own folder.")
            return None
        if not resume:
            raise KibitzError(
                f"{self.folder} already contains the log of a tournament; resume it or choose another folder."
            )
        index = _read_index(self.folder)
        theirs = index["tournament"]
        for key in {**theirs, **self.tournament}:
            there, here = (json.dumps(t[key]) if key in t else "absent" for t in (theirs, self.tournament))
            if there != here:
                raise KibitzError(
                    f"The log {self.folder} belongs to another tournament ({key}: {there}, not {here}); "
                    f"resume it with the same {key}, or choose another folder."
                )
        ours = commitment(self.tournament, index.get(IDENTITY), self._secret)
        if index.get("commitment", None if self._secret else ours) != ours:  # older logs have none, nor a secret
            changed = INDEX if self._secret is None else f"{INDEX} or its secret"
            raise KibitzError(
                f"The log {self.folder} belongs to another tournament: {changed} is not what it began with; "
                "restore it, or choose another folder."
            )
        return index

    def _begin(self) -> dict[str, Any]:
        versions = {"kibitz": VERSION, "python": platform.python_version(), "numpy": np.__version__}
        index: dict[str, Any] = {
            "schema": SCHEMA_VERSION,
            "versions": versions,
            "tournament": self.tournament,
            "commitment": commitment(self.tournament, self._identity, self._secret),
        }
        if self._identity is not None:
            index[IDENTITY] = self._identity
        if (origin := origin_of(self.tournament["game"])) is not None:
            index[ORIGIN] = origin
        if self._secret is not None:
            keep_secret(self.folder, self._secret)
            index["secret"] = None
        self._write_index(index)
        return index

    def _write_index(self, index: dict[str, Any]) -> None:
        with written_aside(self.folder / INDEX) as file:
            file.write(json.dumps(index, indent=2).encode() + b"\n")

    def publish_secret(self) -> None:
        """Add the secret, if there is one, to the index: the tournament is over."""
        if self._secret is None:
            return
        self._index["secret"] = self._secret
        try:
            self._write_index(self._index)
            delete_secret(self.folder)
        except OSError as error:
            raise self._failed(error) from error

    def _recover(self) -> None:
        """Clean up after a writer that died: delete half-written files and seal its journal."""
        for path in self.folder.glob(f"*{ASIDE}"):
            path.unlink()
        for part in _parts_in(self.folder):
            self._last_part = int(part.name.removeprefix("games-"))
            if (sealed := part.with_suffix(".parquet")).exists():
                self._columns.check_parquet(sealed)  # detect damage before anything is played or deleted
                self._columns.read_index(sealed)
        self._seal_journals()

    def write(self, games: Games) -> None:
        """Add finished games. Once this returns, they survive if the process is killed; soon, also if the power fails.

        See journal.SYNC_SECONDS.
        """
        if not self._open:
            raise self._failure or KibitzError(f"The log {self.folder} is closed.")
        if not len(games):
            return
        entry = self._columns.to_bytes(self._columns.batch_of(games, self.tournament))
        try:
            if self._journal is None:
                self._last_part += 1
                self._journal = Journal(self.folder / f"games-{self._last_part:06}.journal")
                self._begun = time.monotonic()
            self._journal.append(entry)
            if self._journal.size > PART_BYTES or time.monotonic() - self._begun > PART_SECONDS:
                self._end_journal()
                self._seal_journals()
        except OSError as error:
            self._failure = self._failed(error)
            self._abandon()
            raise self._failure from error

    def _end_journal(self) -> None:
        if self._journal is not None:
            journal, self._journal = self._journal, None
            journal.close()

    def _seal_journals(self) -> None:
        """Turn closed journals (one, unless sealing was interrupted) into parts. One of the two is always complete."""
        for journal in sorted(self.folder.glob(f"{PART}.journal")):
            part = journal.with_suffix(".parquet")
            if not part.exists() and (batches := entries(journal)):
                table = self._columns.joined([self._columns.read_entries(batches)])
                self._columns.write_parquet(part, [table], self._index)
            journal.unlink()

    def close(self) -> None:
        """Close the log. Another writer can continue it with `resume`."""
        if not self._open:
            return
        try:
            self._end_journal()
            self._seal_journals()
        except OSError as error:
            raise self._failed(error) from error
        finally:
            self._abandon()

    def _abandon(self) -> None:
        """Leave the folder as it is: the games in its journal can be read, and the log can be resumed."""
        self._open = False
        with contextlib.suppress(OSError):  # the error that led here is the one to report
            self._end_journal()
        self._lock.release()

    def _failed(self, error: OSError) -> KibitzError:
        full = error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
        what = "the disk is full" if full else (error.strerror or str(error)).lower()
        comfort = "; the games in it are safe, so resume it later" if self._open else ""
        return KibitzError(f"Cannot write the log {self.folder}: {what}{comfort}.")

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Log:
    """Reads the log of a tournament, finished or still being written: its folder, or a file written by `merge`.

    Examples:
        >>> import kibitz
        >>> from kibitz.records.log import Log
        >>> result = kibitz.arena("connect_four", ["greedy", "random"], games=20, seed=1, log="runs/example")
        >>> log = Log("runs/example")
        >>> log.tournament["bots"], log.span(), len(log.finished())
        (['greedy', 'random'], (20, range(0, 20)), 20)
        >>> log.rules(), log.has_moves, log.has_secret, log.secret, log.foreign_file
        (ConnectFour(columns=7, rows=6), True, False, None, None)
        >>> kibitz.Table.replay(log.record(17)).payoff()
        [0.0, 1.0]
        >>> len(log.games(range(5, 10))), [len(games) for games in log.batches()]
        (5, [20])
        >>> [number for number, record in log.records()][:3], next(log.tables(["outcome"])).column_names
        ([0, 1, 2], ['game', 'outcome'])
        >>> log.record_of(log.row(17)).moves == log.record(17).moves
        True
        >>> log.scan().select("game", "outcome").head(2).collect().height
        2
    """

    def __init__(self, path: str | Path, trust: bool = False) -> None:
        """If somebody else wrote the log, a file that it names as its game is run only if you `trust` it."""
        self.path = Path(path)
        self.is_trusted = trust
        self._columns = _columns()
        self._intact: set[Path] = set()  # the files whose checksum has been verified
        merged = self.path.is_file()
        if merged:
            self._columns.check_parquet(self.path)
            self._intact.add(self.path)
        self.index = _checked(self._columns.read_index(self.path), self.path) if merged else _read_index(self.path)

    def __repr__(self) -> str:
        return f"<Log {self.path}: {self.tournament.get('game')}, {' – '.join(self.tournament.get('bots', ()))}>"

    @property
    def tournament(self) -> dict[str, Any]:
        """The description of the tournament, as given to the writer."""
        return self.index["tournament"]

    @property
    def foreign_file(self) -> Path | None:
        """The file of the game, if somebody else wrote the log, or wrote it elsewhere; None if it may be run."""
        return foreign_file(self.tournament["game"], self.index.get(ORIGIN))

    def rules(self, game: GameLike | None = None) -> Game:
        """The rules of the game, or `game`; an error if that means to run a file that is not trusted."""
        if game is not None:
            return as_game(game)
        if not self.is_trusted and (file := self.foreign_file) is not None:
            raise KibitzError(
                f"The log {self.path} is not from you, or its game has moved: it names {file}, which would be run; "
                "if you trust that file, open the log with trust=True."
            )
        return find_game(self.tournament["game"])

    @property
    def secret(self) -> str | None:
        """The secret of the tournament, once it is published; None if it is not, or if there is none."""
        return self.index.get("secret")

    @property
    def has_moves(self) -> bool:
        """Whether the moves of the games are logged."""
        return self.tournament.get("keep_moves", True)

    @property
    def has_secret(self) -> bool:
        """Whether the tournament has a secret, published or not."""
        return "secret" in self.index

    def span(self) -> tuple[int, range]:
        """The number of finished games, and a range from the first to the last of them."""
        games, first, last = 0, 0, -1
        for table in self.tables(["game"]):
            numbers = table["game"]
            first = first if games else numbers[0].as_py()
            games, last = games + len(numbers), numbers[-1].as_py()
        return games, range(first, last + 1)

    def finished(self) -> np.ndarray:
        """The numbers of the finished games, in order."""
        return np.concatenate([np.zeros(0, "i8"), *(table["game"].to_numpy() for table in self.tables(["game"]))])

    def batches(self, moves: bool = True) -> Iterator[Games]:
        """All finished games in the order of their numbers, without duplicates, in batches of moderate size.

        Without `moves`, they are read faster.
        """
        for table in self.tables(self._columns.WITH_MOVES if moves else self._columns.WITHOUT_MOVES):
            yield self._columns.games_of(table)

    def scan(self) -> Any:
        """All finished games, in order, as a polars LazyFrame: only what a query needs is read, a batch at a time.

        Unlike `polars.scan_parquet`, it includes the games of a tournament that is still being played, and notices
        damaged files.
        """
        from kibitz.records.frames import scan

        return scan(self)

    def games(self, numbers: range | None = None) -> Games:
        """All finished games at once, or those with some consecutive `numbers`, in order and without duplicates."""
        if numbers is None:
            batches = list(self.batches())
        else:
            batches = [self._columns.games_of(table)] if len(table := self._read(numbers)) else []
        if not batches:
            return self._columns.Games.empty(0, self.rules().players)
        return self._columns.Games.joined(batches)

    def record(self, number: int, game: GameLike | None = None) -> Record:
        """One game to replay; an error if the rules (`game`, or those its spec names) no longer allow it."""
        record = self.record_of(self.row(number))
        return dataclasses.replace(record, names=names_of(record, self.rules(game)))

    def records(self) -> Iterator[tuple[int, Record]]:
        """All finished games with their numbers, in order, to replay; without move names, which need the rules."""
        for games in self.batches():
            for row, number in enumerate(games.game.tolist()):
                yield number, self.record_of(games, row)

    def row(self, number: int) -> Games:
        """One game as it was logged."""
        if len(table := self._read(range(number, number + 1))):
            return self._columns.games_of(table)
        for part in self._parts():  # a damaged one may not have said that it contains the game
            part.verify()
        raise KibitzError(f"Game {number} is not in the log {self.path}.")

    def _read(self, numbers: range) -> pa.Table:
        """The finished games with some consecutive numbers."""
        if numbers.step != 1:
            raise KibitzError(f"The numbers of games must be consecutive; {numbers} is not.")
        return self._columns.joined([part.read(numbers) for part in self._parts() if part.overlaps(numbers)])

    def record_of(self, games: Games, row: int = 0) -> Record:
        """One of some games to replay, without move names."""
        if games.choices[row].any() and not len(games.moves[row]):
            raise KibitzError(f"The log {self.path} does not contain the moves of game {games.game[row]}.")
        over = bool(games.outcome[row] == 0)
        return Record(
            game=self.tournament["game"],
            seed=self.tournament["seed"],
            number=int(games.game[row]),
            luck=int(games.group[row]),
            seats=tuple(self.tournament["bots"][bot] for bot in games.bots[row]),
            turns=tuple(games.turns[row].tolist()),
            moves=tuple(games.moves[row].tolist()),
            names=(),
            over=over,
            payoff=tuple(games.payoff[row].tolist()) if over else (),
            score=tuple(games.score[row].tolist()) if over else (),
            secret=self.secret,
        )

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """All finished games in the order of their numbers, without duplicates, as Arrow tables of moderate size.

        Some of their columns, always with `game`, or all.
        """
        from kibitz.records.parts import in_order

        names = self._columns.SCHEMA.names if columns is None else list(dict.fromkeys(["game", *columns]))
        return in_order(self._parts(), names, READ_AT_ONCE)

    def _parts(self) -> list[Part]:
        from kibitz.records.parts import Part

        if self.path.is_file():
            return [Part(self.path, None, self._intact)]
        paths = _parts_in(self.path)
        return [Part(path.with_suffix(".parquet"), path.with_suffix(".journal"), self._intact) for path in paths]


def as_log(log: Log | str | Path) -> Log:
    """A log, given as such or by its path."""
    return log if isinstance(log, Log) else Log(log)


def _parts_in(folder: Path) -> list[Path]:
    """The parts of a log, sealed or not, as paths without suffixes."""
    paths = [path for ending in ("parquet", "journal") for path in folder.glob(f"{PART}.{ending}")]
    return sorted({path.with_suffix("") for path in paths})


def _read_index(folder: Path) -> dict[str, Any]:
    path = folder / INDEX
    try:
        index = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise KibitzError(f"There is no log in {folder}: it has no {INDEX}.") from None
    except (OSError, ValueError) as error:
        raise KibitzError(f"Cannot read {path}, which the log needs: {error}.") from None
    return _checked(index, path)


def _checked(index: Any, path: Path) -> dict[str, Any]:
    if not isinstance(index, dict) or not isinstance(index.get("tournament"), dict):
        raise KibitzError(f"{path} is not the index of a log.")
    if index.get("schema") != SCHEMA_VERSION:
        raise KibitzError(f"{path} was written by a version of kibitz whose logs this version cannot read.")
    return index
