"""Turns specs into bots: `uct:sims=1000`, `best`, `path/file.py:MyBot`, `camelai:path/bots.py:RandomBot`.

A spec is resolved once into an Entrant, which is passed to all layers above: it knows the bot and creates a new one for
every game. A bot's file is imported only to create the bot, not to resolve its spec.
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kibitz.errors import SpecError
from kibitz.players.bot import Bot, Player, Searcher
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.options import BOT, FILE, Option, options_in
from kibitz.rules.contract import Game
from kibitz.rules.registry import is_shipped, spec_of
from kibitz.rules.spec import Spec, converted, load_class, parse_spec, unknown

# Bots that are not specific to a game, each in the module of its algorithm; imported on demand.
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
# Adapters for other projects, whose bots play here unchanged (kibitz/adapters).
ADAPTERS: Mapping[str, str] = {
    "camelai": "kibitz.adapters.camelai:CamelaiBot",
    "hexplode-algo": "kibitz.adapters.hexplode_algo:AlgoBot",
}
BEST = "best"  # a bot that every game has
MOST_NESTED = 4  # the maximum depth of specs within specs for remote clients


@dataclass(frozen=True, eq=False)
class Entrant:
    """A bot's spec, resolved for one game."""

    spec: str
    game: Game
    parsed: Spec
    cls: type | None  # None: the bot is in a file, which is not imported before the bot is created
    options: Mapping[str, Any]

    def make(self) -> Any:
        """Create a new bot in this process."""
        cls, options = self.cls, self.options
        if cls is None:
            assert self.parsed.file is not None
            cls = load_class(*self.parsed.file)
            if not callable(getattr(cls, "choose", None)):
                raise SpecError(f"{self.parsed.name} is not a bot; it needs a method choose(self, view).")
            options = converted(self.parsed.options, _defaults(options_in(cls)), self.parsed.name)
        try:
            player = cls(**options)
        except TypeError as error:
            raise SpecError(f"{self.spec}: {error}.") from None
        if isinstance(player, Bot) and (why := player.misfit(self.game) or player.option_misfit(self.game)):
            raise SpecError(f"{self.spec} cannot play {spec_of(self.game)}: {why}")
        return player

    @property
    def is_shipped(self) -> bool:
        """Whether the bot ships with kibitz: it is not from a file, nor part of a game that does not ship with it."""
        return self.parsed.file is None and self.cls is not None and is_shipped(self.cls)

    @cached_property
    def _sample(self) -> Player | None:
        """A bot to query for its properties; None if it is from a file, which is not trusted."""
        return None if self.parsed.file else self.make()

    @property
    def is_compiled(self) -> bool:
        """Whether the bot ships with kibitz and plays whole games in compiled code."""
        return self.is_shipped and isinstance(self._sample, CompiledPlayer)

    @property
    def is_reproducible(self) -> bool:
        """Whether the same seed gives the same game; assumed of a bot from a file, unless it has an option `ms`."""
        sample = self._sample
        return sample.is_reproducible() if isinstance(sample, Bot) else "ms" not in self.parsed.options

    @property
    def learns(self) -> bool:
        """Whether the bot learns from game to game."""
        return isinstance(self._sample, Bot) and self._sample.learns

    @property
    def move_seconds(self) -> float:
        """The time limit per move of the project that the bot was written for; infinite for all other bots."""
        return _adapter(self.parsed.adapter).move_seconds if self.parsed.adapter else math.inf


def resolve(spec: str, game: Game) -> Entrant:
    """Resolve a spec for a game; raises a SpecError if there is no such bot or it cannot play the game."""
    parsed = parse_spec(spec)
    if parsed.file and not parsed.adapter:
        return Entrant(spec, game, parsed, None, {})
    cls, options = _find(parsed, game)
    if why := _misfit(cls, game):
        raise SpecError(f"{parsed.name} cannot play {spec_of(game)}: {why}")
    return Entrant(spec, game, parsed, cls, converted(options, _defaults(options_in(cls)), parsed.name))


def resolve_all(specs: Sequence[str], game: Game) -> tuple[Entrant, ...]:
    """Resolve several specs, each distinct one once."""
    entrants = {spec: resolve(spec, game) for spec in dict.fromkeys(specs)}
    return tuple(entrants[spec] for spec in specs)


def bot(spec: str, game: Game) -> Any:
    """Create a bot for a game from its spec: `uct:sims=1000`, `best`, `path/file.py:MyBot`."""
    return resolve(spec, game).make()


def _find(parsed: Spec, game: Game, followed: tuple[str, ...] = ()) -> tuple[type, dict[str, str]]:
    """The class behind a spec, and its options; a game's own bot can be defined as another spec.

    `followed` are the game's own names resolved so far: its own `uct` can be the generic one with other options.
    """
    options = dict(parsed.options)
    if parsed.file and parsed.adapter:
        path, which = parsed.file
        if options:
            raise SpecError(f"{parsed.name} takes no options.")
        return _adapter(parsed.adapter), {"path": str(path), "which": which}
    if parsed.file:
        raise SpecError(f"{parsed.name} is a bot from a file, which {spec_of(game)} cannot list among its own bots.")
    own = {name: what for name, what in own_bots(game).items() if name not in followed}
    found = own.get(parsed.name, GENERIC.get(parsed.name))
    if found is None:
        raise unknown(f"bot for {spec_of(game)} called", parsed.name, {*GENERIC, *own})
    if isinstance(found, type):
        return found, options
    if parsed.name in own:
        cls, preset = _find(parse_spec(found), game, (*followed, parsed.name))
        return cls, {**preset, **options}
    return _load(found), options


def own_bots(game: Game) -> Mapping[str, Any]:
    """A game's own bots: name → class or spec. Every game has `best`."""
    usual = "mc:sims=2000" if game.has_hidden_information else "uct:sims=5000"
    return {BEST: usual, **game.extra_mapping("bots")}


def _adapter(name: str) -> Any:
    if name not in ADAPTERS:
        raise unknown("kind of bot called", name, ADAPTERS)
    return _load(ADAPTERS[name])


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def _defaults(options: Mapping[str, Option]) -> dict[str, Any]:
    return {key: option.default for key, option in options.items()}


def _misfit(cls: type, game: Game) -> str | None:
    return cls.misfit(game) if issubclass(cls, Bot) else None


# ------------------------------------------------------------------ listing


def bots_for(game: Game) -> dict[str, str]:
    """The bots that can play a game, with a one-line description each."""
    own = own_bots(game)
    recommended = BEST in game.extra_mapping("bots")
    lines = {}
    for name in (*GENERIC, *own):
        cls, _ = _find(parse_spec(name), game)
        if _misfit(cls, game):
            continue
        lines[name] = _first_line(cls)
        if isinstance(own.get(name), str):
            lines[name] = own[name]
        if name == BEST:
            lines[name] = f"{'Defined by the game' if recommended else 'The default of kibitz'}: {lines[name]}"
    for name in ADAPTERS:
        if not _misfit(_adapter(name), game):
            lines[f"{name}:file.py:name"] = _first_line(_adapter(name))
    return lines


def _first_line(cls: type) -> str:
    return (inspect.getdoc(cls) or cls.__name__).partition("\n")[0]


def options_of(name: str, game: Game) -> dict[str, Option]:
    """The options of a bot, with the defaults that take effect: those of its preset, or of its default limit."""
    parsed = parse_spec(name)
    if parsed.adapter:
        return {}
    cls, preset = _find(parsed, game)
    options = dict(options_in(cls))
    for key, value in converted(preset, _defaults(options), parsed.name).items():
        options[key] = replace(options[key], default=value)
    limits = {key: option.limits for key, option in options.items() if option.limits}
    if issubclass(cls, Searcher) and not any(options[key].default for key in limits):
        by_default = cls.default_limit.words()
        for key in (key for key, word in limits.items() if word in by_default):
            others = tuple(other for other in limits if other != key)
            options[key] = replace(options[key], default=by_default[limits[key]], unless=others)
    return options


# ------------------------------------------------------------------ remote clients


def check_public(spec: str, game: Game, nested: int = 0) -> None:
    """Reject specs that a remote client, such as a browser, may not use: files, and values beyond an option's public
    limits, at any level of nesting. Nothing is created, and no file is accessed, before the whole spec is accepted."""
    parsed = parse_spec(spec if spec.partition(":")[0] != "cmd" else "cmd")  # a program's arguments are not options
    if parsed.file or parsed.adapter or "/" in parsed.name or "\\" in parsed.name or parsed.name == "cmd":
        raise SpecError("Only bots that ship with kibitz can be named here; `kibitz serve --bot` adds others.")
    if nested > MOST_NESTED:
        raise SpecError(f"{spec} nests too many bots.")
    cls, texts = _find(parsed, game)
    options = options_in(cls)
    for key, value in converted(texts, _defaults(options), parsed.name).items():
        if key not in parsed.options and value == options[key].default:
            continue
        _check_public_value(key, value, options[key], game, nested)


def _check_public_value(key: str, value: Any, option: Option, game: Game, nested: int) -> None:
    if not option.is_public or (option.names == FILE and value not in option.public_choices):
        raise SpecError(f"{key} is not available on this server.")
    if option.names == BOT:
        if value:
            check_public(value, game, nested + 1)
    elif option.public is not None and value > option.public:
        raise SpecError(f"{key} is at most {option.public:,} here, not {value:,}.")
