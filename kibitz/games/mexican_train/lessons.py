"""The rules of Mexican Train in plain words."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from kibitz.display.scene import Lesson
from kibitz.games.mexican_train.redeal import NONE
from kibitz.games.mexican_train.rules import PLAYING, SAUCE
from kibitz.games.mexican_train.scene import draw
from kibitz.games.mexican_train.tiles import MOST_PIPS, TILE
from kibitz.rules.contract import NOBODY
from kibitz.state import State

TRAINS = {
    SAUCE: [(12, 5), (5, 9), (9, 0)],
    0: [(12, 6), (6, 1)],
    1: [(12, 3), (3, 11), (11, 4)],
    2: [(12, 8)],
}
HAND = [(1, 7), (7, 10), (10, 2), (0, 4), (9, 9), (3, 8)]


def lessons(game: Any) -> list[Lesson]:
    pictured = dataclasses.replace(game, players=3, hand=0, common=False, highest=MOST_PIPS)
    open_train = table(pictured, opened=(1,))
    with_gate = table(pictured, {**TRAINS, SAUCE: [*TRAINS[SAUCE], (0, 0)]}, gate=SAUCE)
    engine = f"{game.highest}|{game.highest}"
    drawn = "If it fits, you must play it at once. If not, " if game.play_drawn else "Then "
    fails = "and their trains open" if game.gate_opens else "but their trains stay closed"
    rounds = f", or after {game.rounds} rounds" if game.rounds else ""
    return [
        Lesson(
            "The goal",
            f"All trains start from the engine, the {engine}. Lay your tiles on them, number to number, and try to "
            "get rid of them first: the player with the fewest points at the end wins.",
            draw(pictured, table(pictured), NOBODY, None),
        ),
        Lesson(
            "Your turn",
            "Lay one tile on your own train, on the Mexican train, or on any open train. Click a tile, and it is laid "
            "if it fits in one place only; otherwise, click the train as well, or drag the tile there. The bracket "
            "marks tiles that fit your train one after the other.",
            draw(pictured, table(pictured), 0, None),
        ),
        Lesson(
            "Open trains",
            f"If you cannot play, draw a tile from the boneyard. {drawn}your train opens to everybody and your turn "
            "ends. It closes again when you play on it.",
            draw(pictured, open_train, 0, None),
        ),
        Lesson(
            "The gate",
            "A double shuts the gate: nothing else may be played until there is a tile on it. The player who laid it "
            f"tries first, then the others in turn. Those who fail draw a tile, {fails}.",
            draw(pictured, with_gate, 0, None),
        ),
        Lesson(
            "Rounds",
            "A round ends when somebody has laid their last tile, or when the boneyard is empty and nobody can play. "
            f"Everybody scores the pips left in hand. The game ends when somebody reaches {game.target} "
            f"points{rounds}.",
        ),
    ]


def table(
    game: Any,
    trains: dict[int, list[tuple[int, int]]] | None = None,
    gate: int = NONE,
    opened: tuple[int, ...] = (),
) -> State:
    """A position with the given trains, and a hand for player 0."""
    s = State(np.zeros(1, game.dtype)[0])
    s.end[:] = game.highest
    s.train[:] = s.by[:] = s.drawn = NONE
    s.gate, s.phase = gate, PLAYING
    s.open = 1 << SAUCE | sum(1 << train for train in opened)
    for train, tiles in (trains or TRAINS).items():
        for number, following in tiles:
            tile = TILE[number, following]
            s.count += 1
            s.nth[tile], s.train[tile], s.by[tile] = s.count, train, 0 if train == SAUCE else train
            s.end[train] = following
    for one, other in HAND:
        s.hand[0, one] |= 1 << other
        s.hand[0, other] |= 1 << one
    s.size[:3] = [len(HAND), 8, 9]
    s.left = game.tiles - s.count - sum(s.size)
    return s
