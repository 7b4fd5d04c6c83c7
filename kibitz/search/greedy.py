"""Greedy: one-ply search with the game's own evaluation.

With hidden information, the evaluation is averaged over `worlds` determinizations. A move that ends the game counts its
payoff. Ties go to the first move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from kibitz.compiler import compiled, native, numbers, records, running_time
from kibitz.players.bot import Ranked, Report, Searcher
from kibitz.players.compiled_player import CompiledPlayer, best_of
from kibitz.players.limit import Limit
from kibitz.players.options import option
from kibitz.rules.contract import OVER, Game
from kibitz.search.option_bounds import MOST_DEALS
from kibitz.table import View


class Outlook(NamedTuple):
    """The workspace of a one-ply search, and its result."""

    states: Any  # [the position as the player sees it, a determinization of it, the position after a move]
    worth: Any  # of each move, summed over the determinizations
    shares: Any


@compiled
def look_ahead(game: Any, outlook: Outlook, moves: Any, count: int, player: int, worlds: int, rng: Any) -> None:
    """Sum the value to the player of each move from states[0] over `worlds` determinizations."""
    for i in range(count):
        outlook.worth[i] = 0.0
    for _ in range(worlds):
        outlook.states[1] = outlook.states[0]
        game.redeal(outlook.states[1], player, rng)
        for i in range(count):
            outlook.states[2] = outlook.states[1]
            s = outlook.states[2]
            game.play(s, moves[i])
            if s.turn == OVER:
                game.normalized_payoff(s, outlook.shares)
            else:
                game.evaluate(s, outlook.shares)
            outlook.worth[i] += outlook.shares[player]


@dataclass(frozen=True)
class Greedy(CompiledPlayer, Searcher):
    """Plays the move with the best evaluation, one ply deep."""

    name: ClassVar[str] = "greedy"
    by_evaluation: ClassVar[bool] = True

    worlds: int = option(10, low=1, high=MOST_DEALS, public=200)  # to average over, if anything is hidden

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        if not type(game).defines("evaluate"):
            return "its rules have no evaluate(s, out); use uct, mc or random."
        return None

    def memory(self, game: Game) -> tuple[Any, ...]:
        outlook = Outlook(records(3, game.dtype), numbers(game.max_moves, "f8"), numbers(game.players, "f8"))
        return outlook, self.worlds if game.has_hidden_information else 1

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        outlook, worlds = memory
        outlook.states[0] = s
        look_ahead(game, outlook, moves, count, player, worlds, rng)
        return best_of(moves, count, outlook.worth)

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        """Evaluate every move once; too fast to need a limit."""
        start = running_time()
        count = len(view.moves)
        outlook, worlds = self.memory(view.game)[:2]
        outlook.states[0] = native(view.state)
        legal = numbers(count, "i8")
        legal[:] = view.moves
        look_ahead(view.game, outlook, legal, count, view.player, worlds, view.rng.words)
        moves = [
            Ranked(move, float(outlook.worth[i]) / worlds, worlds, line=(move,)) for i, move in enumerate(view.moves)
        ]
        best_first = tuple(sorted(moves, key=lambda ranked: -ranked.value))
        return Report(best_first, count * worlds, "nodes", 1, running_time() - start)
