"""Bots for Man AHL's Hexplode server (coder prize of 2016): `hexplode-algo:path/algo.py:name`.

Such a file decorates a function with the name and description of a bot, and may add two hooks:

    from hexplode import algo_player

    @algo_player(name="First", description="Plays the first legal tile.")
    def first(board, game_id, player_id):
        return next(tile for tile, there in board.items() if there["player"] in (None, player_id))

    @first.on_start_game
    def begin(game_id, player_id, boardsize, opponent_id): ...

    @first.on_game_over
    def end(board, game_id, player_id, winner_id): ...

`board` has every tile, column by column: {"tile_0_0": {"counters": 2, "player": 0, "neighbours": ["tile_0_1", …]}, …}.
An empty tile has None for counters and player. A tile with k units of damage has −k counters and no player; a repaired
one has 0 counters until the first lands there.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from kibitz.games.hexplode.rules import Hexplode
from kibitz.games.hexplode.tiles import names, neighbours
from kibitz.players.bot import Bot
from kibitz.rules.contract import CHANCE, OVER, Game
from kibitz.rules.spec import load_file, unknown

if TYPE_CHECKING:
    from kibitz.table import View

MODULE = "hexplode"  # what such files import


@dataclass
class AlgoBot(Bot):
    """A bot written for the original Hexplode server, by its file and its name."""

    path: str = ""
    which: str = ""

    move_seconds: ClassVar[float] = 5.0

    def __post_init__(self) -> None:
        algos = _algos(Path(self.path))
        if self.which not in algos:
            raise unknown(f"Hexplode algo in {self.path} named", self.which, algos)
        self._algo = algos[self.which]
        self._game_id = ""  # until its game begins

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        return None if isinstance(game, Hexplode) else "bots for the Hexplode server only play hexplode."

    def choose(self, view: View) -> Any:
        game: Any = view.game
        if not self._game_id:
            self._game_id = _id_of_game(view)
            if hook := self._algo.hooks.get("on_start_game"):
                hook(self._game_id, view.player, game.side, 1 - view.player)
        tile = self._algo.function(board_of(view), self._game_id, view.player)
        tiles = names(game.side)
        if isinstance(tile, str) and tile in tiles and tiles.index(tile) in view.moves:
            return tiles.index(tile)
        return tile if isinstance(tile, str) else repr(tile)  # a number would be taken for a move

    def game_over(self, view: View, payoff: Sequence[float]) -> None:
        hook = self._algo.hooks.get("on_game_over")
        if hook and self._game_id:
            hook(board_of(view), self._game_id, view.player, payoff.index(max(payoff)))


def board_of(view: View) -> dict[str, dict[str, Any]]:
    """The board as the server's bots know it, made anew for every call, because they may change it."""
    game: Any = view.game
    tiles, stacks = names(game.side), view.state.stacks
    damaged = view.state.damaged if game.damage > 0 else [0] * len(tiles)
    mended = _mended(view)
    board = {}
    for number, tile in enumerate(tiles):
        stack, damage, near = stacks[number], damaged[number], neighbours(game.side)[number]
        board[tile] = {
            "counters": -damage or abs(stack) or (0 if number in mended else None),
            "player": None if stack == 0 else 0 if stack > 0 else 1,
            "neighbours": [tiles[other] for other in near],
        }
    return board


def _mended(view: View) -> set[int]:
    """The tiles that were damaged and, if now empty, have never hexploded: the server leaves 0 there, not None."""
    game: Any = view.game
    laid, played = view.history[: game.tiles], view.history[game.tiles :]
    if game.damage == 0 or any(ply.turn != CHANCE for ply in laid):  # the latter if it began in a given position
        return set()
    if view.state.turn == OVER:
        played = played[:-1]  # its chain was cut short, and might never end here
    near = neighbours(game.side)
    counters = [-ply.move for ply in laid]
    mended = {tile for tile, units in enumerate(counters) if units}
    for ply in played:
        in_the_air = [ply.move]
        while in_the_air:
            tile = in_the_air.pop()
            counters[tile] += 1
            if counters[tile] == len(near[tile]):
                counters[tile] = 0
                mended.discard(tile)
                in_the_air += near[tile]
    return {tile for tile in mended if counters[tile] <= 0}


def _id_of_game(view: View) -> str:
    """An id for this game and seat alone: a hash of the state of the seat's own stream, which is left as it is."""
    return hashlib.blake2b(repr(view.rng.getstate()).encode(), digest_size=8).hexdigest()


# ------------------------------------------------------------------ loading


class _Algo:
    """A decorated function and its hooks."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.hooks: dict[str, Callable[..., Any]] = {}

    def hook(self, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            self.hooks[name] = function
            return function

        return decorate


_LOADED: dict[ModuleType, dict[str, _Algo]] = {}  # the bots of each file, by name


def _algos(path: Path) -> dict[str, _Algo]:
    """The bots in a file, which is loaded once, so that they can remember things from game to game."""
    found: dict[str, _Algo] = {}
    with _decorator_importable(found):
        module = load_file(path)
    return _LOADED.setdefault(module, found)


@contextlib.contextmanager
def _decorator_importable(found: dict[str, _Algo]) -> Iterator[None]:
    """Make `from hexplode import algo_player` work within this context only, and collect what it decorates."""

    def algo_player(name: str, description: str = "") -> Callable[[Any], Any]:
        def decorate(function: Any) -> Any:
            found[name] = algo = _Algo(function)
            function.on_start_game, function.on_game_over = algo.hook("on_start_game"), algo.hook("on_game_over")
            return function

        return decorate

    module: Any = ModuleType(MODULE)
    module.algo_player = algo_player
    before = sys.modules.get(MODULE)
    sys.modules[MODULE] = module
    try:
        yield
    finally:
        del sys.modules[MODULE]
        if before is not None:
            sys.modules[MODULE] = before
