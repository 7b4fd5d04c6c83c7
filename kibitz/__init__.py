"""kibitz: a laboratory for board-game AI. Rules in plain Python, search at the speed of C++."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kibitz.compiler import compiled, plain
from kibitz.display.board import Board
from kibitz.errors import IllegalMove, KibitzError, RulesError, SpecError
from kibitz.players.bot import Bot, Ranked, Report, Searcher
from kibitz.players.limit import Limit
from kibitz.players.roster import bot
from kibitz.rules import diagnostics, rng, sets
from kibitz.rules.contract import CHANCE, NOBODY, OVER, Game
from kibitz.rules.contract import game as _make_game
from kibitz.rules.perft import perft
from kibitz.rules.registry import as_game as _as_game
from kibitz.rules.registry import game_names
from kibitz.state import State
from kibitz.table import Ply, Record, Table, View
from kibitz.version import VERSION

if TYPE_CHECKING:
    from kibitz import analysis as analysis
    from kibitz import learn as learn
    from kibitz import records as records
    from kibitz import report as report
    from kibitz import search as search
    from kibitz import solve as solve
    from kibitz import testing as testing
    from kibitz import tournament as tournament
    from kibitz.tournament.tournament import arena

# Imported when they are first used, because they take their time.
LAZY_MODULES = ("analysis", "learn", "records", "report", "search", "solve", "testing", "tournament")
LAZY_NAMES = {"arena": "kibitz.tournament.tournament"}

__version__ = VERSION
diagnostics.install()


def game(what: Any = None, *, runtime: Sequence[str] = (), **options: Any) -> Any:
    """Make a game, with `@kibitz.game` above a class of rules; or find one, `kibitz.game("connect_four:columns=5")`.

    `kibitz.game("connect_four", columns=5)` and `kibitz.game(MyGame, size=3)` find a variant.
    """
    is_made = isinstance(what, type) and issubclass(what, Game) and "runtime" in vars(what)
    if what is None or (isinstance(what, type) and not is_made):
        return _make_game(what, runtime=runtime)
    return _as_game(what, **options)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in LAZY_MODULES:
            return importlib.import_module(f"kibitz.{name}")
        if name in LAZY_NAMES:
            value = globals()[name] = getattr(importlib.import_module(LAZY_NAMES[name]), name)
            return value
        raise AttributeError(f"module 'kibitz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *LAZY_MODULES, *LAZY_NAMES})


__all__ = [
    "CHANCE",
    "NOBODY",
    "OVER",
    "Board",
    "Bot",
    "Game",
    "IllegalMove",
    "KibitzError",
    "Limit",
    "Ply",
    "Ranked",
    "Record",
    "Report",
    "RulesError",
    "Searcher",
    "SpecError",
    "State",
    "Table",
    "View",
    "arena",
    "bot",
    "compiled",
    "game",
    "game_names",
    "perft",
    "plain",
    "rng",
    "sets",
]
