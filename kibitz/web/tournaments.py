"""The tournaments that people start on the page. Each is played in a process of its own (tournament_processes.py), of
low priority, and kept in a folder of its own (tournament_folder.py); this server only looks at what is there.

After a restart, tournaments are there as they were, and whoever began one can resume it.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from starlette.exceptions import HTTPException

from kibitz.display.wording import title_of
from kibitz.errors import KibitzError
from kibitz.rules.registry import spec_of
from kibitz.table import Record
from kibitz.web.catalogue import Catalogue, ChosenBot
from kibitz.web.limits import Busy
from kibitz.web.setting import new_seed
from kibitz.web.tournament_downloads import packed_log, played_games, record_of_game
from kibitz.web.tournament_folder import Standings, TournamentBot, TournamentFolder, TournamentSetting
from kibitz.web.tournament_messages import (
    NO_SUCH_TOURNAMENT,
    ShownBot,
    State,
    TournamentGame,
    TournamentRequest,
    TournamentSummary,
    TournamentView,
)
from kibitz.web.tournament_processes import TournamentProcesses

ID = re.compile(r"[\w-]{1,32}", re.ASCII)
NOT_YOURS = "Only whoever began this tournament can do that."
STAYS_HERE = "A game or a bot of this tournament was added to this server, so its log and report stay here."
FRESH_SECONDS = 0.5  # for which everyone is shown the same …
FINISHED_SECONDS = 30.0  # … of a tournament that can only be deleted
OPENING = 2  # random moves in games without chance, in which some bots would otherwise repeat the same game
DAY = 86_400

log = logging.getLogger("kibitz.web")


@dataclass(frozen=True)
class TournamentLimits:
    """How much tournaments may take."""

    running: int = 2  # at the same time, in all; one for each visitor
    games: int = 1000  # of each
    bots: int = 8  # … and in each
    seconds: float = 3600.0  # that each may be played for
    niceness: int = 15  # of their processes: tables come first
    kept: int = 100
    kept_bytes: int = 1 << 30
    kept_seconds: float = DAY  # for which none is dropped to make room for another


@dataclass(frozen=True)
class _Look:
    """How a tournament stood at some time."""

    at: float
    visitor: str  # who began it
    view: TournamentView  # for others

    @property
    def fresh_seconds(self) -> float:
        return FINISHED_SECONDS if self.view.state == "finished" else FRESH_SECONDS

    def as_seen_by(self, visitor: str | None) -> TournamentView:
        return self.view.model_copy(update={"yours": True}) if visitor == self.visitor else self.view


class Tournaments:
    """The tournaments in a folder."""

    def __init__(
        self, catalogue: Catalogue, folder: Path | None = None, limits: TournamentLimits | None = None
    ) -> None:
        """Without a folder, they are forgotten when the server ends."""
        self._catalogue = catalogue
        self._temporary = tempfile.TemporaryDirectory(prefix="kibitz-") if folder is None else None
        self._path = Path(self._temporary.name) if self._temporary else Path(folder or "")
        self.limits = limits or TournamentLimits()
        self._processes = TournamentProcesses(self.limits.niceness, self.limits.seconds)
        self._looks: dict[str, _Look] = {}
        self._one_at_a_time = threading.Lock()  # held while something is begun or deleted

    # ------------------------------------------------------------------ looking

    async def all(self, visitor: str | None) -> list[TournamentSummary]:
        """All tournaments, the newest first."""
        found = [await self._look(folder) for folder in await asyncio.to_thread(lambda: list(self._folders()))]
        views = [look.as_seen_by(visitor) for look in found if look is not None]
        views.sort(key=lambda view: -view.begun)
        return [TournamentSummary(**dict(view)) for view in views]  # without the standings of all

    async def view(self, key: str, visitor: str | None) -> TournamentView:
        """How a tournament stands. However many ask, it is looked up twice a second."""
        look = await self._look(self._folder(key))
        if look is None:
            raise HTTPException(404, NO_SUCH_TOURNAMENT)
        return look.as_seen_by(visitor)

    async def _look(self, folder: TournamentFolder) -> _Look | None:
        """What was seen at the last look, or at one that is made now."""
        last = self._looks.get(folder.id)
        if last is not None and time.monotonic() - last.at < last.fresh_seconds:
            return last
        if last is not None:
            self._looks[folder.id] = replace(last, at=time.monotonic())  # meanwhile, the others are shown this one
        look = await asyncio.to_thread(self._look_now, folder)
        if look is None:
            self._looks.pop(folder.id, None)
        else:
            self._looks[folder.id] = look
        return look

    def _look_now(self, folder: TournamentFolder) -> _Look | None:
        setting = folder.setting()
        if setting is None:
            return None
        standings = folder.standings()
        state = self._state(folder, setting, standings)
        left = setting.games - standings.played
        is_cut_short = state == "finished" and left > 0
        view = TournamentView(
            id=folder.id,
            game=setting.shown_game,
            title=setting.title,
            bots=[ShownBot(name=bot.name, spec=bot.name if bot.is_added else bot.spec) for bot in setting.bots],
            games=setting.games,
            played=standings.played,
            leader=_leader(setting, standings),
            seed=setting.seed,
            opening=setting.opening,
            begun=setting.begun,
            state=state,
            problem=f"Its time is up: it was played for {_minutes(self.limits.seconds)}."
            if is_cut_short
            else self._processes.problem(folder),
            seconds_left=left / standings.rate if state == "running" and standings.rate > 0 else None,
            standings=standings,
            has_files=setting.is_public,
            yours=False,
        )
        return _Look(time.monotonic(), setting.visitor, view)

    def _state(self, folder: TournamentFolder, setting: TournamentSetting, standings: Standings) -> State:
        if self._processes.is_running(folder):
            return "stopping" if folder.is_to_stop else "running"
        is_over = standings.played >= setting.games or standings.seconds >= self.limits.seconds
        return "finished" if is_over else "stopped"

    async def games(self, key: str, first: int) -> list[TournamentGame]:
        """Some of the games that have been played, from a number on."""
        folder = self._folder(key)
        if (await self.view(key, None)).standings.played == 0:
            return []
        return await asyncio.to_thread(played_games, folder, first)

    def record(self, key: str, number: int) -> Record:
        """A game to replay, with the bots as people know them; call it in a thread."""
        return record_of_game(self._folder(key), number)

    # ------------------------------------------------------------------ playing

    async def start(self, request: TournamentRequest, visitor: str) -> str:
        """Begin a tournament; its id."""
        setting = await asyncio.to_thread(self._setting, request, visitor)
        return await asyncio.to_thread(self._begin, setting)

    def _setting(self, request: TournamentRequest, visitor: str) -> TournamentSetting:
        game = self._catalogue.game(request.game, request.players)
        if not 2 <= len(request.bots) <= self.limits.bots:
            raise KibitzError(f"A tournament needs 2 to {self.limits.bots} bots, not {len(request.bots)}.")
        if not 2 <= request.games <= self.limits.games:
            raise KibitzError(f"A tournament has 2 to {self.limits.games:,} games, not {request.games:,}.")
        chosen = [self._catalogue.bot(bot, game) for bot in request.bots]
        if len({bot.spec for bot in chosen}) < len(chosen):
            raise KibitzError("A bot cannot play twice; choose different bots.")
        return TournamentSetting(
            game=spec_of(game),
            shown_game=self._catalogue.spec(game),
            title=title_of(game)[0],
            bots=tuple(
                TournamentBot(spec=bot.spec, name=bot.title, is_added=bot.title in self._catalogue.added_bots)
                for bot in chosen
            ),
            games=request.games,
            seed=new_seed() if request.seed is None else request.seed,
            opening=0 if game.has_chance else OPENING,
            sandbox=self._catalogue.terms.sandbox,
            visitor=visitor,
            begun=time.time(),
        )

    def _begin(self, setting: TournamentSetting) -> str:
        with self._one_at_a_time:
            self._check_room_for(setting.visitor)
            self._make_room()
            folder = TournamentFolder(self._path / secrets.token_urlsafe(9))
            try:
                self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.create(setting)
            except OSError as error:
                log.error("Tournaments cannot be kept in %s.", self._path, exc_info=error)
                raise Busy("This server cannot keep another tournament now; please try again later.") from None
            self._play(folder)
            return folder.id

    def _check_room_for(self, visitor: str) -> None:
        """Busy if too many tournaments are running."""
        running = [folder for folder in self._folders() if self._processes.is_running(folder)]
        if any((setting := folder.setting()) and setting.visitor == visitor for folder in running):
            raise Busy("Your other tournament is still running; stop it, or wait for its end.", 60)
        if len(running) >= self.limits.running:
            raise Busy(f"{len(running)} tournaments are running already; please try again later.", 60)

    def _make_room(self) -> None:
        """Drop the oldest tournaments if there are too many; Busy if those are not old enough."""
        kept = [(setting.begun, folder) for folder in self._folders() if (setting := folder.setting())]
        kept.sort(key=lambda entry: entry[0])
        sizes = {folder.id: folder.size() for _, folder in kept}
        for begun, folder in kept:
            if len(sizes) < self.limits.kept and sum(sizes.values()) < self.limits.kept_bytes:
                return
            if time.time() - begun > self.limits.kept_seconds and not self._processes.is_running(folder):
                folder.delete()
                del sizes[folder.id]
        if len(sizes) >= self.limits.kept or sum(sizes.values()) >= self.limits.kept_bytes:
            raise Busy(
                "This server keeps as many tournaments as it can; delete one of yours, or try again later.", 3600
            )

    def _play(self, folder: TournamentFolder) -> None:
        self._processes.play(folder)
        self._looks.pop(folder.id, None)

    async def stop(self, key: str, visitor: str, is_operator: bool = False) -> None:
        """Stop a tournament; it can be resumed."""
        folder = await self._own(key, visitor, is_operator)
        await asyncio.to_thread(folder.ask_to_stop)
        self._looks.pop(folder.id, None)

    async def resume(self, key: str, visitor: str) -> None:
        """Play what is left of a tournament."""
        folder = await self._own(key, visitor)
        await asyncio.to_thread(self._resume, folder, visitor)

    def _resume(self, folder: TournamentFolder, visitor: str) -> None:
        with self._one_at_a_time:
            setting = folder.setting()
            if setting is None or self._processes.is_running(folder):
                return
            if self._state(folder, setting, folder.standings()) == "finished":
                raise KibitzError("This tournament is over.")
            game = self._catalogue.game(setting.shown_game)
            for bot in setting.bots:
                self._catalogue.check_chosen(ChosenBot(bot.spec, bot.name, ""), game)
            self._check_room_for(visitor)
            self._play(folder)

    async def delete(self, key: str, visitor: str, is_operator: bool = False) -> None:
        """Delete a tournament that is not running."""
        folder = await self._own(key, visitor, is_operator)
        await asyncio.to_thread(self._delete, folder)
        self._looks.pop(folder.id, None)

    def _delete(self, folder: TournamentFolder) -> None:
        with self._one_at_a_time:
            if self._processes.is_running(folder):
                raise KibitzError("Stop the tournament before you delete it.")
            folder.delete()

    async def _own(self, key: str, visitor: str, is_operator: bool = False) -> TournamentFolder:
        """The folder of a tournament of somebody's own; the operator may do with any as if it were theirs."""
        view = await self.view(key, visitor)
        if not view.yours and not is_operator:
            raise HTTPException(403, NOT_YOURS)
        return self._folder(key)

    # ------------------------------------------------------------------ files

    async def log_file(self, key: str) -> IO[bytes]:
        """The log of a tournament as a .tar.gz file, which is gone when it is closed."""
        folder, view = self._folder(key), await self.view(key, None)
        _check_files(view)
        return await asyncio.to_thread(packed_log, folder.log, f"{view.game.partition(':')[0]}-{folder.id}")

    async def report(self, key: str) -> str:
        """The report of a tournament as far as it has been played."""
        folder, view = self._folder(key), await self.view(key, None)
        _check_files(view)
        return await asyncio.to_thread(self._processes.report, folder, view.state == "finished")

    # ------------------------------------------------------------------ folders

    def _folder(self, key: str) -> TournamentFolder:
        if not ID.fullmatch(key):
            raise HTTPException(404, NO_SUCH_TOURNAMENT)
        return TournamentFolder(self._path / key)

    def _folders(self) -> Iterator[TournamentFolder]:
        if self._path.is_dir():
            for path in self._path.iterdir():
                if ID.fullmatch(path.name) and path.is_dir():
                    yield TournamentFolder(path)

    async def close(self) -> None:
        """Stop all tournaments of this server."""
        await asyncio.to_thread(self._processes.close)
        if self._temporary is not None:
            await asyncio.to_thread(self._temporary.cleanup)


def _check_files(view: TournamentView) -> None:
    if not view.has_files:
        raise KibitzError(STAYS_HERE)
    if not view.standings.played:
        raise KibitzError("No game of this tournament has been played yet.")


def _leader(setting: TournamentSetting, standings: Standings) -> str:
    if not standings.ranking:
        return ""
    best = standings.ranking[0]
    return f"{setting.bots[best.bot].name} is first with {best.words}."


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"
