"""kibitz: a laboratory for board-game AI. Rules in plain Python, search at the speed of C++.

Names are imported when they are first used, since the compiler takes a second to import: `kibitz --version` does not
need it.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kibitz.version import VERSION

if TYPE_CHECKING:
    from kibitz.compiler import compiled as compiled
    from kibitz.compiler import plain as plain
    from kibitz.display.board import Board as Board
    from kibitz.environments.model_search import ModelSearch as ModelSearch
    from kibitz.environments.vector_env import VectorEnv as VectorEnv
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
    from kibitz.tournament.tournament import arena as arena

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
    "ModelSearch": "kibitz.environments.model_search",
    "Ply": "kibitz.table",
    "Ranked": "kibitz.players.bot",
    "Record": "kibitz.table",
    "Report": "kibitz.players.bot",
    "RulesError": "kibitz.errors",
    "Searcher": "kibitz.players.bot",
    "SpecError": "kibitz.errors",
    "State": "kibitz.state",
    "Table": "kibitz.table",
    "VectorEnv": "kibitz.environments.vector_env",
    "View": "kibitz.table",
    "arena": "kibitz.tournament.tournament",
    "bot": "kibitz.players.roster",
    "compiled": "kibitz.compiler",
    "game_names": "kibitz.rules.registry",
    "perft": "kibitz.rules.perft",
    "plain": "kibitz.compiler",
    "rng": "kibitz.rules",
    "sets": "kibitz.rules",
}
__all__ = sorted([*_MODULE_OF, "game"])


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        importlib.import_module("kibitz.rules")  # before anything compiles: it explains compile errors
        globals()[name] = value = getattr(importlib.import_module(_MODULE_OF[name]), name)
        return value
    if importlib.util.find_spec(f"kibitz.{name}"):  # a package that nothing has imported yet: kibitz.records
        return importlib.import_module(f"kibitz.{name}")
    raise AttributeError(f"module 'kibitz' has no attribute {name!r}")


def __dir__() -> list[str]:
    packages = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted({*globals(), *__all__, *packages})


def game(what: Any = None, *, runtime: Sequence[str] = (), **options: Any) -> Any:
    """Make a game, with `@kibitz.game` above a class of rules; or find one, `kibitz.game("connect_four:columns=5")`.

    `kibitz.game("connect_four", columns=5)` and `kibitz.game(MyGame, size=3)` find a variant.

    Examples:
        >>> import kibitz
        >>> kibitz.game("connect_four:columns=5")
        ConnectFour(columns=5, rows=6)
        >>> kibitz.game("connect_four", columns=5) == kibitz.game("connect_four:columns=5")
        True
    """
    from kibitz.rules.contract import Game
    from kibitz.rules.contract import game as make_game
    from kibitz.rules.registry import as_game

    # A class derived from a game is not one itself before `@game` has made it one.
    is_made = isinstance(what, type) and issubclass(what, Game) and "runtime" in vars(what)
    if what is None or (isinstance(what, type) and not is_made):
        return make_game(what, runtime=runtime)
    return as_game(what, **options)
