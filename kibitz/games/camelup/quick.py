"""A table-driven player: what `ev-race` finds by enumeration is looked up, ignoring desert tiles and crazy camels.

The race without them is solved for every position and every set of dice left (race_odds.py). A lookup takes a tenth of
a microsecond, where enumeration takes a tenth of a millisecond: fast enough for thousands of playouts per move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.compiler import compiled, numbers
from kibitz.games.camelup.ev import ROLL_WORTH, OddsPlayer, mean_leg_pay, mean_race_pay, right_race_pay
from kibitz.games.camelup.race_odds import COMBINATIONS, all_values
from kibitz.games.camelup.rules import ROLL, WINNER


class Lookup(NamedTuple):
    """The values of all positions, and each camel's place in the position looked up last."""

    values: Any
    rank: Any


def new_lookup(game: Any) -> Lookup:
    return Lookup(all_values(game), numbers(game.camels, "i8"))


@dataclass(frozen=True)
class Quick(OddsPlayer):
    """Like ev-race, but looks the odds up, without desert tiles and crazy camels: nearly as good, and far faster."""

    def memory(self, game: Any) -> tuple[Any, ...]:
        return (new_lookup(game),)

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        if count == 1:
            return moves[0]
        return quick_move(game, s, player, memory[0])


@compiled
def look_up(game: Any, s: Any, lookup: Lookup) -> Any:
    """The values of a position, by place in the race; writes each camel's place to `lookup.rank`."""
    camels = game.camels
    position, dice = 0, s.dice >> camels << camels  # the grey die keeps its bit
    for camel in range(camels):
        place = game.place(s, camel)
        rank = 0
        for other in range(camels):
            rank += game.place(s, other) < place
        lookup.rank[camel] = rank
        position += COMBINATIONS[s.square[camel] + rank, rank + 1]
        dice |= (s.dice >> camel & 1) << rank
    return lookup.values[position, dice]


@compiled
def quick_move(game: Any, s: Any, player: int, lookup: Lookup) -> int:
    """The move with the highest expected value, ignoring desert tiles and crazy camels."""
    camels = game.camels
    chance = look_up(game, s, lookup)
    choice, best = ROLL, ROLL_WORTH
    for camel in range(camels):
        if s.taken[camel] < game.leg_tiles:
            first, second = chance[2 * camels + 2 + lookup.rank[camel]], chance[3 * camels + 2 + lookup.rank[camel]]
            worth = mean_leg_pay(first, second, s.taken[camel])
            if worth > best:
                choice, best = game.first_leg_bet + camel, worth
    for pile in range(2):
        pay = right_race_pay(game, s, pile, player)
        for camel in range(camels):
            if s.cards[player] >> camel & 1:
                worth = mean_race_pay(chance[(0 if pile == WINNER else camels) + lookup.rank[camel]], pay)
                if worth > best:
                    choice, best = game.first_race_bet + pile * camels + camel, worth
    return choice
