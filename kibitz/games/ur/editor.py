"""Setting up a position of Ur: pieces come from the hand and go back there. It is the position before a throw."""

from __future__ import annotations

from typing import Any

from kibitz.display.position_editor import PositionEditor
from kibitz.games.ur.scene import home_name, square_name
from kibitz.games.ur.squares import path
from kibitz.rules.contract import CHANCE, OVER
from kibitz.state import State

TAKE_AWAY = 2


class Editor(PositionEditor):
    items = "Light piece", "Dark piece", "Take away"

    def places(self, game: Any, s: State, item: int) -> list[tuple[str, ...]]:
        if item == TAKE_AWAY:
            return [
                (name,)
                for name in dict.fromkeys(name for player in range(2) for name in _steps(game, player))
                if any(_holds(game, s, player, name) for player in range(2))
            ]
        if not s.hand[item]:
            return []
        home = home_name(item)
        return [(name,) for name in _steps(game, item) if name == home or not _holds(game, s, item, name)]

    def put(self, game: Any, s: State, item: int, clicks: tuple[str, ...]) -> None:
        (name,) = clicks
        for player in range(2):  # whatever stands there goes back to the hand
            if _holds(game, s, player, name) and (item == TAKE_AWAY or name != home_name(player)):
                s.hand[player] += 1
                s.at[player] &= ~(1 << _steps(game, player)[name])
        if item != TAKE_AWAY:
            s.hand[item] -= 1
            step = _steps(game, item)[name]
            s.at[item] |= 0 if step == game.home else 1 << step
        self.give_turn(game, s, s.mover)

    def give_turn(self, game: Any, s: State, player: int) -> None:
        s.mover, s.roll = player, 0
        is_over = any(s.at[one] == 0 and s.hand[one] == 0 for one in range(2))
        s.turn = OVER if is_over else CHANCE


def _steps(game: Any, player: int) -> dict[str, int]:
    """A player's steps by the squares on which they are, and home."""
    return {square_name(square): step for step, square in path(game.rosettes, player).items()} | {
        home_name(player): game.home
    }


def _holds(game: Any, s: State, player: int, name: str) -> bool:
    """Whether a player has a piece on a square, or at home."""
    step = _steps(game, player).get(name)
    if step == game.home:
        return bool(game.pieces > s.hand[player] + s.at[player].bit_count())
    return step is not None and bool(s.at[player] >> step & 1)
