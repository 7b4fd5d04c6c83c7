"""Exact odds by a camel's place at the start, without desert tiles.

Places are ranked by square, then by height in the stack.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from kibitz.compiler import native
from kibitz.errors import KibitzError
from kibitz.games.camelup.leg_odds import foresee, new_odds, too_many_animals
from kibitz.games.camelup.race_odds import start_ranks
from kibitz.games.camelup.track import FACES
from kibitz.rules.engine import Engine

PLACES = "first", "second", "third", "fourth", "fifth"


def places(camels: int) -> list[str]:
    """The names of the places in a race."""
    return [*PLACES[: camels - 1], "last"]


def exact_odds(game: Any) -> dict[int, list[float]] | None:
    """By place at the start: the odds of winning (key 0) and of coming last (key camels − 1).

    None where they are not known: with crazy camels, and for races too large to be solved.
    """
    if game.is_second:
        return None
    try:
        odds = start_ranks(game)
    except KibitzError:
        return None
    wins, loses = odds[: 2 * game.camels].reshape(2, -1)[:, ::-1].tolist()
    return {0: wins, game.camels - 1: loses}


def exact_leaders(game: Any) -> list[float] | None:
    """By place at the start: the odds of leading when the first leg ends; None if there are none."""
    if too_many_animals(game):
        return None
    odds, leads = new_odds(game, race=False), np.zeros(game.camels)
    crazy_starts = [*itertools.product(range(game.squares - FACES, game.squares), repeat=game.animals - game.camels)]
    for squares, ways in lined_up(game):
        for crazy_squares in crazy_starts:
            state = Engine(game).start()
            state.leg, state.dice = 1, game.leg_dice
            placed = *squares, *crazy_squares  # from the last camel to the first, then the crazy ones
            for camel, square in enumerate(placed):
                state.square[camel], state.height[camel] = square, placed[:camel].count(square)
            foresee(game, native(state), odds)
            leads += ways / len(crazy_starts) * np.asarray(odds.first)
    return (leads[::-1] / FACES**game.camels).tolist()


def lined_up(game: Any) -> Iterator[tuple[tuple[int, ...], int]]:
    """The possible starting squares, from the last camel to the first, and how many rolls lead to each."""
    ways = Counter(tuple(sorted(squares)) for squares in itertools.product(range(FACES), repeat=game.camels))
    yield from sorted(ways.items())
