"""The games, bots and logs that a server offers. What a browser may ask for is decided here.

Browsers name games and bots by specs, as on the command line, but never by files: those are added, under names of their
own, when the server is started. Which options of a bot a browser may set is declared with the options
(kibitz/players/options.py).
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import threading
import weakref
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from kibitz.display.board import Board, board_of
from kibitz.display.palette import is_called_by_colour
from kibitz.display.wording import title_of
from kibitz.errors import KibitzError
from kibitz.players.bot import Searcher
from kibitz.players.command import find_program
from kibitz.players.levels import TITLES, levels_of
from kibitz.players.roster import (
    GENERIC,
    LIBRARIES,
    TRAINED,
    Entrant,
    bot,
    bots_for,
    check_public,
    options_of,
    own_bots,
    resolve,
)
from kibitz.players.seating import Terms, check_strangers, terms_for
from kibitz.records.log import Log
from kibitz.rules.contract import REQUIRED_FACTS, Game
from kibitz.rules.registry import find_game, game_names, spec_of
from kibitz.rules.spec import parse_spec, unknown
from kibitz.sandbox.levels import AUTO
from kibitz.table import Record
from kibitz.web.recent import Recent

LONGEST_SPEC = 200
MOST_PLAYERS = 8  # as many as there are colours
KEPT_VARIANTS = 100
MOST_TRIED = 101  # the largest value that is tried to find out what a field of the rules accepts


@dataclasses.dataclass(frozen=True)
class ChosenBot:
    """A bot that somebody chose for a seat."""

    spec: str
    title: str
    words: str  # a description


class Catalogue:
    """The games, bots and logs that one server offers."""

    def __init__(
        self,
        games: Sequence[str] = (),
        bots: Mapping[str, str] | None = None,
        logs: Sequence[Path] = (),
        sandbox: str = AUTO,
    ) -> None:
        """What is added to the games and bots that ship with kibitz: games as specs (`file.py:MyGame`), bots as specs
        by name, and the folders of logs. Bots that do not ship with kibitz play in a sandbox."""
        shipped, self.added = game_names(), dict[str, str]()
        for spec in games:
            parsed, rules = parse_spec(spec), find_game(spec)
            if not rules.uncompiled and (parsed.options or not parsed.file):
                raise KibitzError(f"{spec} cannot be added as a game; give its file and class, as in file.py:MyGame.")
            name = _new_name(type(rules).__name__.lower(), {*shipped, *self.added})
            self.added[name] = spec_of(rules) if rules.uncompiled else spec
        self._games = {**self.added, **{name: name for name in shipped}}
        self._bots = dict(bots or {})
        self.terms = Terms()  # on which bots play that do not ship with kibitz
        for name, spec in self._bots.items():
            if name in TITLES:
                raise KibitzError(f"{name} is the name of a level; give the bot another name.")
            entrant = _playable(spec, [find_game(game) for game in self._games.values()])
            self.terms = terms_for([entrant], sandbox) if entrant.is_stranger else self.terms
            check_strangers([entrant], self.terms)
        self._logs: dict[str, Log] = {}
        for path in logs:
            log = Log(path)
            self.spec(log.tournament["game"])  # an error if the game is not offered
            log.is_trusted = True
            self._logs[_new_name(path.resolve().name, self._logs)] = log
        self._asked: Recent[tuple[str, int | None], Game] = Recent(KEPT_VARIANTS)
        self._variants: weakref.WeakValueDictionary[str, Game] = weakref.WeakValueDictionary()
        self._facts: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()

    @property
    def names(self) -> list[str]:
        """The names of the games; those that were added come first."""
        return list(self._games)

    @property
    def added_bots(self) -> Collection[str]:
        """The names of the bots that were added."""
        return self._bots.keys()

    def game(self, text: str, players: int | None = None) -> Game:
        """The game that a browser names, for a number of players if the game allows several."""
        with self._lock:
            if (text, players) not in self._asked:
                rules = self._find(text, players)
                # One object per variant, because it holds the compiled code.
                self._asked[text, players] = self._variants.setdefault(spec_of(rules), rules)
            return self._asked.use((text, players))

    def full_spec(self, text: str) -> str:
        """The spec of a game that a browser names, with the file that it comes from."""
        parsed = parse_spec(text[:LONGEST_SPEC])
        if parsed.name not in self._games:
            raise unknown("game called", parsed.name, self._games)
        options = ",".join(f"{key}={value}" for key, value in parsed.options.items())
        if options and parse_spec(self._games[parsed.name]).options:
            raise KibitzError(f"{parsed.name} has no variants on this server.")
        return f"{self._games[parsed.name]}:{options}" if options else self._games[parsed.name]

    def _find(self, text: str, players: int | None) -> Game:
        rules = find_game(self.full_spec(text))
        if players is not None and players != rules.players:
            if "players" not in {f.name for f in variant_fields(rules)}:
                raise KibitzError(f"This game is for {rules.players} players, not {players}.")
            rules = dataclasses.replace(rules, players=players)  # type: ignore[type-var]
        if rules.players > MOST_PLAYERS:
            raise KibitzError(f"A table has seats for at most {MOST_PLAYERS} players, not for {rules.players}.")
        return rules

    def spec(self, game: Game | str) -> str:
        """The spec by which browsers name a game. A spec that is already one is returned as it is."""
        full = game if isinstance(game, str) else spec_of(game)
        if parse_spec(full).name in self._games:
            return full
        for name, spec in self._games.items():
            if full == spec or full.startswith(f"{spec}:"):
                return name + full.removeprefix(spec)
        raise KibitzError(f"The game {full} is not available on this server; `kibitz serve --game` adds games.")

    def bot(self, text: str, game: Game) -> ChosenBot:
        """The bot that a browser names: a level, the name of a bot that was added, or the spec of a built-in bot."""
        text = text.strip()[:LONGEST_SPEC]
        for level in levels_of(game):
            if text == level.key:
                return ChosenBot(level.spec, level.title, level.words)
        if text in self._bots:
            bot_fits(self._bots[text], game)
            return ChosenBot(self._bots[text], text, "")
        check_public(text, game)
        bot(text, game)
        words = bots_for(game).get(parse_spec(text).name, "")
        return ChosenBot(text, text, words)

    def check_chosen(self, chosen: ChosenBot, game: Game) -> None:
        """Refuse a bot from a saved game that is not available any more."""
        is_level = chosen.spec in [level.spec for level in levels_of(game)]
        if not is_level and self._bots.get(chosen.title) != chosen.spec:
            try:
                check_public(chosen.spec, game)
            except KibitzError:
                raise KibitzError(f"The bot {chosen.title} is not available on this server.") from None

    def bots(self, game: Game) -> list[dict[str, Any]]:
        """The bots that can play a game, built-in and added ones, with their options."""
        found: list[dict[str, Any]] = []
        for name, words in bots_for(game).items():
            if ":" not in name:  # otherwise it needs a file
                options = {key: option.default for key, option in options_of(name, game).items() if option.is_public}
                cls = resolve(name, game).cls
                judges = cls is not None and issubclass(cls, Searcher)
                found.append({"name": name, "words": words, "options": options, "judges": judges})
        for name, spec in self._bots.items():
            try:
                bot_fits(spec, game)
            except KibitzError:
                continue
            found.append(
                {"name": name, "words": "Added by the operator of this server.", "options": {}, "judges": False}
            )
        return found

    def in_public(self, words: str) -> str:
        """The same sentence with the names of what was added in place of specs: those have paths of this machine."""
        for name, spec in (*self.added.items(), *self._bots.items()):
            words = words.replace(spec, name)
            if file := parse_spec(spec).file:
                words = words.replace(str(file[0].resolve()), name).replace(str(file[0]), name)
        return words

    def facts(self, name: str) -> dict[str, Any]:
        """What the page shows of a game before it is played."""
        if name not in self._facts:
            self._facts[name] = self._gather_facts(name)
        return self._facts[name]

    def _gather_facts(self, name: str) -> dict[str, Any]:
        game = self.game(name)
        title, words = title_of(game)
        board = board_of(game)
        return {
            "name": name,
            "title": title,
            "words": words,
            "players": _player_range(game),
            "seats": [board.seat(player) for player in range(game.players)],
            "coloured_seats": is_called_by_colour(board),
            "default": name,
            "fields": [
                _in_words(board, _field(game, f.name, f.default)) for f in variant_fields(game) if f.name != "players"
            ],
            "chance": game.has_chance,
            "hidden": game.has_hidden_information,
            "levels": [dataclasses.asdict(level) for level in levels_of(game)],
        }

    def logs(self) -> list[dict[str, Any]]:
        """The logs, each with its number of finished games and the numbers of the first and the last of them."""
        offered: list[dict[str, Any]] = []
        for name, log in self._logs.items():
            (games, numbers), game = log.span(), self.spec(log.tournament["game"])
            if games:
                offered.append({"log": name, "game": game, "games": games, "first": numbers[0], "last": numbers[-1]})
        return offered

    def logged(self, name: str, number: int) -> Record:
        """A game from a log."""
        if name not in self._logs:
            raise unknown("log called", name, self._logs)
        return self._logs[name].record(number)


def _playable(spec: str, games: Sequence[Game]) -> Entrant:
    """A bot, for the first of the games that it can play; an error if there is none."""
    parsed = parse_spec(spec)
    known = {name: game for game in games for name in (*GENERIC, *LIBRARIES, *TRAINED, *own_bots(game))}
    if parsed.file and not parsed.file[0].is_file():
        raise KibitzError(f"There is no file {parsed.file[0]}.")
    if parsed.command:
        find_program(parsed.command)
    elif not parsed.file and parsed.name not in known:
        raise unknown("bot called", parsed.name, known)
    for game in games:
        with contextlib.suppress(KibitzError):
            return bot_fits(spec, game)
    return bot_fits(spec, known.get(parsed.name, games[0]))  # raises what is wrong with it


def bot_fits(spec: str, game: Game) -> Entrant:
    """A bot for a game; an error if it cannot play it. What a stranger can play, only its own process knows."""
    entrant = resolve(spec, game)
    if not entrant.is_stranger:
        entrant.make()
    return entrant


def _new_name(wanted: str, taken: Collection[str]) -> str:
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def variant_fields(game: Game) -> Sequence[dataclasses.Field[Any]]:
    """The fields of the rules that browsers may set: not those of another library, which can name files."""
    return () if game.uncompiled else dataclasses.fields(game)  # type: ignore[arg-type]


def _player_range(game: Game) -> list[int]:
    if "players" not in {f.name for f in variant_fields(game)}:
        return [game.players, game.players]
    possible = [count for count in range(1, MOST_PLAYERS + 1) if _accepts(game, "players", count)]
    return [min(possible), max(possible)]


def _field(game: Game, name: str, default: Any) -> dict[str, Any]:
    """A field of the rules that people can set: its kind, and which values the rules accept."""
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
        del limits["max"]  # the rules may accept even more
    return {"name": name, "default": default, "kind": "int", **limits}


def _in_words(board: Board, field: dict[str, Any]) -> dict[str, Any]:
    """A field and what people call it and its values."""
    called = board.choices.get(field["name"], {})
    words: dict[str, Any] = {"words": board.variants.get(field["name"], "")}
    if "choices" in field:
        words["choice_words"] = [called.get(choice, str(choice)) for choice in field["choices"]]
    return field | words


def _accepts(game: Game, name: str, value: Any) -> bool:
    try:
        variant = dataclasses.replace(game, **{name: value})  # type: ignore[type-var]
        return all(getattr(variant, fact) >= 1 for fact in REQUIRED_FACTS)
    except Exception:  # rules may raise anything when their fields make no sense
        return False
