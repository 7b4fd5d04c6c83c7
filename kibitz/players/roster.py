"""Turns specs into bots: `uct:sims=1000`, `best`, `path/file.py:MyBot`, `camelai:path/bots.py:RandomBot`,
`cmd:./program --depth 3`.

A spec is resolved once into an Entrant, which is passed to all layers above: it knows the bot and creates a new one for
every game. A bot's file is imported only to create the bot, not to resolve its spec.

Instead of a spec, programs can give a class with a method `choose`, or an instance of one. A bot that ships with kibitz
is then the same as its spec; any other is local: it plays in this process, because no other process could find it.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import itertools
import math
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from kibitz.errors import SpecError
from kibitz.players.bot import Bot, Player, Searcher
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.options import BOT, FILE, Option, options_in
from kibitz.rules.contract import Game
from kibitz.rules.registry import GameLike, as_game, can_be_found, is_shipped, spec_of
from kibitz.rules.shipped_network import shipped_network
from kibitz.rules.spec import Spec, converted, load_class, option_text, parse_spec, unknown

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
# Bots of other libraries, which must be installed (kibitz/adapters).
LIBRARIES: Mapping[str, str] = {
    "openspiel-mcts": "kibitz.adapters.openspiel_mcts:OpenSpielMCTS",
}


class Trained(NamedTuple):
    """A bot that plays by a file that `kibitz train` wrote."""

    path: str  # of its class
    option: str  # which names the file
    method: str  # that writes it
    shipped: Callable[[Game], Path | None] = lambda game: None  # the file that ships with a game, used by default


TRAINED: Mapping[str, Trained] = {
    "learned": Trained("kibitz.learn.learned:Learned", "file", "td"),
    "zero": Trained("kibitz.learn.zero.zero:Zero", "net", "zero", shipped_network),
    "policy": Trained("kibitz.learn.zero.policy:NetworkPolicy", "net", "zero", shipped_network),
}
BEST = "best"  # a bot that every game has
BotLike: TypeAlias = str | type | Player  # a spec, a class with a method `choose`, or an instance of one
MOST_NESTED = 4  # the maximum depth of specs within specs for remote clients


@dataclass(frozen=True, eq=False, repr=False)
class Entrant:
    """A bot, resolved for one game."""

    spec: str  # its name, if it was given as a class or an instance
    game: Game
    parsed: Spec
    cls: type | None  # None: the bot is a program, or in a file, which is not imported before the bot is created
    options: Mapping[str, Any]
    instance: Player | None = None  # what to copy for every game, if that is what was given
    is_given: bool = False  # as a class or an instance, not as a spec

    def make(self) -> Any:
        """Create a new bot in this process."""
        if self.parsed.command:
            raise SpecError(
                f"{self.spec} is a program, which can play in a tournament or against people, but not here."
            )
        if self.instance is not None:
            return self._copy()
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
            hint = "; its options are the arguments of __init__ that have defaults" if "argument" in str(error) else ""
            raise SpecError(f"{self.spec}: {error}{hint}.") from None
        self.check(player)
        return player

    def _copy(self) -> Any:
        """A copy of the instance, so that no game depends on another; the instance itself if it learns from them."""
        if self.learns:
            return self.instance
        try:
            return copy.deepcopy(self.instance)
        except Exception as error:
            raise SpecError(
                f"{self.spec} cannot be copied for every game ({type(error).__name__}: {error}); "
                "give its class instead, or let the class say learns = True."
            ) from None

    def check(self, player: Any) -> None:
        """Raise a SpecError if a bot of this class, with these options, cannot play the game."""
        if isinstance(player, Bot) and (why := player.misfit(self.game) or player.option_misfit(self.game)):
            raise SpecError(f"{self.spec} cannot play {spec_of(self.game)}: {why}")

    @cached_property
    def is_local(self) -> bool:
        """Whether the bot is defined in this program: no other process can create it, and it has no time limit."""
        if self.parsed.file or self.parsed.command:
            return False
        return self.is_given or (not self.is_shipped and not can_be_found(self.game))

    @cached_property
    def nested(self) -> list[Entrant]:
        """The bots that its options name."""
        options = options_in(self.cls) if self.cls is not None and not self.is_given else {}
        named = [(self.options.get(key), option) for key, option in options.items() if option.names == BOT]
        return [resolve(spec, self.game) for spec, option in named if spec and spec not in option.choices]

    @property
    def is_shipped(self) -> bool:
        """Whether the bot ships with kibitz: neither it nor a bot in its options is from a file, or from the file of a
        game."""
        own = self.parsed.file is None and self.cls is not None and is_shipped(self.cls)
        return own and all(bot.is_shipped for bot in self.nested)

    @property
    def is_stranger(self) -> bool:
        """Whether the bot neither ships with kibitz nor is defined in this program: it is not trusted."""
        return not self.is_shipped and not self.is_local

    @cached_property
    def _sample(self) -> Player | None:
        """A bot to query for its properties; None if it is a program or from a file, which are not trusted."""
        if self.instance is not None:
            return self.instance
        named_files = self.parsed.file or any(bot.is_stranger for bot in self.nested)
        return None if self.cls is None or named_files else self.make()

    @property
    def is_compiled(self) -> bool:
        """Whether the bot ships with kibitz and plays whole games in compiled code."""
        return self.is_shipped and not self.game.uncompiled and isinstance(self._sample, CompiledPlayer)

    @property
    def is_reproducible(self) -> bool:
        """Whether the same seed gives the same game; assumed of bots that do not ship with kibitz, unless they have an
        option `ms`."""
        sample = self._sample
        return sample.is_reproducible() if isinstance(sample, Bot) else "ms" not in self.parsed.options

    @property
    def learns(self) -> bool:
        """Whether the bot learns from game to game."""
        return bool(getattr(self._sample, "learns", False))

    @property
    def move_seconds(self) -> float:
        """The time limit per move of the project that the bot was written for; infinite for all other bots."""
        return _adapter(self.parsed.adapter).move_seconds if self.parsed.adapter else math.inf

    def __repr__(self) -> str:
        return f"<Entrant {self.spec} for {spec_of(self.game)}>"


def resolve(what: BotLike, game: Game) -> Entrant:
    """Resolve a bot for a game; raises a SpecError if there is no such bot or it cannot play the game."""
    spec = what if isinstance(what, str) else _spec_for(what, game)
    if spec is None:
        return _given(what, game)
    parsed = parse_spec(spec)
    if parsed.command or (parsed.file and not parsed.adapter):
        return Entrant(spec, game, parsed, None, {})
    cls, options = _find(parsed, game)
    if why := _misfit(cls, game):
        raise SpecError(f"{parsed.name} cannot play {spec_of(game)}: {why}")
    return Entrant(spec, game, parsed, cls, converted(options, _defaults(options_in(cls)), parsed.name))


def resolve_all(bots: Sequence[BotLike], game: Game) -> tuple[Entrant, ...]:
    """Resolve several bots, each distinct one once. Different ones have different names: `Mine` and `Mine (2)`."""
    entrants: dict[Any, Entrant] = {}
    for what in bots:
        key = what if isinstance(what, str) else id(what)
        if key not in entrants:
            entrant = resolve(what, game)
            if entrant.is_given:
                entrant = _renamed(entrant, {other.spec for other in entrants.values()})
            entrants[key] = entrant
    return tuple(entrants[what if isinstance(what, str) else id(what)] for what in bots)


def _renamed(entrant: Entrant, taken: Collection[str]) -> Entrant:
    """The entrant under a name that is not taken."""
    names = itertools.chain([entrant.spec], (f"{entrant.spec} ({number})" for number in itertools.count(2)))
    return replace(entrant, spec=next(name for name in names if name not in taken))


def has_strangers(specs: Iterable[str], game: Game) -> bool:
    """Whether one of these bots is not trusted."""
    return any(resolve(spec, game).is_stranger for spec in specs)


def bot(what: BotLike, game: GameLike) -> Any:
    """Create a bot for a game: from its spec, such as `uct:sims=1000`, `best` or `path/file.py:MyBot`, or its class.

    Examples:
        >>> import kibitz
        >>> bot = kibitz.bot("uct:sims=100", "connect_four")
        >>> bot.choose(kibitz.Table("connect_four", seed=1).view(0))
        4
    """
    if isinstance(what, Game):
        raise SpecError("The bot comes first, then its game: kibitz.bot('uct:sims=1000', game).")
    entrant = resolve(what, as_game(game))
    return entrant.make() if isinstance(what, str | type) else what


# ------------------------------------------------------------------ classes and instances


def _given(what: Any, game: Game) -> Entrant:
    """A class or an instance from this program, under the name of the class."""
    cls = what if isinstance(what, type) else type(what)
    if not callable(getattr(cls, "choose", None)):
        shown = cls.__name__ if what is cls else f"{what!r:.60}"
        wanted = "give a spec such as 'uct:sims=1000', or a class with a method choose(self, view)"
        raise SpecError(f"{shown} is not a bot; {wanted}.")
    if what is cls:
        entrant = Entrant(cls.__name__, game, Spec(cls.__name__, {}), cls, {}, is_given=True)
        if why := _misfit(cls, game):
            raise SpecError(f"{entrant.spec} cannot play {spec_of(game)}: {why}")
        return entrant
    values = {key: value for key, value in _own_values(what).items() if isinstance(value, bool | int | float | str)}
    name = (
        f"{cls.__name__}({', '.join(f'{key}={value!r}' for key, value in values.items())})" if values else cls.__name__
    )
    entrant = Entrant(name, game, Spec(name, {}), cls, {}, instance=what, is_given=True)
    entrant.check(what)
    return entrant


def _spec_for(what: Any, game: Game) -> str | None:
    """The spec of a bot that ships with kibitz, given as a class or an instance; None for all others."""
    cls = what if isinstance(what, type) else type(what)
    if not is_shipped(cls):
        return None
    values = {} if what is cls else _own_values(what)
    options = ",".join(option_text(key, value) for key, value in values.items())
    path = f"{cls.__module__}:{cls.__qualname__}"
    generic = [name for name, known in {**GENERIC, **LIBRARIES}.items() if known == path]
    for name in [*generic, *(name for name, own in own_bots(game).items() if own is cls)]:
        spec = f"{name}:{options}" if options else name
        with contextlib.suppress(SpecError):  # a value that a spec cannot hold
            meant, texts = _find(parse_spec(spec), game)  # the game's own bot of that name can be another one
            defaults = _defaults(options_in(cls))
            if meant is cls and {**defaults, **converted(texts, defaults, name)} == {**defaults, **values}:
                return spec
    return None


def _own_values(player: Player) -> dict[str, Any]:
    """The options of a bot that differ from their defaults."""
    options = options_in(type(player)).items()
    values = {key: getattr(player, key, option.default) for key, option in options}
    return {
        key: values[key]
        for key, option in options
        if values[key] is not option.default and values[key] != option.default
    }


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
    anywhere = {**GENERIC, **LIBRARIES, **{name: trained.path for name, trained in TRAINED.items()}}
    found = own.get(parsed.name, anywhere.get(parsed.name))
    if found is None:
        raise unknown(f"bot for {spec_of(game)} called", parsed.name, {*anywhere, *own})
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
    if not issubclass(cls, Bot):
        return None
    return game.uncompiled if game.uncompiled and cls.compiles_rules else cls.misfit(game)


# ------------------------------------------------------------------ listing


def bots_for(game: Game) -> dict[str, str]:
    """The bots that can play a game, with a one-line description each."""
    own = own_bots(game)
    recommended = BEST in game.extra_mapping("bots")
    lines = {}
    for name in (*GENERIC, *LIBRARIES, *own):
        cls, _ = _find(parse_spec(name), game)
        if _misfit(cls, game):
            continue
        lines[name] = _first_line(cls)
        if isinstance(own.get(name), str):
            lines[name] = own[name]
        if name == BEST:
            lines[name] = f"{'Defined by the game' if recommended else 'The default of kibitz'}: {lines[name]}"
    for name, trained in TRAINED.items():
        cls = _load(trained.path)
        if name in own or _misfit(cls, game):
            continue
        if trained.shipped(game):
            lines[name] = _first_line(cls)
        else:
            train = shlex.join(["kibitz", "train", spec_of(game), "--method", trained.method])
            lines[f"{name}:{trained.option}=FILE"] = f"{_first_line(cls)} `{train}` writes the file."
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
    parsed = parse_spec(spec)
    if (
        parsed.file
        or parsed.adapter
        or parsed.command
        or parsed.name == "cmd"
        or "/" in parsed.name
        or "\\" in parsed.name
    ):
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
        if value and value not in option.choices:
            check_public(value, game, nested + 1)
    elif option.public is not None and value > option.public:
        raise SpecError(f"{key} is at most {option.public:,} here, not {value:,}.")
