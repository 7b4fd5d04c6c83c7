"""Players that know the exact odds and take the move with the highest expected value, in coins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.compiler import compiled, numbers
from kibitz.games.camelup.leg_odds import LegOdds, foresee, foresee_with_tiles, new_odds, too_many_animals
from kibitz.games.camelup.rules import LEG_PAY, ROLL, SECOND_PAY, WINNER, WRONG
from kibitz.players.compiled_player import CompiledPlayer, best_of
from kibitz.rules.contract import Game

ROLL_WORTH = 1.0  # what a roll pays


class OddsPlayer(CompiledPlayer):
    """The base of the compiled players that know the odds."""

    @classmethod
    def misfit(cls, game: Any) -> str | None:
        return too_many_animals(game)


@dataclass(frozen=True)
class Ev(OddsPlayer):
    """Takes the leg tile with the highest expected value by the exact odds of the leg, or rolls if that pays more."""

    def memory(self, game: Game) -> tuple[Any, ...]:
        return new_odds(game, race=False), numbers(game.max_moves, "f8")

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        odds, worth = memory
        foresee(game, s, odds)
        value_leg_bets(game, s, odds, moves, count, worth)
        return best_of(moves, count, worth)


@dataclass(frozen=True)
class EvRace(OddsPlayer):
    """Like ev, but also lays race cards, by the odds of the race if no tiles and crazy camels disturb later legs."""

    def memory(self, game: Game) -> tuple[Any, ...]:
        return new_odds(game, race=True), numbers(game.max_moves, "f8")

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        odds, worth = memory
        foresee(game, s, odds)
        value_leg_bets(game, s, odds, moves, count, worth)
        value_race_bets(game, s, odds, moves, count, worth, player)
        return best_of(moves, count, worth)


@dataclass(frozen=True)
class EvFull(OddsPlayer):
    """Like ev-race, but also places its desert tile, by the exact odds that each square would give."""

    def memory(self, game: Game) -> tuple[Any, ...]:
        return new_odds(game, race=True), new_odds(game, race=False), numbers(game.max_moves, "f8")

    def pick(self, game: Any, s: Any, moves: Any, count: int, player: int, memory: Any, rng: Any) -> int:
        value_moves(game, s, memory, moves, count, player)
        return best_of(moves, count, memory[2])


@compiled
def value_moves(game: Any, s: Any, memory: Any, moves: Any, count: int, player: int) -> None:
    """Find the expected value of every legal move, in coins; `memory` is that of EvFull."""
    odds, trial, worth = memory
    foresee(game, s, odds)
    value_leg_bets(game, s, odds, moves, count, worth)
    value_race_bets(game, s, odds, moves, count, worth, player)
    value_tiles(game, s, odds, trial, moves, count, worth, player)


@compiled
def value_leg_bets(game: Any, s: Any, odds: LegOdds, moves: Any, count: int, worth: Any) -> None:
    """Find the expected value of rolling and of each leg tile; all other moves get 0."""
    for i in range(count):
        worth[i] = 0.0
        camel = moves[i] - game.first_leg_bet
        if moves[i] == ROLL:
            worth[i] = ROLL_WORTH
        elif 0 <= camel < game.camels:
            worth[i] = leg_worth(odds, camel, s.taken[camel])


@compiled
def leg_worth(odds: LegOdds, camel: int, place: int) -> float:
    """The expected value of a camel's leg tile that is taken after `place` others."""
    return mean_leg_pay(odds.first[camel], odds.second[camel], place)


@compiled
def mean_leg_pay(first: float, second: float, place: int) -> float:
    """The expected pay of a leg tile, by the probabilities that its camel is first and second."""
    return first * LEG_PAY[place] + second * SECOND_PAY + (1.0 - first - second) * WRONG


@compiled
def value_race_bets(game: Any, s: Any, odds: LegOdds, moves: Any, count: int, worth: Any, player: int) -> None:
    """Find the expected value of each race card."""
    for i in range(count):
        if moves[i] >= game.first_race_bet:
            card = moves[i] - game.first_race_bet
            worth[i] = race_worth(game, s, odds, card // game.camels, card % game.camels, player)


@compiled
def race_worth(game: Any, s: Any, odds: LegOdds, pile: int, camel: int, player: int) -> float:
    """The expected value of a race card laid now."""
    chance = odds.wins[camel] if pile == WINNER else odds.loses[camel]
    return mean_race_pay(chance, right_race_pay(game, s, pile, player))


@compiled
def right_race_pay(game: Any, s: Any, pile: int, player: int) -> int:
    """What a correct race card laid now pays, if all cards of others below it are for the same camel."""
    before = 0
    for i in range(s.pile[pile]):
        before += s.pile_owner[pile, i] != player
    return game.race_pay(before)


@compiled
def mean_race_pay(chance: float, right: int) -> float:
    """The expected pay of a race card, by the probability that it is correct."""
    return chance * right + (1.0 - chance) * WRONG


@compiled
def value_tiles(
    game: Any, s: Any, odds: LegOdds, trial: LegOdds, moves: Any, count: int, worth: Any, player: int
) -> None:
    """Find the expected gain in this leg from each place for the desert tile: from it and from the leg tiles held.

    `odds` are those of the current position; `trial` is scratch space.
    """
    own = abs(s.tile[player])
    now = held_worth(game, s, odds, player) + (odds.landings[own] if own > 0 else 0.0)
    trial.tiles[:] = odds.tiles[:]
    trial.tiles[own] = 0
    for i in range(count):
        if ROLL < moves[i] < game.first_leg_bet:
            is_oasis = moves[i] < game.first_mirage
            square = moves[i] if is_oasis else moves[i] - game.first_mirage + 1
            if own == 0 and odds.landings[square] == 0.0:
                continue  # no camel can land there in this leg
            trial.tiles[square] = 1 if is_oasis else -1
            foresee_with_tiles(game, s, trial)
            worth[i] = trial.landings[square] + held_worth(game, s, trial, player) - now
            trial.tiles[square] = 0


@compiled
def held_worth(game: Any, s: Any, odds: LegOdds, player: int) -> float:
    """The expected value of the leg tiles that a player holds."""
    worth = 0.0
    for camel in range(game.camels):
        for place in range(s.taken[camel]):
            if s.holder[camel, place] == player:
                worth += leg_worth(odds, camel, place)
    return worth
