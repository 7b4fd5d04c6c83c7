"""The payments of Camel Up one by one, for people who want to know why. (The rules only add them up.)"""

from __future__ import annotations

from typing import Any

from kibitz.games.camelup.rules import LEG_PAY, SECOND_PAY, WINNER, WRONG
from kibitz.state import State

Coins = list[int]


def leg_tile_pays(game: Any, s: State, first: int, second: int) -> list[Coins]:
    """What each player's leg tiles pay when these camels lead."""
    pays: list[Coins] = [[] for _ in range(game.players)]
    for camel in range(game.camels):
        for number in range(s.taken[camel]):
            pay = int(LEG_PAY[number]) if camel == first else SECOND_PAY if camel == second else WRONG
            pays[s.holder[camel, number]].append(pay)
    return [sorted(mine, reverse=True) for mine in pays]


def roll_pays(game: Any, before: State) -> Coins:
    """What each player gets for rolls at the end of a leg, the last one included; in camelai they are paid at once."""
    if game.is_camelai:
        return [0] * game.players
    pays: Coins = before.rolls.tolist()[: game.players]
    pays[before.turns % game.players] += 1
    return pays


def race_card_pays(game: Any, s: State) -> list[Coins]:
    """What each player's race cards pay, once the race is over."""
    pays: list[Coins] = [[] for _ in range(game.players)]
    for pile in range(2):
        right = game.leader(s) if pile == WINNER else game.last(s)
        correct = 0
        for place in range(s.pile[pile]):
            is_right = s.pile_camel[pile, place] == right
            pays[s.pile_owner[pile, place]].append(int(game.race_pay(correct)) if is_right else WRONG)
            correct += is_right
    return pays


def settled(game: Any, coins: Coins, dues: Coins) -> Coins:
    """Each player's coins after a payment; except in camelai, debts are forgiven."""
    paid = [have + due for have, due in zip(coins, dues, strict=True)]
    return paid if game.is_camelai else [max(have, 0) for have in paid]
