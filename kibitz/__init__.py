"""kibitz: a laboratory for board-game AI. Rules in plain Python, search at the speed of C++."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kibitz.board import Board
from kibitz.bots import Bot, Ranked, Report, Searcher, bot
from kibitz.compiled import compiled, plain
from kibitz.errors import IllegalMove, KibitzError, RulesError, SpecError
from kibitz.game import CHANCE, NOBODY, OVER, Game
from kibitz.game import game as _make_game
from kibitz.games import game as _find_game
from kibitz.games import game_names
from kibitz.perft import perft
from kibitz.records.record import Record
from kibitz.state import State
from kibitz.table import Ply, Table, View
from kibitz.version import VERSION

if TYPE_CHECKING:
    from kibitz.arena.result import ArenaResult

__version__ = VERSION
importlib.import_module("kibitz.arena")  # now: the first import of a package puts it in the place of the function


def game(what: Any = None, *, runtime: Sequence[str] = (), **options: Any) -> Any:
    """Find a game by its spec, `kibitz.game("connect_four:columns=5")`, or make one: `@kibitz.game` above a class."""
    if isinstance(what, str):
        return _find_game(what, **options)
    return _make_game(what, runtime=runtime)


def arena(game: Game | str, bots: Sequence[str], games: int = 100, seed: int | str = 0, **options: Any) -> ArenaResult:
    """Play a tournament: `print(kibitz.arena("connect_four", ["uct:sims=400", "random"], games=1000, seed=1))`.

    The options, such as `workers`, `sprt` and `log`, are those of kibitz.arena.tournament.arena.
    """
    from kibitz.arena.tournament import arena  # not before it is needed: it takes its time

    return arena(game, bots, games, seed, **options)


__all__ = [
    "CHANCE",
    "NOBODY",
    "OVER",
    "Board",
    "Bot",
    "Game",
    "IllegalMove",
    "KibitzError",
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
]
