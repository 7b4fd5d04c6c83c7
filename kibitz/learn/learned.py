"""`learned`: a bot that plays by a learned value function, one move ahead."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from kibitz.compiler import native, numbers
from kibitz.errors import KibitzError
from kibitz.learn.brain import Brain
from kibitz.learn.linear_value import best_move, not_learnable
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.players.limit import LimitLike
from kibitz.players.options import FILE, option
from kibitz.rules.contract import Game
from kibitz.table import View


@dataclass(frozen=True)
class Learned(CompiledPlayer):
    """Plays the move with the best learned value, one ply deep."""

    name: ClassVar[str] = "learned"

    file: str = option("", names=FILE)  # a brain written by `kibitz train`

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        return not_learnable(game)

    def option_misfit(self, game: Game) -> str | None:
        try:
            self.memory(game)
        except KibitzError as error:
            return str(error)
        return None

    def brain(self, game: Game) -> Brain:
        if not self.file:
            raise KibitzError("it needs a brain written by `kibitz train`: learned:file=…")
        return Brain.read(Path(self.file))

    def memory(self, game: Game) -> tuple[Any, ...]:
        return (self.brain(game).value(game),)

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return best_move(game, memory[0], s, moves, count, player)

    def choose(self, view: View, limit: LimitLike | None = None) -> int:
        # Brains of different methods have different types, but CompiledPlayer expects one type per class.
        moves = numbers(len(view.moves), "i8")
        moves[:] = view.moves
        value = self.memory(view.game)[0]
        return int(best_move(view.game, value, native(view.state), moves, len(view.moves), view.player))
