"""A tournament of the page, as it is kept in a folder of its own.

`setting.json` says what is played and never changes. `log` is the log of its games, as of any tournament, and
`standings.json` what it comes to so far. The process that plays it writes both, and holds the lock `running` for as
long as it lives; the file `stop` asks it to end. So every server that has the folder knows how the tournament stands.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from kibitz.errors import KibitzError
from kibitz.records.files import Lock, make_folder, written_aside
from kibitz.web.validation import STRICT

SETTING, STANDINGS, LOG, RUNNING, STOP, REPORT = (
    "setting.json",
    "standings.json",
    "log",
    "running",
    "stop",
    "report.html",
)

CLAIM_SECONDS = 1.0


class TournamentBot(BaseModel):
    """A bot in a tournament."""

    model_config = ConfigDict(**STRICT, frozen=True)

    spec: str
    name: str  # as people know it: the title of a level, or the spec
    is_added: bool = False  # to this server: its spec may tell where something lies on this machine


class TournamentSetting(BaseModel):
    """What is decided before a tournament begins."""

    model_config = ConfigDict(**STRICT, frozen=True)

    game: str  # its spec, as this machine finds it
    shown_game: str  # … and as browsers name it
    title: str
    bots: tuple[TournamentBot, ...]
    games: int
    seed: int
    opening: int  # the random moves at the start of every game
    sandbox: str  # for bots that do not ship with kibitz
    visitor: str  # who began it
    begun: float  # seconds since 1970

    @property
    def is_public(self) -> bool:
        """Whether nothing in the log tells where something lies on this machine."""
        return self.game == self.shown_game and not any(bot.is_added for bot in self.bots)


class BotStanding(BaseModel):
    """How a bot has done so far."""

    bot: int  # its index
    games: int
    share: float  # of the win, or the normalized mean utility
    low: float
    high: float
    words: str  # the share, or the mean utility
    interval: str
    rating: float | None  # None: it has met nobody
    rating_low: float | None
    rating_high: float | None
    move_ms: float | None
    faults: int


class RatingPoint(BaseModel):
    """The ratings after some of the games."""

    played: int
    ratings: list[float]  # by bot


class Standings(BaseModel):
    """What a tournament has come to so far."""

    played: int
    seconds: float  # that it has been played for
    rate: float  # games per second
    model: str  # of the ratings: "Elo" or "Plackett–Luce"
    has_utilities: bool  # whether shares are normalized utilities
    ranking: list[BotStanding]  # best first
    pairs: list[list[str | None]]  # what each bot won against each other, in games for two
    pair_shares: list[list[float | None]]
    course: list[RatingPoint]


NOTHING_YET = Standings(
    played=0, seconds=0, rate=0, model="Elo", has_utilities=False, ranking=[], pairs=[], pair_shares=[], course=[]
)


class TournamentFolder:
    """The folder of one tournament."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = path / LOG
        self.report = path / REPORT

    @property
    def id(self) -> str:
        return self.path.name

    def create(self, setting: TournamentSetting) -> None:
        make_folder(self.path)
        with written_aside(self.path / SETTING) as file:
            file.write(setting.model_dump_json(indent=1).encode())

    def setting(self) -> TournamentSetting | None:
        """What is played; None if there is no such tournament."""
        try:
            return TournamentSetting.model_validate_json((self.path / SETTING).read_bytes())
        except (OSError, ValueError):  # deleted, or not quite created
            return None

    def standings(self) -> Standings:
        """What the tournament has come to when its process last said so, about a second ago while it is played."""
        try:
            return Standings.model_validate_json((self.path / STANDINGS).read_bytes())
        except (OSError, ValueError):
            return NOTHING_YET

    def write_standings(self, standings: Standings) -> None:
        with written_aside(self.path / STANDINGS) as file:
            file.write(standings.model_dump_json().encode())

    def claim(self) -> Lock:
        """The right to play the tournament, for one process at a time; KibitzError if another has it."""
        deadline = time.monotonic() + CLAIM_SECONDS
        while True:
            try:
                return Lock(self.path / RUNNING, "This tournament is being played")
            except KibitzError:
                if time.monotonic() > deadline:  # otherwise, somebody is perhaps only looking
                    raise
                time.sleep(0.01)

    @property
    def is_claimed(self) -> bool:
        """Whether a process, of whichever server, plays the tournament."""
        try:
            Lock(self.path / RUNNING, "").release()
        except KibitzError:
            return True
        except OSError:  # deleted
            return False
        return False

    @property
    def is_to_stop(self) -> bool:
        return (self.path / STOP).exists()

    def ask_to_stop(self, wanted: bool = True) -> None:
        """Ask the process that plays the tournament to end, or take that back."""
        if wanted:
            (self.path / STOP).touch()
        else:
            (self.path / STOP).unlink(missing_ok=True)

    def size(self) -> int:
        """The size of its files in bytes."""
        files = (Path(folder) / name for folder, _, names in os.walk(self.path) for name in names)
        return sum(file.stat().st_size for file in files if file.exists())

    def delete(self) -> None:
        (self.path / SETTING).unlink(missing_ok=True)  # first, so that it is gone even if not all of it can be removed
        shutil.rmtree(self.path, ignore_errors=True)
