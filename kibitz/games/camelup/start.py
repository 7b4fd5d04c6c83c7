"""What the start decides, exactly: the odds of races without desert tiles by a camel's place at the start.

A place counts squares, then height in the stack.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from kibitz.compiled import native
from kibitz.engine import Engine
from kibitz.errors import KibitzError
from kibitz.games.camelup.odds import foresee, new_odds
from kibitz.games.camelup.race import start_ranks
from kibitz.games.camelup.track import FACES

PLACES = "first", "second", "third", "fourth", "fifth"


def places(camels: int) -> list[str]:
    """What the places in a race are called."""
    return [*PLACES[: camels - 1], "last"]


def exact_odds(game: Any) -> dict[int, list[float]] | None:
    """By place at the start: the odds to win (0), and to come last (the number of the last place).

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
    """By place at the start: the odds to lead when the first leg ends; None with crazy camels."""
    if game.is_second:
        return None
    odds, leads = new_odds(game, race=False), np.zeros(game.camels)
    for squares, ways in lined_up(game):
        state = Engine(game).start()
        state.leg = 1
        for camel, square in enumerate(squares):  # from the last to the first
            state.square[camel], state.height[camel] = square, squares[:camel].count(square)
        foresee(game, native(state), odds)
        leads += ways * np.asarray(odds.first)
    return (leads[::-1] / FACES**game.camels).tolist()


def lined_up(game: Any) -> Iterator[tuple[tuple[int, ...], int]]:
    """The squares at the start from the last camel to the first, and in how many ways the dice give them."""
    ways = Counter(tuple(sorted(squares)) for squares in itertools.product(range(FACES), repeat=game.camels))
    yield from sorted(ways.items())
