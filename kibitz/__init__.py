"""kibitz: a laboratory for board-game AI. Rules in plain Python, search at the speed of C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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

__version__ = VERSION


def game(what: Any = None, *, runtime: Sequence[str] = (), **options: Any) -> Any:
    """Find a game by its spec, `kibitz.game("connect_four:columns=5")`, or make one: `@kibitz.game` above a class."""
    if isinstance(what, str):
        return _find_game(what, **options)
    return _make_game(what, runtime=runtime)


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
    "bot",
    "compiled",
    "game",
    "game_names",
    "perft",
    "plain",
]
