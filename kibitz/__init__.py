"""kibitz: a laboratory for board-game AI. Rules in plain Python, search at the speed of C++.

Names are imported when they are first used, since the compiler takes a second to import: `kibitz --version` does not
need it.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kibitz.version import VERSION

if TYPE_CHECKING:
    from kibitz.compiler import compiled as compiled
    from kibitz.compiler import plain as plain
    from kibitz.display.board import Board as Board
    from kibitz.errors import IllegalMove as IllegalMove
    from kibitz.errors import KibitzError as KibitzError
    from kibitz.errors import RulesError as RulesError
    from kibitz.errors import SpecError as SpecError
    from kibitz.players.bot import Bot as Bot
    from kibitz.players.bot import Ranked as Ranked
    from kibitz.players.bot import Report as Report
    from kibitz.players.bot import Searcher as Searcher
    from kibitz.players.limit import Limit as Limit
    from kibitz.players.roster import bot as bot
    from kibitz.rules import rng as rng
    from kibitz.rules import sets as sets
    from kibitz.rules.contract import CHANCE as CHANCE
    from kibitz.rules.contract import NOBODY as NOBODY
    from kibitz.rules.contract import OVER as OVER
    from kibitz.rules.contract import Game as Game
    from kibitz.rules.perft import perft as perft
    from kibitz.rules.registry import game_names as game_names
    from kibitz.state import State as State
    from kibitz.table import Ply as Ply
    from kibitz.table import Record as Record
    from kibitz.table import Table as Table
    from kibitz.table import View as View
    from kibitz.tournament.result import ArenaResult

__version__ = VERSION

_MODULE_OF = {
    "CHANCE": "kibitz.rules.contract",
    "NOBODY": "kibitz.rules.contract",
    "OVER": "kibitz.rules.contract",
    "Board": "kibitz.display.board",
    "Bot": "kibitz.players.bot",
    "Game": "kibitz.rules.contract",
    "IllegalMove": "kibitz.errors",
    "KibitzError": "kibitz.errors",
    "Limit": "kibitz.players.limit",
    "Ply": "kibitz.table",
    "Ranked": "kibitz.players.bot",
    "Record": "kibitz.table",
    "Report": "kibitz.players.bot",
    "RulesError": "kibitz.errors",
    "Searcher": "kibitz.players.bot",
    "SpecError": "kibitz.errors",
    "State": "kibitz.state",
    "Table": "kibitz.table",
    "View": "kibitz.table",
    "bot": "kibitz.players.roster",
    "compiled": "kibitz.compiler",
    "game_names": "kibitz.rules.registry",
    "perft": "kibitz.rules.perft",
    "plain": "kibitz.compiler",
    "rng": "kibitz.rules",
    "sets": "kibitz.rules",
}
__all__ = sorted([*_MODULE_OF, "arena", "game"])


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        importlib.import_module("kibitz.rules")  # before anything compiles: it explains compile errors
        globals()[name] = value = getattr(importlib.import_module(_MODULE_OF[name]), name)
        return value
    if importlib.util.find_spec(f"kibitz.{name}"):  # a package that nothing has imported yet: kibitz.records
        return importlib.import_module(f"kibitz.{name}")
    raise AttributeError(f"module 'kibitz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def game(what: Any = None, *, runtime: Sequence[str] = (), **options: Any) -> Any:
    """Find a game by its spec, `kibitz.game("connect_four:columns=5")`, or make one: `@kibitz.game` above a class."""
    if isinstance(what, str):
        from kibitz.rules.registry import find_game

        return find_game(what, **options)
    from kibitz.rules.contract import game as make_game

    return make_game(what, runtime=runtime)


def arena(game: Game | str, bots: Sequence[str], games: int = 100, seed: int | str = 0, **options: Any) -> ArenaResult:
    """Play a tournament: `print(kibitz.arena("connect_four", ["uct:sims=400", "random"], games=1000, seed=1))`.

    The options, such as `workers`, `sprt` and `log`, are those of kibitz.tournament.tournament.arena.
    """
    from kibitz.tournament.tournament import arena

    return arena(game, bots, games, seed, **options)
