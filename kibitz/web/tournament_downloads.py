"""What can be read of the games of a tournament: a list of them, the record of each, and its log as one file.

All of it reads files, so call it in a thread.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import IO

from starlette.exceptions import HTTPException

from kibitz.errors import KibitzError
from kibitz.records.games import Outcome
from kibitz.records.log import Log
from kibitz.table import Record
from kibitz.web.tournament_folder import TournamentFolder
from kibitz.web.tournament_messages import NO_SUCH_TOURNAMENT, TournamentGame

GAMES_AT_ONCE = 50
LOG_FILES = (".json", ".parquet", ".journal")
PACKING_ATTEMPTS = 5


def played_games(folder: TournamentFolder, first: int) -> list[TournamentGame]:
    """Some of the games that have been played, from a number on."""
    try:
        games = Log(folder.log, trust=True).games(range(first, first + GAMES_AT_ONCE))
    except (KibitzError, OSError):  # just deleted
        raise HTTPException(404, NO_SUCH_TOURNAMENT) from None
    return [
        TournamentGame(
            game=int(games.game[row]),
            bots=games.bots[row].tolist(),
            payoff=games.payoff[row].tolist(),
            decisions=int(games.choices[row].sum()),
            fault=None if games.outcome[row] == Outcome.BOARD else Outcome(games.outcome[row]).words,
        )
        for row in range(len(games))
    ]


def record_of_game(folder: TournamentFolder, number: int) -> Record:
    """A game to replay, with the bots as people know them."""
    setting = folder.setting()
    if setting is None:
        raise HTTPException(404, NO_SUCH_TOURNAMENT)
    names = {bot.spec: bot.name for bot in setting.bots}
    try:
        record = Log(folder.log, trust=True).record(number)
    except KibitzError:
        raise KibitzError(f"Game {number} of this tournament has not been played.") from None
    return replace(record, seats=tuple(names.get(seat, seat) for seat in record.seats))


def packed_log(folder: Path, name: str) -> IO[bytes]:
    """The files of a log as a .tar.gz file, but for its lock and its secret, which are nobody's business."""
    for _ in range(PACKING_ATTEMPTS):
        file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (closed when it has been sent)
        try:
            with tarfile.open(fileobj=file, mode="w:gz") as archive:
                for path in sorted(path for path in folder.iterdir() if path.suffix in LOG_FILES):
                    with path.open("rb") as content:  # as long as it is now: a journal grows
                        entry = tarfile.TarInfo(f"{name}/{path.name}")
                        status = os.fstat(content.fileno())
                        entry.size, entry.mtime = status.st_size, int(status.st_mtime)
                        archive.addfile(entry, content)
        except FileNotFoundError:  # a journal has just become a Parquet file
            file.close()
            continue
        file.seek(0)
        return file
    raise HTTPException(404, NO_SUCH_TOURNAMENT)
