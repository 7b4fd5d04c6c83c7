"""kibitz: a laboratory for board-game AI. Rules in plain Python, search at the speed of C++."""

from __future__ import annotations

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
from kibitz.rules.registry import find_game as _find_game
from kibitz.rules.registry import game_names
from kibitz.state import State
from kibitz.table import Ply, Record, Table, View
from kibitz.version import VERSION

if TYPE_CHECKING:
    from kibitz.tournament.result import ArenaResult

__version__ = VERSION
diagnostics.install()


def game(what: Any = None, *, runtime: Sequence[str] = (), **options: Any) -> Any:
    """Find a game by its spec, `kibitz.game("connect_four:columns=5")`, or make one: `@kibitz.game` above a class."""
    if isinstance(what, str):
        return _find_game(what, **options)
    return _make_game(what, runtime=runtime)


def arena(game: Game | str, bots: Sequence[str], games: int = 100, seed: int | str = 0, **options: Any) -> ArenaResult:
    """Play a tournament: `print(kibitz.arena("connect_four", ["uct:sims=400", "random"], games=1000, seed=1))`.

    The options, such as `workers`, `sprt` and `log`, are those of kibitz.tournament.tournament.arena.
    """
    from kibitz.tournament.tournament import arena  # not before it is needed: it takes its time

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
