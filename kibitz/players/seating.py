"""Who plays where: bots that ship with kibitz play in this process, all others in sandboxes, on the terms set here."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import sys
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from kibitz.compiler import disk_cache, is_plain
from kibitz.errors import SpecError
from kibitz.players.bot import Player
from kibitz.players.command import CommandBot
from kibitz.players.guest_cache import guest_cache
from kibitz.players.isolation import IsolatedBot
from kibitz.players.process_bot import ProcessBot, printable
from kibitz.players.roster import Entrant
from kibitz.rules.contract import Game
from kibitz.rules.registry import can_be_found, spec_of
from kibitz.rules.spec import parse_spec
from kibitz.sandbox.levels import AUTO, SandboxLevel, choose_level
from kibitz.sandbox.policy import SYSTEM, Policy, folder_of, is_opened, is_within, program_paths, python_paths
from kibitz.sandbox.warden import Warden

MOVE_SECONDS = 10.0
BOT_MEMORY = 4.0  # GB that a process may allocate
TERMINAL = "-"
STDERR = "stderr"  # the folder in a log for what bots write to stderr
STDERR_BYTES = 1 << 20  # that are kept of what a bot writes to stderr, in all games of a tournament
LONGEST_NAME = 100  # of a file
CACHE_DIGITS = 16  # in the name of a bot's folder
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/"}  # all that a program has
NOWHERE = os.path.join(os.devnull, "guests")  # a folder that cannot exist
GUEST = "kibitz.players.guest:prepare"


@dataclass(frozen=True)
class Terms:
    """The terms on which bots play that did not come with kibitz; in plain values, which can be sent anywhere."""

    move_time: float = MOVE_SECONDS
    memory: float = BOT_MEMORY  # GB
    sandbox: str = AUTO
    hidden: tuple[str, ...] = ()  # paths that no bot may read: the log
    stderr: str | None = None  # the folder for what they write to stderr, or TERMINAL
    cache: str | None = None  # the folder for what they compile, each in a folder of its own
    may_compile: bool = False  # whether they may write there, which they may not in a game
    learners: tuple[str, ...] = ()  # the specs of those that said, before any game, that they learn from game to game

    @functools.cached_property
    def level(self) -> SandboxLevel:
        """The kind of sandbox. Raises an error if this machine cannot give it."""
        return choose_level(self.sandbox)


def terms_for(
    entrants: Iterable[Entrant],
    sandbox: str = AUTO,
    move_time: float = MOVE_SECONDS,
    memory: float = BOT_MEMORY,
    log: Path | None = None,
) -> Terms:
    """The terms for these bots, in a sandbox that this machine can give. No bot may read the log."""
    terms = Terms(move_time, memory)
    if not any(entrant.is_stranger for entrant in entrants):
        return terms
    terms = replace(terms, sandbox=choose_level(sandbox), cache=str(guest_cache()))
    if log is None:
        return terms
    return replace(terms, hidden=(str(log.absolute()),), stderr=str(log.absolute() / STDERR))


def check_strangers(entrants: Iterable[Entrant], terms: Terms) -> list[Entrant]:
    """Let every bot that is not trusted make its first moves, in a game that does not count; those that learn.

    What they need to compile, they compile here. Raises a SpecError if one cannot be created.
    """
    everyone = list(dict.fromkeys(entrants))
    strangers = [entrant for entrant in everyone if entrant.is_stranger]
    terms = replace(terms, may_compile=True, stderr=None)
    return [entrant for entrant in strangers if _learns(entrant, terms, everyone)]


def _learns(entrant: Entrant, terms: Terms, opponents: Sequence[Entrant]) -> bool:
    player = make_player(entrant, terms, opponents)
    assert isinstance(player, ProcessBot)
    with player:
        player.check()
        return player.learns


def make_player(entrant: Entrant, terms: Terms, opponents: Iterable[Entrant] = ()) -> Player:
    """Create a bot: in this process and without limits if it ships with kibitz or is local, else in a sandbox.

    The sandbox hides the files of its opponents.
    """
    if not entrant.is_stranger:
        return entrant.make()
    game = entrant.game
    if not entrant.parsed.command and not can_be_found(game):
        raise SpecError(
            f"{entrant.spec} runs in a separate process, which cannot find the game {spec_of(game)}; "
            f"move the game to a file and name it as path/file.py:{type(game).__name__}."
        )
    warden = warden_for(entrant, terms, opponents)
    if command := entrant.parsed.command:
        return CommandBot(entrant.spec, command, game, warden.start, terms.move_time, stop=warden.close)
    seconds = min(terms.move_time, entrant.move_seconds)
    may_learn = entrant.spec in terms.learners
    return IsolatedBot(
        entrant.spec, game, warden.start, seconds, stop=warden.close, warm_up=not is_plain(), may_learn=may_learn
    )


# ------------------------------------------------------------------ what a sandbox holds


def warden_for(entrant: Entrant, terms: Terms, opponents: Iterable[Entrant] = ()) -> Warden:
    """The warden of a sandbox for a bot."""
    others = {file for other in opponents for file in _files_of(other)} - {
        *_files_of(entrant),
        *_files_of_rules(entrant),
    }
    policy = Policy(
        readable=tuple(_readable(entrant, terms)),
        hidden=(*terms.hidden, *sorted(others)),
        writable=_cache_of(entrant, terms) if terms.may_compile else None,
        memory=int(terms.memory * 1e9),
    )
    heard = functools.partial(_keep_words, terms.stderr, entrant.spec)
    if command := entrant.parsed.command:
        program = [shutil.which(command[0]) or command[0], *command[1:]]
        return Warden(policy, terms.level, ENVIRONMENT, command=program, heard=heard)
    prepare = GUEST, [spec_of(entrant.game), is_plain()]
    return Warden(policy, terms.level, _python_environment(_cache_of(entrant, terms)), prepare=prepare, heard=heard)


def _files_of(entrant: Entrant) -> set[str]:
    """The files that a bot's spec names, apart from those that everybody may read."""
    words = [*entrant.parsed.command, *entrant.parsed.options.values()]
    named = [word for word in words if os.path.isfile(word)]
    if entrant.parsed.file:
        named.append(str(entrant.parsed.file[0]))
    shared = [*SYSTEM, *python_paths()]
    found = {os.path.abspath(name) for name in named}
    own = {file for file in found if not any(is_within(file, folder) for folder in shared)}
    return own.union(*map(_files_of, entrant.nested))


def _files_of_rules(entrant: Entrant) -> set[str]:
    rules = parse_spec(spec_of(entrant.game)).file
    return {os.path.abspath(rules[0])} if rules else set()


def _readable(entrant: Entrant, terms: Terms) -> list[str]:
    """What a bot may read: itself, and what it needs to run."""
    if command := entrant.parsed.command:
        return [*python_paths(), *program_paths(command)]
    files = [*([entrant.parsed.file[0]] if entrant.parsed.file else []), *map(Path, _files_of_rules(entrant))]
    named = [folder_of(file) for file in files]
    options = [value for value in entrant.parsed.options.values() if is_opened(value)]
    caches = [*map(str, disk_cache.folders()), *filter(None, [_cache_of(entrant, terms)])]
    return [*python_paths(), *named, *options, *caches]


def _cache_of(entrant: Entrant, terms: Terms) -> str | None:
    """The folder for what a bot compiles: to load code is to run it, so no bot writes what another one loads."""
    if terms.cache is None:
        return None
    folder = Path(terms.cache) / hashlib.sha256(entrant.spec.encode()).hexdigest()[:CACHE_DIGITS]
    with contextlib.suppress(OSError):  # on another machine
        folder.mkdir(0o700, exist_ok=True)
    return str(folder)


def _python_environment(cache: str | None) -> dict[str, str]:
    """The environment of a bot from a Python file: how to compile, and where its compiled code comes from and goes to.

    It can load what this process has compiled, but never change what this process loads.
    """
    compiling = {name: value for name, value in os.environ.items() if name.startswith(("KIBITZ_", "NUMBA_"))}
    here = os.pathsep.join(map(str, disk_cache.folders()))
    return {**ENVIRONMENT, **compiling, "KIBITZ_CACHE": cache or NOWHERE, "KIBITZ_CACHE_READ": here}


def _keep_words(folder: str | None, spec: str, words: str) -> None:
    """Keep, or show, what a bot has written to stderr in one game, unless it has written too much already."""
    if folder == TERMINAL:
        print(*(printable(line) for line in words.splitlines()), sep="\n", file=sys.stderr)
    if folder is None or not os.path.isdir(folder):  # on another machine
        return
    name = re.sub(r"[^\w.=-]+", "_", spec)[-LONGEST_NAME:]
    path = Path(folder) / f"{name}.txt"
    line = (words if words.endswith("\n") else f"{words}\n").encode()
    with path.open("ab") as file:
        if file.tell() + len(line) <= STDERR_BYTES:
            file.write(line)


# ------------------------------------------------------------------ a series of games


class Players:
    """The players of a series of games: new ones for every game, except for bots that learn from game to game.

    The sandboxes of bots from files, and of programs, are kept; every game has new processes in them.
    """

    def __init__(self, game: Game, terms: Terms, entrants: Sequence[Entrant] = (), *, sandboxes: int = 16) -> None:
        """At most `sandboxes` wait for another game; beyond that, the one idle the longest is ended.

        `entrants` are all that take part: their files are hidden from each other.
        """
        self.game = game
        self.terms = terms
        self._entrants = entrants
        self._sandboxes = sandboxes
        self._isolated: OrderedDict[tuple[str, int], ProcessBot] = OrderedDict()
        self._learners: dict[tuple[str, int], Player] = {}

    def seat(self, entrants: Sequence[Entrant]) -> list[Player]:
        """A player for each seat of the next game. A bot that holds two seats has two sandboxes."""
        specs = [entrant.spec for entrant in entrants]
        players = [self._player(entrant, specs[:seat].count(entrant.spec)) for seat, entrant in enumerate(entrants)]
        while len(self._isolated) > max(self._sandboxes, len(specs)):
            self._isolated.popitem(last=False)[1].close()
        return players

    def _player(self, entrant: Entrant, copy: int) -> Player:
        key = entrant.spec, copy
        if key in self._learners:
            return self._learners[key]
        player = self._isolated.pop(key, None) or make_player(entrant, self.terms, self._entrants)
        if isinstance(player, ProcessBot):
            player.new_game()
            self._isolated[key] = player
        elif entrant.learns:
            self._learners[key] = player
        return player

    def close(self) -> None:
        """End all sandboxes."""
        while self._isolated:
            self._isolated.popitem()[1].close()

    def __enter__(self) -> Players:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
