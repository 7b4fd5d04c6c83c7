"""Games of Camel Up gone through again: who was where, what paid whom, and when race cards were laid.

Whole batches of games run in compiled code. What is paid is reckoned here once more, apart by source, which the rules
do not keep; the tests make sure that it adds up to the coins of every player.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled import compiled, is_plain, native, numbers, records
from kibitz.engine import Engine
from kibitz.game import CHANCE, OVER
from kibitz.games.camelup.rules import LEG_PAY, MOST_PLAYERS, SECOND_PAY, WINNER, WRONG
from kibitz.games.camelup.track import FACES
from kibitz.state import Cells

ROLLS, TILES, LEG_BETS, RACE_BETS, REMITTED = range(5)  # where coins come from; the last: debts that nobody pays
SOURCES = "rolls", "desert tiles", "leg bets", "race bets", "debts remitted"
LEGS = 8  # that are told apart; later ones count as the last of them


class Account(NamedTuple):
    """What happened in games, a row each."""

    legs: Any  # how many were begun
    place: Any  # [game, leg, camel]: how many camels were ahead when so many legs had ended; 0: at the start …
    square: Any  # … and where it stood
    final: Any  # [game, camel]: how many camels were ahead in the end
    income: Any  # [game, player, source]: coins
    cards: Any  # [game, pile]: how many race cards were laid
    laid: Any  # [game, pile, card]: in which leg, from 1 …
    owner: Any  # … by whom …
    paid: Any  # … and what it paid in the end


def account_of(game: Any, moves: Sequence[np.ndarray]) -> Account:
    """Go through games that ended by the rules, of which all moves and chance outcomes are given."""
    count, cards = len(moves), (2, MOST_PLAYERS * game.camels)
    found = Account(
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
    face = Cells if is_plain() else np.ascontiguousarray
    plies = np.concatenate([np.zeros(0, "i8"), *moves])
    follow(game, states, face(plies), face(np.cumsum([0, *map(len, moves)])), found)
    return Account(*(np.asarray(column) for column in found))


@compiled
def follow(game: Any, states: Any, plies: Any, ends: Any, found: Account) -> None:
    """Go through games: plies[ends[i]:ends[i + 1]] is the i-th. states[2] is the opening."""
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
def count_roll(game: Any, s: Any, roll: int, found: Account, row: int) -> None:
    """Note whom a roll pays: who rolled, and whose desert tile is landed on. The state is that before it."""
    camel, distance = roll // FACES, roll % FACES + 1
    found.income[row, s.turns % game.players, ROLLS] += 1
    is_crazy = camel >= game.camels
    mover = game.crazy_mover(s, camel) if is_crazy else camel
    landing = s.square[mover] + (-distance if is_crazy else distance)
    for player in range(game.players):
        found.income[row, player, TILES] += s.tile[player] != 0 and abs(s.tile[player]) == landing


@compiled
def count_leg(game: Any, before: Any, s: Any, found: Account, row: int) -> None:
    """Note where camels are as a leg ends, and whom its tiles pay: those that lay there before its last roll."""
    leg = min(before.leg, LEGS)
    first = game.leader(s)
    second = game.leader_but(s, first)
    for camel in range(game.camels):
        found.square[row, leg, camel] = s.square[camel]
        found.place[row, leg, camel] = ahead_of(game, s, camel)
        for i in range(before.taken[camel]):
            pay = LEG_PAY[i] if camel == first else SECOND_PAY if camel == second else WRONG
            found.income[row, before.holder[camel, i], LEG_BETS] += pay


@compiled
def count_race(game: Any, s: Any, opening: Any, found: Account, row: int) -> None:
    """Note how the race ended, whom its cards paid, and what of all that was remitted."""
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
        for source in range(REMITTED):
            gained -= found.income[row, player, source]
        found.income[row, player, REMITTED] = gained


@compiled
def ahead_of(game: Any, s: Any, camel: int) -> int:
    """How many camels are ahead of one."""
    ahead = 0
    for other in range(game.camels):
        ahead += game.place(s, other) > game.place(s, camel)
    return ahead
