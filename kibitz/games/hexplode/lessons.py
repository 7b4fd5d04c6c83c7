"""The rules of Hexplode in plain words."""

from __future__ import annotations

from typing import Any

from kibitz.games import game
from kibitz.games.hexplode.chain import waves
from kibitz.games.hexplode.scene import draw
from kibitz.games.hexplode.tiles import names
from kibitz.lesson import opening
from kibitz.scene import Lesson, Scene
from kibitz.state import State

PICTURED: Any = game("hexplode:side=3")
DAMAGED: Any = game("hexplode:side=3,damage=0.2")


def lessons(rules: Any) -> list[Lesson]:
    told = [
        Lesson(
            "A move",
            f"The board is a hexagon of {rules.tiles} tiles. In turn, put one counter of your colour on an empty tile "
            "or on one that is yours. A tile has one socket for each of its neighbours: three in a corner, four along "
            "an edge, six inside.",
            draw(PICTURED, OPEN, None),
        ),
        Lesson(
            "Critical tiles",
            "With one socket left a tile is critical: its rim glows. The next counter bursts it.",
            draw(PICTURED, BEFORE, None),
        ),
        Lesson(
            "Hexplosions",
            "A full tile hexplodes. It empties, and one counter flies to each neighbour, which becomes yours with all "
            "that stands there, whoever owned it. A neighbour that is full then hexplodes, too, and so on.",
            _burst(),
        ),
        Lesson(
            "The end",
            "Whoever has no counters left, once both have moved, has lost. There are no draws, and a game can turn "
            "around in a single move.",
            draw(PICTURED, board(PICTURED, tile_0_0=1, tile_1_0=3, tile_2_2=2, tile_3_1=5, tile_4_2=2), None),
        ),
    ]
    if rules.damage > 0:
        told.append(
            Lesson(
                "Damaged tiles",
                "Some tiles are damaged. Such a tile belongs to nobody and swallows as many counters as its number "
                "says; then it is like the others.",
                draw(DAMAGED, _damaged(), None),
            )
        )
    return told


def board(rules: Any, **stacks: int) -> State:
    """A position by what is on the tiles; the second player's counters are negative."""
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
    return draw(PICTURED, wave.state, corner, wave.landed)


def _damaged() -> State:
    s = board(DAMAGED, tile_0_0=1, tile_2_3=-2)
    for name, units in (("tile_1_2", 3), ("tile_3_0", 1), ("tile_4_1", 5)):
        s.damaged[names(DAMAGED.side).index(name)] = units
    return s
