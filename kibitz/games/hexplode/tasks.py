"""What the lessons of Hexplode ask people to try out."""

from __future__ import annotations

from typing import Any

from kibitz.display.tasks import Task
from kibitz.rules.contract import OVER
from kibitz.state import State


def captures(game: Any, before: State, move: int, after: State) -> bool:
    """Whether a move takes counters of the opponent."""
    return after.counters[1 - before.turn] < before.counters[1 - before.turn]


def wins(game: Any, before: State, move: int, after: State) -> bool:
    """Whether a move ends the game: there are no draws."""
    return after.turn == OVER


TASKS = {
    "Critical tiles": Task(
        "Make a tile of yours critical: fill it until only one socket is free.",
        moves=("tile_0_0", "tile_3_3"),
        goal=("tile_0_0",),
        right="The corner has three sockets, and two are taken: its rim glows. One more counter makes it hexplode.",
        wrong="That tile still has several free sockets. Your corner has only three sockets, and one is taken.",
    ),
    "Hexplosions": Task(
        "Hexplode the critical corner, and take over the stack beside it.",
        moves=("tile_0_0", "tile_0_1", "tile_0_0", "tile_3_3"),
        goal=captures,
        right="The corner emptied: one counter flew to each of its neighbours, and the stack there is yours.",
        wrong="Nothing hexploded. Put your counter on the tile whose rim glows.",
    ),
    "The end": Task(
        "Win at once.",
        moves=("tile_0_0", "tile_0_1", "tile_0_0", "tile_0_1"),
        goal=wins,
        right="Your opponent has no counters left: you have won.",
        wrong="Your opponent still has counters. All of them are next to a critical tile of yours.",
    ),
}
