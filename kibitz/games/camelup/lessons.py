"""The rules of Camel Up in plain words, for each of its sets of rules."""

from __future__ import annotations

import dataclasses
from typing import Any

from kibitz.game import NOBODY
from kibitz.games.camelup.rules import LOSER, UNKNOWN, WINNER
from kibitz.games.camelup.scene import draw
from kibitz.lesson import opening
from kibitz.scene import Lesson
from kibitz.state import State


def lessons(game: Any) -> list[Lesson]:
    pictured = dataclasses.replace(game, players=3, camels=5, squares=16)
    coins = "two coins" if game.is_camelai else "three coins"
    told = [
        Lesson(
            "The race",
            f"{_count(game.camels)} camels race once around the pyramid, and you bet on them. Everybody begins with "
            f"{coins}; most coins win. The race ends when a camel passes the last square. In the log, c_0 is camel 0.",
            draw(pictured, table(pictured), NOBODY, None),
        ),
        Lesson(
            "Your turn",
            "Do one of four things: roll a die, take a leg tile, lay a race card, or put your desert tile on the "
            "track. Click what you want to do; a card or a desert tile, then where it goes.",
            draw(pictured, table(pictured), 0, None),
        ),
        Lesson("Rolling", _rolling(game), draw(pictured, _carried(pictured), NOBODY, None)),
        Lesson("Leg tiles", _leg_tiles(game), draw(pictured, _bets(pictured), 0, None)),
        Lesson("Desert tiles", _desert_tiles(game), draw(pictured, _tiles(pictured), NOBODY, None)),
        Lesson("Race cards", _race_cards(game), draw(pictured, _laid(pictured), 0, None)),
    ]
    if game.is_second:
        told.append(Lesson("Crazy camels", CRAZY))
    return told


CRAZY = (
    "The white and the black camel run the other way and win nothing, but they carry others with them. They share "
    "the grey die, so a leg ends with one die left in the pyramid. If one of them sits on the other, the upper one "
    "moves; if only one carries racers, that one moves. A camel that is carried back over the start ends the race "
    "and is last."
)


def _count(camels: int) -> str:
    return ("Two", "Three", "Four", "Five", "Six")[camels - 2]


def _rolling(game: Any) -> str:
    paid = "at once" if game.is_camelai else "at the end of the leg"
    return (
        "The pyramid lets out one of its dice: that camel moves one, two or three squares and carries all that "
        "stand on it. It lands on top of those that are there. Of camels on a square, the upper one is ahead. A "
        f"roll earns you a coin, {paid}. When the dice are out, a leg is over and they go back in."
    )


def _leg_tiles(game: Any) -> str:
    worths = "5, 3, 2 or 2" if game.is_second else "5, 3 or 2"
    return (
        f"Take the top tile of a camel that you think will lead when the leg ends. It pays {worths} if it does, 1 if "
        "the camel is second, and costs 1 if it is neither."
    )


def _desert_tiles(game: Any) -> str:
    after = "It stays there until you move it." if game.is_camelai else "It comes back when the leg ends."
    return (
        "Put your tile on an empty square, not the first and not beside another player's. Camels that land on it "
        "earn you a "
        "coin; an oasis sends them one square on, a mirage one back and beneath those who stand there. " + after
    )


def _race_cards(game: Any) -> str:
    worths = "8, 5, 3, 1 and 1" if game.is_camelai else "8, 5, 3, 2 and 1"
    debts = " Debts count." if game.is_camelai else " Nobody falls below zero."
    return (
        "You have one card of each camel. Lay one face down on the first pile if you think it will win the race, on "
        f"the last pile if it will come last. In the end correct cards pay {worths} in the order in which they were "
        "laid, and wrong "
        "ones cost 1." + debts
    )


def table(game: Any, stacks: dict[int, list[int]] | None = None) -> State:
    """A position amid the first leg by who stands on which square, from below."""
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
