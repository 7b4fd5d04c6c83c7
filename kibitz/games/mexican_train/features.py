"""The features of Mexican Train's positions that networks see (kibitz/learn/features.py), for the player to act.

They are the tiles in hand and on the table, the ends of the trains and what fits them, what the others are known to
lack, and how everybody stands. Seats and trains are told from the player's own on, around the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz.compiler import compiled
from kibitz.games.mexican_train.redeal import NONE
from kibitz.games.mexican_train.rules import MOST_PLAYERS, SAUCE, TRAINS
from kibitz.games.mexican_train.tiles import MOST_PIPS, SIZE
from kibitz.learn.features import Features, list_bits

NUMBERS = MOST_PIPS + 1
TILES = NUMBERS * NUMBERS  # places for a set of tiles, one per pair of numbers
FITTING = 8  # more tiles of one's own that fit an end count as so many
LEVELS = 16  # of a quantity
HAND, LAID = 1, 1 + TILES
ENDS = LAID + TILES
FITS = ENDS + TRAINS * NUMBERS
OPEN = FITS + TRAINS * FITTING
GATE = OPEN + TRAINS
SIZES = GATE + TRAINS + 1
POINTS = SIZES + MOST_PLAYERS * LEVELS
LACKS = POINTS + MOST_PLAYERS * LEVELS
BONES = LACKS + MOST_PLAYERS * NUMBERS
PLACES = BONES + LEVELS


@dataclass(init=False, eq=False)
class TilesAndTrains(Features):
    """Tiles, trains, and the standing of all players."""

    def size(self, game: Any) -> int:
        return PLACES

    def most(self, game: Any) -> int:
        return 2 * TILES + TRAINS * 3 + MOST_PLAYERS * (2 + NUMBERS) + 3

    def viewer(self, game: Any, s: Any) -> int:
        return s.turn if s.turn >= 0 else 0

    def describe(self, game: Any, s: Any, places: Any, amounts: Any) -> int:
        me = s.turn if s.turn >= 0 else 0
        places[0] = 0
        count = list_rows(s.hand[me], HAND, places, 1)
        count = list_rows(s.laid, LAID, places, count)
        for train in range(TRAINS):
            if train < game.players or train == SAUCE:
                seat = seat_of(train, me, game.players)
                places[count] = ENDS + seat * NUMBERS + s.end[train]
                places[count + 1] = FITS + seat * FITTING + min(SIZE[s.hand[me, s.end[train]]], FITTING - 1)
                places[count + 2] = OPEN + seat
                count += 2 + (s.open >> train & 1)
        places[count] = GATE + (TRAINS if s.gate == NONE else seat_of(s.gate, me, game.players))
        count += 1
        for player in range(game.players):
            seat = seat_of(player, me, game.players)
            places[count] = SIZES + seat * LEVELS + min(s.size[player], LEVELS - 1)
            places[count + 1] = POINTS + seat * LEVELS + min(s.points[player] * LEVELS // game.target, LEVELS - 1)
            count += 2
            for number in range(game.highest + 1 if player != me else 0):
                places[count] = LACKS + seat * NUMBERS + number
                count += s.void[player, number] != NONE and s.void[player, number] == s.kept[player]
        places[count] = BONES + min(s.left // 5, LEVELS - 1)
        count += 1
        for i in range(count):
            amounts[i] = 1.0
        return count


@compiled
def list_rows(rows: Any, first: int, places: Any, count: int) -> int:
    """Write a place for each tile of a set, which is in the rows of both its numbers."""
    for number in range(len(rows)):
        count = list_bits(int(rows[number]) >> number, first + number * NUMBERS, places, count)
    return count


@compiled
def seat_of(player: int, me: int, players: int) -> int:
    """A player, or the train of one, counted from one's own; the train that belongs to nobody stays the last."""
    return SAUCE if player == SAUCE else player - me if player >= me else player - me + players


FEATURES = {"zero": TilesAndTrains()}
