"""`learned`: a bot that plays by what was learned, one move ahead."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.compiled import native, numbers
from kibitz.errors import KibitzError
from kibitz.game import Game
from kibitz.learn.brain import Brain
from kibitz.learn.features import best_move
from kibitz.player import CompiledPlayer
from kibitz.table import View


@dataclass(frozen=True)
class Learned(CompiledPlayer):
    """Takes the move after which a learned function likes the position best."""

    file: str = ""  # a brain that `kibitz train` wrote

    def unfit(self, game: Game) -> str | None:
        try:
            self.memory(game)
        except KibitzError as error:
            return str(error)
        return None

    def brain(self, game: Game) -> Brain:
        if not self.file:
            raise KibitzError("it needs a brain: learned:file=…, as `kibitz train` writes it.")
        return Brain.read(Path(self.file))

    def memory(self, game: Game) -> tuple[Any, ...]:
        return (self.brain(game).mind(game),)

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return best_move(game, memory[0], s, moves, count, player)

    def choose(self, view: View) -> int:
        # Brains of two methods are of two types, where CompiledPlayer expects one for each class of players.
        moves = numbers(len(view.moves), "i8")
        moves[:] = view.moves
        mind = self.memory(view.game)[0]
        return int(best_move(view.game, mind, native(view.state), moves, len(view.moves), view.player))
