"""The strongest player: it tries the most promising moves in playouts, and plays for the win rather than for coins.

The exact odds give the expected value of every move, desert tiles included (ev.py). The best few are then played out,
thousands of times, by a player that looks the odds up (quick.py), with hidden race cards drawn by the odds at the time
when they were laid (inference.py): who wins these playouts shows who is ahead and who can afford a risk. The expected
value counts as much as a few hundred playouts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp
from typing import ClassVar

from kibitz.compiler import native, numbers, running_time
from kibitz.games.camelup.ev import EvFull, value_moves
from kibitz.games.camelup.inference import deals
from kibitz.players.bot import Report
from kibitz.players.limit import Limit
from kibitz.players.options import option
from kibitz.rules.contract import Game
from kibitz.search.mc import FlatMonteCarlo
from kibitz.search.monte_carlo import MonteCarloSearch
from kibitz.table import View

WORLDS = 200  # determinizations of the hidden race cards
MOST_LOSS = 700.0  # of log-odds; beyond it, floating-point numbers overflow


@dataclass
class CamelUpBest(MonteCarloSearch):
    """Plays out the moves with the highest expected value, thousands of times, and takes the one that wins most."""

    name: ClassVar[str] = "best"
    default_limit: ClassVar[Limit] = Limit(simulations=2000)

    moves: int = option(6, low=1, public=1000)  # how many moves to try, those with the highest expected value
    trust: int = option(300, low=0, public=1_000_000)  # how many playouts the expected value counts for
    belief: float = option(4.0, low=0.0, public=100.0)  # how much hidden race cards follow the odds of their camels
    coin: float = option(0.04, low=0.0, public=1.0)  # the share of the win that a coin is worth in an even game

    @classmethod
    def misfit(cls, game: Game) -> str | None:
        return EvFull.misfit(game)

    def search(self, view: View, limit: Limit, ranking: bool) -> Report:
        start = running_time()
        most = len(view.moves) if ranking else self.moves
        game, count = view.game, len(view.moves)
        legal = numbers(count, "i8")
        legal[:] = view.moves
        memory = EvFull().memory(game)
        value_moves(game, native(view.state), memory, legal, count, view.player)
        worth = dict(zip(view.moves, memory[2][:count].tolist(), strict=True))
        tried = sorted(view.moves, key=lambda move: -worth[move])[:most]
        worlds = deals(view, WORLDS, self.belief)
        report = FlatMonteCarlo(by="quick", halve=True).search_moves(view, tried, limit, worlds)
        highest, even = worth[tried[0]], 1.0 / game.players
        steepness = self.coin / (even * (1.0 - even))

        def judged(value: float, visits: int, move: int) -> float:
            expected = after_losing(report.best.value, steepness * (highest - worth[move]))
            return (visits * value + self.trust * expected) / (visits + self.trust)

        ranked = [replace(r, value=judged(r.value, r.visits, r.move)) for r in report.moves]
        ranked.sort(key=lambda r: (-r.value, -worth[r.move]))
        return replace(report, moves=tuple(ranked), seconds=running_time() - start)


def after_losing(chance: float, loss: float) -> float:
    """What is left of a chance to win when its log-odds fall by `loss`."""
    return chance / (chance + (1.0 - chance) * exp(min(loss, MOST_LOSS)))
