"""Mexican Train on the screen."""

from __future__ import annotations

from typing import Any

import kibitz
from kibitz.games.mexican_train.lessons import lessons
from kibitz.games.mexican_train.rules import TRAINS
from kibitz.games.mexican_train.scene import draw, tile_name, train_name
from kibitz.games.mexican_train.telling import tell
from kibitz.scene import Lesson, Scene
from kibitz.state import State


class Board(kibitz.board.Board):
    def scene(self, game: Any, s: State, viewer: int, last: int | None = None) -> Scene:
        return draw(game, s, viewer, last)

    def clicks(self, game: Any, s: State, move: int) -> tuple[str, ...]:
        """A tile and the train on which it is laid; the boneyard to draw; nothing for a pass."""
        if move == game.draw_move:
            return ("boneyard",)
        if move == game.pass_move:
            return ()
        return tile_name(move // TRAINS), train_name(move % TRAINS)

    def counters(self, game: Any, s: State, player: int) -> dict[str, int | str]:
        return {"tiles": s.size[player], "points": s.points[player]}

    def told(self, game: Any, before: State, move: int, after: State) -> list[str]:
        return tell(self, game, before, move, after)

    def lessons(self, game: Any) -> list[Lesson]:
        return lessons(game)
