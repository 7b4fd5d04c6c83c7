"""Games of Camel Up, replayed: where the camels were, what each player was paid for, and when race cards were laid.

Whole batches of games run in compiled code. Payments are computed again here, by source, which the rules do not record;
the tests make sure that they add up to every player's coins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiler import as_buffer, compiled, native, numbers, records
from kibitz.games.camelup.rules import LEG_PAY, MOST_PLAYERS, SECOND_PAY, WINNER, WRONG
from kibitz.games.camelup.track import FACES
from kibitz.rules.contract import CHANCE, OVER
from kibitz.rules.engine import Engine

ROLLS, TILES, LEG_BETS, RACE_BETS, FORGIVEN = range(5)  # where coins come from; the last: debts that are never paid
SOURCES = "rolls", "desert tiles", "leg bets", "race bets", "debts forgiven"
LEGS = 8  # counted separately; later ones count as the last of them


class RaceHistory(NamedTuple):
    """What happened in each game, one row per game."""

    legs: Any  # how many were begun
    place: Any  # [game, leg, camel]: how many camels were ahead when the leg ended; leg 0 is the start …
    square: Any  # … and the camel's square
    final: Any  # [game, camel]: how many camels were ahead at the end of the race
    income: Any  # [game, player, source]: coins
    cards: Any  # [game, pile]: how many race cards were laid
    laid: Any  # [game, pile, card]: in which leg, from 1 …
    owner: Any  # … by whom …
    paid: Any  # … and what it paid at the end


def race_history_of(game: Any, moves: Sequence[np.ndarray]) -> RaceHistory:
    """Replay games that ended without a fault, given all their moves and chance outcomes."""
    count, cards = len(moves), (2, MOST_PLAYERS * game.camels)
    found = RaceHistory(
        legs=numbers(count, "i1"),
        place=numbers((count, LEGS + 1, game.camels), "i1"),
        square=numbers((count, LEGS + 1, game.camels), "i1"),
        final=numbers((count, game.camels), "i1"),
        income=numbers((count, game.players, len(SOURCES)), "i2"),
        cards=numbers((count, 2), "i1"),
        laid=numbers((count, *cards), "i1"),
        owner=numbers((count, *cards), "i1"),
        paid=numbers((count, *cards), "i1"),
    )
    states = records(3, game.dtype)
    states[2] = native(Engine(game).start())
    plies = np.concatenate([np.zeros(0, "i8"), *moves])
    follow(game, states, as_buffer(plies), as_buffer(np.cumsum([0, *map(len, moves)])), found)
    return RaceHistory(*(np.asarray(column) for column in found))


@compiled
def follow(game: Any, states: Any, plies: Any, ends: Any, found: RaceHistory) -> None:
    """Replay games, of which plies[ends[i]:ends[i + 1]] is the i-th. states[2] is the opening position."""
    s, before = states[0], states[1]
    for row in range(len(ends) - 1):
        states[0] = states[2]
        for ply in range(ends[row], ends[row + 1]):
            states[1] = states[0]
            game.play(s, plies[ply])
            if before.turn == CHANCE:
                if before.leg > 0:
                    count_roll(game, before, plies[ply], found, row)
                if s.leg != before.leg or s.turn == OVER:
                    count_leg(game, before, s, found, row)
            elif plies[ply] >= game.first_race_bet:
                pile = (plies[ply] - game.first_race_bet) // game.camels
                found.laid[row, pile, before.pile[pile]] = min(s.leg, LEGS)
        count_race(game, s, states[2], found, row)


@compiled
def count_roll(game: Any, s: Any, roll: int, found: RaceHistory, row: int) -> None:
    """Record the income from a roll: for the roller, and for the owner of a desert tile. `s` is the state before it."""
    camel, distance = roll // FACES, roll % FACES + 1
    found.income[row, s.turns % game.players, ROLLS] += 1
    is_crazy = camel >= game.camels
    mover = game.crazy_mover(s, camel) if is_crazy else camel
    landing = s.square[mover] + (-distance if is_crazy else distance)
    for player in range(game.players):
        found.income[row, player, TILES] += s.tile[player] != 0 and abs(s.tile[player]) == landing


@compiled
def count_leg(game: Any, before: Any, s: Any, found: RaceHistory, row: int) -> None:
    """Record where camels are as a leg ends, and what its leg tiles pay. `before` is the state before the last roll."""
    leg = min(before.leg, LEGS)
    first = game.leader(s)
    second = game.leader_without(s, first)
    for camel in range(game.camels):
        found.square[row, leg, camel] = s.square[camel]
        found.place[row, leg, camel] = ahead_of(game, s, camel)
        for i in range(before.taken[camel]):
            pay = LEG_PAY[i] if camel == first else SECOND_PAY if camel == second else WRONG
            found.income[row, before.holder[camel, i], LEG_BETS] += pay


@compiled
def count_race(game: Any, s: Any, opening: Any, found: RaceHistory, row: int) -> None:
    """Record how the race ended, the income from race cards, and the debts forgiven over the whole game."""
    found.legs[row] = min(s.leg, LEGS)
    for camel in range(game.camels):
        found.final[row, camel] = ahead_of(game, s, camel)
    for pile in range(2):
        found.cards[row, pile] = s.pile[pile]
        right = game.leader(s) if pile == WINNER else game.last(s)
        correct = 0
        for i in range(s.pile[pile]):
            is_right = s.pile_camel[pile, i] == right
            pay = game.race_pay(correct) if is_right else WRONG
            correct += is_right
            found.owner[row, pile, i] = s.pile_owner[pile, i]
            found.paid[row, pile, i] = pay
            found.income[row, s.pile_owner[pile, i], RACE_BETS] += pay
    for player in range(game.players):
        gained = s.coins[player] - opening.coins[player]
        for source in range(FORGIVEN):
            gained -= found.income[row, player, source]
        found.income[row, player, FORGIVEN] = gained


@compiled
def ahead_of(game: Any, s: Any, camel: int) -> int:
    """The number of camels ahead of a camel."""
    ahead = 0
    for other in range(game.camels):
        ahead += game.place(s, other) > game.place(s, camel)
    return ahead
