"""The features of Camel Up's positions that networks see (kibitz/learn/features.py), as the player to act sees them.

They are the race (squares, order, dice), the bets (one's own and how many all others have), and how everybody stands.
Seats are told from the player's own on, around the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.games.camelup.rules import MOST_PLAYERS
from kibitz.learn.features import Features, list_bits

SQUARES = 28  # the longest track
CAMELS = 8  # the most, crazy ones included
TAKEN = 5  # leg tiles of a camel: none to four
MOST = 128
LEVELS = 16  # of coins
SQUARE, RANK = 1, 1 + CAMELS * SQUARES
DICE = RANK + CAMELS * CAMELS
TAKEN_TILES = DICE + CAMELS
OWN_TILES = TAKEN_TILES + CAMELS * TAKEN
OTHERS_TILES = OWN_TILES + CAMELS
CARDS = OTHERS_TILES + CAMELS
RACE_BETS = CARDS + CAMELS
PILES = RACE_BETS + 2 * CAMELS
COINS = PILES + 2 * LEVELS
DESERT = COINS + MOST_PLAYERS * LEVELS
PLACES = DESERT + 4 * SQUARES


@dataclass(init=False, eq=False)
class RaceAndBets(Features):
    """The race, the bets and the standing of all players."""

    def size(self, game: Any) -> int:
        return PLACES

    def most(self, game: Any) -> int:
        return MOST

    def viewer(self, game: Any, s: Any) -> int:
        return s.turn if s.turn >= 0 else 0

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        me = s.turn if s.turn >= 0 else 0
        places[0] = 0
        amounts[0] = s.leg
        first = count = 1
        for camel in range(game.animals):
            places[count] = SQUARE + camel * SQUARES + max(s.square[camel], 0)
            ahead = 0
            for other in range(game.animals):
                further = s.square[other] - s.square[camel]
                ahead += further > 0 or (further == 0 and s.height[other] > s.height[camel])
            places[count + 1] = RANK + camel * CAMELS + ahead
            count += 2
        count = list_bits(int(s.dice), DICE, places, count)
        for camel in range(game.camels):
            places[count] = TAKEN_TILES + camel * TAKEN + s.taken[camel]
            count += 1
        count = list_bits(max(int(s.cards[me]), 0), CARDS, places, count)
        for player in range(game.players):
            seat = player - me if player >= me else player - me + game.players
            places[count] = COINS + seat * LEVELS + min(max(s.coins[player], 0) // 3, LEVELS - 1)
            count += 1
            tile = s.tile[player]
            places[count] = DESERT + (0 if player == me else 2 * SQUARES) + (0 if tile > 0 else SQUARES) + abs(tile)
            count += tile != 0
        for i in range(first, count):
            amounts[i] = 1.0
        for pile in range(2):
            places[count] = PILES + pile * LEVELS + min(s.pile[pile], LEVELS - 1)
            amounts[count] = 1.0
            count += 1
            for place in range(s.pile[pile]):
                if s.pile_owner[pile, place] == me and s.pile_camel[pile, place] >= 0:
                    places[count] = RACE_BETS + pile * CAMELS + s.pile_camel[pile, place]
                    amounts[count] = 1.0
                    count += 1
        for camel in range(game.camels):
            for i in range(s.taken[camel]):
                mine = s.holder[camel, i] == me
                places[count] = (OWN_TILES if mine else OTHERS_TILES) + camel
                amounts[count] = 1.0
                count += 1
        return count


FEATURES = {"zero": RaceAndBets()}
