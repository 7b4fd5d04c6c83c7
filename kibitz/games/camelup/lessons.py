"""The rules of Camel Up in plain words, for each rule set."""

from __future__ import annotations

import dataclasses
from typing import Any

from kibitz.display.lesson_positions import opening
from kibitz.display.scene import Lesson
from kibitz.games.camelup.rules import LOSER, UNKNOWN, WINNER
from kibitz.games.camelup.scene import draw
from kibitz.rules.contract import NOBODY
from kibitz.state import State


def lessons(game: Any) -> list[Lesson]:
    pictured = dataclasses.replace(game, players=3, camels=5, squares=16)
    coins = "two coins" if game.is_camelai else "three coins"
    found = [
        Lesson(
            "The race",
            f"{_count(game.camels)} camels race once around the pyramid, and you bet on them. Everybody starts with "
            f"{coins}; the most coins win. The race ends when a camel passes the last square.",
            draw(pictured, table(pictured), NOBODY, None),
        ),
        Lesson(
            "Your turn",
            "Do one of four things: roll a die, take a leg tile, lay a race card, or place your desert tile on the "
            "track. Click the pyramid or a leg tile; or click a card or a desert tile, then where it goes.",
            draw(pictured, table(pictured), 0, None),
        ),
        Lesson("Rolling", _rolling(game), draw(pictured, _carried(pictured), NOBODY, None)),
        Lesson("Leg tiles", _leg_tiles(game), draw(pictured, _bets(pictured), 0, None)),
        Lesson("Desert tiles", _desert_tiles(game), draw(pictured, _tiles(pictured), NOBODY, None)),
        Lesson("Race cards", _race_cards(game), draw(pictured, _laid(pictured), 0, None)),
    ]
    if game.is_second:
        found.append(Lesson("Crazy camels", CRAZY))
    return found


CRAZY = (
    "The white and the black camel run backward and cannot win, but they carry other camels along. They share the "
    "grey die, and a leg ends with one die left in the pyramid. If one of them sits directly on the other, the upper "
    "one moves; otherwise, if only one of them carries racing camels, that one moves. A camel that is carried back "
    "over the start ends the race and comes last."
)


def _count(camels: int) -> str:
    return ("Two", "Three", "Four", "Five", "Six")[camels - 2]


def _rolling(game: Any) -> str:
    paid = "at once" if game.is_camelai else "at the end of the leg"
    over = "only one die is left" if game.is_second else "all dice are out"
    return (
        "The pyramid releases one of its dice: that camel moves one, two or three squares and carries all camels on "
        "top of it. It lands on top of those already there. On the same square, the upper camel is ahead. A roll "
        f"earns you a coin, {paid}. When {over}, the leg ends and the dice go back in."
    )


def _leg_tiles(game: Any) -> str:
    pays = "5, 3, 2 or 2" if game.is_second else "5, 3 or 2"
    return (
        f"Take the top leg tile of the camel that you think will lead when the leg ends. It pays {pays} if it does, 1 "
        "if the camel is second, and costs 1 otherwise."
    )


def _desert_tiles(game: Any) -> str:
    after = "It stays there until you move it." if game.is_camelai else "You get it back when the leg ends."
    return (
        "Place your tile on an empty square, but not on the first and not next to another player's tile. Camels that "
        "land on it earn you a coin; an oasis moves them one square forward, a mirage one square back and beneath the "
        "camels there. " + after
    )


def _race_cards(game: Any) -> str:
    pays = "8, 5, 3, 1 and 1" if game.is_camelai else "8, 5, 3, 2 and 1"
    debts = "Debts count." if game.is_camelai else "Nobody falls below zero."
    return (
        "You have one card for each camel. Lay it face down on the first pile if you think that the camel will win "
        f"the race, or on the last pile if you think that it will come last. At the end, correct cards pay {pays} in "
        "the order in which they were laid, and wrong ones cost 1. " + debts
    )


def table(game: Any, stacks: dict[int, list[int]] | None = None) -> State:
    """A position in the first leg with the given stacks by square, from the bottom."""
    s = opening(game)
    for square, stack in (stacks or {1: [4], 2: [0, 2], 4: [3, 1]}).items():
        for height, camel in enumerate(stack):
            s.square[camel], s.height[camel] = square, height
    if game.is_second:
        for crazy, square in enumerate((13, 15)):
            s.square[game.camels + crazy] = square
    s.leg, s.dice, s.turn = 1, (1 << game.camels + game.is_second) - 1, 0
    return s


def _carried(game: Any) -> State:
    s = table(game, {1: [4], 4: [3], 6: [1], 7: [0, 2]})
    s.dice &= ~0b00011
    return s


def _bets(game: Any) -> State:
    s = _carried(game)
    for camel, owners in {2: [0, 1], 1: [0]}.items():
        s.taken[camel] = len(owners)
        for number, owner in enumerate(owners):
            s.holder[camel, number] = owner
    return s


def _tiles(game: Any) -> State:
    s = _carried(game)
    s.tile[0], s.tile[1] = 9, -12
    return s


def _laid(game: Any) -> State:
    s = _tiles(game)
    for pile, owner, camel in ((WINNER, 0, 2), (WINNER, 1, UNKNOWN), (LOSER, 2, UNKNOWN)):
        number = s.pile[pile]
        s.pile_camel[pile, number] = camel
        s.pile_owner[pile, number] = UNKNOWN if game.is_camelai and owner else owner
        s.pile[pile] += 1
    s.cards[0] &= ~(1 << 2)
    return s
