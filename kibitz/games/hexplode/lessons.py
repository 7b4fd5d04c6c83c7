"""The rules of Hexplode in plain words."""

from __future__ import annotations

from typing import Any

from kibitz.display.lesson_positions import opening
from kibitz.display.scene import Lesson, Scene
from kibitz.games.hexplode.chain import waves
from kibitz.games.hexplode.scene import draw
from kibitz.games.hexplode.tiles import names
from kibitz.rules.registry import find_game
from kibitz.state import State

PICTURED: Any = find_game("hexplode:side=3")
DAMAGED: Any = find_game("hexplode:side=3,damage=0.2")


def lessons(rules: Any) -> list[Lesson]:
    found = [
        Lesson(
            "A move",
            f"The board is a hexagon of {rules.tiles} tiles. On your turn, put one counter on an empty tile or on one "
            "of your own. A tile has one socket for each of its neighbours: three in a corner, four along an edge, six "
            "inside.",
            draw(PICTURED, OPEN, None),
        ),
        Lesson(
            "Critical tiles",
            "A tile with one free socket is critical: its rim glows. One more counter makes it hexplode.",
            draw(PICTURED, BEFORE, None),
        ),
        Lesson(
            "Hexplosions",
            "A full tile hexplodes: it empties, and one counter flies to each neighbour. The whole stack there becomes "
            "yours, even if it was your opponent's. A neighbour that is now full hexplodes, too, and so on.",
            _burst(),
        ),
        Lesson(
            "The end",
            "Once both have moved, a player with no counters left has lost. There are no draws, and a single move can "
            "turn the game around.",
            draw(PICTURED, board(PICTURED, tile_0_0=1, tile_1_0=3, tile_2_2=2, tile_3_1=5, tile_4_2=2), None),
        ),
    ]
    if rules.damage > 0:
        found.append(
            Lesson(
                "Damaged tiles",
                "Some tiles start out damaged. A damaged tile belongs to nobody and absorbs as many counters as its "
                "number says; after that it is like any other. Beware of hexplosions into damage: if they cost you "
                "your last counters, and your opponent has more than two, you have lost.",
                draw(DAMAGED, _damaged(), None),
            )
        )
    return found


def board(rules: Any, **stacks: int) -> State:
    """A position with the given stacks; the second player's are negative."""
    s = opening(rules)
    for name, stack in stacks.items():
        s.stacks[names(rules.side).index(name)] = stack
    for player, sign in enumerate((1, -1)):
        s.counters[player] = sum(abs(stack) for stack in stacks.values() if sign * stack > 0)
    s.turn = 0
    return s


OPEN = board(
    PICTURED,
    tile_0_0=1,
    tile_0_2=2,
    tile_1_3=2,
    tile_2_2=4,
    tile_3_0=-2,
    tile_3_1=-3,
    tile_4_0=-2,
    tile_4_2=-1,
    tile_2_0=-1,
)
BEFORE = board(PICTURED, tile_0_0=2, tile_0_1=-3, tile_1_0=-2, tile_1_1=-4, tile_3_2=3, tile_4_2=-2)


def _burst() -> Scene:
    corner = names(PICTURED.side).index("tile_0_0")
    *_, wave = waves(PICTURED, BEFORE, corner)
    return draw(PICTURED, wave.state, corner, wave.bursts, wave.landed)


def _damaged() -> State:
    s = board(DAMAGED, tile_0_0=1, tile_2_3=-2)
    for name, units in (("tile_1_2", 3), ("tile_3_0", 1), ("tile_4_1", 5)):
        s.damaged[names(DAMAGED.side).index(name)] = units
    return s
