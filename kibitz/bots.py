"""Bots: what plays. A spec becomes a bot; a bot is handed a View and answers with a move.

A bot of one's own is a class with `choose(self, view)`, used as `path/file.py:MyBot`. The bots that ship with
kibitz derive from Bot or Searcher, take their options as dataclass fields, and say which games they fit.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from kibitz.adapters import ADAPTERS, adapter
from kibitz.board import beside
from kibitz.errors import SpecError
from kibitz.game import Game
from kibitz.games import spec_of
from kibitz.spec import converted, load_class, parse_spec, unknown

if TYPE_CHECKING:
    from kibitz.table import View

# The generic bots, each in the file of its algorithm.
GENERIC: Mapping[str, str] = {
    "random": "kibitz.search.playout:Random",
    "greedy": "kibitz.search.greedy:Greedy",
    "mc": "kibitz.search.mc:FlatMonteCarlo",
    "uct": "kibitz.search.uct:UCT",
    "ismcts": "kibitz.search.ismcts:ISMCTS",
    "pimc": "kibitz.search.pimc:PIMC",
    "alphabeta": "kibitz.search.alphabeta:AlphaBeta",
    "expectimax": "kibitz.search.expectimax:Expectimax",
    "maxn": "kibitz.search.maxn:MaxN",
    "paranoid": "kibitz.search.paranoid:Paranoid",
    "brs": "kibitz.search.brs:BRS",
}


# Why a search of positions as they are does not fit where some of them is hidden.
WOULD_PEEK = "it would search what it may not see; use ismcts or mc, which deal the hidden part anew."


class Player(Protocol):
    """All that a bot has to be."""

    def choose(self, view: View) -> int: ...


class Bot(ABC):
    """The base of the bots that ship with kibitz. The first line of a bot's docstring is its description."""

    never_compiled: ClassVar[bool] = True
    learns: ClassVar[bool] = False  # from game to game of a match, which must then be played in order

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        """Why this bot cannot play a game, as a sentence that says what would work; None when it can."""
        return None

    @abstractmethod
    def choose(self, view: View) -> int:
        """A legal move for the player whose view this is."""

    def unfit(self, game: Game) -> str | None:
        """Why this bot with its options cannot play a game that others of its class can, in the same way."""
        return None

    def is_reproducible(self) -> bool:
        """Whether the same seed gives the same moves: not when the budget is a time."""
        return not getattr(self, "ms", 0)


@dataclass(frozen=True)
class Ranked:
    """What a search thinks of one legal move."""

    move: int
    value: float  # the mover's expected share of the win
    visits: int = 0
    exact: bool = False  # proven, not estimated
    line: tuple[int, ...] = ()  # the expected continuation, this move first


@dataclass(frozen=True)
class Report:
    """What a search found: every legal move, best first, and the work it took."""

    moves: tuple[Ranked, ...]
    work: int  # simulations or nodes
    unit: str  # which of the two
    depth: int
    seconds: float

    @property
    def best(self) -> Ranked:
        return self.moves[0]

    @property
    def value(self) -> float:
        """The mover's expected share of the win."""
        return self.best.value

    @property
    def line(self) -> tuple[int, ...]:
        """The principal line."""
        return self.best.line


class Searcher(Bot):
    """A bot that can say what it thinks of every move."""

    @abstractmethod
    def analyse(self, view: View) -> Report:
        """Search the position and rank its legal moves."""

    def best(self, view: View) -> Report:
        """Search for the best move alone, where that is faster than to rank them all."""
        return self.analyse(view)

    def choose(self, view: View) -> int:
        return view.moves[0] if len(view.moves) == 1 else self.best(view).best.move


def bot(spec: str, game: Game) -> Any:
    """The bot of a spec for a game: `uct:sims=1000`, `best`, `path/file.py:MyBot`."""
    cls, options = _resolve(spec, game)
    name = parse_spec(spec).name
    if why := _misfit(cls, game):
        raise SpecError(f"{name} cannot play {spec_of(game)}: {why}")
    try:
        player = cls(**converted(options, _defaults(cls), name))
    except TypeError as error:
        raise SpecError(f"{spec}: {error}.") from None
    if isinstance(player, Bot) and (why := player.unfit(game)):
        raise SpecError(f"{spec} cannot play {spec_of(game)}: {why}")
    return player


def move_seconds(spec: str) -> float:
    """How long a bot may take for a move by the rules of the project it was written for; no limit for all others."""
    foreign = parse_spec(spec).adapter
    return adapter(foreign).move_seconds if foreign else math.inf


def is_reproducible(spec: str, game: Game) -> bool:
    """Whether a bot plays the same game for the same seed; one from a file is believed to, unless it has a time."""
    parsed = parse_spec(spec)
    player = None if parsed.file else bot(spec, game)
    return player.is_reproducible() if isinstance(player, Bot) else "ms" not in parsed.options


def is_learner(spec: str, game: Game) -> bool:
    """Whether a bot learns from game to game."""
    player = None if parse_spec(spec).file else bot(spec, game)
    return isinstance(player, Bot) and player.learns


def is_shipped(spec: str, game: Game) -> bool:
    """Whether a bot came with kibitz: not one from a file, nor that of a game which did not."""
    return parse_spec(spec).file is None and _resolve(spec, game)[0].__module__.startswith("kibitz.")


def bots_for(game: Game) -> dict[str, str]:
    """The bots that can play a game, by name, with one line each."""
    lines = {}
    for name in (*GENERIC, *_own_bots(game)):
        own = _own_bots(game).get(name)
        cls, _ = _resolve(name, game)
        if _misfit(cls, game):
            continue
        if isinstance(own, str):
            lines[name] = f"{own}" if name != "best" else f"{own}: what the game's author recommends"
        else:
            lines[name] = _first_line(cls)
    for name in ADAPTERS:
        if not _misfit(adapter(name), game):
            lines[f"{name}:file.py:name"] = _first_line(adapter(name))
    return lines


def _first_line(cls: type) -> str:
    return (inspect.getdoc(cls) or cls.__name__).partition("\n")[0]


def _misfit(cls: type, game: Game) -> str | None:
    return cls.misfit(game) if issubclass(cls, Bot) else None


def options_of(name: str, game: Game) -> dict[str, Any]:
    """The options of a bot with their defaults."""
    return {} if parse_spec(name).adapter else _defaults(_resolve(name, game)[0])


def _resolve(spec: str, game: Game, followed: tuple[str, ...] = ()) -> tuple[type, dict[str, str]]:
    """The class behind a spec and its options; a game's own name may stand for another spec.

    `followed` are the own names on the way here: a game's own `uct` may stand for the generic one with other options.
    """
    parsed = parse_spec(spec)
    options = dict(parsed.options)
    if parsed.file and parsed.adapter:
        path, which = parsed.file
        if options:
            raise SpecError(f"{parsed.name} takes no options.")
        return adapter(parsed.adapter), {"path": str(path), "which": which}
    if parsed.file:
        cls = load_class(*parsed.file)
        if not callable(getattr(cls, "choose", None)):
            raise SpecError(f"{parsed.name} is not a bot; it needs a method choose(self, view).")
        return cls, options
    own = {name: what for name, what in _own_bots(game).items() if name not in followed}
    found = own.get(parsed.name, GENERIC.get(parsed.name))
    if found is None:
        raise unknown(f"bot for {spec_of(game)} called", parsed.name, {*GENERIC, *own})
    if isinstance(found, type):
        return found, options
    if parsed.name in own:
        cls, preset = _resolve(found, game, (*followed, parsed.name))
        return cls, {**preset, **options}
    module, _, name = found.partition(":")
    return getattr(importlib.import_module(module), name), options


def _own_bots(game: Game) -> Mapping[str, Any]:
    """A game's own bots: name → class or spec. Every game has a `best`."""
    own = type(game).bots
    if own is None:
        own = getattr(beside(game, "bots"), "BOTS", {})
    own = own(game) if callable(own) else own  # where they depend on the variant
    usual = "mc:sims=2000" if game.has_hidden_information else "uct:sims=5000"
    return {"best": usual, **own}


def _defaults(cls: type) -> dict[str, Any]:
    if dataclasses.is_dataclass(cls):
        return {f.name: f.default for f in dataclasses.fields(cls) if f.init}
    parameters = inspect.signature(cls).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}
