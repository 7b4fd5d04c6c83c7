"""Setting up a position of SEPARO: either player's roots grow, whoever would be to move."""

from __future__ import annotations

from typing import Any

from kibitz.display.position_editor import PositionEditor
from kibitz.games.separo.points import points_of
from kibitz.games.separo.scene import point_name
from kibitz.rules.contract import OVER
from kibitz.state import State


class Editor(PositionEditor):
    items = "Red roots", "Blue roots"

    def places(self, game: Any, s: State, item: int) -> list[tuple[str, ...]]:
        return list(_moves(game, s, item))

    def put(self, game: Any, s: State, item: int, clicks: tuple[str, ...]) -> None:
        game.grow(s, item, _moves(game, s, item)[clicks])
        self.give_turn(game, s, s.turn)

    def give_turn(self, game: Any, s: State, player: int) -> None:
        s.turn = player if any(s.options) else OVER


def _moves(game: Any, s: State, player: int) -> dict[tuple[str, ...], int]:
    """A player's moves by the points through which they go."""
    moves = s.open[player].tolist()[: s.options[player]]
    return {tuple(point_name(point) for point in points_of(game, move)): move for move in moves}
