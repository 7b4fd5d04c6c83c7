"""Camel Up's own bots: the simple ones, and a table of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kibitz.games.camelup.best import CamelUpBest
from kibitz.games.camelup.ev import Ev, EvFull, EvRace
from kibitz.games.camelup.leg_odds import too_many_animals
from kibitz.games.camelup.quick import Quick
from kibitz.games.camelup.rules import ROLL
from kibitz.players.compiled_player import CompiledPlayer
from kibitz.rules.rng import below


@dataclass(frozen=True)
class RandomKind(CompiledPlayer):
    """Plays at random: first the kind of action, then any action of that kind."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        tiles_end, legs_end = 1, 1
        for i in range(1, count):
            tiles_end += moves[i] < game.first_leg_bet
            legs_end += moves[i] < game.first_race_bet
        kinds = 1 + (tiles_end > 1) + (legs_end > tiles_end) + (count > legs_end)
        kind = below(rng, kinds)
        if kind == 0:
            return moves[0]
        # The kinds are listed one after the other; those without a legal move are skipped.
        kind += tiles_end == 1
        if kind == 1:
            return moves[1 + below(rng, tiles_end - 1)]
        kind += legs_end == tiles_end
        if kind == 2:
            return moves[tiles_end + below(rng, legs_end - tiles_end)]
        return moves[legs_end + below(rng, count - legs_end)]


@dataclass(frozen=True)
class Roll(CompiledPlayer):
    """Always rolls."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        return ROLL


@dataclass(frozen=True)
class Leader(CompiledPlayer):
    """Takes a leg tile of the leading camel, or rolls when there are none left."""

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        leader = game.leader(s)
        can_take = count > 1 and s.taken[leader] < game.leg_tiles
        return game.first_leg_bet + leader if can_take else ROLL


def _own_bots(game: Any) -> Mapping[str, Any]:
    simple = {"random": RandomKind, "roll": Roll, "leader": Leader}
    by_odds = {"quick": Quick, "ev": Ev, "ev-race": EvRace, "ev-full": EvFull}
    return {**simple, **by_odds, "best": "leader" if too_many_animals(game) else CamelUpBest}


def _levels(game: Any) -> Mapping[str, tuple[str, str]]:
    if too_many_animals(game):
        return {}
    return {
        "casual": ("leader", "Bets on the leading camel, and rolls."),
        "strong": ("quick", "Knows the odds of the leg and the race, and takes the best bet."),
        "best": ("best", "Knows the exact odds, and plays for the win rather than for coins."),
    }


BOTS = _own_bots
LEVELS = _levels
