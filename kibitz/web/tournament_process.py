"""The process that plays a tournament of the page, or writes its report: `python -m kibitz.web.tournament_process`.

It has a low priority, one thread for the games, and another one that ends it: when the server is gone, however that
ended, when it is asked to stop, and when the time or the memory is used up that it may take.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from kibitz.display.wording import value_words
from kibitz.errors import KibitzError
from kibitz.records.log import Log
from kibitz.report.report import report_of
from kibitz.tournament.result import ArenaResult, Standing
from kibitz.tournament.standings import labels
from kibitz.tournament.tournament import arena
from kibitz.web.low_priority import take_low_priority
from kibitz.web.tournament_folder import (
    BotStanding,
    RatingPoint,
    Standings,
    TournamentFolder,
    TournamentSetting,
)

MOST_MEMORY = 2 << 30  # bytes
BOT_MEMORY = 1.0  # GB, for each bot that does not ship with kibitz
MOVE_SECONDS = 20.0  # … and how long it may think
WATCH_SECONDS = 0.2
WRITE_SECONDS = 1.0  # from one writing of the standings to the next
LAST_SECONDS = 5.0  # that it may take to stop: a bot finishes its move first
MOST_POINTS = 120  # in the course of the ratings
OUT_OF_MEMORY = 3  # the exit code


def main(task: str, path: str, niceness: str, most_seconds: str) -> int:
    """Play the tournament in a folder (`play`), or write its report (`report`)."""
    take_low_priority(int(niceness))
    folder = TournamentFolder(Path(path))
    setting = folder.setting()
    if setting is None:
        return 1
    try:
        if task == "report":
            Watch(lambda: False).start()
            os.chdir(folder.path)  # the report names its log by a path, which is then nothing but the name
            report_of(Log(folder.log.name)).save(folder.report.name)
        else:
            play(folder, setting, float(most_seconds))
    except KeyboardInterrupt:  # before the first game
        pass
    except KibitzError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def play(folder: TournamentFolder, setting: TournamentSetting, most_seconds: float) -> None:
    """Play what is left of a tournament, for as long as it may take."""
    scribe = Scribe(folder, setting)
    scribe.start()
    Watch(lambda: folder.is_to_stop or scribe.seconds > most_seconds).start()
    result = arena(
        setting.game,
        [bot.spec for bot in setting.bots],
        setting.games,
        setting.seed,
        opening=setting.opening,
        workers=1,
        engine="serial",
        move_time=MOVE_SECONDS,
        bot_memory=BOT_MEMORY,
        sandbox=setting.sandbox,
        log=folder.log,
        resume=True,
        progress=scribe.hear,
    )
    scribe.end(result)


class Watch(threading.Thread):
    """Ends this process when the server has gone, when it should stop, or when it takes too much memory."""

    def __init__(self, should_stop: Callable[[], bool]) -> None:
        super().__init__(daemon=True)
        self._should_stop = should_stop
        self._server_is_gone = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._wait_for_the_end_of_the_server, daemon=True).start()
        super().start()

    def _wait_for_the_end_of_the_server(self) -> None:
        """The server holds the other end of the standard input, and the system closes that when the server ends."""
        while os.read(sys.stdin.fileno(), 1):
            pass
        self._server_is_gone.set()

    def run(self) -> None:
        while not self._server_is_gone.wait(WATCH_SECONDS) and not self._should_stop():
            if memory_in_use() > MOST_MEMORY:
                os._exit(OUT_OF_MEMORY)  # the log survives that
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(LAST_SECONDS)
        os._exit(0)


def memory_in_use() -> int:
    """The memory of this process in bytes, where the system tells; otherwise 0."""
    with contextlib.suppress(OSError, AttributeError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


class Scribe(threading.Thread):
    """Writes the standings of a tournament while it is played."""

    def __init__(self, folder: TournamentFolder, setting: TournamentSetting) -> None:
        super().__init__(daemon=True)
        self._folder, self._setting = folder, setting
        before = folder.standings()
        self._seconds_before = before.seconds
        self._course = before.course
        self._begun = time.monotonic()
        self._heard = threading.Event()
        self._result: ArenaResult | None = None  # the last one heard of
        self._writing = threading.Lock()

    @property
    def seconds(self) -> float:
        """How long the tournament has been played for."""
        return self._seconds_before + time.monotonic() - self._begun

    def hear(self, result: ArenaResult) -> None:
        """Have a result written soon; the games do not wait for it."""
        self._result = result
        self._heard.set()

    def run(self) -> None:
        while self._heard.wait():
            self._heard.clear()
            with self._writing:
                if self._result is not None:
                    self._write(self._result)
            time.sleep(WRITE_SECONDS)

    def end(self, result: ArenaResult) -> None:
        """Write the last result."""
        with self._writing:
            self._result = None
            self._write(result)

    def _write(self, result: ArenaResult) -> None:
        if result.played:
            self._add_to_course(result)
            self._folder.write_standings(standings_of(result, self.seconds, self._course))

    def _add_to_course(self, result: ArenaResult) -> None:
        """Add the ratings so far, at most one point for every 120th of the games."""
        ratings = [rating.rating for rating in result.ratings]
        point = RatingPoint(played=result.played, ratings=[round(rating, 1) for rating in ratings])
        earlier = [past for past in self._course if past.played < result.played]
        step = self._setting.games / MOST_POINTS
        if len(earlier) > 1 and earlier[-1].played - earlier[-2].played < step:
            earlier.pop()  # the last one was only there to be up to date
        self._course = [*earlier, point]


def standings_of(result: ArenaResult, seconds: float, course: list[RatingPoint]) -> Standings:
    """A result, as far as the page shows it."""
    names = labels(result.specs)
    everyone = range(len(names))
    pairs = [[result.pair(a, b) if a != b and result.game.players == 2 else None for b in everyone] for a in everyone]
    return Standings(
        played=result.played,
        seconds=seconds,
        rate=result.rate,
        model="Plackett–Luce" if result.tally.has_orders else "Elo",
        has_utilities=result.game.has_utilities,
        ranking=[_standing(result, names.index(standing.bot), standing) for standing in result.ranking],
        pairs=[[None if share is None else value_words(result.game, share.share, 0) for share in row] for row in pairs],
        pair_shares=[[None if share is None else share.share for share in row] for row in pairs],
        course=course,
    )


def _standing(result: ArenaResult, bot: int, standing: Standing) -> BotStanding:
    share, rating = standing.share, standing.rating
    words, low, high = (value_words(result.game, value) for value in (share.share, share.low, share.high))
    is_rated = math.isfinite(rating.low) and math.isfinite(rating.high)
    return BotStanding(
        bot=bot,
        games=standing.games,
        share=share.share if standing.games else 0.0,
        low=share.low if standing.games else 0.0,
        high=share.high if standing.games else 1.0,
        words=words if standing.games else "–",
        interval=f"{low} to {high}" if standing.games else "–",
        rating=rating.rating if is_rated else None,
        rating_low=rating.low if is_rated else None,
        rating_high=rating.high if is_rated else None,
        move_ms=standing.move_ms,
        faults=standing.faults.total(),
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
