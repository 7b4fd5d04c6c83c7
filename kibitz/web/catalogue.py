"""What a server offers: games and bots by name. What a browser may ask for is decided here.

Browsers name games and bots in specs, as everybody does, but never files: whoever runs the server adds those under
names of their own. The budgets that a browser may give to a bot are bounded.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import threading
import weakref
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kibitz.board import board_of
from kibitz.bots import bot, bots_for, options_of
from kibitz.cli.narration import about
from kibitz.errors import KibitzError, SpecError
from kibitz.game import REQUIRED_FACTS, Game
from kibitz.games import game as find_game
from kibitz.games import game_names, spec_of
from kibitz.records.log import Log
from kibitz.records.record import Record
from kibitz.search.expectimax import Expectimax
from kibitz.spec import converted, load_class, parse_spec, unknown
from kibitz.web.levels import TITLES, levels_of

LONGEST_SPEC = 200
MOST_PLAYERS = 8  # as many as there are colours
KEPT_VARIANTS = 100
MOST_TRIED = 101  # of the numbers that a field of the rules might accept
# The most that a browser may ask of a bot; 0, where it means no limit, is bounded by the time for a move.
LIMITS = {
    "sims": 200_000,
    "nodes": 5_000_000,
    "ms": 10_000,
    "depth": 30,
    "threads": 2,
    "worlds": 200,
    "deals": 500,
    "table": 22,
}
EXPECTIMAX_DEPTH = 4  # it knows no time limit
WORDS = ("by", "order", "bonus", "final", "worlds", "observers")  # options that are words; the others would name files


@dataclasses.dataclass(frozen=True)
class Chosen:
    """A bot that a seat was given to."""

    spec: str
    title: str
    words: str


class Catalogue:
    """The games, bots and logs that one server offers."""

    def __init__(
        self, games: Sequence[str] = (), bots: Mapping[str, str] | None = None, logs: Sequence[Path] = ()
    ) -> None:
        """Beside all that ships: games as specs (`file.py:MyGame`), bots as specs by name, logs by their folders."""
        self._games = {name: name for name in game_names()}
        for spec in games:
            parsed = parse_spec(spec)
            if parsed.options or not parsed.file:
                raise KibitzError(f"{spec} is no game to add; name its file and class, as in file.py:MyGame.")
            self._games[_new_name(type(find_game(spec)).__name__.lower(), self._games)] = spec
        self._bots = dict(bots or {})
        for name, spec in self._bots.items():
            _check_bot(name, spec)
        self._logs: dict[str, Log] = {}
        for path in logs:
            log = Log(path)
            self.spec(log.tournament["game"])  # refused at once where it is not on offer
            self._logs[_new_name(path.resolve().name, self._logs)] = log
        self._asked: OrderedDict[tuple[str, int | None], Game] = OrderedDict()  # the last used come last
        self._variants: weakref.WeakValueDictionary[str, Game] = weakref.WeakValueDictionary()
        self._facts: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()

    @property
    def names(self) -> list[str]:
        """The games by name."""
        return list(self._games)

    def game(self, text: str, players: int | None = None) -> Game:
        """The game that a browser names, with a number of players where the game leaves it open."""
        with self._lock:
            if (text, players) not in self._asked:
                rules = self._find(text, players)
                # One object for each variant: it keeps what was compiled.
                self._asked[text, players] = self._variants.setdefault(spec_of(rules), rules)
                if len(self._asked) > KEPT_VARIANTS:
                    self._asked.popitem(last=False)
            self._asked.move_to_end((text, players))
            return self._asked[text, players]

    def _find(self, text: str, players: int | None) -> Game:
        parsed = parse_spec(text[:LONGEST_SPEC])
        if parsed.name not in self._games:
            raise unknown("game here called", parsed.name, self._games)
        options = ",".join(f"{key}={value}" for key, value in parsed.options.items())
        rules = find_game(f"{self._games[parsed.name]}:{options}" if options else self._games[parsed.name])
        if players is not None and players != rules.players:
            if "players" not in {f.name for f in dataclasses.fields(rules)}:  # type: ignore[arg-type]
                raise KibitzError(f"This game is for {rules.players} players, not {players}.")
            rules = dataclasses.replace(rules, players=players)  # type: ignore[type-var]
        if rules.players > MOST_PLAYERS:
            raise KibitzError(f"There are seats for {MOST_PLAYERS} players here, not for {rules.players}.")
        return rules

    def spec(self, game: Game | str) -> str:
        """The spec by which browsers name a game, also for one that is named so already."""
        full = game if isinstance(game, str) else spec_of(game)
        if parse_spec(full).name in self._games:
            return full
        for name, spec in self._games.items():
            if full == spec or full.startswith(f"{spec}:"):
                return name + full.removeprefix(spec)
        raise KibitzError(f"The game {full} is not on offer here; `kibitz serve --game` adds games.")

    def bot(self, text: str, game: Game) -> Chosen:
        """The bot that a browser names: a level, one that was added to the server, or the spec of one that ships."""
        text = text.strip()[:LONGEST_SPEC]
        for level in levels_of(game):
            if text == level.key:
                return Chosen(level.spec, level.title, level.words)
        if text in self._bots:
            bot_fits(self._bots[text], game)
            return Chosen(self._bots[text], text, "")
        not_here = SpecError("Only bots that ship with kibitz can be named here; `kibitz serve --bot` adds others.")
        if text.partition(":")[0] == "cmd":
            raise not_here
        parsed = parse_spec(text)
        if parsed.file or "/" in parsed.name or "\\" in parsed.name:
            raise not_here
        values = converted(parsed.options, options_of(parsed.name, game), parsed.name)
        for key, value in values.items():  # before the bot is made, which would read files
            if isinstance(value, str):
                if key not in WORDS:
                    raise SpecError(f"{key} is not to be chosen here.")
            elif key in LIMITS and value > LIMITS[key]:
                raise SpecError(f"{key} is at most {LIMITS[key]} here, not {value}.")
        if isinstance(bot(text, game), Expectimax) and values.get("depth", 0) > EXPECTIMAX_DEPTH:
            raise SpecError(f"depth is at most {EXPECTIMAX_DEPTH} here, not {values['depth']}.")
        words = bots_for(game).get(parsed.name, "")
        return Chosen(text, text, words)

    def bots(self, game: Game) -> list[dict[str, Any]]:
        """The bots that fit a game, with their options: those that ship, and those that were added."""
        found: list[dict[str, Any]] = []
        for name, words in bots_for(game).items():
            if ":" not in name:  # an adapter's, which needs a file
                options = {k: v for k, v in options_of(name, game).items() if not isinstance(v, str) or k in WORDS}
                found.append({"name": name, "words": words, "options": options})
        for name, spec in self._bots.items():
            try:
                bot_fits(spec, game)
            except KibitzError:
                continue
            found.append({"name": name, "words": "Added by whoever runs this server.", "options": {}})
        return found

    def facts(self, name: str) -> dict[str, Any]:
        """A game as the page shows it before anything is played."""
        if name not in self._facts:
            self._facts[name] = self._gather_facts(name)
        return self._facts[name]

    def _gather_facts(self, name: str) -> dict[str, Any]:
        game = self.game(name)
        title, words = title_of(game)
        board = board_of(game)
        fields = dataclasses.fields(game)  # type: ignore[arg-type]
        return {
            "name": name,
            "title": title,
            "words": words,
            "players": _player_range(game),
            "seats": [board.seat(player) for player in range(game.players)],
            "default": name,
            "fields": [
                {**_field(game, f.name, f.default), "words": board.variants.get(f.name, "")}
                for f in fields
                if f.name != "players"
            ],
            "levels": [dataclasses.asdict(level) for level in levels_of(game)],
        }

    def logs(self) -> list[dict[str, Any]]:
        """The logs on offer: how many games they hold, and the numbers of the first and the last of them."""
        offered: list[dict[str, Any]] = []
        for name, log in self._logs.items():
            finished, game = log.finished().tolist(), self.spec(log.tournament["game"])
            if finished:
                numbers = {"games": len(finished), "first": finished[0], "last": finished[-1]}
                offered.append({"log": name, "game": game, **numbers})
        return offered

    def logged(self, name: str, number: int) -> Record:
        """A game of a log."""
        if name not in self._logs:
            raise unknown("log here called", name, self._logs)
        return self._logs[name].record(number)


def _check_bot(name: str, spec: str) -> None:
    """Refuse, before anybody asks for it, a bot that does not exist or goes by the name of a level."""
    if name in TITLES:
        raise KibitzError(f"{name} is the name of a level; call the bot something else.")
    parsed = parse_spec(spec)
    if parsed.file and not parsed.adapter:
        load_class(*parsed.file)


def bot_fits(spec: str, game: Game) -> None:
    """Refuse a bot that cannot play a game."""
    if not parse_spec(spec).adapter:
        bot(spec, game)


def title_of(game: Game) -> tuple[str, str]:
    """What a game is called, and what it is in a sentence."""
    line = about(game)
    title, colon, words = line.partition(": ")
    if not colon or len(title) > 40:
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(game).__name__), line
    return title, words[:1].upper() + words[1:]


def _new_name(wanted: str, taken: Mapping[str, Any]) -> str:
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def _player_range(game: Game) -> list[int]:
    if "players" not in {f.name for f in dataclasses.fields(game)}:  # type: ignore[arg-type]
        return [game.players, game.players]
    possible = [count for count in range(1, MOST_PLAYERS + 1) if _accepts(game, "players", count)]
    return [min(possible), max(possible)]


def _field(game: Game, name: str, default: Any) -> dict[str, Any]:
    """A variant to choose: of what kind it is, and which values the rules accept."""
    if isinstance(default, enum.Enum):
        return {"name": name, "default": str(default), "kind": "choice", "choices": [str(c) for c in type(default)]}
    if isinstance(default, bool):
        return {"name": name, "default": default, "kind": "bool"}
    if isinstance(default, float):
        return {"name": name, "default": default, "kind": "float"}
    possible = [value for value in range(-1, MOST_TRIED + 1) if _accepts(game, name, value)]
    if 2 <= len(possible) <= 8:
        return {"name": name, "default": default, "kind": "choice", "choices": possible}
    limits = {"min": min(possible), "max": max(possible)} if possible else {}
    if MOST_TRIED in possible:
        del limits["max"]  # the rules may accept more
    return {"name": name, "default": default, "kind": "int", **limits}


def _accepts(game: Game, name: str, value: Any) -> bool:
    try:
        variant = dataclasses.replace(game, **{name: value})  # type: ignore[type-var]
        return all(getattr(variant, fact) >= 1 for fact in REQUIRED_FACTS)
    except Exception:  # rules that were given nonsense may raise anything
        return False
