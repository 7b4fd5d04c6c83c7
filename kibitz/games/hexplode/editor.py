"""Setting up a position of Hexplode: counters are put on tiles, and taken off them, one by one."""

from __future__ import annotations

from typing import Any

from kibitz.display.position_editor import PositionEditor
from kibitz.games.hexplode.positions import fields_of
from kibitz.games.hexplode.tiles import CAPACITY, names
from kibitz.state import State

TAKE_AWAY = 2
SIGNS = 1, -1  # of each player's stacks


class Editor(PositionEditor):
    items = "Red counter", "Blue counter", "Take away"

    def places(self, game: Any, s: State, item: int) -> list[tuple[str, ...]]:
        return [(name,) for tile, name in enumerate(names(game.side)) if self._fits(game, s, tile, item)]

    def _fits(self, game: Any, s: State, tile: int, item: int) -> bool:
        stack = s.stacks[tile]
        if item == TAKE_AWAY:
            return bool(stack != 0)
        return bool(SIGNS[item] * stack < CAPACITY[game.side, tile] - 1)

    def put(self, game: Any, s: State, item: int, clicks: tuple[str, ...]) -> None:
        """A counter on a stack of the other colour takes its place."""
        tile = names(game.side).index(clicks[0])
        stack = s.stacks[tile]
        if item == TAKE_AWAY:
            s.stacks[tile] = stack - 1 if stack > 0 else stack + 1
        else:
            s.stacks[tile] = SIGNS[item] * (max(0, SIGNS[item] * stack) + 1)
        s.winner = -1
        s.turn = max(0, s.turn)  # while damage is laid, and when the game is over, it is nobody's
        for name, value in fields_of(game, s).items():
            setattr(s, name, value)
